package edwards

import (
	"encoding/binary"
	"math/bits"
)

// Scalar is an integer below the group order L = 2²⁵² + 27742317777372353535851937790883648493, in four little-endian
// words.
type Scalar [4]uint64

// order is L, and orderTail is L - 2²⁵².
var (
	order     = Scalar{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000}
	orderTail = [2]uint64{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6}
)

// SetReduced sets s to the little-endian integer in b, which must be less than L.
func (s *Scalar) SetReduced(b *[32]byte) {
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
}

// SetWide sets s to the little-endian integer in b modulo L.
func (s *Scalar) SetWide(b *[64]byte) {
	var t [8]uint64
	for i := range t {
		t[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	s.reduceWide(&t)
}

// IsZero reports whether s is 0.
func (s *Scalar) IsZero() bool { return *s == Scalar{} }

// Add sets s = a + b mod L.
func (s *Scalar) Add(a, b *Scalar) {
	var c uint64
	s[0], c = bits.Add64(a[0], b[0], 0)
	s[1], c = bits.Add64(a[1], b[1], c)
	s[2], c = bits.Add64(a[2], b[2], c)
	s[3], _ = bits.Add64(a[3], b[3], c)
	s.subtractOrder()
}

// Neg sets s = -a mod L.
func (s *Scalar) Neg(a *Scalar) {
	if a.IsZero() {
		*s = Scalar{}
		return
	}
	var b uint64
	s[0], b = bits.Sub64(order[0], a[0], 0)
	s[1], b = bits.Sub64(order[1], a[1], b)
	s[2], b = bits.Sub64(order[2], a[2], b)
	s[3], _ = bits.Sub64(order[3], a[3], b)
}

// Short is a 128-bit integer in two's complement, in two little-endian words.
type Short [2]uint64

// Balance takes z for sixteen bytes and makes it the integer of which these, less 128 each, are the digits to base 256:
// uniform 128 bits stay uniform over all integers of 128 bits, but a sum that takes eight bits at a time finds nothing
// beyond the sixteenth digit, where half of all integers without sign have a carry. (One in 510 is below -2¹²⁷, becomes
// greater by 2¹²⁸ and has one.)
func (z *Short) Balance() {
	const half = 0x8080808080808080
	var borrow uint64
	z[0], borrow = bits.Sub64(z[0], half, 0)
	z[1], _ = bits.Sub64(z[1], half, borrow)
}

// negative reports whether z < 0.
func (z *Short) negative() bool { return z[1]>>63 == 1 }

// abs returns the absolute value of z, at most 2¹²⁷.
func (z *Short) abs() [2]uint64 {
	if !z.negative() {
		return *z
	}
	var t [2]uint64
	var borrow uint64
	t[0], borrow = bits.Sub64(0, z[0], 0)
	t[1], _ = bits.Sub64(0, z[1], borrow)
	return t
}

// MulShort sets s = z·a mod L.
func (s *Scalar) MulShort(z *Short, a *Scalar) {
	size := z.abs()
	s.mulWords(&size, a)
	if z.negative() {
		s.Neg(s)
	}
}

// mulWords sets s = z·a mod L for a 128-bit z.
func (s *Scalar) mulWords(z *[2]uint64, a *Scalar) {
	var t [8]uint64
	for i := range 2 {
		var carry uint64
		for j := range 4 {
			t[i+j], carry = mulAdd(z[i], a[j], t[i+j], carry)
		}
		t[i+4] = carry
	}
	s.reduceWide(&t)
}

// mulAdd returns the two words of a·b + c + d, low word first. The sum fits: (2⁶⁴-1)² + 2·(2⁶⁴-1) = 2¹²⁸ - 1.
func mulAdd(a, b, c, d uint64) (lo, hi uint64) {
	hi, lo = bits.Mul64(a, b)
	var carry uint64
	lo, carry = bits.Add64(lo, c, 0)
	hi += carry
	lo, carry = bits.Add64(lo, d, 0)
	return lo, hi + carry
}

// subtractOrder subtracts L from s once if s >= L.
func (s *Scalar) subtractOrder() {
	var t Scalar
	var b uint64
	t[0], b = bits.Sub64(s[0], order[0], 0)
	t[1], b = bits.Sub64(s[1], order[1], b)
	t[2], b = bits.Sub64(s[2], order[2], b)
	t[3], b = bits.Sub64(s[3], order[3], b)
	if b == 0 {
		*s = t
	}
}

// reduceWide sets s = t mod L. With c = L - 2²⁵², 2²⁵² ≡ -c: the part of t above bit 252 is multiplied by c and
// subtracted, and the part of that product above bit 252 likewise, until nothing is left above.
func (s *Scalar) reduceWide(t *[8]uint64) {
	var low, low2, low3, low4 Scalar
	var high, high2 [5]uint64
	split(&low, &high, t[:])         // high < 2²⁶⁰
	product := mulTail(&high)        // < 2³⁸⁵
	split(&low2, &high2, product[:]) // high2 < 2¹³³
	product2 := mulTail(&high2)      // < 2²⁵⁸
	split(&low3, &high, product2[:]) // high < 2⁶
	product3 := mulTail(&high)       // < 2¹³¹
	copy(low4[:], product3[:4])      //
	// t ≡ low - low2 + low3 - low4, with low, low2, low3 < 2²⁵² and low4 < 2¹³¹.
	low4.Neg(&low4)
	low2.Neg(&low2)
	*s = low
	s.Add(s, &low3)
	s.Add(s, &low2)
	s.Add(s, &low4)
}

// split divides t into its low 252 bits and the rest, which must fit in five words.
func split(low *Scalar, high *[5]uint64, t []uint64) {
	copy(low[:], t[:4])
	low[3] &= 1<<60 - 1
	*high = [5]uint64{}
	for i := 3; i < len(t); i++ {
		high[i-3] = t[i] >> 60
		if i+1 < len(t) {
			high[i-3] |= t[i+1] << 4
		}
	}
}

// mulTail returns high·(L - 2²⁵²).
func mulTail(high *[5]uint64) (t [7]uint64) {
	for i := range 2 {
		var carry uint64
		for j := range high {
			t[i+j], carry = mulAdd(orderTail[i], high[j], t[i+j], carry)
		}
		t[i+5] = carry
	}
	return t
}
