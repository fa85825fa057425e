package stm

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestConstants(t *testing.T) {
	// ln 2 = Σ 1/(n·2ⁿ), to 300 bits
	sum := new(big.Int)
	for n := int64(1); n <= 320; n++ {
		term := new(big.Int).Lsh(big.NewInt(1), 320)
		term.Rsh(term, uint(n))
		sum.Add(sum, term.Quo(term, big.NewInt(n)))
	}
	if got, want := ln2.big(), sum.Rsh(sum, 320-128); got.Cmp(want) != 0 {
		t.Errorf("ln2: got %x, want %x", got, want)
	}
	for i, f := range inverseFactorials {
		n := int64(i + 2)
		want := new(big.Int).Lsh(big.NewInt(1), 128)
		want.Quo(want, new(big.Int).MulRange(1, n))
		if f.big().Cmp(want) != 0 {
			t.Errorf("1/%d!: got %x, want %x", n, f.big(), want)
		}
	}
}

func drawFraction(t *rapid.T, name string) fraction {
	limb := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, math.MaxUint64}))
	return fraction{limb.Draw(t, name+" high"), limb.Draw(t, name+" low")}
}

func TestFractions(t *testing.T) {
	one := new(big.Int).Lsh(big.NewInt(1), 128)
	rapid.Check(t, func(t *rapid.T) {
		f, g := drawFraction(t, "f"), drawFraction(t, "g")
		k := rapid.UintRange(0, 63).Draw(t, "k")
		equal := func(what string, got fraction, want *big.Int) {
			t.Helper()
			if got.big().Cmp(want) != 0 {
				t.Errorf("%s: got %x, want %x", what, got.big(), want)
			}
		}
		product := new(big.Int).Mul(f.big(), g.big())
		equal("times", f.times(g), product.Rsh(product, 128))
		equal("shift", f.shift(k), new(big.Int).Rsh(f.big(), k))

		total := new(big.Int).Add(f.big(), g.big())
		sum, carry := f.plus(g)
		if want := total.Cmp(one) >= 0; (carry == 1) != want {
			t.Errorf("carry: got %d", carry)
		}
		equal("plus", sum, total.Mod(total, one))

		difference := new(big.Int).Sub(f.big(), g.big())
		rest, borrow := f.minus(g)
		if want := difference.Sign() < 0; (borrow == 1) != want {
			t.Errorf("borrow: got %d", borrow)
		}
		equal("minus", rest, difference.Mod(difference, one))
		if want := f.big().Cmp(g.big()) < 0; f.less(g) != want {
			t.Errorf("less: got %v", f.less(g))
		}
	})
}

const (
	proven = 7 // what the proof of oneMinusExp gives
	_      = uint(slack - proven)
)

// TestOneMinusExp checks the bounds against the series with 400 bits, and the proof's claim that the middle of the
// bounds is off by at most what it gives.
func TestOneMinusExp(t *testing.T) {
	const precision = 400
	rapid.Check(t, func(t *rapid.T) {
		x := exponent{whole: rapid.Uint64Range(0, 39).Draw(t, "whole"), fraction: drawFraction(t, "fraction")}
		if rapid.Bool().Draw(t, "at a multiple of ln2") {
			k := rapid.Int64Range(0, 52).Draw(t, "k")
			m := new(big.Int).Mul(ln2.big(), big.NewInt(k))
			m.Add(m, big.NewInt(rapid.Int64Range(-1, 60).Draw(t, "off")))
			x = exponentFromBig(m.Abs(m))
		}
		lo, hi := oneMinusExp(x)
		if width := new(big.Int).Sub(hi.big(), lo.big()); width.Cmp(big.NewInt(2*slack)) > 0 {
			t.Errorf("bounds %v apart", width)
		}
		for _, end := range []int64{0, 1} { // both ends of [x, x + 2⁻¹²⁸)
			num := new(big.Int).SetUint64(x.whole)
			num.Add(num.Lsh(num, 128), x.big())
			num.Add(num, big.NewInt(end))
			// 1 − e⁻ˣ between low and high, in units of 2⁻⁴⁰⁰
			one := new(big.Int).Lsh(big.NewInt(1), 2*precision)
			den := new(big.Int).Lsh(big.NewInt(1), 128)
			low := new(big.Int).Quo(one, expBound(num, den, precision, 0))
			high := new(big.Int).Quo(one, expBound(num, den, precision, 1))
			unit := new(big.Int).Lsh(big.NewInt(1), precision)
			low.Sub(unit, low.Add(low, big.NewInt(1)))
			high.Sub(unit, high)

			scaled := func(f fraction, add int64) *big.Int {
				v := new(big.Int).Add(f.big(), big.NewInt(add))
				return v.Lsh(v, precision-128)
			}
			if scaled(hi, proven-slack).Cmp(high) < 0 {
				t.Errorf("x = %v: upper bound %x is less than %d units above %x", x, hi, slack-proven, high)
			}
			if lo != (fraction{}) && scaled(lo, slack-proven).Cmp(low) > 0 {
				t.Errorf("x = %v: lower bound %x is less than %d units below %x", x, lo, slack-proven, low)
			}
		}
	})
}

func exponentFromBig(v *big.Int) exponent {
	var b [24]byte
	v.FillBytes(b[:])
	limb := func(i int) uint64 { return new(big.Int).SetBytes(b[8*i : 8*i+8]).Uint64() }
	return exponent{limb(0), fraction{limb(1), limb(2)}}
}

func TestExponentIsRoundedDown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phiF := drawPhi(t)
		stake, total := drawStake(t)
		l, err := NewLottery(phiF, total)
		if err != nil {
			t.Fatal(err)
		}
		if l.sure || l.mantissa == 0 {
			return
		}
		threshold := Threshold{lottery: l, stake: stake}
		got := threshold.exponent()
		x := referenceX(phiF, stake, total)
		want := new(big.Int).Lsh(x.Num(), 128)
		if want.Quo(want, x.Denom()); got != exponentFromBig(want) {
			t.Errorf("phi_f %v, stake %d of %d: got %v, want %x", phiF, stake, total, got, want)
		}
	})
}

// TestBracketHoldsThreshold checks the bounds that Wins relies on, where the first bound of the reference's loop rules
// and elsewhere.
func TestBracketHoldsThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		phiF := drawPhi(t)
		stake, total := drawStake(t)
		threshold, err := NewThreshold(phiF, stake, total)
		if err != nil {
			t.Fatal(err)
		}
		if threshold.lottery.sure {
			return
		}
		if width, _ := threshold.hi.minus(threshold.lo); width.hi != 0 || width.lo > 2*slack {
			t.Errorf("phi_f %v, stake %d of %d: bounds %x apart", phiF, stake, total, width)
		}
		last := thresholdFloor(phiF, stake, total)
		top := new(big.Int).Rsh(last, 384) // rounds -1 to -1
		if threshold.lo.big().Cmp(top.Add(top, big.NewInt(1))) > 0 || threshold.hi.big().Cmp(top) < 0 {
			t.Errorf("phi_f %v, stake %d of %d: [%x, %x] does not hold %x", phiF, stake, total, threshold.lo, threshold.hi, top)
		}
	})
}
