package main

import (
	"math/big"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Offsets of the fields of type point in package curve25519: the coordinates
// and four temporaries.
const (
	offX = iota * elementSize
	offY
	offZ
	offT
	offE
	offF
	offG
	offH
)

// entrySize is the size of one table entry of one lane: twenty words, four
// limbs of each of (Y+X, Y-X, 2Z, 2dT) and then the fifth limbs of all.
// An affine entry has sixteen: three coordinates, the fifth limbs and zero.
const entrySize = 160

// twoD returns the limbs of 2d mod p, d = -121665/121666.
func twoD() []uint64 {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	d := new(big.Int).ModInverse(big.NewInt(121666), p)
	d.Mul(d, big.NewInt(-2*121665)).Mod(d, p)
	var limbs []uint64
	mask := new(big.Int).SetUint64(1<<52 - 1)
	for range 5 {
		limbs = append(limbs, new(big.Int).And(d, mask).Uint64())
		d.Rsh(d, 52)
	}
	return limbs
}

func pointFile(c *build.Context) {
	g := newGenerator(c, "point")
	g.pointDouble()
	g.pointAdd()
	g.pointAddAffine()
	g.tableStore()
}

// pointDouble doubles as dbl-2008-hwcd with all four outputs negated, which is
// the same point: A = X², B = Y², E = 2XY, G = B-A, F = 2Z²-G, H = A+B,
// (X, Y, Z, T) = (EF, GH, FG, EH).
func (g *generator) pointDouble() {
	g.begin("pointDouble", "func(p *[8][5][8]uint64, n uint64)",
		"pointDouble doubles p n times. It does not read T. Requires n > 0.")
	p := g.pointer("p")
	n := g.Load(g.Param("n"), g.GP64())
	g.Label("double")
	x := g.load(p.Offset(offX))
	a := g.square(x, -1)
	y := g.load(p.Offset(offY))
	e := g.mul(x, y, -1)
	g.put(x[:]...)
	g.add(e, e)
	g.norm(e)
	g.storeFree(e, p.Offset(offE))
	b := g.square(y, constLargeSquare)
	g.put(y[:]...)
	h := g.getElement()
	for i := range h {
		g.VPADDQ(a[i], b[i], h[i])
	}
	g.sub(b, a, b)
	g.put(a[:]...)
	g.norm(h)
	g.storeFree(h, p.Offset(offH))
	g.norm(b)
	g.store(b, p.Offset(offG))
	z := g.load(p.Offset(offZ))
	f := g.square(z, constSmallSquare)
	g.put(z[:]...)
	g.add(f, f)
	g.sub(f, b, f)
	g.norm(f)
	g.product(f, b, p.Offset(offZ)) // Z = FG
	e = g.load(p.Offset(offE))
	g.product(e, f, p.Offset(offX)) // X = EF
	g.put(f[:]...)
	h = g.load(p.Offset(offH))
	g.product(b, h, p.Offset(offY)) // Y = GH
	g.put(b[:]...)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("double"))
	g.product(e, h, p.Offset(offT)) // T = EH
	g.put(e[:]...)
	g.put(h[:]...)
	g.end()
}

// product stores a·b in form N.
func (g *generator) product(a, b element, m operand.Mem) {
	z := g.mul(a, b, -1)
	g.norm(z)
	g.storeFree(z, m)
}

// lanePointers loads the eight offsets at the parameter.
func (g *generator) lanePointers(name string) [8]reg.Register {
	var out [8]reg.Register
	offsets := g.Load(g.Param(name), g.GP64())
	for i := range out {
		r := g.GP64()
		g.MOVQ(operand.Mem{Base: offsets, Disp: 8 * i}, r)
		out[i] = r
	}
	return out
}

// gather loads four consecutive words at table+offset+disp of each lane and
// returns them as four vectors.
func (g *generator) gather(table operand.Mem, lanes [8]reg.Register, disp int) [4]reg.VecPhysical {
	var rows [4]reg.VecPhysical // lanes 0 and 2, 1 and 3, 4 and 6, 5 and 7
	at := func(lane int) operand.Mem {
		return operand.Mem{Base: table.Base, Index: lanes[lane], Scale: 1, Disp: disp}
	}
	for i, lane := range [4]int{0, 1, 4, 5} {
		rows[i] = g.get()
		g.VMOVDQU64(at(lane), rows[i].AsY())
		g.VINSERTI64X4(operand.U8(1), at(lane+2), rows[i], rows[i])
	}
	lo0, hi0, lo1, hi1 := g.get(), g.get(), g.get(), g.get()
	g.VPUNPCKLQDQ(rows[1], rows[0], lo0)
	g.VPUNPCKHQDQ(rows[1], rows[0], hi0)
	g.VPUNPCKLQDQ(rows[3], rows[2], lo1)
	g.VPUNPCKHQDQ(rows[3], rows[2], hi1)
	g.VSHUFI64X2(operand.U8(0x88), lo1, lo0, rows[0])
	g.VSHUFI64X2(operand.U8(0x88), hi1, hi0, rows[1])
	g.VSHUFI64X2(operand.U8(0xdd), lo1, lo0, rows[2])
	g.VSHUFI64X2(operand.U8(0xdd), hi1, hi0, rows[3])
	g.put(lo0, hi0, lo1, hi1)
	return rows
}

// coordinate returns the element of a gathered chunk and a fifth limb.
func coordinate(chunk [4]reg.VecPhysical, top reg.VecPhysical) element {
	return element{chunk[0], chunk[1], chunk[2], chunk[3], top}
}

// sumProducts emits the part common to both additions: A = (Y-X)·ymx and
// B = (Y+X)·ypx, E = B-A and H = B+A stored as temporaries. The coordinates
// are gathered where they are used, for want of registers.
func (g *generator) sumProducts(p operand.Mem, gatherYPX, gatherYMX func() element) {
	y := g.load(p.Offset(offY))
	s := g.getElement()
	for i := range s {
		g.VPADDQ(p.Offset(offX+64*i), y[i], s[i])
	}
	g.norm(s)
	ypx := gatherYPX()
	b := g.mul(s, ypx, constLarge)
	g.put(s[:]...)
	g.put(ypx[:]...)
	g.addOffset(y, constSmall)
	g.subMem(y, p.Offset(offX))
	g.norm(y)
	ymx := gatherYMX()
	a := g.mul(y, ymx, -1)
	g.put(y[:]...)
	g.put(ymx[:]...)
	e := g.getElement()
	g.sub(b, a, e)
	g.norm(e)
	g.storeFree(e, p.Offset(offE))
	g.add(b, a)
	g.put(a[:]...)
	g.norm(b)
	g.storeFree(b, p.Offset(offH))
}

// finishAdd computes F = D-C and G = D+C and the four products. It releases c
// and d; d holds the large offset.
func (g *generator) finishAdd(p operand.Mem, c, d element) {
	f := g.getElement()
	g.sub(d, c, f)
	g.norm(f)
	g.add(d, c)
	g.put(c[:]...)
	g.norm(d)
	g.product(f, d, p.Offset(offZ)) // Z = FG
	e := g.load(p.Offset(offE))
	g.product(e, f, p.Offset(offX)) // X = EF
	g.put(f[:]...)
	h := g.load(p.Offset(offH))
	g.product(d, h, p.Offset(offY)) // Y = GH
	g.put(d[:]...)
	g.product(e, h, p.Offset(offT)) // T = EH
	g.put(e[:]...)
	g.put(h[:]...)
}

func (g *generator) pointAdd() {
	g.begin("pointAdd", "func(p *[8][5][8]uint64, table *uint64, offsets *[8]uint64)",
		"pointAdd adds to lane i of p the entry of twenty words offsets[i] bytes after table.",
		"The addition is complete.")
	p, table := g.pointer("p"), g.pointer("table")
	lanes := g.lanePointers("offsets")
	top := g.gather(table, lanes, 128)
	g.sumProducts(p,
		func() element { return coordinate(g.gather(table, lanes, 0), top[0]) },
		func() element { return coordinate(g.gather(table, lanes, 32), top[1]) })
	t2d := coordinate(g.gather(table, lanes, 96), top[3])
	t := g.load(p.Offset(offT))
	c := g.mul(t, t2d, -1)
	g.put(t[:]...)
	g.put(t2d[:]...)
	z2 := coordinate(g.gather(table, lanes, 64), top[2])
	z := g.load(p.Offset(offZ))
	d := g.mul(z, z2, constLarge)
	g.put(z[:]...)
	g.put(z2[:]...)
	g.finishAdd(p, c, d)
	g.end()
}

func (g *generator) pointAddAffine() {
	g.begin("pointAddAffine", "func(p *[8][5][8]uint64, table *uint64, offsets *[8]uint64)",
		"pointAddAffine adds to lane i of p the entry of sixteen words offsets[i] bytes after",
		"table, whose Z is one. The addition is complete.")
	p, table := g.pointer("p"), g.pointer("table")
	lanes := g.lanePointers("offsets")
	top := g.gather(table, lanes, 96)
	g.put(top[3])
	g.sumProducts(p,
		func() element { return coordinate(g.gather(table, lanes, 0), top[0]) },
		func() element { return coordinate(g.gather(table, lanes, 32), top[1]) })
	t2d := coordinate(g.gather(table, lanes, 64), top[2])
	t := g.load(p.Offset(offT))
	c := g.mul(t, t2d, -1)
	g.put(t[:]...)
	g.put(t2d[:]...)
	d := g.load(p.Offset(offZ))
	g.add(d, d)
	g.addOffset(d, constLarge)
	g.finishAdd(p, c, d)
	g.end()
}

func (g *generator) tableStore() {
	g.begin("tableStore", "func(plus, minus *uint64, p *[8][5][8]uint64)",
		"tableStore writes p and -p as entries of twenty words for pointAdd: lane i of p at",
		"plus+i·laneStride bytes, of -p at minus+i·laneStride bytes.")
	plus, minus, p := g.pointer("plus"), g.pointer("minus"), g.pointer("p")
	y := g.load(p.Offset(offY))
	ypx := g.getElement()
	for i := range ypx {
		g.VPADDQ(p.Offset(offX+64*i), y[i], ypx[i])
	}
	g.norm(ypx)
	g.addOffset(y, constSmall)
	g.subMem(y, p.Offset(offX))
	g.norm(y)
	g.scatterCoordinate(plus, ypx, 0)
	g.scatterCoordinate(plus, y, 32)
	g.scatterCoordinate(minus, ypx, 32)
	g.scatterCoordinate(minus, y, 0)
	// Keep only the fifth limbs.
	topP, topM := ypx[4], y[4]
	g.put(ypx[:4]...)
	g.put(y[:4]...)

	t := g.load(p.Offset(offT))
	d := g.getElement()
	for i := range d {
		g.VPBROADCASTQ(g.constant(constTwoD+i), d[i])
	}
	c := g.mul(t, d, -1)
	g.put(t[:]...)
	g.norm(c)
	g.scatterCoordinate(plus, c, 96)
	for i := range d {
		g.VPBROADCASTQ(g.constant(constSmall+i), d[i])
	}
	g.sub(d, c, d)
	g.norm(d)
	g.scatterCoordinate(minus, d, 96)
	g.put(c[:4]...)
	g.put(d[:4]...)
	z := g.load(p.Offset(offZ))
	g.add(z, z)
	g.norm(z)
	g.scatterCoordinate(plus, z, 64)
	g.scatterCoordinate(minus, z, 64)
	g.scatterWords(plus, [4]reg.VecPhysical{topP, topM, z[4], c[4]}, 128)
	g.scatterWords(minus, [4]reg.VecPhysical{topM, topP, z[4], d[4]}, 128)
	g.put(z[:]...)
	g.put(topP, topM, c[4], d[4])
	g.end()
}

// laneStride is the distance between the tables of two lanes in bytes:
// seventeen entries, for the digits -8 to 8.
const laneStride = 17 * entrySize

func (g *generator) scatterCoordinate(m operand.Mem, e element, disp int) {
	g.scatterWords(m, [4]reg.VecPhysical(e[:4]), disp)
}

// scatterWords stores four vectors as four consecutive words of each lane.
func (g *generator) scatterWords(m operand.Mem, v [4]reg.VecPhysical, disp int) {
	pairs := [4]reg.VecPhysical{g.get(), g.get(), g.get(), g.get()}
	g.VPUNPCKLQDQ(v[1], v[0], pairs[0]) // even lanes, words 0 and 1
	g.VPUNPCKHQDQ(v[1], v[0], pairs[1]) // odd lanes, words 0 and 1
	g.VPUNPCKLQDQ(v[3], v[2], pairs[2]) // even lanes, words 2 and 3
	g.VPUNPCKHQDQ(v[3], v[2], pairs[3]) // odd lanes, words 2 and 3
	for i, r := range pairs {
		for q := range 4 {
			lane := 2*q + i%2
			g.VEXTRACTI64X2(operand.U8(uint8(q)), r, m.Offset(lane*laneStride+disp+16*(i/2)))
		}
	}
	g.put(pairs[:]...)
}
