package main

import (
	"fmt"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

// An element is five limbs of 52 bits, least significant first, each limb a
// vector of eight lanes. Four forms of it occur:
//
//   - N, normal: limbs 0 to 3 below 2^52, limb 4 at most 2^47+2^12.
//   - M, for multiplications only: the same, but limbs 0 to 3 have the carry
//     already given to the next limb still in their bits from 52 on, which
//     VPMADD52 ignores.
//   - W, a product before its last carry: every limb below 11·2^52.
//   - anything below 2^63 a limb, which norm turns into N.
type element [5]reg.VecPhysical

// elementSize is the size of an element in memory in bytes.
const elementSize = 5 * 64

// generator hands out registers by hand: everything here is straight-line
// code, and the lifetimes are known where it is written.
type generator struct {
	*build.Context
	all    []reg.VecPhysical
	free   []reg.VecPhysical
	row    int // bytes of a limb in memory, for all lanes
	mask52 reg.VecPhysical
	fold   reg.VecPhysical // 608 = 19·2^5 = 2^260 mod p
	table  operand.Mem
	bounds
}

// Words of the constant table.
const (
	constMask52 = iota
	constMask47
	const19
	const608
	constSmall                  // five words: 4p, limbs above those of form N
	constLarge = constSmall + 5 // five words: 512p, limbs above those of form W
	constTwoD  = constLarge + 5 // five words: 2d
	// The same offsets, words 1 to 4 halved: what square doubles again.
	constSmallSquare = constTwoD + 5
	constLargeSquare = constSmallSquare + 5
	constLargeHalf   = constLargeSquare + 5 // five words: 256p, for sums that are doubled
	const128         = constLargeHalf + 5
)

// offset returns the limbs of p·2^m spread so that the lower four are near
// c·2^52: adding it before a subtraction of smaller limbs avoids borrows.
func offset(m uint, c uint64) [5]uint64 {
	return [5]uint64{c<<52 - 19<<m, c<<52 - c, c<<52 - c, c<<52 - c, 1<<(47+m) - c}
}

// halved returns o with all words but the first halved. They are even.
func halved(o [5]uint64) []uint64 {
	return []uint64{o[0], o[1] / 2, o[2] / 2, o[3] / 2, o[4] / 2}
}

func newGenerator(c *build.Context, prefix string) *generator {
	g := &generator{Context: c, all: output.ZMM[:], row: 64}
	g.table = c.StaticGlobal(prefix + "Constants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	words := []uint64{1<<52 - 1, 1<<47 - 1, 19, 608}
	small, large := offset(2, 2), offset(9, 16)
	words = append(words, small[:]...)
	words = append(words, large[:]...)
	words = append(words, twoD()...)
	words = append(words, halved(small)...)
	words = append(words, halved(large)...)
	half := offset(8, 8)
	words = append(words, half[:]...)
	words = append(words, 128)
	g.constants = words
	for i, w := range words {
		c.AddDatum(8*i, operand.U64(w))
	}
	return g
}

func (g *generator) constant(i int) operand.Mem { return g.table.Offset(8 * i) }

// begin starts a function with all registers free and the constants loaded.
func (g *generator) begin(name, signature string, doc ...string) {
	output.Text(g.Context, name, signature)
	for i, line := range doc {
		if line == "" {
			doc = slices.Delete(doc, i, i+1)
		}
	}
	g.Doc(doc...)
	g.free = append([]reg.VecPhysical(nil), g.all...)
	g.reset()
	g.mask52, g.fold = g.get(), g.get()
	g.emitConstant(constMask52, g.mask52)
	g.emitConstant(const608, g.fold)
}

func (g *generator) end() {
	g.VZEROUPPER()
	g.RET()
	if len(g.free) != len(g.all)-2 {
		panic(fmt.Sprintf("%d registers not released", len(g.all)-2-len(g.free)))
	}
}

func (g *generator) get() reg.VecPhysical {
	if len(g.free) == 0 {
		panic("no register left")
	}
	r := g.free[0]
	g.free = g.free[1:]
	return r
}

func (g *generator) put(rs ...reg.VecPhysical) {
	for _, r := range rs {
		delete(g.registers, r)
	}
	g.free = append(g.free, rs...)
}

func (g *generator) getElement() (e element) {
	for i := range e {
		e[i] = g.get()
	}
	return e
}

// load loads an element of the given form.
func (g *generator) load(m operand.Mem, f form) element {
	e := g.getElement()
	for i := range e {
		g.VMOVDQU64(m.Offset(g.row*i), e[i])
		if f != formTemp {
			g.registers[e[i]] = f.limb(i)
			continue
		}
		b, ok := g.memory[place{m.Base, m.Disp + g.row*i}]
		if !ok {
			g.refuse("nothing was stored at %d", m.Disp+g.row*i)
		}
		g.registers[e[i]] = b
	}
	return e
}

// store stores e, which must be of the given form.
func (g *generator) store(e element, m operand.Mem, f form) {
	if f != formTemp {
		g.require(e, f)
	}
	for i := range e {
		g.memory[place{m.Base, m.Disp + g.row*i}] = g.of(e[i])
		g.VMOVDQU64(e[i], m.Offset(g.row*i))
	}
}

// storeFree stores e and releases its registers.
func (g *generator) storeFree(e element, m operand.Mem, f form) {
	g.store(e, m, f)
	g.put(e[:]...)
}

// accumulators returns ten accumulators, the lower five holding the offset of
// the given constant, or zero if it is negative.
func (g *generator) accumulators(offset int) [10]reg.VecPhysical {
	var z [10]reg.VecPhysical
	for i := range z {
		z[i] = g.get()
		if offset >= 0 && i < 5 {
			g.emitConstant(offset+i, z[i])
		} else {
			g.emitZero(z[i])
		}
	}
	return z
}

// madd adds the low half of x·y to z[k] and the high half to z[k+1].
func (g *generator) maddLo(z *[10]reg.VecPhysical, k int, x, y reg.VecPhysical) {
	g.emitMadd(false, x, y, z[k])
}

func (g *generator) maddHi(z *[10]reg.VecPhysical, k int, x, y reg.VecPhysical) {
	g.emitMadd(true, x, y, z[k+1])
}

// mul returns a·b plus the given offset in form W. Requires a and b in form
// M or N.
func (g *generator) mul(a, b element, offset int) element {
	z := g.accumulators(offset)
	for i := range 5 {
		for j := range 5 {
			g.maddLo(&z, i+j, a[i], b[j])
		}
		for j := range 5 {
			g.maddHi(&z, i+j, a[i], b[j])
		}
	}
	return g.reduce(z)
}

// square returns a² plus the given offset, one of the Square constants, in
// form W. Requires a in form M or N.
// The products of different limbs are added once and doubled as sums, since a
// doubled limb would not fit 52 bits.
func (g *generator) square(a element, offset int) element {
	z := g.accumulators(offset)
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			g.maddLo(&z, i+j, a[i], a[j])
		}
		for j := i + 1; j < 5; j++ {
			g.maddHi(&z, i+j, a[i], a[j])
		}
	}
	for k := 1; k < 9; k++ {
		g.emitAdd(z[k], z[k], z[k])
	}
	for i := range 5 {
		g.maddLo(&z, 2*i, a[i], a[i])
		g.maddHi(&z, 2*i, a[i], a[i])
	}
	return g.reduce(z)
}

// reduce folds the upper five accumulators into the lower: 2^260 = 608 mod p.
//
// Bounds, with limb 4 of the factors at most 2^47+2^12: z5 to z8 stay below
// 8·2^52, so the carries between them are below 8; z9 is below 2^42+2^10, so
// 608·z9 fits 52 bits and has no high half. The lower accumulators grow by
// less than 2^52+2^10 from below 9·2^52+8: form W, below 11·2^52.
func (g *generator) reduce(z [10]reg.VecPhysical) element {
	t := g.get()
	for k := 5; k < 9; k++ {
		g.emitCarry(z[k], t)
		g.emitAdd(t, z[k+1], z[k+1])
		// The multiplication takes the low 52 bits: no mask is needed.
		g.emitMadd(false, g.fold, z[k], z[k-5])
		g.emitMadd(true, g.fold, z[k], z[k-4])
	}
	g.emitSmall(g.fold, z[9], z[4])
	g.put(t)
	g.put(z[5:]...)
	return element(z[:5])
}

// norm brings e, limbs below 2^63, to form N in place.
func (g *generator) norm(e element) { g.carry(e, true) }

// loosen brings e, limbs below 2^63, to form M in place: norm without the
// masks, for elements whose only use is in multiplications.
func (g *generator) loosen(e element) { g.carry(e, false) }

// carry folds the bits from 255 on first (c < 2^16, 19c < 2^21), then runs one
// carry from limb 0 to limb 4. The carries are below 2^11+1, so limb 4 ends at
// most 2^47+2^12.
func (g *generator) carry(e element, mask bool) {
	t := g.get()
	g.emitSplit(e[4], t)
	g.emitSmall(g.constant(const19), t, e[0])
	for i := range 4 {
		g.emitCarry(e[i], t)
		g.emitAdd(t, e[i+1], e[i+1])
		if mask {
			g.emitMask(e[i])
		}
	}
	g.put(t)
}

// mask brings e from form M to form N.
func (g *generator) mask(e element) {
	for i := range 4 {
		g.emitMask(e[i])
	}
}

// add sets a to a+b.
func (g *generator) add(a, b element) {
	for i := range a {
		g.emitAdd(b[i], a[i], a[i])
	}
}

// sub sets dst to a-b. Requires limbs of a not below those of b.
func (g *generator) sub(a, b, dst element) {
	for i := range a {
		g.emitSub(b[i], a[i], dst[i])
	}
}

// addOffset adds a constant offset to a.
func (g *generator) addOffset(a element, offset int) {
	for i := range a {
		g.emitAdd(g.constant(offset+i), a[i], a[i])
	}
}

// sumDifference sets x to y+x and y to y-x, neither carried.
func (g *generator) sumDifference(x, y element) {
	t := g.get()
	for i := range x {
		g.emitAdd(x[i], y[i], t)
		g.emitAdd(g.constant(constSmall+i), y[i], y[i])
		g.emitSub(x[i], y[i], y[i])
		g.VMOVDQA64(t, x[i])
		g.registers[x[i]] = g.of(t)
	}
	g.put(t)
}

func (g *generator) pointer(name string) operand.Mem {
	return operand.Mem{Base: g.Load(g.Param(name), g.GP64())}
}

func fieldFile(c *build.Context) {
	g := newGenerator(c, "field")
	g.fieldMul("feMul", "[5][8]uint64", 1, "feMul sets dst to a·b.")
	g.fieldMul("feMul2", "[2][5][8]uint64", 2, "feMul2 is feMul on two elements at once.")
	g.fieldSquare("feSquareN", "[5][8]uint64", 1,
		"feSquareN sets dst to a squared n times. Requires n > 0.")
	g.fieldSquare("feSquareN2", "[2][5][8]uint64", 2,
		"feSquareN2 is feSquareN on two elements at once: the two chains fill the gaps that",
		"each leaves while it waits for its own results.")

	g.begin("feAdd", "func(dst, a, b *[5][8]uint64)", "feAdd sets dst to a+b.")
	dst, a, b := g.pointer("dst"), g.pointer("a"), g.pointer("b")
	x, y := g.load(a, formN), g.load(b, formN)
	g.add(x, y)
	g.put(y[:]...)
	g.norm(x)
	g.storeFree(x, dst, formN)
	g.end()

	g.begin("feSub", "func(dst, a, b *[5][8]uint64)", "feSub sets dst to a-b.")
	dst, a, b = g.pointer("dst"), g.pointer("a"), g.pointer("b")
	x, y = g.load(a, formN), g.load(b, formN)
	g.addOffset(x, constSmall)
	g.sub(x, y, x)
	g.put(y[:]...)
	g.norm(x)
	g.storeFree(x, dst, formN)
	g.end()
}

// fieldMul emits a multiplication of count consecutive elements.
func (g *generator) fieldMul(name, typ string, count int, doc ...string) {
	g.begin(name, "func(dst, a, b *"+typ+")", doc...)
	dst, a, b := g.pointer("dst"), g.pointer("a"), g.pointer("b")
	for i := range count {
		x, y := g.load(a.Offset(i*elementSize), formM), g.load(b.Offset(i*elementSize), formM)
		z := g.mul(x, y, -1)
		g.put(x[:]...)
		g.put(y[:]...)
		g.norm(z)
		g.storeFree(z, dst.Offset(i*elementSize), formN)
	}
	g.end()
}

// fieldSquare emits a loop of squarings of count elements kept in registers.
func (g *generator) fieldSquare(name, typ string, count int, doc ...string) {
	g.begin(name, "func(dst, a *"+typ+", n uint64)", doc...)
	dst, a := g.pointer("dst"), g.pointer("a")
	n := g.Load(g.Param("n"), g.GP64())
	var x []element
	for i := range count {
		x = append(x, g.load(a.Offset(i*elementSize), formM))
	}
	g.Label("square")
	for _, e := range x {
		z := g.square(e, -1)
		g.norm(z)
		g.require(z, formN)
		for i := range e {
			g.VMOVDQA64(z[i], e[i])
		}
		g.declare(e, formM) // also what the first round was told
		g.put(z[:]...)
	}
	g.DECQ(n)
	g.JNZ(operand.LabelRef("square"))
	for i, e := range x {
		g.declare(e, formN)
		g.storeFree(e, dst.Offset(i*elementSize), formN)
	}
	g.end()
}
