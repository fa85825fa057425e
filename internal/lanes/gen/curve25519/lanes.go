package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesFile holds the functions that decide something for each lane. A mask
// has lane i in bit i.
func lanesFile(c *build.Context) {
	g := newGenerator(c, "lanes")

	g.begin("feZeroLanes", "func(a *[5][8]uint64) uint64", "feZeroLanes returns which lanes of a are zero modulo p.")
	e := g.load(g.pointer("a"), formN)
	g.freeze(e)
	for i := 1; i < 5; i++ {
		g.VPORQ(e[i], e[0], e[0])
	}
	g.VPTESTNMQ(e[0], e[0], reg.K1)
	g.put(e[:]...)
	g.returnMask()

	g.begin("feOddLanes", "func(a *[5][8]uint64) uint64", "feOddLanes returns which lanes of a are odd when reduced below p.")
	e = g.load(g.pointer("a"), formN)
	g.freeze(e)
	g.VPSLLQ(operand.U8(63), e[0], e[0])
	g.VPMOVQ2M(e[0], reg.K1)
	g.put(e[:]...)
	g.returnMask()

	g.begin("feSelect", "func(dst, a *[5][8]uint64, mask uint64)", "feSelect copies the lanes of the mask from a to dst.")
	dst, a := g.pointer("dst"), g.pointer("a")
	m := g.Load(g.Param("mask"), g.GP64())
	g.KMOVB(m.(reg.GP).As32(), reg.K1)
	e = g.load(a, formN)
	for i, r := range e {
		g.VMOVDQU64(r, reg.K1, dst.Offset(64*i))
	}
	g.put(e[:]...)
	g.end()
}

// returnMask returns the mask in K1.
func (g *generator) returnMask() {
	r := g.GP32()
	g.KMOVB(reg.K1, r)
	g.Store(r.As64(), g.ReturnIndex(0))
	g.end()
}

// freeze reduces e, of form N, below p. The value v is below 2p, so that
// q = floor((v+19)/2^255) is 1 if v >= p and else 0: v - qp is v + 19q without
// its bit 255.
func (g *generator) freeze(e element) {
	q := g.get()
	g.VPADDQ_BCST(g.constant(const19), e[0], q)
	for i := 1; i < 5; i++ {
		g.VPSRLQ(operand.U8(52), q, q)
		g.VPADDQ(e[i], q, q)
	}
	g.VPSRLQ(operand.U8(47), q, q)
	g.registers[q] = interval{0, 1, false}
	g.emitSmall(g.constant(const19), q, e[0])
	for i := range 4 {
		g.emitCarry(e[i], q)
		g.emitAdd(q, e[i+1], e[i+1])
		g.emitMask(e[i])
	}
	g.emitSplit(e[4], q) // drops bit 255
	g.put(q)
}
