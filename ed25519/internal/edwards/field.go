package edwards

import (
	"encoding/binary"
	"math/bits"
)

// element is an integer modulo p = 2²⁵⁵ - 19 in four little-endian words. Every value below 2²⁵⁶ is allowed, so that a
// residue has two or three representations; reduce yields the one below p.
type element [4]uint64

// fold is 2²⁵⁶ mod p.
const fold = 38

var (
	zero = element{}
	one  = element{1}
	// d is the curve constant -121665/121666.
	d = element{0x75eb4dca135978a3, 0x00700a4d4141d8ab, 0x8cc740797779e898, 0x52036cee2b6ffe73}
	// d2 is 2·d.
	d2 = element{0xebd69b9426b2f159, 0x00e0149a8283b156, 0x198e80f2eef3d130, 0x2406d9dc56dffce7}
	// invD is 1/d.
	invD = element{0x25e0f276cdc9f843, 0x0b5dd6984279542e, 0x2b162114cdb9cf66, 0x40907ed214d5ce43}
	// sqrtM1 is a square root of -1.
	sqrtM1 = element{0xc4ee1b274a0ea0b0, 0x2f431806ad2fe478, 0x2b4d00993dfbd7a7, 0x2b8324804fc1df0b}
)

// setBytes sets v to the low 255 bits of the 32 bytes of b, modulo p.
func (v *element) setBytes(b []byte) {
	_ = b[31]
	v[0] = binary.LittleEndian.Uint64(b[0:])
	v[1] = binary.LittleEndian.Uint64(b[8:])
	v[2] = binary.LittleEndian.Uint64(b[16:])
	v[3] = binary.LittleEndian.Uint64(b[24:]) &^ (1 << 63)
}

// add sets v = a + b.
func (v *element) add(a, b *element) {
	var c uint64
	v[0], c = bits.Add64(a[0], b[0], 0)
	v[1], c = bits.Add64(a[1], b[1], c)
	v[2], c = bits.Add64(a[2], b[2], c)
	v[3], c = bits.Add64(a[3], b[3], c)
	v[0], c = bits.Add64(v[0], -c&fold, 0)
	v[1], c = bits.Add64(v[1], 0, c)
	v[2], c = bits.Add64(v[2], 0, c)
	v[3], c = bits.Add64(v[3], 0, c)
	v[0] += -c & fold // after a second carry v is less than fold
}

// sub sets v = a - b.
func (v *element) sub(a, b *element) {
	var c uint64
	v[0], c = bits.Sub64(a[0], b[0], 0)
	v[1], c = bits.Sub64(a[1], b[1], c)
	v[2], c = bits.Sub64(a[2], b[2], c)
	v[3], c = bits.Sub64(a[3], b[3], c)
	v[0], c = bits.Sub64(v[0], -c&fold, 0)
	v[1], c = bits.Sub64(v[1], 0, c)
	v[2], c = bits.Sub64(v[2], 0, c)
	v[3], c = bits.Sub64(v[3], 0, c)
	v[0] -= -c & fold // after a second borrow v is at least 2²⁵⁶ - fold
}

// neg sets v = -a.
func (v *element) neg(a *element) { v.sub(&zero, a) }

// reduce sets v to its representation below p.
func (v *element) reduce() {
	// Fold the bit of value 2²⁵⁵ ≡ 19; what remains is less than 2²⁵⁵ + 19, that is, less than 2·p.
	var c uint64
	top := v[3] >> 63
	v[3] &^= 1 << 63
	v[0], c = bits.Add64(v[0], top*19, 0)
	v[1], c = bits.Add64(v[1], 0, c)
	v[2], c = bits.Add64(v[2], 0, c)
	v[3], _ = bits.Add64(v[3], 0, c)
	// v >= p if and only if v + 19 has the bit of value 2²⁵⁵.
	var w element
	w[0], c = bits.Add64(v[0], 19, 0)
	w[1], c = bits.Add64(v[1], 0, c)
	w[2], c = bits.Add64(v[2], 0, c)
	w[3], _ = bits.Add64(v[3], 0, c)
	if w[3]>>63 == 1 {
		w[3] &^= 1 << 63
		*v = w
	}
}

// equal reports whether v and a are the same residue.
func (v *element) equal(a *element) bool {
	x, y := *v, *a
	x.reduce()
	y.reduce()
	return x == y
}

// mulGeneric sets v = a·b. It is the definition that the assembly is tested against.
func mulGeneric(v, a, b *element) {
	var t [8]uint64
	for i := range 4 {
		var carry uint64
		for j := range 4 {
			hi, lo := bits.Mul64(a[i], b[j])
			var c uint64
			lo, c = bits.Add64(lo, t[i+j], 0)
			hi += c
			lo, c = bits.Add64(lo, carry, 0)
			t[i+j], carry = lo, hi+c
		}
		t[i+4] = carry
	}
	reduceWide(v, &t)
}

// reduceWide sets v to the 512-bit integer t modulo p.
func reduceWide(v *element, t *[8]uint64) {
	// t = low + 2²⁵⁶·high ≡ low + fold·high, which has a fifth word of at most fold.
	var carry, c uint64
	for i := range 4 {
		hi, lo := bits.Mul64(t[4+i], fold)
		lo, c = bits.Add64(lo, t[i], 0)
		hi += c
		v[i], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	v[0], c = bits.Add64(v[0], carry*fold, 0)
	v[1], c = bits.Add64(v[1], 0, c)
	v[2], c = bits.Add64(v[2], 0, c)
	v[3], c = bits.Add64(v[3], 0, c)
	v[0] += -c & fold // after a carry v is less than (fold+1)·fold
}

// squareNGeneric sets v = a^(2ⁿ). Requires n > 0.
func squareNGeneric(v, a *element, n int) {
	mulGeneric(v, a, a)
	for range n - 1 {
		mulGeneric(v, v, v)
	}
}

// power250 sets v to x^(2²⁵⁰ - 1) for each of the two x, and x11 to x^11.
func power250(v, x, x11 *[2]element) {
	var a, b, c [2]element
	squareN2(&a, x, 1)   // 2
	squareN2(&b, &a, 2)  // 8
	mul2(&b, x, &b)      // 9
	mul2(x11, &a, &b)    // 11
	squareN2(&a, x11, 1) // 22
	mul2(&b, &b, &a)     // 31 = 2^5 - 1
	squareN2(&a, &b, 5)
	mul2(&b, &a, &b) // 2^10 - 1
	squareN2(&a, &b, 10)
	mul2(&c, &a, &b) // 2^20 - 1
	squareN2(&a, &c, 20)
	mul2(&a, &a, &c) // 2^40 - 1
	squareN2(&a, &a, 10)
	mul2(&b, &a, &b) // 2^50 - 1
	squareN2(&a, &b, 50)
	mul2(&c, &a, &b) // 2^100 - 1
	squareN2(&a, &c, 100)
	mul2(&a, &a, &c) // 2^200 - 1
	squareN2(&a, &a, 50)
	mul2(v, &a, &b) // 2^250 - 1
}

func mul2(v, a, b *[2]element) {
	mul(&v[0], &a[0], &b[0])
	mul(&v[1], &a[1], &b[1])
}
