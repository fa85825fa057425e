package stm

import (
	"math"
	"math/big"
)

// negLog returns −c, for c the double nearest to ln y, as a mantissa of 53 bits times 2^-scale, or 0 for y = 1. y is a
// multiple of 2⁻⁵³ from 2⁻⁵² to 1, as every 1 − phi_f is.
//
// The result does not depend on the quality of math.Log, which differs between architectures: −ln y is compared, with
// proven bounds, with the two midpoints between the double and its neighbours.
func negLog(y float64) (mantissa uint64, scale uint) {
	if y == 1 {
		return 0, 0
	}
	return roundLog(y, -math.Log(y))
}

// roundLog is [negLog] from an estimate c; the time grows with the number of doubles between the two.
func roundLog(y, c float64) (mantissa uint64, scale uint) {
	for {
		below := math.Nextafter(c, 0)
		if compareNegLog(y, below) < 0 {
			c = below
			continue
		}
		if compareNegLog(y, c) > 0 {
			c = math.Nextafter(c, math.Inf(1))
			continue
		}
		return split(c)
	}
}

// compareNegLog returns the sign of −ln y − m, for y as in [negLog] and m the midpoint between c and the next larger
// double.
func compareNegLog(y, c float64) int {
	mantissa, scale := split(c)
	mantissa, scale = 2*mantissa+1, scale+1
	limbs := shiftLeft(0, mantissa, 128-scale)
	lo, hi := oneMinusExp(exponent{limbs[1], fraction{limbs[2], limbs[3]}})

	units := uint64(y * 0x1p53)
	oneMinusY := fraction{(1<<53 - units) << 11, 0}
	switch {
	case oneMinusY.less(lo):
		return -1
	case hi.less(oneMinusY):
		return 1
	}
	num, den := new(big.Int).SetUint64(1<<53), new(big.Int).SetUint64(units)
	xDen := new(big.Int).Lsh(big.NewInt(1), scale)
	return compareExp(num, den, new(big.Int).SetUint64(mantissa), xDen)
}

// split returns a positive normal double as a mantissa of 53 bits times 2^-scale.
func split(c float64) (mantissa uint64, scale uint) {
	b := math.Float64bits(c)
	return b&(1<<52-1) | 1<<52, 1075 - uint(b>>52)
}
