package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of type bucketScratch in package curve25519.
const (
	scratchBases   = 0   // eight words: where the buckets of each lane start
	scratchOffsets = 64  // eight words: the bucket of each lane, written here
	scratchE       = 128 // elements
	scratchF       = scratchE + elementSize
	scratchG       = scratchF + elementSize
	scratchH       = scratchG + elementSize
)

// Offsets in a term: five limbs each of Y+X, Y-X, 2dT and -2dT.
const (
	termYPX  = 0
	termYMX  = 40
	termT2D  = 80
	termNT2D = 120
	termSize = 160
)

// Offsets in a bucket: four limbs of each coordinate, then the fifth limbs.
const (
	bucketX   = 0
	bucketY   = 32
	bucketZ   = 64
	bucketT   = 96
	bucketTop = 128
)

func bucketFile(c *build.Context) {
	g := newGenerator(c, "bucket")
	g.bucketAdd()
	g.bucketLoad()
	g.pointAddPoint()
}

// signed returns a coordinate of the term in every lane: that at plus, or that
// at minus in the lanes of the mask.
func (g *generator) signed(term operand.Mem, plus, minus int, negative reg.Register) element {
	e := g.getElement()
	for i := range e {
		g.VPBROADCASTQ(term.Offset(plus+8*i), e[i])
		g.VPBROADCASTQ(term.Offset(minus+8*i), negative, e[i])
	}
	g.declare(e, formN)
	return e
}

// bucketAdd is the mixed addition of pointAddAffine with the roles turned: the
// sum is a bucket of each lane's own, the summand is one point for all lanes.
func (g *generator) bucketAdd() {
	g.begin("bucketAdd", "func(buckets *uint64, s *[176]uint64, terms *[20]uint64, digits *uint64, n uint64)",
		"bucketAdd adds n terms to buckets. Byte i of a term's digits word is its digit in lane i",
		"plus 128: the term, negated if the digit is negative, is added to bucket |digit| of",
		"the lane. The addition is complete. Requires n > 0; digits[n] is read too.")
	buckets, s := g.pointer("buckets"), g.pointer("s")
	term, digits := g.pointer("terms"), g.pointer("digits")
	n := g.Load(g.Param("n"), g.GP64())
	negative := reg.K1
	var lanes [8]reg.Register
	for i := range lanes {
		lanes[i] = g.GP64()
	}
	// bucketOffsets stores the offsets of the term whose digits are at m, 160
	// bytes a bucket.
	bucketOffsets := func(m operand.Mem) {
		d, t := g.get(), g.get()
		g.VPMOVZXBQ(m, d)
		g.VPSUBQ_BCST(g.constant(const128), d, d)
		g.VPABSQ(d, d)
		g.VPSLLQ(operand.U8(7), d, t)
		g.VPSLLQ(operand.U8(5), d, d)
		g.VPADDQ(t, d, d)
		g.VPADDQ(s.Offset(scratchBases), d, d)
		g.VMOVDQU64(d, s.Offset(scratchOffsets))
		g.put(d, t)
	}
	bucketOffsets(digits)
	g.Label("term")
	for i, r := range lanes {
		g.MOVQ(s.Offset(scratchOffsets+8*i), r)
	}
	sign := g.get()
	g.VPMOVZXBQ(digits, sign)
	g.VPSUBQ_BCST(g.constant(const128), sign, sign)
	g.VPMOVQ2M(sign, negative)
	g.put(sign)
	// The buckets do not fit the first cache: those of the next term are
	// fetched while this one is added.
	bucketOffsets(digits.Offset(8))
	next := g.GP64()
	for i := range lanes {
		g.MOVQ(s.Offset(scratchOffsets+8*i), next)
		for _, disp := range [3]int{0, 64, 128} {
			g.PREFETCHT0(operand.Mem{Base: buckets.Base, Index: next, Scale: 1, Disp: disp})
		}
	}

	top := g.gather(buckets, lanes, bucketTop)
	x := g.coordinate(g.gather(buckets, lanes, bucketX), top[0], formM)
	y := g.coordinate(g.gather(buckets, lanes, bucketY), top[1], formM)
	g.mask(x)
	g.mask(y)
	g.sumDifference(x, y) // x becomes Y+X, y becomes Y-X
	g.loosen(x)
	ypx := g.signed(term, termYPX, termYMX, negative)
	b := g.mul(x, ypx, constLarge)
	g.put(x[:]...)
	g.put(ypx[:]...)
	g.loosen(y)
	ymx := g.signed(term, termYMX, termYPX, negative)
	a := g.mul(y, ymx, -1)
	g.put(y[:]...)
	g.put(ymx[:]...)
	e := g.getElement()
	g.sub(b, a, e)
	g.loosen(e)
	g.storeFree(e, s.Offset(scratchE), formM)
	g.add(b, a)
	g.put(a[:]...)
	g.loosen(b)
	g.storeFree(b, s.Offset(scratchH), formM)

	tt := g.coordinate(g.gather(buckets, lanes, bucketT), top[3], formM)
	t2d := g.signed(term, termT2D, termNT2D, negative)
	cc := g.mul(tt, t2d, -1)
	g.put(tt[:]...)
	g.put(t2d[:]...)
	z := g.coordinate(g.gather(buckets, lanes, bucketZ), top[2], formM)
	g.mask(z)
	g.add(z, z)
	g.addOffset(z, constLarge)
	f := g.getElement()
	g.sub(z, cc, f)
	g.add(z, cc)
	g.put(cc[:]...)
	g.loosen(f)
	g.storeFree(f, s.Offset(scratchF), formM)
	g.loosen(z)
	g.storeFree(z, s.Offset(scratchG), formM)

	var tops [4]reg.VecPhysical
	for i, p := range [4]struct{ a, b, place int }{
		{scratchE, scratchF, bucketX}, {scratchG, scratchH, bucketY},
		{scratchF, scratchG, bucketZ}, {scratchE, scratchH, bucketT},
	} {
		u, v := g.load(s.Offset(p.a), formM), g.load(s.Offset(p.b), formM)
		w := g.mul(u, v, -1)
		g.put(u[:]...)
		g.put(v[:]...)
		g.loosen(w)
		g.require(w, formM)
		g.scatterLanes(buckets, lanes, [4]reg.VecPhysical(w[:4]), p.place)
		g.put(w[:4]...)
		tops[i] = w[4]
	}
	g.scatterLanes(buckets, lanes, tops, bucketTop)
	g.put(tops[:]...)

	g.ADDQ(operand.U32(termSize), term.Base)
	g.ADDQ(operand.U8(8), digits.Base)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("term"))
	g.end()
}

// scatterLanes stores four vectors as four consecutive words of each lane at
// table+lane+disp, the inverse of gather.
func (g *generator) scatterLanes(table operand.Mem, lanes [8]reg.Register, v [4]reg.VecPhysical, disp int) {
	pairs := [4]reg.VecPhysical{g.get(), g.get(), g.get(), g.get()}
	g.VPUNPCKLQDQ(v[1], v[0], pairs[0]) // even lanes, words 0 and 1
	g.VPUNPCKHQDQ(v[1], v[0], pairs[1]) // odd lanes, words 0 and 1
	g.VPUNPCKLQDQ(v[3], v[2], pairs[2]) // even lanes, words 2 and 3
	g.VPUNPCKHQDQ(v[3], v[2], pairs[3]) // odd lanes, words 2 and 3
	for i, r := range pairs {
		for q := range 4 {
			lane := 2*q + i%2
			g.VEXTRACTI64X2(operand.U8(uint8(q)), r,
				operand.Mem{Base: table.Base, Index: lanes[lane], Scale: 1, Disp: disp + 16*(i/2)})
		}
	}
	g.put(pairs[:]...)
}

func (g *generator) bucketLoad() {
	g.begin("bucketLoad", "func(p *[8][5][8]uint64, buckets *uint64, offsets *[8]uint64)",
		"bucketLoad sets lane i of p to the bucket offsets[i] bytes after buckets.")
	p, buckets, offsets := g.pointer("p"), g.pointer("buckets"), g.pointer("offsets")
	var lanes [8]reg.Register
	for i := range lanes {
		r := g.GP64()
		g.MOVQ(offsets.Offset(8*i), r)
		lanes[i] = r
	}
	top := g.gather(buckets, lanes, bucketTop)
	for i, place := range [4]int{bucketX, bucketY, bucketZ, bucketT} {
		g.storeFree(g.coordinate(g.gather(buckets, lanes, place), top[i], formM), p.Offset(i*elementSize), formM)
	}
	g.end()
}

// pointAddPoint adds two points in extended coordinates: nine multiplications.
func (g *generator) pointAddPoint() {
	g.begin("pointAddPoint", "func(p, q *[8][5][8]uint64)",
		"pointAddPoint adds q to p. The addition is complete.")
	p, q := g.pointer("p"), g.pointer("q")
	y, x := g.load(q.Offset(offY), formM), g.load(q.Offset(offX), formM)
	g.mask(y)
	g.mask(x)
	g.sumDifference(x, y) // x becomes Y+X, y becomes Y-X
	g.loosen(x)
	g.loosen(y)
	g.storeFree(x, p.Offset(offF), formM)
	g.storeFree(y, p.Offset(offG), formM)
	g.sumProducts(p,
		func() element { return g.load(p.Offset(offF), formM) },
		func() element { return g.load(p.Offset(offG), formM) })
	t := g.load(q.Offset(offT), formM)
	d := g.getElement()
	for i := range d {
		g.emitConstant(constTwoD+i, d[i])
	}
	c := g.mul(t, d, -1)
	g.put(d[:]...)
	g.put(t[:]...)
	g.loosen(c)
	t = g.load(p.Offset(offT), formM)
	w := g.mul(t, c, -1)
	g.put(t[:]...)
	g.put(c[:]...)
	z, z2 := g.load(q.Offset(offZ), formM), g.load(p.Offset(offZ), formM)
	m := g.mul(z, z2, constLargeHalf)
	g.put(z[:]...)
	g.put(z2[:]...)
	g.add(m, m)
	g.difference(p, w, m)
	g.products(p, 1, nil)
	g.product(p.Offset(offE), p.Offset(offH), p.Offset(offT))
	g.end()
}
