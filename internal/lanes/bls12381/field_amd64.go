//go:build amd64 && !purego && !nolanes

package bls12381

import "math/bits"

// Lanes is the number of elements in an [Fp].
const Lanes = 8

// Fp is eight elements of the base field, one a lane: element l has the limbs
// Fp[0][l], …, Fp[7][l] of 52 bits, least significant first, in Montgomery form
// with R = 2^416. A value is not reduced: the package documentation has its bounds.
type Fp [8][Lanes]uint64

// An fp6 is one element in 64-bit words, least significant first.
type fp6 = [6]uint64

// broadcast sets every lane to the element with the given limbs.
func (z *Fp) broadcast(limbs *[8]uint64) {
	for i, w := range limbs {
		for l := range Lanes {
			z[i][l] = w
		}
	}
}

const limbMask = 1<<52 - 1

// setLane stores an integer below 2^384 into lane l, without changing its form.
func (z *Fp) setLane(l int, w *fp6) {
	l &= Lanes - 1
	z[0][l] = w[0] & limbMask
	z[1][l] = (w[0]>>52 | w[1]<<12) & limbMask
	z[2][l] = (w[1]>>40 | w[2]<<24) & limbMask
	z[3][l] = (w[2]>>28 | w[3]<<36) & limbMask
	z[4][l] = (w[3]>>16 | w[4]<<48) & limbMask
	z[5][l] = w[4] >> 4 & limbMask
	z[6][l] = (w[4]>>56 | w[5]<<8) & limbMask
	z[7][l] = w[5] >> 44
}

// lane returns the value of lane l, below 3p as products are, reduced modulo p.
func (z *Fp) lane(l int) fp6 {
	l &= Lanes - 1
	w := fp6{
		z[0][l] | z[1][l]<<52,
		z[1][l]>>12 | z[2][l]<<40,
		z[2][l]>>24 | z[3][l]<<28,
		z[3][l]>>36 | z[4][l]<<16,
		z[4][l]>>48 | z[5][l]<<4 | z[6][l]<<56,
		z[6][l]>>8 | z[7][l]<<44,
	}
	reduceOnce(&w)
	reduceOnce(&w)
	return w
}

// reduceOnce subtracts p if that leaves no borrow.
func reduceOnce(w *fp6) {
	t, borrow := sub6(w, &primeWords)
	if borrow == 0 {
		*w = t
	}
}

func sub6(x, y *fp6) (d fp6, borrow uint64) {
	d[0], borrow = bits.Sub64(x[0], y[0], 0)
	d[1], borrow = bits.Sub64(x[1], y[1], borrow)
	d[2], borrow = bits.Sub64(x[2], y[2], borrow)
	d[3], borrow = bits.Sub64(x[3], y[3], borrow)
	d[4], borrow = bits.Sub64(x[4], y[4], borrow)
	d[5], borrow = bits.Sub64(x[5], y[5], borrow)
	return d, borrow
}

// less reports whether x < y.
func less(x, y *fp6) bool {
	_, borrow := sub6(x, y)
	return borrow == 1
}

// zeroLanes returns the set of lanes, bit l for lane l, in which x is 0 modulo p.
// It multiplies by one first, after which 0, p and 2p are the only zeros.
func zeroLanes(x, one, t *Fp) uint8 {
	mulAsm(t, x, one)
	var zero uint8
	for l := range Lanes {
		w := t.lane(l)
		if w[0]|w[1]|w[2]|w[3]|w[4]|w[5] == 0 {
			zero |= 1 << l
		}
	}
	return zero
}
