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
	for count := 1; count <= 2; count++ {
		g.pointDouble(count)
		g.pointAdd(count)
		g.pointAddAffine(count)
	}
	g.tableStore()
}

// pointSize is the size of a point in memory in bytes.
const pointSize = 8 * elementSize

// Every point operation comes for one point and for two consecutive ones: the
// second fills the gaps that the first leaves while it waits for its results.
// The steps of both alternate, and results between steps are in memory.

// names returns a function name, the type of its point parameter and the note
// of its documentation for one or two points.
func names(name string, count int) (string, string, string) {
	if count == 1 {
		return name, "p *[8][5][8]uint64", ""
	}
	return name + "2", "p *[2][8][5][8]uint64", "It works on two points at once."
}

// each emits a step for every point.
func each(p operand.Mem, count int, step func(i int, p operand.Mem)) {
	for i := range count {
		step(i, p.Offset(i*pointSize))
	}
}

// product stores a·b in form M, all in memory.
func (g *generator) product(a, b, dst operand.Mem) {
	x, y := g.load(a, formM), g.load(b, formM)
	z := g.mul(x, y, -1)
	g.put(x[:]...)
	g.put(y[:]...)
	g.loosen(z)
	g.storeFree(z, dst, formM)
}

// products emits (X, Y, Z) = (EF, GH, FG) for all points, and T = EH unless
// the skip register is zero.
func (g *generator) products(p operand.Mem, count int, t reg.Register) {
	each(p, count, func(_ int, p operand.Mem) { g.product(p.Offset(offG), p.Offset(offH), p.Offset(offY)) })
	each(p, count, func(_ int, p operand.Mem) { g.product(p.Offset(offF), p.Offset(offG), p.Offset(offZ)) })
	each(p, count, func(_ int, p operand.Mem) { g.product(p.Offset(offE), p.Offset(offF), p.Offset(offX)) })
	if t == nil {
		return
	}
	g.TESTQ(t, t)
	g.JZ(operand.LabelRef("done"))
	each(p, count, func(_ int, p operand.Mem) { g.product(p.Offset(offE), p.Offset(offH), p.Offset(offT)) })
	g.Label("done")
}

// pointDouble doubles as dbl-2008-hwcd with all four outputs negated, which is
// the same point: A = X², B = Y², E = 2XY, G = B-A, F = 2Z²-G, H = A+B,
// (X, Y, Z, T) = (EF, GH, FG, EH).
func (g *generator) pointDouble(count int) {
	name, param, note := names("pointDouble", count)
	g.begin(name, "func("+param+", n uint64)",
		name+" doubles p n times. It does not read T. Requires n > 0.", note)
	p := g.pointer("p")
	n := g.Load(g.Param("n"), g.GP64())
	g.Label("double")
	each(p, count, func(_ int, p operand.Mem) {
		y := g.load(p.Offset(offY), formM)
		b := g.square(y, constLargeSquare)
		g.put(y[:]...)
		g.storeFree(b, p.Offset(offH), formTemp)
	})
	each(p, count, func(_ int, p operand.Mem) {
		z := g.load(p.Offset(offZ), formM)
		c := g.square(z, constLargeSquare)
		g.put(z[:]...)
		g.storeFree(c, p.Offset(offF), formTemp)
	})
	each(p, count, func(_ int, p operand.Mem) {
		x := g.load(p.Offset(offX), formM)
		a := g.square(x, -1)
		g.put(x[:]...)
		b := g.load(p.Offset(offH), formTemp) // B with the offset 512p
		h := g.getElement()
		for i := range h {
			g.emitAdd(a[i], b[i], h[i])
		}
		g.loosen(h)
		g.storeFree(h, p.Offset(offH), formM)
		g.sub(b, a, b) // G, limbs below 2^56+2^55.5
		g.put(a[:]...)
		f := g.load(p.Offset(offF), formTemp) // Z² with the offset 512p
		g.add(f, f)                           // limbs above 2^57-2^5
		g.sub(f, b, f)
		g.loosen(b)
		g.storeFree(b, p.Offset(offG), formM)
		g.loosen(f)
		g.storeFree(f, p.Offset(offF), formM)
	})
	each(p, count, func(_ int, p operand.Mem) {
		x, y := g.load(p.Offset(offX), formM), g.load(p.Offset(offY), formM)
		e := g.mul(x, y, -1)
		g.put(x[:]...)
		g.put(y[:]...)
		g.add(e, e)
		g.loosen(e)
		g.storeFree(e, p.Offset(offE), formM)
	})
	g.products(p, count, nil)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("double"))
	each(p, count, func(_ int, p operand.Mem) { g.product(p.Offset(offE), p.Offset(offH), p.Offset(offT)) })
	g.end()
}

// lanePointers loads the eight table offsets of point i.
func (g *generator) lanePointers(offsets operand.Mem, to [8]reg.GPVirtual, i int) {
	for lane, r := range to {
		g.MOVQ(offsets.Offset(64*i+8*lane), r)
	}
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

// coordinate returns the element of a gathered chunk and a fifth limb, which
// memory holds in the given form.
func (g *generator) coordinate(chunk [4]reg.VecPhysical, top reg.VecPhysical, f form) element {
	e := element{chunk[0], chunk[1], chunk[2], chunk[3], top}
	g.declare(e, f)
	return e
}

// sumProducts emits the part common to both additions: A = (Y-X)·ymx and
// B = (Y+X)·ypx, E = B-A and H = B+A stored as temporaries. The coordinates
// are gathered where they are used, for want of registers.
func (g *generator) sumProducts(p operand.Mem, gatherYPX, gatherYMX func() element) {
	y, x := g.load(p.Offset(offY), formM), g.load(p.Offset(offX), formM)
	g.mask(y)
	g.mask(x)
	g.sumDifference(x, y)
	g.loosen(x)
	ypx := gatherYPX()
	b := g.mul(x, ypx, constLarge)
	g.put(x[:]...)
	g.put(ypx[:]...)
	g.loosen(y)
	ymx := gatherYMX()
	a := g.mul(y, ymx, -1)
	g.put(y[:]...)
	g.put(ymx[:]...)
	e := g.getElement()
	g.sub(b, a, e)
	g.loosen(e)
	g.storeFree(e, p.Offset(offE), formM)
	g.add(b, a)
	g.put(a[:]...)
	g.loosen(b)
	g.storeFree(b, p.Offset(offH), formM)
}

// difference stores F = D-C and G = D+C. It releases c and d; d holds the
// large offset.
func (g *generator) difference(p operand.Mem, c, d element) {
	f := g.getElement()
	g.sub(d, c, f)
	g.loosen(f)
	g.storeFree(f, p.Offset(offF), formM)
	g.add(d, c)
	g.put(c[:]...)
	g.loosen(d)
	g.storeFree(d, p.Offset(offG), formM)
}

// addition emits the steps of both additions. tops is the place of the fifth
// limbs in an entry, tPlace of 2dT and zPlace of 2Z, or 0 if Z is one.
func (g *generator) addition(name, signature string, count, tops, tPlace, zPlace int, doc ...string) {
	g.begin(name, signature, doc...)
	p, table, offsets := g.pointer("p"), g.pointer("table"), g.pointer("offsets")
	var lanes [8]reg.GPVirtual
	var named [8]reg.Register
	for i := range lanes {
		lanes[i] = g.GP64()
		named[i] = lanes[i]
	}
	each(p, count, func(i int, p operand.Mem) {
		g.lanePointers(offsets, lanes, i)
		top := g.gather(table, named, tops)
		// The temporary F keeps the fifth limbs of 2Z and 2dT for a while.
		g.VMOVDQU64(top[2], p.Offset(offF))
		g.VMOVDQU64(top[3], p.Offset(offF+64))
		g.put(top[2], top[3])
		g.sumProducts(p,
			func() element { return g.coordinate(g.gather(table, named, 0), top[0], formN) },
			func() element { return g.coordinate(g.gather(table, named, 32), top[1], formN) })
	})
	each(p, count, func(i int, p operand.Mem) {
		if count > 1 {
			g.lanePointers(offsets, lanes, i)
		}
		factor := func(place, top, coord, offset int) element {
			limb := g.get()
			g.VMOVDQU64(p.Offset(offF+64*top), limb)
			e := g.coordinate(g.gather(table, named, place), limb, formN)
			x := g.load(p.Offset(coord), formM)
			z := g.mul(x, e, offset)
			g.put(x[:]...)
			g.put(e[:]...)
			return z
		}
		if zPlace == 0 {
			c := factor(tPlace, 0, offT, -1)
			d := g.load(p.Offset(offZ), formM)
			g.mask(d)
			g.add(d, d)
			g.addOffset(d, constLarge)
			g.difference(p, c, d)
			return
		}
		c := factor(tPlace, 1, offT, -1)
		d := factor(zPlace, 0, offZ, constLarge)
		g.difference(p, c, d)
	})
	t := g.Load(g.Param("t"), g.GP64())
	g.products(p, count, t)
	g.end()
}

func (g *generator) pointAdd(count int) {
	name, param, note := names("pointAdd", count)
	g.addition(name, "func("+param+", table *uint64, offsets *"+offsetsType(count)+", t uint64)", count, 128, 96, 64,
		name+" adds to lane i of p the entry of twenty words offsets[i] bytes after table.",
		"The addition is complete. T of the sum is computed unless t is zero.", note)
}

func (g *generator) pointAddAffine(count int) {
	name, param, note := names("pointAddAffine", count)
	g.addition(name, "func("+param+", table *uint64, offsets *"+offsetsType(count)+", t uint64)", count, 96, 64, 0,
		name+" adds to lane i of p the entry of sixteen words offsets[i] bytes after",
		"table, whose Z is one. The addition is complete. T of the sum is computed unless t",
		"is zero.", note)
}

func offsetsType(count int) string {
	if count == 1 {
		return "[8]uint64"
	}
	return "[2][8]uint64"
}

func (g *generator) tableStore() {
	g.begin("tableStore", "func(plus, minus *uint64, p *[8][5][8]uint64)",
		"tableStore writes p and -p as entries of twenty words for pointAdd: lane i of p at",
		"plus+i·laneStride bytes, of -p at minus+i·laneStride bytes.")
	plus, minus, p := g.pointer("plus"), g.pointer("minus"), g.pointer("p")
	y, x := g.load(p.Offset(offY), formM), g.load(p.Offset(offX), formM)
	g.mask(y)
	g.mask(x)
	g.sumDifference(x, y)
	ypx := x
	g.norm(ypx)
	g.norm(y)
	g.scatterCoordinate(plus, ypx, 0)
	g.scatterCoordinate(plus, y, 32)
	g.scatterCoordinate(minus, ypx, 32)
	g.scatterCoordinate(minus, y, 0)
	// Keep only the fifth limbs.
	topP, topM := ypx[4], y[4]
	g.put(ypx[:4]...)
	g.put(y[:4]...)

	t := g.load(p.Offset(offT), formM)
	d := g.getElement()
	for i := range d {
		g.emitConstant(constTwoD+i, d[i])
	}
	c := g.mul(t, d, -1)
	g.put(t[:]...)
	g.norm(c)
	g.scatterCoordinate(plus, c, 96)
	for i := range d {
		g.emitConstant(constSmall+i, d[i])
	}
	g.sub(d, c, d)
	g.norm(d)
	g.scatterCoordinate(minus, d, 96)
	g.put(c[:4]...)
	g.put(d[:4]...)
	z := g.load(p.Offset(offZ), formM)
	g.mask(z)
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

// scatterCoordinate stores the lower four limbs of e, which is in form N.
func (g *generator) scatterCoordinate(m operand.Mem, e element, disp int) {
	g.require(e, formN)
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
