package stm

import (
	"math"
	"math/big"
)

// referenceWins is the loop of the reference (SPEC 4.1), line for line in exact rationals.
func referenceWins(phiF float64, ev *[64]byte, stake, total uint64) bool {
	if math.Abs(phiF-1) < 2.220446049250313e-16 {
		return true
	}
	evMax := new(big.Int).Lsh(big.NewInt(1), 512)
	q := new(big.Rat).SetFrac(evMax, new(big.Int).Sub(evMax, bigFromLittle(ev)))
	x := referenceX(phiF, stake, total)

	phi, term, d := big.NewRat(1, 1), new(big.Rat).Set(x), int64(1)
	for range 1000 {
		phi.Add(phi, term)
		d++
		term.Mul(term, x)
		term.Quo(term, big.NewRat(d, 1))
		err := new(big.Rat).Mul(term, big.NewRat(3, 1))
		err.Abs(err)
		if q.Cmp(new(big.Rat).Add(phi, err)) > 0 {
			return false
		}
		if q.Cmp(new(big.Rat).Sub(phi, err)) < 0 {
			return true
		}
	}
	return false
}

// referenceX is −(stake/total)·c.
func referenceX(phiF float64, stake, total uint64) *big.Rat {
	x := new(big.Rat).SetFrac(new(big.Int).SetUint64(stake), new(big.Int).SetUint64(total))
	c := new(big.Rat).SetFloat64(nearestLog(1 - phiF))
	return x.Neg(x.Mul(x, c))
}

// nearestLog returns the double nearest to ln y, 0 < y <= 1, by a series with 400 bits that the package does not use.
func nearestLog(y float64) float64 {
	const precision = 400
	number := func(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }
	// ln v = 2·(z + z³/3 + z⁵/5 + …), z = (v − 1)/(v + 1)
	ln := func(v *big.Float) *big.Float {
		z := new(big.Float).SetPrec(precision).Quo(number(0).Sub(v, number(1)), number(0).Add(v, number(1)))
		square := number(0).Mul(z, z)
		sum, power := number(0), number(0).Set(z)
		for i := 1.0; i < 400; i += 2 {
			sum.Add(sum, number(0).Quo(power, number(i)))
			power.Mul(power, square)
		}
		return sum.Mul(sum, number(2))
	}
	fraction, exp := math.Frexp(y) // y = fraction·2^exp, 1/2 <= fraction < 1
	result := ln(number(fraction))
	result.Add(result, number(0).Mul(ln(number(2)), number(float64(exp))))
	f, _ := result.Float64()
	return f
}

// thresholdFloor returns the largest evaluation that wins, or −1: the integer part of T of SPEC 11.6, from the series of eˣ in
// exact rationals up to 2⁻¹⁰⁰⁰ and the minimum over n of the specification, term by term.
func thresholdFloor(phiF float64, stake, total uint64) *big.Int {
	const precision = 1200
	scale := new(big.Int).Lsh(big.NewInt(1), precision)
	x := referenceX(phiF, stake, total)
	fixed := new(big.Int).Quo(new(big.Int).Lsh(x.Num(), precision), x.Denom())
	sum, term := new(big.Int).Set(scale), new(big.Int).Set(scale)
	var least *big.Int
	for n := int64(1); n <= 1000 && term.Sign() > 0; n++ {
		term.Rsh(term.Mul(term, fixed), precision)
		term.Quo(term, big.NewInt(n))
		sum.Add(sum, term)
		next := new(big.Int).Rsh(new(big.Int).Mul(term, fixed), precision)
		next.Quo(next, big.NewInt(n+1))
		bound := new(big.Int).Add(sum, next.Mul(next, big.NewInt(3)))
		if least == nil || bound.Cmp(least) < 0 {
			least = bound
		}
	}
	if sum.Cmp(least) < 0 {
		least = sum
	}
	// 2⁵¹² − 2⁵¹²/Q, less the part that makes it an integer
	inverse := new(big.Int).Lsh(big.NewInt(1), 512+precision)
	inverse.Quo(inverse, least)
	floor := new(big.Int).Lsh(big.NewInt(1), 512)
	floor.Sub(floor, inverse)
	return floor.Sub(floor, big.NewInt(1))
}

func bigFromLittle(ev *[64]byte) *big.Int {
	var reversed [64]byte
	for i, b := range ev {
		reversed[63-i] = b
	}
	return new(big.Int).SetBytes(reversed[:])
}

// littleFromBig returns v as an evaluation, cut to the range of evaluations.
func littleFromBig(v *big.Int) *[64]byte {
	var ev [64]byte
	if v.Sign() < 0 {
		return &ev
	}
	if v.BitLen() > 512 {
		for i := range ev {
			ev[i] = 0xff
		}
		return &ev
	}
	v.FillBytes(ev[:])
	for i := range 32 {
		ev[i], ev[63-i] = ev[63-i], ev[i]
	}
	return &ev
}
