package stm

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/stmverify/stmverify/verdict"
)

func TestLotteryReferenceDecisions(t *testing.T) {
	f, err := os.Open("../testdata/lottery.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var decisions []struct {
		PhiF       float64 `json:"phi_f"`
		Stake      uint64  `json:"stake"`
		TotalStake uint64  `json:"total_stake"`
		EV         string  `json:"ev"`
		Won        bool    `json:"won"`
		Kind       string  `json:"kind"`
	}
	if err := json.NewDecoder(text).Decode(&decisions); err != nil {
		t.Fatal(err)
	}
	if len(decisions) != 2800 {
		t.Fatalf("got %d decisions, want 2800", len(decisions))
	}
	exact := 0
	for i, d := range decisions {
		ev, err := hex.DecodeString(d.EV)
		if err != nil || len(ev) != 64 {
			t.Fatalf("decision %d: evaluation %q", i, d.EV)
		}
		threshold, err := NewThreshold(d.PhiF, d.Stake, d.TotalStake)
		if err != nil {
			t.Fatalf("decision %d: %v", i, err)
		}
		if got := threshold.Wins((*[64]byte)(ev)); got != d.Won {
			t.Errorf("decision %d (%s): phi_f %v, stake %d of %d: got %v, want %v",
				i, d.Kind, d.PhiF, d.Stake, d.TotalStake, got, d.Won)
		}
		if threshold.inBracket((*[64]byte)(ev)) {
			exact++
		}
	}
	if exact < 300 {
		t.Errorf("%d decisions fell between the bounds, want at least 300", exact)
	}
}

// inBracket reports whether the bounds leave the decision to exact arithmetic.
func (t *Threshold) inBracket(ev *[64]byte) bool {
	top := new(big.Int).Rsh(bigFromLittle(ev), 384)
	return top.Cmp(t.lo.big()) >= 0 && top.Cmp(t.hi.big()) < 0
}

func (f fraction) big() *big.Int {
	v := new(big.Int).SetUint64(f.hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(f.lo))
}

// drawPhi draws from what networks use, from all of (0, 1] and from its ends.
func drawPhi(t *rapid.T) float64 {
	return rapid.OneOf(
		rapid.SampledFrom([]float64{0.2, 0.65, 0.7, 0.95}),
		rapid.SampledFrom([]float64{
			0.01, 0.5, 0.93, 0.999, 0.9999999, 1, 1 - 0x1p-53, 1 - 0x1p-52, 1 - 0x1p-51, 1 - 0x1p-40,
			0x1p-54, 0x1p-53, 0x1.8p-53, 0x1p-52, 0x1p-40, 1e-300, math.SmallestNonzeroFloat64,
		}),
		rapid.Float64Range(0x1p-60, 1),
		rapid.Float64Range(0.9, 1),
	).Draw(t, "phi_f")
}

// drawStake draws a stake and a total, shares of 0 and 1 and totals near 2⁶⁴ among them.
func drawStake(t *rapid.T) (stake, total uint64) {
	total = rapid.OneOf(
		rapid.Uint64Range(1, 10),
		rapid.Uint64Range(1, 45_000_000_000_000_000),
		rapid.Uint64Range(math.MaxUint64-10, math.MaxUint64),
	).Draw(t, "total")
	stake = rapid.OneOf(
		rapid.Uint64Range(0, min(total, 3)),
		rapid.Uint64Range(0, total),
		rapid.Uint64Range(total-min(total, 3), total),
	).Draw(t, "stake")
	return stake, total
}

// checkThreshold compares with the reference's loop around the threshold and at a drawn place, and with the formula of
// SPEC 11.6 to the last unit.
func checkThreshold(t testing.TB, phiF float64, stake, total uint64, offsets ...*big.Int) {
	t.Helper()
	threshold, err := NewThreshold(phiF, stake, total)
	if err != nil {
		t.Fatal(err)
	}
	if threshold.lottery.sure {
		return
	}
	last := thresholdFloor(phiF, stake, total)
	for _, offset := range append(offsets, big.NewInt(0), big.NewInt(1)) {
		v := new(big.Int).Add(last, offset)
		ev := littleFromBig(v)
		got, want := threshold.Wins(ev), bigFromLittle(ev).Cmp(last) <= 0
		if got != want {
			t.Errorf("phi_f %v, stake %d of %d, threshold%+d: got %v, want %v", phiF, stake, total, offset, got, want)
		}
		if want := referenceWins(phiF, ev, stake, total); got != want {
			t.Errorf("phi_f %v, stake %d of %d, threshold%+d: got %v, the reference's loop %v", phiF, stake, total, offset, got, want)
		}
	}
}

func TestThresholdIsExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		phiF := drawPhi(rt)
		stake, total := drawStake(rt)
		offset := big.NewInt(rapid.SampledFrom([]int64{-1, 1}).Draw(rt, "sign"))
		offset.Lsh(offset, uint(rapid.IntRange(0, 511).Draw(rt, "distance")))
		checkThreshold(t, phiF, stake, total, offset)
		if t.Failed() {
			rt.FailNow()
		}
	})
}

func TestThresholdCases(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		name         string
		phiF         float64
		stake, total uint64
	}{
		{"mainnet, half", 0.2, 1 << 30, 1 << 31},
		{"preprod, all", 0.65, 7, 7},
		{"devnet, all: x = 2.9957 is where the first bound rules", 0.95, 1, 1},
		{"x just below 2.66", 0.93, 1, 1},
		{"phi_f next to sure, all", 1 - 0x1p-52, most, most},
		{"phi_f next to sure, one of 2^64 - 1", 1 - 0x1p-52, 1, most},
		{"smallest phi_f whose logarithm is not 0, all", 0x1p-53, most, most},
		{"smallest share", 0x1p-53, 1, most},
		{"all but one", 0.2, most - 1, most},
		{"no stake", 0.95, 0, most},
		{"logarithm of 0", 0x1p-54, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkThreshold(t, c.phiF, c.stake, c.total, big.NewInt(-1), new(big.Int).Lsh(big.NewInt(1), 384))
		})
	}
}

func TestSureLottery(t *testing.T) {
	var worst [64]byte
	for i := range worst {
		worst[i] = 0xff
	}
	for _, stake := range []uint64{0, 1, 10} {
		for _, c := range []struct {
			phiF float64
			want bool
		}{{1, true}, {1 - 0x1p-53, true}, {1 - 0x1p-52, false}} {
			threshold, err := NewThreshold(c.phiF, stake, 10)
			if err != nil {
				t.Fatal(err)
			}
			if got := threshold.Wins(&worst); got != c.want {
				t.Errorf("phi_f 1-%v, stake %d, largest evaluation: got %v, want %v", 1-c.phiF, stake, got, c.want)
			}
		}
	}
	if new(Threshold).Wins(new([64]byte)) {
		t.Error("the zero Threshold won")
	}
}

func TestLotteryRefusals(t *testing.T) {
	for _, c := range []struct {
		name         string
		phiF         float64
		stake, total uint64
		want         error
		text         string
	}{
		{"phi_f 0", 0, 1, 2, ErrPhiFOutOfRange, "stm: phi_f is not in (0, 1]: got 0"},
		{"phi_f negative", -0.2, 1, 2, ErrPhiFOutOfRange, "stm: phi_f is not in (0, 1]: got -0.2"},
		{"phi_f above 1", math.Nextafter(1, 2), 1, 2, ErrPhiFOutOfRange, "stm: phi_f is not in (0, 1]: got 1.0000000000000002"},
		{"phi_f NaN", math.NaN(), 1, 2, ErrPhiFOutOfRange, "stm: phi_f is not in (0, 1]: got NaN"},
		{"phi_f infinite", math.Inf(1), 1, 2, ErrPhiFOutOfRange, "stm: phi_f is not in (0, 1]: got +Inf"},
		{"total 0", 0.2, 0, 0, ErrTotalStakeZero, "stm: total stake is 0"},
		{"total 0 and phi_f 1", 1, 0, 0, ErrTotalStakeZero, "stm: total stake is 0"},
		{"stake above total", 0.2, 3, 2, ErrStakeAboveTotal, "stm: stake is above the total stake: got 3 of 2"},
		{"stake above total and phi_f 1", 1, 3, 2, ErrStakeAboveTotal, "stm: stake is above the total stake: got 3 of 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := NewThreshold(c.phiF, c.stake, c.total)
			if !errors.Is(err, c.want) || !errors.Is(err, verdict.ErrInvalid) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
			if _, ok := errors.AsType[*LotteryError](err); !ok {
				t.Errorf("got a %T", err)
			}
			if err.Error() != c.text {
				t.Errorf("text: got %q, want %q", err, c.text)
			}
		})
	}
}

func FuzzThreshold(f *testing.F) {
	f.Add(math.Float64bits(0.2), uint64(5), uint64(17), []byte{0xff})
	f.Add(math.Float64bits(0.95), uint64(17), uint64(17), []byte{0x01, 0x80})
	f.Add(math.Float64bits(1-0x1p-52), uint64(math.MaxUint64), uint64(math.MaxUint64), []byte{})
	f.Add(math.Float64bits(math.NaN()), uint64(3), uint64(2), []byte{})
	f.Fuzz(func(t *testing.T, phiBits, stake, total uint64, offset []byte) {
		phiF := math.Float64frombits(phiBits)
		if _, err := NewThreshold(phiF, stake, total); err != nil {
			if phiF > 0 && phiF <= 1 && total > 0 && stake <= total {
				t.Fatalf("phi_f %v, stake %d of %d: %v", phiF, stake, total, err)
			}
			return
		}
		delta := new(big.Int).SetBytes(offset[:min(len(offset), 64)])
		checkThreshold(t, phiF, stake, total, delta, new(big.Int).Neg(delta))
	})
}

func TestWinsAllocatesNothing(t *testing.T) {
	threshold, err := NewThreshold(0.2, 3, 10)
	if err != nil {
		t.Fatal(err)
	}
	var ev [64]byte
	wins := 0
	allocs := testing.AllocsPerRun(100, func() {
		ev[63] += 7
		if threshold.Wins(&ev) {
			wins++
		}
	})
	if allocs != 0 {
		t.Errorf("got %v allocations", allocs)
	}
	if wins == 0 || wins > 50 {
		t.Errorf("got %d wins of about 6", wins)
	}
}
