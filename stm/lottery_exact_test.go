package stm

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestCompareExp compares eˣ with numbers at distances from which each precision decides, and from which none does.
func TestCompareExp(t *testing.T) {
	one := big.NewInt(1)
	for _, x := range []struct{ num, den int64 }{{1, 3}, {5, 2}, {36, 1}, {1, math.MaxInt64}} {
		num, den := big.NewInt(x.num), big.NewInt(x.den)
		for _, c := range []struct {
			distance uint
			decided  bool
		}{{1, true}, {200, true}, {450, true}, {1000, true}, {2000, true}, {3900, true}, {4200, false}, {5000, false}} {
			below := expBound(num, den, 5500, 0)
			below.Rsh(below, 5500-c.distance)
			scale := new(big.Int).Lsh(one, c.distance)
			above := new(big.Int).Add(below, one)
			wantBelow, wantAbove := -1, 1
			if !c.decided {
				wantBelow, wantAbove = 0, 0
			}
			if got := compareExp(below, scale, num, den); got != wantBelow {
				t.Errorf("x = %d/%d, 2^-%d below: got %d, want %d", x.num, x.den, c.distance, got, wantBelow)
			}
			if got := compareExp(above, scale, num, den); got != wantAbove {
				t.Errorf("x = %d/%d, 2^-%d above: got %d, want %d", x.num, x.den, c.distance, got, wantAbove)
			}
		}
	}
}

// TestExpBounds checks that the bounds hold the same number at every precision and are as close as their errors allow.
func TestExpBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		den := rapid.Int64Range(1, math.MaxInt64/40).Draw(t, "den")
		num := rapid.Int64Range(0, 39*den).Draw(t, "num")
		coarse := rapid.UintRange(64, 400).Draw(t, "precision")
		const fine = 600
		x, d := big.NewInt(num), big.NewInt(den)
		lo, hi := expBound(x, d, coarse, 0), expBound(x, d, coarse, 1)
		fineLo, fineHi := expBound(x, d, fine, 0), expBound(x, d, fine, 1)
		if new(big.Int).Lsh(lo, fine-coarse).Cmp(fineHi) > 0 || new(big.Int).Lsh(hi, fine-coarse).Cmp(fineLo) < 0 {
			t.Errorf("e^(%d/%d): [%x, %x]·2^-%d does not hold [%x, %x]·2^-%d", num, den, lo, hi, coarse, fineLo, fineHi, fine)
		}
		// A few units for each of up to 250 terms, amplified by eˣ.
		if width := hi.Sub(hi, lo); int64(width.BitLen()) > 10+num/den*3/2+2 {
			t.Errorf("e^(%d/%d): bounds %x apart", num, den, width)
		}
	})
}

func TestNegLog(t *testing.T) {
	check := func(y float64) {
		t.Helper()
		mantissa, scale := negLog(y)
		got := -math.Ldexp(float64(mantissa), -int(scale))
		if want := nearestLog(y); got != want && y != 1 {
			t.Errorf("ln %v: got %v, want %v", y, got, want)
		}
		if y != 1 && (mantissa>>52 != 1 || scale < 47 || scale > 105) {
			t.Errorf("ln %v: got %d·2^-%d", y, mantissa, scale)
		}
	}
	for _, phiF := range []float64{0.2, 0.65, 0.7, 0.95, 0.1, 0.123, 0.5, 0.05, 0.8, 0.01, 0.25, 0.4, 0.999} {
		check(1 - phiF)
	}
	for k := range 52 { // around the powers of two, from 1 to 2⁻⁵²
		check(math.Ldexp(1, -k))
		check(math.Ldexp(1, -k-1))
		check(1 - math.Ldexp(1, -k-1))
		check(math.Ldexp(3, -k-2))
	}
	check(1 - 0x1p-53)
	rapid.Check(t, func(rt *rapid.T) {
		check(float64(rapid.Uint64Range(2, 1<<53).Draw(rt, "y")) * 0x1p-53)
		if t.Failed() {
			rt.FailNow()
		}
	})
}

// TestRoundLog starts from estimates on both sides, as other implementations of math.Log may make.
func TestRoundLog(t *testing.T) {
	for _, y := range []float64{1 - 0.2, 1 - 0.65, 1 - 0.95, 0.5, 1 - 0x1p-53, 0x1p-52} {
		wantMantissa, wantScale := negLog(y)
		want := math.Ldexp(float64(wantMantissa), -int(wantScale))
		for _, direction := range []float64{0, 100} {
			estimate := want
			for steps := range 5 {
				mantissa, scale := roundLog(y, estimate)
				if mantissa != wantMantissa || scale != wantScale {
					t.Errorf("ln %v from %d steps towards %v: got %d·2^-%d, want %d·2^-%d",
						y, steps, direction, mantissa, scale, wantMantissa, wantScale)
				}
				estimate = math.Nextafter(estimate, direction)
			}
		}
	}
}

// TestCompareNegLogFallsBack compares −ln y with midpoints so close to 0 that 128 fractional bits cannot tell them apart
// everywhere: the exact comparison must agree with the bounds where both decide.
func TestCompareNegLogFallsBack(t *testing.T) {
	for _, y := range []float64{1 - 0x1p-53, 1 - 0x1p-52, 1 - 0x1.8p-52} {
		mantissa, scale := negLog(y)
		c := math.Ldexp(float64(mantissa), -int(scale))
		for range 40 {
			c = math.Nextafter(c, 0)
			if got := compareNegLog(y, c); got != 1 {
				t.Fatalf("y = 1-%v, %v below: got %d, want 1", 1-y, c, got)
			}
		}
		c = math.Ldexp(float64(mantissa), -int(scale))
		for range 40 {
			if got := compareNegLog(y, c); got != -1 {
				t.Fatalf("y = 1-%v, %v above: got %d, want -1", 1-y, c, got)
			}
			c = math.Nextafter(c, 1)
		}
	}
}
