package fixed

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/stmverify/stmverify/verdict"
)

const ulp = 1.0 / (1 << 24)

func TestU8F24FromFloat64(t *testing.T) {
	for _, c := range []struct {
		name string
		f    float64
		want U8F24
	}{
		{"zero", 0, 0},
		{"negative zero", math.Copysign(0, -1), 0},
		{"smallest double", math.SmallestNonzeroFloat64, 0},
		{"mainnet", 0.2, 0x333333},
		{"old preprod", 0.65, 0xa66666},
		{"preprod", 0.7, 0xb33333},
		{"one", 1, 1 << 24},
		{"tie to even, down", 2.5 * ulp, 2},
		{"tie to even, up", 3.5 * ulp, 4},
		{"half a unit", 0.5 * ulp, 0},
		{"above half a unit", math.Nextafter(0.5*ulp, 1), 1},
		{"largest", 256 - ulp, math.MaxUint32},
		{"rounds down to the largest", 256 - 0.75*ulp, math.MaxUint32},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := U8F24FromFloat64(c.f)
			if err != nil || got != c.want {
				t.Errorf("got %#x, %v, want %#x", uint32(got), err, uint32(c.want))
			}
		})
	}
}

func TestOutOfRange(t *testing.T) {
	for _, f := range []float64{
		math.NaN(), math.Inf(1), math.Inf(-1), -1, -math.SmallestNonzeroFloat64, 256, 256.2, 256 - ulp/2, math.MaxFloat64,
	} {
		if got, err := U8F24FromFloat64(f); !errors.Is(err, ErrOutOfRange) || !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%v: got %#x, %v", f, uint32(got), err)
		}
	}
}

func TestBytes(t *testing.T) {
	if got, want := U8F24(0x01020304).Bytes(), [4]byte{1, 2, 3, 4}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestNearest compares with exact rationals: no other U8F24 is nearer, and of two as near the even one is taken.
func TestNearest(t *testing.T) {
	distance := func(f float64, u uint64) *big.Rat {
		d := new(big.Rat).SetFloat64(f)
		d.Sub(d, new(big.Rat).SetFrac(new(big.Int).SetUint64(u), big.NewInt(1<<24)))
		return d.Abs(d)
	}
	rapid.Check(t, func(t *rapid.T) {
		f := rapid.Float64Range(0, 255).Draw(t, "f")
		if rapid.Bool().Draw(t, "half units") {
			f = math.Round(f/ulp*2) * ulp / 2
		}
		got, err := U8F24FromFloat64(f)
		if err != nil {
			t.Fatal(err)
		}
		d := distance(f, uint64(got))
		half := big.NewRat(1, 1<<25)
		if c := d.Cmp(half); c > 0 || c == 0 && got&1 == 1 {
			t.Errorf("%v: got %#x at distance %v", f, uint32(got), d)
		}
	})
}

func TestFloat64RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := U8F24(rapid.Uint32().Draw(t, "u"))
		if got, err := U8F24FromFloat64(u.Float64()); err != nil || got != u {
			t.Errorf("got %#x, %v, want %#x", uint32(got), err, uint32(u))
		}
	})
}
