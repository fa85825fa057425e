package curve25519

import (
	"encoding/binary"
	"math/bits"
)

// A scalar is a number below 2^256 in four little-endian words.
type scalar [4]uint64

// order is L, the order of the base point: 2^252 + 27742317777372353535851937790883648493.
var order = scalar{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000}

// orderTail is L - 2^252, two words.
const (
	orderTail0 = 0x5812631a5cf5d3ed
	orderTail1 = 0x14def9dea2f79cd6
)

// setBytes sets s to 32 little-endian bytes and reports whether s < L.
func (s *scalar) setBytes(b []byte) bool {
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return s.less(&order)
}

// less reports whether s < t.
func (s *scalar) less(t *scalar) bool {
	var borrow uint64
	for i := range s {
		_, borrow = bits.Sub64(s[i], t[i], borrow)
	}
	return borrow == 1
}

// setWide sets s to 64 little-endian bytes modulo L.
func (s *scalar) setWide(b *[64]byte) {
	var w [8]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	s.reduce(&w)
}

// reduce sets s to w modulo L.
//
// With c = L - 2^252, 2^252 = -c modulo L: three steps of replacing the part
// above 2^252 by -c times it shrink 512 bits to 385, 258 and then below 2^253.
func (s *scalar) reduce(w *[8]uint64) {
	// x = lo + 2^252·hi = lo - c·hi, three times.
	lo, hi := split(*w)
	p := mulTail(hi[:5]) // hi < 2^260, p < 2^385
	lo2, hi2 := split(p)
	q := mulTail(hi2[:3]) // hi2 < 2^133, q < 2^258
	lo3, hi3 := split(q)
	r := mulTail(hi3[:1]) // hi3 < 2^6, r < 2^131
	// x = lo - lo2 + lo3 - r: above -2^253 and below 2^253.
	var carry uint64
	for i := range s {
		s[i], carry = bits.Add64(lo[i], lo3[i], carry)
	}
	s.subtract((*scalar)(lo2[:]))
	s.subtract((*scalar)(r[:4]))
	for s[3]>>63 == 1 { // negative
		carry = 0
		for i := range s {
			s[i], carry = bits.Add64(s[i], order[i], carry)
		}
	}
	for !s.less(&order) {
		s.subtract(&order)
	}
}

// subtract sets s to s-t modulo 2^256.
func (s *scalar) subtract(t *scalar) {
	var borrow uint64
	for i := range s {
		s[i], borrow = bits.Sub64(s[i], t[i], borrow)
	}
}

// split returns the low 252 bits of w and the rest.
func split(w [8]uint64) (lo [4]uint64, hi [5]uint64) {
	lo = [4]uint64{w[0], w[1], w[2], w[3] & (1<<60 - 1)}
	hi = [5]uint64{
		w[3]>>60 | w[4]<<4, w[4]>>60 | w[5]<<4, w[5]>>60 | w[6]<<4, w[6]>>60 | w[7]<<4, w[7] >> 60,
	}
	return lo, hi
}

// mulTail returns (L-2^252)·hi for at most five words.
func mulTail(hi []uint64) (out [8]uint64) {
	var low, high uint64 // carries of the two rows
	for i, h := range hi {
		p1, p0 := bits.Mul64(h, orderTail0)
		q1, q0 := bits.Mul64(h, orderTail1)
		var c uint64
		p0, c = bits.Add64(p0, low, 0)
		low = p1 + c
		q0, c = bits.Add64(q0, high, 0)
		high = q1 + c
		out[i], c = bits.Add64(out[i], p0, 0)
		out[i+1], c = bits.Add64(out[i+1], q0, c)
		out[i+2] += c
	}
	n := len(hi)
	var c uint64
	out[n], c = bits.Add64(out[n], low, 0)
	out[n+1], _ = bits.Add64(out[n+1], high, c)
	return out
}

// plus returns s+t modulo 2^256.
func (s *scalar) plus(t *scalar) (sum scalar) {
	var carry uint64
	for i := range s {
		sum[i], carry = bits.Add64(s[i], t[i], carry)
	}
	return sum
}

// biased returns s plus the digit in every place of base 16 or 256 that the
// pattern repeats. A digit of the result less that of the pattern is a signed
// digit of s. Requires s < L, so that nothing is lost.
func (s *scalar) biased(pattern uint64) scalar {
	return s.plus(&scalar{pattern, pattern, pattern, pattern})
}

// mulShort sets s to z·a modulo L for a 128-bit z.
func (s *scalar) mulShort(z *[2]uint64, a *scalar) {
	var t [8]uint64
	for i, x := range z {
		var carry uint64
		for j, y := range a {
			hi, lo := bits.Mul64(x, y)
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			t[i+j], c = bits.Add64(t[i+j], lo, 0)
			carry = hi + c
		}
		t[i+4] = carry
	}
	s.reduce(&t)
}

// nafWidth is the width of the digits of [scalar.nonAdjacent].
const nafWidth = 5

// nonAdjacent sets the digits of s < L: odd or zero, below 2^(nafWidth-1) in
// absolute value, no two within nafWidth places.
func (s *scalar) nonAdjacent(digits *[256]int8) {
	*digits = [256]int8{}
	const window = 1 << nafWidth
	carry := uint64(0)
	for i := 0; i < 256; {
		v := s[i/64] >> (i % 64)
		if i%64 > 64-nafWidth && i/64 < 3 {
			v |= s[i/64+1] << (64 - i%64)
		}
		v = v&(window-1) + carry
		if v&1 == 0 {
			i++
			continue
		}
		carry = v >> (nafWidth - 1)
		digits[i] = int8(v) - int8(carry<<nafWidth)
		i += nafWidth
	}
}
