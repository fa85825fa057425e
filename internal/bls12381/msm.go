package bls12381

import "math"

//go:generate go run ./gen

// A Coefficient stands for the scalar A0 + A1·x², where x is the curve's parameter.
//
// The 2¹²⁸ pairs stand for 2¹²⁸ different scalars: x² > 2¹²⁷ > A0 makes the pair the quotient and the remainder of the
// integer A0 + A1·x² by x², and that integer is below 2¹⁹² < r. So a uniformly random pair is a uniformly random element
// of a set of 2¹²⁸ scalars, which is all that the soundness of a random linear combination asks for. In return, both
// groups multiply by x² with an endomorphism, and a sum of n multiples becomes one of 2n multiples by 64-bit numbers.
type Coefficient struct{ A0, A1 uint64 }

// strausMax is the largest number of points for which interleaved tables beat buckets, for both groups
// (go test -bench MultiExp).
const strausMax = 8

// wnafWidth is the width of the non-adjacent forms of straus: tables hold the odd multiples 1, 3, …, 2^(w-1) - 1.
const wnafWidth = 5

// windowBits chooses the width of a window for n table entries: the width that minimises the number of additions,
// ⌈65/c⌉·(n + c·2^(c-2)).
func windowBits(n int) int {
	best, cost := 2, math.MaxInt
	for c := 2; c <= 12; c++ {
		if x := windows(c) * (n + c<<(c-2)); x < cost {
			best, cost = c, x
		}
	}
	return best
}

// windows is the number of windows of c bits that hold a 64-bit scalar and the carry of its signed digits.
func windows(c int) int { return (64 + c) / c }

// digits splits s into signed digits of c bits in [-2^(c-1), 2^(c-1)], least significant first.
func digits(dst []int16, s uint64, c int) {
	carry := uint64(0)
	half, mask := uint64(1)<<(c-1), uint64(1)<<c-1
	for i := range dst {
		shift := i * c
		d := carry
		if shift < 64 {
			d += s >> shift & mask
		}
		carry = 0
		if d > half {
			dst[i] = int16(d) - int16(1)<<c
			carry = 1
			continue
		}
		dst[i] = int16(d)
	}
}

// entriesPerPass bounds the points that are sorted into buckets at once: enough for a shared inversion to cost little,
// few enough to stay in the second-level cache.
const entriesPerPass = 4096

func abs(d int8) int8 {
	if d < 0 {
		return -d
	}
	return d
}

// wnaf writes the non-adjacent form of s and returns its length: s is the sum of dst[j]·2^j, every nonzero dst[j] is odd
// and below 2^(wnafWidth-1) in magnitude.
func wnaf(dst *[65]int8, s uint64) int {
	const width = 1 << wnafWidth
	carry := uint64(0)
	length := 0
	for j := 0; j < 65; {
		var low uint64
		if j < 64 {
			low = s >> j
		}
		if low&1 == carry {
			// This bit is zero, or one that the carry from below turns into zero.
			j++
			if j < 65 && low == 0 && carry == 0 {
				break
			}
			continue
		}
		d := int(low&(width-1)) + int(carry)
		carry = 0
		if d > width/2 {
			d -= width
			carry = 1
		}
		dst[j] = int8(d)
		length = j + 1
		j += wnafWidth
	}
	return length
}

// group is the part of points that is to be summed: size points from first.
type group struct{ first, size int32 }

func bucket(d int16) int {
	if d < 0 {
		return int(-d) - 1
	}
	return int(d) - 1
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
