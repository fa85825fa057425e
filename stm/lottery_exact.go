package stm

import "math/big"

// Precisions of [compareExp] in fractional bits. The lotteries of SPEC 4.1 compare rationals with denominators below 2⁵¹³,
// which 1024 bits tell apart with a probability of failure around 2⁻⁵⁰⁰. The reference gives up after 1000 terms of the series.
const (
	firstPrecision = 256
	lastPrecision  = 4096
)

// compareExp returns the sign of num/den − eˣ, for the rational x = xNum/xDen of [0, 40) and positive num and den. It
// returns 0 only if the two differ by less than 2⁻⁴⁰⁰⁰; they are never equal unless x is 0.
//
// The cost grows with the precision needed: about 20 µs if 256 bits decide, 160 µs for the evaluation next to a threshold,
// 8 ms if no precision decides.
func compareExp(num, den, xNum, xDen *big.Int) int {
	var left, right big.Int
	for p := uint(firstPrecision); p <= lastPrecision; p *= 2 {
		left.Lsh(num, p)
		if left.Cmp(right.Mul(den, expBound(xNum, xDen, p, 0))) < 0 {
			return -1
		}
		if left.Cmp(right.Mul(den, expBound(xNum, xDen, p, 1))) > 0 {
			return 1
		}
	}
	return 0
}

// expBound returns a lower bound (up is 0) or an upper bound (up is 1) of eˣ·2ᵖ, for x = xNum/xDen >= 0: the series of
// the exponential function in fixed point, every operation rounded in that direction.
func expBound(xNum, xDen *big.Int, p uint, up int64) *big.Int {
	round := big.NewInt(up)
	x := new(big.Int).Lsh(xNum, p)
	x.Quo(x, xDen)
	x.Add(x, round)

	term := new(big.Int).Lsh(big.NewInt(1), p)
	sum := new(big.Int).Set(term)
	var n big.Int
	for i := int64(1); term.BitLen() > 2; i++ {
		term.Mul(term, x)
		term.Rsh(term, p)
		term.Add(term, round)
		term.Quo(term, n.SetInt64(i))
		term.Add(term, round)
		sum.Add(sum, term)
	}
	if up != 0 {
		// xⁿ/n! is at least 1/2 for all n <= 2x, and after that a term is at most half the one before: what follows is at
		// most term·(1/2 + 1/4 + …).
		sum.Add(sum, term)
	}
	return sum
}

// exceedsFirstBound reports whether num/den > 1 + x + 3x²/2, for x = xNum/xDen: the first bound of the reference's loop,
// and the only one below eˣ (see [Lottery]).
func exceedsFirstBound(num, den, xNum, xDen *big.Int) bool {
	bound, boundDen := firstBound(xNum, xDen)
	var left, right big.Int
	return left.Mul(num, boundDen).Cmp(right.Mul(den, bound)) > 0
}

// firstBound returns 1 + x + 3x²/2, for x = xNum/xDen, as a numerator and a denominator.
func firstBound(xNum, xDen *big.Int) (num, den *big.Int) {
	// (2d² + 2nd + 3n²) / 2d²
	var t big.Int
	num = new(big.Int).Mul(xNum, xNum)
	num.Mul(num, big.NewInt(3))
	num.Add(num, t.Lsh(t.Mul(xNum, xDen), 1))
	den = new(big.Int).Mul(xDen, xDen)
	den.Lsh(den, 1)
	return num.Add(num, den), den
}
