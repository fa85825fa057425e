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
//
// With c = L - 2^252, 2^252 = -c modulo L: three steps of replacing the part
// above 2^252 by -c times it shrink 512 bits to 385, 258 and then below 2^253.
func (s *scalar) setWide(b *[64]byte) {
	var w [8]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	// x = lo + 2^252·hi, hi < 2^260: x = lo - c·hi.
	lo, hi := split(w)
	p := mulTail(hi) // < 2^385
	lo2, hi2 := split(p)
	q := mulTail(hi2) // < 2^258
	lo3, hi3 := split(q)
	r := mulTail(hi3) // < 2^131
	// x = lo - lo2 + lo3 - r: above -2L and below 2L.
	var acc scalar
	var borrow, carry uint64
	for i := range acc {
		acc[i], carry = bits.Add64(lo[i], lo3[i], carry)
	}
	for i := range acc {
		acc[i], borrow = bits.Sub64(acc[i], lo2[i], borrow)
	}
	var under uint64
	for i := range acc {
		acc[i], under = bits.Sub64(acc[i], r[i], under)
	}
	// A negative value is above -2^254: its top bit is set.
	for acc[3]>>63 == 1 {
		carry = 0
		for i := range acc {
			acc[i], carry = bits.Add64(acc[i], order[i], carry)
		}
	}
	for !acc.less(&order) {
		borrow = 0
		for i := range acc {
			acc[i], borrow = bits.Sub64(acc[i], order[i], borrow)
		}
	}
	*s = acc
}

// split returns the low 252 bits of w and the rest.
func split(w [8]uint64) (lo [4]uint64, hi [5]uint64) {
	lo = [4]uint64{w[0], w[1], w[2], w[3] & (1<<60 - 1)}
	for i := range hi {
		hi[i] = w[3+i] >> 60
		if 4+i < len(w) {
			hi[i] |= w[4+i] << 4
		}
	}
	return lo, hi
}

// mulTail returns (L-2^252)·hi.
func mulTail(hi [5]uint64) [8]uint64 {
	var out [8]uint64
	for i, tail := range [2]uint64{orderTail0, orderTail1} {
		var carry uint64
		for j, h := range hi {
			p1, p0 := bits.Mul64(h, tail)
			var c uint64
			p0, c = bits.Add64(p0, carry, 0)
			p1 += c
			out[i+j], c = bits.Add64(out[i+j], p0, 0)
			carry = p1 + c
		}
		out[i+5] += carry
	}
	return out
}

// digits16 sets the digits of s to base 16, least significant first, each
// from -8 to 7 but the last, which is at most 2 for s < L.
func (s *scalar) digits16(d *[64]int8) {
	carry := uint64(0)
	for i := range d {
		v := s[i/16]>>(4*(i%16))&15 + carry
		carry = (v + 8) >> 4
		d[i] = int8(v) - int8(carry<<4)
	}
}

// digits256 sets the digits of s to base 256, least significant first, each
// from -128 to 127. Requires s < L.
func (s *scalar) digits256(d *[32]int8) {
	carry := uint64(0)
	for i := range d {
		v := s[i/8]>>(8*(i%8))&255 + carry
		carry = (v + 128) >> 8
		d[i] = int8(v)
	}
}
