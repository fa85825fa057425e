//go:build !purego && !nolanes

package curve25519

import (
	"crypto/sha512"
	"sync"
)

// A quad is one point in extended coordinates, X, Y, Z, T in four lanes, form M.
type quad = [5][4]uint64

// A cached point is (Y-X, Y+X, 2dT, 2Z) in four lanes, form N.
type cached = [5][4]uint64

// cacheScale is what quadCache multiplies (Y-X, Y+X, T, Z) with.
var cacheScale = sync.OnceValue(func() *cached {
	var d2 element
	broadcast(&d2, &edwardsD)
	feAdd(&d2, &d2, &d2)
	scale := new(cached)
	scale[0] = [4]uint64{1, 1, 0, 2}
	for i := range scale {
		scale[i][2] = d2[i][0]
	}
	return scale
})

// negateCached sets n to -c.
func negateCached(n, c *cached) {
	var t element
	for i := range c {
		t[i][0] = c[i][2]
	}
	feSub(&t, &element{}, &t)
	for i := range c {
		n[i] = [4]uint64{c[i][1], c[i][0], t[i][0], c[i][3]}
	}
}

// quadBase returns the multiples -128 to 127 of the base point, cached.
var quadBase = sync.OnceValue(func() *[256]cached {
	table := new([256]cached)
	for i, e := range base() {
		c := &table[i]
		for limb := range 4 {
			c[limb] = [4]uint64{e[4+limb], e[limb], e[8+limb], 0}
		}
		c[4] = [4]uint64{e[13], e[12], e[14], 0}
		c[0][3] = 2
	}
	return table
})

// nafTable holds the multiples ±1, ±3, ..., ±15 of a point, by sign.
type nafTable [2][1 << (nafWidth - 2)]cached

// fill sets the table to the multiples of p.
func (t *nafTable) fill(p *quad) {
	var twice cached
	q, scale := *p, cacheScale()
	quadDouble(&q, 1)
	quadCache(&twice, &q, scale)
	q = *p
	for i := range t[0] {
		if i > 0 {
			quadAdd(&q, &twice)
		}
		quadCache(&t[0][i], &q, scale)
		negateCached(&t[1][i], &t[0][i])
	}
}

// verifyOne decides one item by the same rules as verify, with R decoded beside
// A and compared as a point: bytes that decode to the result are its encoding
// if they are a canonical one.
func verifyOne(item *Item, strict bool) bool {
	if strict && (smallOrder(item.Key[:]) || smallOrder(item.Signature[:32])) {
		return false
	}
	var points point // A and R in lanes 0 and 1
	if !decodeItem(&points, item) || !canonical(&points, (*[32]byte)(item.Signature[:32])) {
		return false
	}
	var p quad
	if !combine(&p, &points, item) {
		return false
	}
	// X = xZ and Y = yZ, the left sides in lanes 0 and 1 and the others in 2 and 3.
	var e, f element
	for i := range e {
		e[i] = [8]uint64{p[i][0], p[i][1], p[i][2], p[i][2]}
		f[i] = [8]uint64{one[i], one[i], points[coordX][i][1], points[coordY][i][1]}
	}
	feMul(&e, &e, &f)
	return laneWords(&e, 0) == laneWords(&e, 2) && laneWords(&e, 1) == laneWords(&e, 3)
}

// verifyOneCofactored decides one item by 8([s]B - [k]A - R) = 0.
func verifyOneCofactored(item *Item) bool {
	var points point
	var p, r quad
	if !decodeItem(&points, item) || !combine(&p, &points, item) {
		return false
	}
	var minus cached
	setNegative(&r, &points, 1)
	quadCache(&minus, &r, cacheScale())
	quadAdd(&p, &minus)
	quadDouble(&p, 3)
	// X = 0 and Y = Z.
	var e, f element
	for i := range e {
		e[i] = [8]uint64{p[i][0], p[i][1], p[i][2]}
		f[i] = [8]uint64{one[i], one[i], one[i]}
	}
	feMul(&e, &e, &f)
	return laneWords(&e, 0) == [4]uint64{} && laneWords(&e, 1) == laneWords(&e, 2)
}

// decodeItem sets lanes 0 and 1 of p to A and R and reports whether both are
// points.
func decodeItem(p *point, item *Item) bool {
	var points [1]point
	encodings := [1][8][32]byte{{*item.Key, [32]byte(item.Signature[:32])}}
	valid := decompress(points[:], encodings[:], 2)[0]
	*p = points[0]
	return valid&3 == 3
}

// combine sets p to [s]B - [k]A for the item and A in lane 0 of points, and
// reports whether s is canonical.
func combine(p *quad, points *point, item *Item) bool {
	var s, k scalar
	if !s.setBytes(item.Signature[32:]) {
		return false
	}
	h := sha512.New()
	h.Write(item.Signature[:32])
	h.Write(item.Key[:])
	h.Write(item.Message)
	var digest [sha512.Size]byte
	h.Sum(digest[:0])
	k.setWide(&digest)
	var table nafTable
	setNegative(p, points, 0)
	table.fill(p)
	table.multiply(p, &k, &s)
	return true
}

// setNegative sets q to the negative of the point in a lane of p, Z = 1.
func setNegative(q *quad, p *point, lane int) {
	var minusX, minusT element
	feSub(&minusX, &element{}, &p[coordX])
	feSub(&minusT, &element{}, &p[coordT])
	for i := range q {
		q[i] = [4]uint64{minusX[i][lane], p[coordY][i][lane], one[i], minusT[i][lane]}
	}
}

// quadPow22523 sets dst to a^((p-5)/8) = a^(2^252-3) in four lanes.
func quadPow22523(dst, a *quad) {
	var t0, t1, t2 quad
	quadSquareN(&t0, a, 1)     // 2
	quadSquareN(&t1, &t0, 2)   // 8
	quadMul(&t1, a, &t1)       // 9
	quadMul(&t0, &t0, &t1)     // 11
	quadSquareN(&t0, &t0, 1)   // 22
	quadMul(&t0, &t1, &t0)     // 2^5 - 1
	quadSquareN(&t1, &t0, 5)   //
	quadMul(&t0, &t1, &t0)     // 2^10 - 1
	quadSquareN(&t1, &t0, 10)  //
	quadMul(&t1, &t1, &t0)     // 2^20 - 1
	quadSquareN(&t2, &t1, 20)  //
	quadMul(&t1, &t2, &t1)     // 2^40 - 1
	quadSquareN(&t1, &t1, 10)  //
	quadMul(&t0, &t1, &t0)     // 2^50 - 1
	quadSquareN(&t1, &t0, 50)  //
	quadMul(&t1, &t1, &t0)     // 2^100 - 1
	quadSquareN(&t2, &t1, 100) //
	quadMul(&t1, &t2, &t1)     // 2^200 - 1
	quadSquareN(&t1, &t1, 50)  //
	quadMul(&t0, &t1, &t0)     // 2^250 - 1
	quadSquareN(&t0, &t0, 2)
	quadMul(dst, &t0, a)
}

// canonical reports whether the encoding of the point in lane 1 of p, Z = 1, is
// the canonical one: y below p, and no sign for x = 0.
func canonical(p *point, encoding *[32]byte) bool {
	y, x := laneWords(&p[coordY], 1), laneWords(&p[coordX], 1)
	y[3] |= x[0] << 63
	return y == wordsOf(encoding[:])
}

// multiply sets p to [s]B + [k]P for the point P of the table.
func (t *nafTable) multiply(p *quad, k, s *scalar) {
	var naf [256]int8
	k.nonAdjacent(&naf)
	bytes := s.biased(0x8080808080808080)
	b := quadBase()
	for i := range p {
		p[i] = [4]uint64{0, one[i], one[i], 0}
	}
	pending := uint64(0)
	for i := 255; i >= 0; i-- {
		pending++
		digit := naf[i]
		if digit == 0 && i%8 != 0 {
			continue
		}
		quadDouble(p, pending)
		pending = 0
		switch {
		case digit > 0:
			quadAdd(p, &t[0][digit/2])
		case digit < 0:
			quadAdd(p, &t[1][-digit/2])
		}
		if i%8 == 0 {
			quadAdd(p, &b[bytes[i/64]>>(i%64)&255])
		}
	}
}
