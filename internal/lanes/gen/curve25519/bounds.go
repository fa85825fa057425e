package main

import (
	"fmt"
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The generator keeps an interval for every vector register of limbs while it
// emits code, and refuses to emit a step that could lose a bit. So the bounds
// in README.md of package curve25519 are checked each time the assembly is
// written.

// An interval bounds a limb in every lane. A loose limb has given its bits
// from 52 on to the next limb and still holds them: only a multiplication,
// which ignores them, may read it.
type interval struct {
	lo, hi uint64
	loose  bool
}

const maxLimb = 1<<52 - 1

// form is what memory promises about the limbs of an element.
type form int

const (
	formN    form = iota // limbs 0 to 3 below 2^52, limb 4 at most maxTop
	formM                // the same, limbs 0 to 3 loose
	formTemp             // whatever was stored there before
)

// maxTop is the largest limb 4 of forms N and M.
const maxTop = 1<<47 + 1<<12

// limb returns the bounds of limb i.
func (f form) limb(i int) interval {
	switch {
	case i == 4:
		return interval{0, maxTop, false}
	case f == formM:
		return interval{0, 1<<63 - 1, true}
	}
	return interval{0, maxLimb, false}
}

// includes reports whether limb i with bounds b has the form.
func (f form) includes(i int, b interval) bool {
	w := f.limb(i)
	return b.hi <= w.hi && (w.loose || !b.loose)
}

// place names 64 bytes of memory.
type place struct {
	base reg.Register
	disp int
}

// bounds is what the generator knows.
type bounds struct {
	registers map[reg.Register]interval
	memory    map[place]interval
	constants []uint64
}

func (b *bounds) reset() {
	b.registers, b.memory = map[reg.Register]interval{}, map[place]interval{}
}

func (g *generator) refuse(format string, args ...any) {
	panic("bounds: " + fmt.Sprintf(format, args...))
}

// of returns the bounds of an operand: a register or a word of the table.
func (g *generator) of(op operand.Op) interval {
	switch x := op.(type) {
	case operand.Mem:
		w := g.constants[(x.Disp-g.table.Disp)/8]
		return interval{w, w, false}
	case reg.Register:
		if b, ok := g.registers[x]; ok {
			return b
		}
	}
	g.refuse("operand %v unknown", op)
	return interval{}
}

// exact returns the bounds of an operand that must not be loose.
func (g *generator) exact(op operand.Op) interval {
	b := g.of(op)
	if b.loose {
		g.refuse("operand %v has its carry in two places", op)
	}
	return b
}

// factor returns the bounds of what a multiplication reads.
func (g *generator) factor(op operand.Op) interval {
	b := g.of(op)
	if b.loose {
		return interval{0, maxLimb, false}
	}
	if b.hi > maxLimb {
		g.refuse("factor %v up to %#x", op, b.hi)
	}
	return b
}

func (g *generator) sum(a, b interval) interval {
	hi, carry := bits.Add64(a.hi, b.hi, 0)
	if carry != 0 {
		g.refuse("sum up to %#x + %#x", a.hi, b.hi)
	}
	return interval{a.lo + b.lo, hi, false}
}

// emitAdd emits dst = a + b.
func (g *generator) emitAdd(b, a operand.Op, dst reg.VecPhysical) {
	g.registers[dst] = g.sum(g.exact(a), g.exact(b))
	if _, ok := b.(operand.Mem); ok {
		g.VPADDQ_BCST(b, a, dst)
		return
	}
	g.VPADDQ(b, a, dst)
}

// emitSub emits dst = a - b.
func (g *generator) emitSub(b, a, dst reg.VecPhysical) {
	x, y := g.exact(a), g.exact(b)
	if x.lo < y.hi {
		g.refuse("difference down to %#x - %#x", x.lo, y.hi)
	}
	g.VPSUBQ(b, a, dst)
	g.registers[dst] = interval{x.lo - y.hi, x.hi - y.lo, false}
}

// emitMadd emits the low or high half of x·y added to z.
func (g *generator) emitMadd(high bool, x, y operand.Op, z reg.VecPhysical) {
	a, b := g.factor(x), g.factor(y)
	top, low := bits.Mul64(a.hi, b.hi)
	part := top<<12 | low>>52
	if !high {
		part = min(low, maxLimb)
		if top != 0 {
			part = maxLimb
		}
	}
	g.registers[z] = g.sum(g.exact(z), interval{0, part, false})
	_, mem := x.(operand.Mem)
	switch {
	case high:
		g.VPMADD52HUQ(x, y, z)
	case mem:
		g.VPMADD52LUQ_BCST(x, y, z)
	default:
		g.VPMADD52LUQ(x, y, z)
	}
}

// emitSmall emits z += x·c for a constant c, where the product has no high half.
func (g *generator) emitSmall(c, x operand.Op, z reg.VecPhysical) {
	top, low := bits.Mul64(g.factor(c).hi, g.factor(x).hi)
	if top != 0 || low > maxLimb {
		g.refuse("product up to %#x·%#x has a high half", g.factor(c).hi, g.factor(x).hi)
	}
	g.emitMadd(false, c, x, z)
}

// emitCarry emits t = z >> 52, which leaves z loose.
func (g *generator) emitCarry(z, t reg.VecPhysical) {
	b := g.exact(z)
	g.VPSRLQ(operand.U8(52), z, t)
	g.registers[t] = interval{b.lo >> 52, b.hi >> 52, false}
	b.loose = true
	g.registers[z] = b
}

// emitSplit emits t = z >> 47 and z = z mod 2^47.
func (g *generator) emitSplit(z, t reg.VecPhysical) {
	b := g.exact(z)
	g.VPSRLQ(operand.U8(47), z, t)
	g.registers[t] = interval{b.lo >> 47, b.hi >> 47, false}
	g.VPANDQ_BCST(g.constant(constMask47), z, z)
	g.registers[z] = interval{0, 1<<47 - 1, false}
}

// emitMask emits z = z mod 2^52.
func (g *generator) emitMask(z reg.VecPhysical) {
	g.VPANDQ(g.mask52, z, z)
	g.registers[z] = interval{0, maxLimb, false}
}

// emitConstant emits z = word i of the table.
func (g *generator) emitConstant(i int, z reg.VecPhysical) {
	g.VPBROADCASTQ(g.constant(i), z)
	g.registers[z] = interval{g.constants[i], g.constants[i], false}
}

// emitZero emits z = 0.
func (g *generator) emitZero(z reg.VecPhysical) {
	g.VPXORQ(z, z, z)
	g.registers[z] = interval{}
}

// declare sets the bounds of registers loaded from memory of a form.
func (g *generator) declare(e element, f form) {
	for i, r := range e {
		g.registers[r] = f.limb(i)
	}
}

// require refuses e unless it has the form.
func (g *generator) require(e element, f form) {
	for i, r := range e {
		if b := g.of(r); !f.includes(i, b) {
			g.refuse("limb %d up to %#x, loose %v, is not of form %d", i, b.hi, b.loose, f)
		}
	}
}
