//go:build amd64 && !purego && !nolanes

package curve25519

import (
	"flag"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stmverify/stmverify/internal/lanes"
)

// rounds is how many times eight lanes of every operation are compared with
// math/big. 10^7 operations are -rounds 140000.
var rounds = flag.Int("rounds", 2000, "rounds of eight lanes of each field operation")

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

func needLanes(t testing.TB) {
	t.Helper()
	if !lanes.Enabled() {
		t.Skip("no AVX-512 IFMA, or lanes switched off")
	}
}

func source(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// topBound is the largest limb 4 of form N.
const topBound = 1<<47 + 1<<12

// edgeLimbs are limb values around the bounds of form N.
var edgeLimbs = []uint64{0, 1, 18, 19, 20, 1<<51 - 1, 1 << 51, limbMask - 19, limbMask - 18, limbMask - 1, limbMask}

var edgeTops = []uint64{0, 1, topMask - 1, topMask, topMask + 1, topBound - 1, topBound}

// fillElement sets every lane to a random element of form N; one limb in
// four is an edge value, one element in eight has all limbs at their maximum.
func fillElement(r *rand.ChaCha8, e *element) {
	for lane := range 8 {
		maximum := r.Uint64()%8 == 0
		for i := range e {
			v := r.Uint64()
			edge := r.Uint64()%4 == 0
			switch {
			case maximum && i < 4:
				e[i][lane] = limbMask
			case maximum:
				e[i][lane] = topBound
			case edge && i < 4:
				e[i][lane] = edgeLimbs[v%uint64(len(edgeLimbs))]
			case edge:
				e[i][lane] = edgeTops[v%uint64(len(edgeTops))]
			case i < 4:
				e[i][lane] = v & limbMask
			default:
				e[i][lane] = v % (topBound + 1)
			}
		}
	}
}

// value returns the number a lane represents, not reduced.
func value(e *element, lane int) *big.Int {
	v := new(big.Int)
	for i := 4; i >= 0; i-- {
		v.Lsh(v, limbBits).Add(v, new(big.Int).SetUint64(e[i][lane]))
	}
	return v
}

// checkForm fails unless every lane is in form N.
func checkForm(t testing.TB, name string, e *element) {
	t.Helper()
	for i := range e {
		for lane, l := range e[i] {
			if i < 4 && l > limbMask || i == 4 && l > topBound {
				t.Fatalf("%s: limb %d of lane %d is %#x, beyond form N", name, i, lane, l)
			}
		}
	}
}

func TestFieldMatchesBig(t *testing.T) {
	needLanes(t)
	r := source(1)
	product := func(z, x, y *big.Int) { z.Mul(x, y) }
	square := func(z, x, _ *big.Int) { z.Mul(x, x) }
	operations := map[string]struct {
		lanes func(dst, a, b *element)
		big   func(z, x, y *big.Int)
	}{
		"mul":         {feMul, product},
		"square":      {func(dst, a, _ *element) { feSquareN(dst, a, 1) }, square},
		"mul first":   {func(dst, a, b *element) { *dst = mulPair(pair{*a, *b}, pair{*b, *b})[0] }, product},
		"mul second":  {func(dst, a, b *element) { *dst = mulPair(pair{*b, *a}, pair{*b, *b})[1] }, product},
		"square pair": {func(dst, a, b *element) { *dst = squarePair(pair{*b, *a})[1] }, square},
		"quad mul":    {func(dst, a, b *element) { fourLanes(dst, a, b, quadMul) }, product},
		"quad square": {func(dst, a, b *element) {
			fourLanes(dst, a, b, func(dst, a, _ *quad) { quadSquareN(dst, a, 1) })
		}, square},
		"add": {feAdd, func(z, x, y *big.Int) { z.Add(x, y) }},
		"sub": {feSub, func(z, x, y *big.Int) { z.Sub(x, y) }},
	}
	for name, op := range operations {
		t.Run(name, func(t *testing.T) {
			a, b, got := new(element), new(element), new(element)
			x, want := new(big.Int), new(big.Int)
			for range *rounds {
				fillElement(r, a)
				fillElement(r, b)
				op.lanes(got, a, b)
				checkForm(t, name, got)
				for lane := range 8 {
					op.big(want, value(a, lane), value(b, lane))
					want.Mod(want, prime)
					if x.Mod(value(got, lane), prime).Cmp(want) != 0 {
						t.Fatalf("lane %d: a %x, b %x: got %x, want %x", lane, value(a, lane), value(b, lane), x, want)
					}
				}
			}
		})
	}
}

func mulPair(a, b pair) (dst pair) {
	feMul2(&dst, &a, &b)
	return dst
}

func squarePair(a pair) (dst pair) {
	feSquareN2(&dst, &a, 1)
	return dst
}

// fourLanes applies an operation of four lanes to the lower lanes, then to the
// upper.
func fourLanes(dst, a, b *element, op func(dst, a, b *quad)) {
	for half := range 2 {
		var x, y, z quad
		for i := range x {
			x[i], y[i] = [4]uint64(a[i][4*half:]), [4]uint64(b[i][4*half:])
		}
		op(&z, &x, &y)
		for i := range z {
			copy(dst[i][4*half:], z[i][:])
		}
	}
}

func TestFieldMaximum(t *testing.T) {
	needLanes(t)
	a, got := new(element), new(element)
	broadcast(a, &[5]uint64{limbMask, limbMask, limbMask, limbMask, topBound})
	want := new(big.Int)
	for _, square := range []bool{false, true} {
		if square {
			feSquareN(got, a, 1)
		} else {
			feMul(got, a, a)
		}
		checkForm(t, "maximum", got)
		v := value(a, 0)
		want.Mul(v, v).Mod(want, prime)
		if x := value(got, 0); x.Mod(x, prime).Cmp(want) != 0 {
			t.Errorf("square %v: got %x, want %x", square, x, want)
		}
	}
}

// TestFieldAlias passes one element as destination and both operands.
func TestFieldAlias(t *testing.T) {
	needLanes(t)
	r := source(2)
	a, want := new(element), new(element)
	fillElement(r, a)
	for name, op := range map[string]func(dst, a, b *element){"mul": feMul, "add": feAdd, "sub": feSub} {
		op(want, a, a)
		got := *a
		op(&got, &got, &got)
		if got != *want {
			t.Errorf("%s: aliased result differs", name)
		}
	}
}

func TestLaneWords(t *testing.T) {
	needLanes(t)
	r := source(3)
	e := new(element)
	for range 200 {
		fillElement(r, e)
		for lane := range 8 {
			got := new(big.Int)
			w := laneWords(e, lane)
			for i := 3; i >= 0; i-- {
				got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(w[i]))
			}
			if want := value(e, lane); got.Cmp(want.Mod(want, prime)) != 0 {
				t.Fatalf("got %x, want %x", got, want)
			}
		}
	}
}

// TestLaneDecisions compares what is decided for each lane with its value:
// zero, p, odd and even numbers on both sides of p in every lane.
func TestLaneDecisions(t *testing.T) {
	needLanes(t)
	r := source(6)
	e := new(element)
	special := [][5]uint64{
		{}, {1}, {limbMask - 18, limbMask, limbMask, limbMask, topMask}, // 0, 1, p
		{limbMask - 19, limbMask, limbMask, limbMask, topMask}, // p-1
		{limbMask - 17, limbMask, limbMask, limbMask, topMask}, // p+1
		{limbMask, limbMask, limbMask, limbMask, topBound},
	}
	for range 500 {
		fillElement(r, e)
		for lane := range 8 {
			if r.Uint64()%2 == 0 {
				setLaneLimbs(e, lane, &special[r.Uint64()%uint64(len(special))])
			}
		}
		zero, odd := feZeroLanes(e), feOddLanes(e)
		for lane := range 8 {
			want := value(e, lane)
			want.Mod(want, prime)
			if (zero>>lane&1 == 1) != (want.Sign() == 0) {
				t.Errorf("zero of %x is %v", want, zero>>lane&1)
			}
			if uint(odd>>lane&1) != want.Bit(0) {
				t.Errorf("parity of %x is %v", want, odd>>lane&1)
			}
		}
		if zero>>8 != 0 || odd>>8 != 0 {
			t.Errorf("masks %x and %x have more than eight lanes", zero, odd)
		}
	}
}

func TestSelect(t *testing.T) {
	needLanes(t)
	r := source(7)
	a, b := new(element), new(element)
	fillElement(r, a)
	fillElement(r, b)
	for mask := range uint64(256) {
		got := *a
		feSelect(&got, b, mask)
		for i := range got {
			for lane, v := range got[i] {
				want := a[i][lane]
				if mask>>lane&1 == 1 {
					want = b[i][lane]
				}
				if v != want {
					t.Fatalf("mask %x: limb %d of lane %d is wrong", mask, i, lane)
				}
			}
		}
	}
}

func TestInvert(t *testing.T) {
	needLanes(t)
	r := source(4)
	a, got := new(element), new(element)
	for range 50 {
		fillElement(r, a)
		broadcastLane(a, 3, 0)
		invert(got, a)
		for lane := range 8 {
			want := value(a, lane)
			want.Exp(want, new(big.Int).Sub(prime, big.NewInt(2)), prime)
			if x := value(got, lane); x.Mod(x, prime).Cmp(want) != 0 {
				t.Fatalf("lane %d: got %x, want %x", lane, x, want)
			}
		}
	}
}

// broadcastLane sets one lane to a small number.
func broadcastLane(e *element, lane int, v uint64) {
	setLaneLimbs(e, lane, &[5]uint64{v})
}

func TestConstants(t *testing.T) {
	needLanes(t)
	lane := func(limbs *[5]uint64) *big.Int {
		e := new(element)
		broadcast(e, limbs)
		return value(e, 0)
	}
	d := new(big.Int).ModInverse(big.NewInt(121666), prime)
	d.Mul(d, big.NewInt(-121665)).Mod(d, prime)
	if lane(&edwardsD).Cmp(d) != 0 {
		t.Errorf("d = %x, want %x", lane(&edwardsD), d)
	}
	i := lane(&sqrtM1)
	i.Mul(i, i).Add(i, big.NewInt(1)).Mod(i, prime)
	if i.Sign() != 0 {
		t.Error("sqrtM1 squared is not -1")
	}
}

func BenchmarkField(b *testing.B) {
	needLanes(b)
	r := source(5)
	w := new([4]element)
	for i := range w {
		fillElement(r, &w[i])
	}
	b.Run("mul", func(b *testing.B) {
		for b.Loop() {
			feMul(&w[0], &w[1], &w[2])
			feMul(&w[3], &w[1], &w[2])
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/mul")
	})
	b.Run("square", func(b *testing.B) {
		for b.Loop() {
			feSquareN(&w[0], &w[0], 250)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/8/250, "ns/square")
	})
	b.Run("invert", func(b *testing.B) {
		for b.Loop() {
			invert(&w[0], &w[1])
		}
	})
}
