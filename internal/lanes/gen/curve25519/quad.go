package main

import (
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

// For a single signature the four lanes of a register of 256 bits hold the four
// coordinates X, Y, Z, T of one point: a doubling is two multiplications one
// after the other instead of seven. What counts here is not the number of
// instructions but the time until the result is there. Half the width suffices,
// and opens a third port to additions.

// quadFile holds the operations on such points, elements of form M.
func quadFile(c *build.Context) {
	g := newGenerator(c, "quad")
	g.all, g.row = output.YMM[:], 32
	g.quadDouble()
	g.quadAdd()
	g.quadCache()
	g.quadMul()
	g.quadSquareN()
}

// Masks of lanes.
const (
	lane0 = 1 << iota
	lane1
	lane2
	lane3
)

// maskOf loads a lane mask.
func (g *generator) maskOf(lanes int, k reg.Register) reg.Register {
	r := g.GP32()
	g.MOVL(operand.U32(uint32(lanes)), r)
	g.KMOVB(r, k)
	return k
}

// permute returns e with lane i taken from lane from[i].
func (g *generator) permute(e element, from ...uint8) element {
	imm := from[0] | from[1]<<2 | from[2]<<4 | from[3]<<6
	out := g.getElement()
	for i := range e {
		g.VPERMQ(operand.U8(imm), e[i], out[i])
		g.registers[out[i]] = g.of(e[i])
	}
	return out
}

// maskedAdd adds b to a in the lanes of the mask.
func (g *generator) maskedAdd(a, b element, mask reg.Register) {
	for i := range a {
		x := g.exact(a[i])
		sum := g.sum(x, g.exact(b[i]))
		g.VPADDQ(b[i], a[i], mask, a[i])
		g.registers[a[i]] = interval{x.lo, sum.hi, false}
	}
}

// maskedSub subtracts b from a in the lanes of the mask.
func (g *generator) maskedSub(a, b element, mask reg.Register) {
	for i := range a {
		x, y := g.exact(a[i]), g.exact(b[i])
		if x.lo < y.hi {
			g.refuse("difference down to %#x - %#x", x.lo, y.hi)
		}
		g.VPSUBQ(b[i], a[i], mask, a[i])
		g.registers[a[i]] = interval{x.lo - y.hi, x.hi, false}
	}
}

// constants5 returns five words of the table in every lane.
func (g *generator) constants5(offset int) element {
	e := g.getElement()
	for i, r := range e {
		g.emitConstant(offset+i, r)
	}
	return e
}

// mulFast is mul with the low and the high halves in columns of their own,
// which nearly halves the chains of additions. It releases a and b.
func (g *generator) mulFast(a, b element) element {
	var lo, hi [10]reg.VecPhysical
	for k := range 9 {
		lo[k], hi[k+1] = g.get(), g.get()
		g.emitZero(lo[k])
		g.emitZero(hi[k+1])
	}
	for i := range 5 {
		for j := range 5 {
			g.emitMadd(false, a[i], b[j], lo[i+j])
			g.emitMadd(true, a[i], b[j], hi[i+j+1])
		}
	}
	g.put(a[:]...)
	g.put(b[:]...)
	for k := 1; k < 9; k++ {
		g.emitAdd(hi[k], lo[k], lo[k])
		g.put(hi[k])
	}
	lo[9] = hi[9]
	return g.reduce(lo)
}

// squareFast is square with columns as in mulFast. It releases a.
func (g *generator) squareFast(a element) element {
	var lo, hi [10]reg.VecPhysical
	for k := range 9 {
		lo[k], hi[k+1] = g.get(), g.get()
		g.emitZero(lo[k])
		g.emitZero(hi[k+1])
	}
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			g.emitMadd(false, a[i], a[j], lo[i+j])
			g.emitMadd(true, a[i], a[j], hi[i+j+1])
		}
	}
	for k := 1; k < 9; k++ {
		g.emitAdd(hi[k], lo[k], lo[k])
		g.emitAdd(lo[k], lo[k], lo[k])
		g.put(hi[k])
	}
	lo[9] = hi[9]
	for i := range 5 {
		g.emitMadd(false, a[i], a[i], lo[2*i])
		g.emitMadd(true, a[i], a[i], lo[2*i+1])
	}
	g.put(a[:]...)
	return g.reduce(lo)
}

// quadMul multiplies four elements.
func (g *generator) quadMul() {
	g.begin("quadMul", "func(dst, a, b *[5][4]uint64)", "quadMul sets dst to a·b in four lanes.")
	dst, a, b := g.pointer("dst"), g.pointer("a"), g.pointer("b")
	x, y := g.load(a, formM), g.load(b, formM)
	w := g.mulFast(x, y)
	g.norm(w)
	g.storeFree(w, dst, formN)
	g.end()
}

// quadSquareN squares four elements.
func (g *generator) quadSquareN() {
	g.begin("quadSquareN", "func(dst, a *[5][4]uint64, n uint64)",
		"quadSquareN sets dst to a squared n times in four lanes. Requires n > 0.")
	dst, a := g.pointer("dst"), g.pointer("a")
	n := g.Load(g.Param("n"), g.GP64())
	e := g.load(a, formM)
	g.Label("square")
	w := g.squareFast(e)
	g.loosen(w)
	g.require(w, formM)
	g.moveTo(w, e)
	g.declare(e, formM)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("square"))
	g.mask(e)
	g.storeFree(e, dst, formN)
	g.end()
}

func (g *generator) quadDouble() {
	g.begin("quadDouble", "func(p *[5][4]uint64, n uint64)", "quadDouble doubles the point p n times. Requires n > 0.")
	p := g.pointer("p")
	n := g.Load(g.Param("n"), g.GP64())
	plus, minus := g.maskOf(lane0|lane1|lane3, reg.K1), g.maskOf(lane2, reg.K2)
	first := g.maskOf(lane0, reg.K3)
	e := g.load(p, formM)
	g.Label("double")
	x, y := g.permute(e, 0, 1, 2, 0), g.permute(e, 0, 1, 2, 1)
	g.put(e[:]...)
	w := g.mulFast(x, y) // A = X², B = Y², Z², XY
	s, t := g.permute(w, 3, 1, 1, 2), g.permute(w, 3, 0, 0, 2)
	u := g.constants5(constLarge)
	g.maskedAdd(u, w, first)
	v := g.permute(w, 1, 1, 1, 1)
	g.maskedSub(u, v, first) // A-B in lane 0
	g.put(v[:]...)
	g.put(w[:]...)
	v = g.permute(u, 1, 1, 1, 0) // in lane 3, the offset alone elsewhere
	g.put(u[:]...)
	g.addOffset(s, constLarge)
	g.maskedAdd(s, t, plus)
	g.maskedSub(s, t, minus) // E = 2XY, H = B+A, G = B-A, 2Z²
	g.put(t[:]...)
	g.add(s, v) // F = 2Z²+A-B
	g.put(v[:]...)
	g.loosen(s)
	x, y = g.permute(s, 0, 2, 3, 0), g.permute(s, 3, 1, 2, 1)
	g.put(s[:]...)
	w = g.mulFast(x, y) // EF, GH, FG, EH
	g.loosen(w)
	g.require(w, formM)
	g.moveTo(w, e)
	g.DECQ(n)
	g.JNZ(operand.LabelRef("double"))
	g.declare(e, formM)
	g.storeFree(e, p, formM)
	g.end()
}

// moveTo moves an element to given registers, which are free or among its own.
// By way of others, so that no limb is overwritten before it is moved.
func (g *generator) moveTo(from, to element) {
	g.free = slices.DeleteFunc(g.free, func(r reg.VecPhysical) bool { return slices.Contains(to[:], r) })
	by := g.getElement()
	for i := range by {
		g.VMOVDQA64(from[i], by[i])
	}
	for i := range by {
		g.VMOVDQA64(by[i], to[i])
		g.registers[to[i]] = g.of(from[i])
	}
	g.put(by[:]...)
	for _, r := range from {
		if !slices.Contains(to[:], r) {
			g.put(r)
		}
	}
}

// sides returns (Y-X, Y+X, T, Z) of the point at p, in form M.
func (g *generator) sides(p operand.Mem) element {
	plus, minus := g.maskOf(lane1, reg.K1), g.maskOf(lane0, reg.K2)
	e := g.load(p, formM)
	g.mask(e)
	s, x := g.permute(e, 1, 1, 3, 2), g.permute(e, 0, 0, 0, 0)
	g.put(e[:]...)
	g.addOffset(s, constSmall)
	g.maskedAdd(s, x, plus)
	g.maskedSub(s, x, minus)
	g.put(x[:]...)
	g.loosen(s)
	return s
}

func (g *generator) quadAdd() {
	g.begin("quadAdd", "func(p *[5][4]uint64, q *[5][4]uint64)",
		"quadAdd adds to the point p the cached point q. The addition is complete.")
	p, q := g.pointer("p"), g.pointer("q")
	s := g.sides(p)
	w := g.mulFast(s, g.load(q, formN)) // A, B, C, D
	plus, minus := g.maskOf(lane1|lane3, reg.K1), g.maskOf(lane0|lane2, reg.K2)
	s, t := g.permute(w, 1, 1, 3, 3), g.permute(w, 0, 0, 2, 2)
	g.put(w[:]...)
	g.addOffset(s, constLarge)
	g.maskedAdd(s, t, plus)
	g.maskedSub(s, t, minus) // E = B-A, H = B+A, F = D-C, G = D+C
	g.put(t[:]...)
	g.loosen(s)
	x, y := g.permute(s, 0, 3, 2, 0), g.permute(s, 2, 1, 3, 1)
	g.put(s[:]...)
	w = g.mulFast(x, y) // EF, GH, FG, EH
	g.loosen(w)
	g.storeFree(w, p, formM)
	g.end()
}

func (g *generator) quadCache() {
	g.begin("quadCache", "func(dst *[5][4]uint64, p *[5][4]uint64, scale *[5][4]uint64)",
		"quadCache sets dst to (Y-X, Y+X, T, Z) of p, each multiplied by its lane of scale.")
	dst, p, scale := g.pointer("dst"), g.pointer("p"), g.pointer("scale")
	s := g.sides(p)
	w := g.mulFast(s, g.load(scale, formN))
	g.norm(w)
	g.storeFree(w, dst, formN)
	g.end()
}
