package main

// xyzzBound bounds the coordinates of an accumulator X, Y, ZZ, ZZZ with x = X/ZZ,
// y = Y/ZZZ and ZZ³ = ZZZ². The point at infinity has all four 0 modulo p.
// Coordinates are at most 2^negationLog·p, from which negateLanesAsm subtracts them.
const (
	negationLog = 9
	xyzzBound   = 1 << negationLog
)

// emitMSM writes the kernels of the multi-scalar multiplication.
func emitMSM(e *emitter) {
	emitTranspose(e)
	emitGather(e)
	emitScatter(e)
	for _, width := range []int{1, 2} {
		emitXYZZAddMixed(e, width)
		emitXYZZAdd(e, width)
		emitXYZZDouble(e, width)
	}
}

// coordinate arithmetic that is the same over Fp and Fp2.
type field struct {
	*program
	width int // 1 for Fp, 2 for Fp2
	tmp   operand
}

func (f field) at(o operand, i int) operand { return o.at(f.width * i) }

func (f field) mulc(dst, a, b operand, t tail) {
	switch {
	case f.width == 1:
		f.mul(dst, a, b, t)
	case a == b:
		f.sqr2(dst, a, t, f.tmp)
	default:
		f.mul2(dst, a, b, t, f.tmp)
	}
}

func (f field) linc(dst operand, terms ...term) {
	if f.width == 1 {
		f.lin(dst, terms...)
		return
	}
	f.lin2(dst, terms...)
}

// mulsubc emits dst = a·b − c·d.
func (f field) mulsubc(dst, a, b, c, d operand) {
	if f.width == 1 {
		f.sum(dst, [][2]operand{{a, b}}, [][2]operand{{c, d}}, tail{})
		return
	}
	f.mulsub2(dst, a, b, c, d, f.tmp)
}

// suspects returns from the assembly function with the set of lanes in which the
// product x, below 3p, may be 0 modulo p, judged by its lowest limb.
func (p *program) suspects(x operand, result int) {
	p.op("VMOVDQU64 %d(%s), Z8", x.off, x.reg)
	p.op("VPCMPEQQ.BCST multiples<>+%d(SB), Z8, K2", 0)
	p.op("VPXORQ Z9, Z9, Z9")
	p.op("VPCMPEQQ Z9, Z8, K3")
	p.op("KORB K2, K3, K3")
	p.op("VPCMPEQQ.BCST multiples<>+%d(SB), Z8, K2", 8*limbs)
	p.op("KORB K2, K3, K3")
	p.op("KMOVB K3, AX")
	p.op("MOVB AX, suspects+%d(FP)", result)
}

func (f field) name(group string) string {
	return map[int]string{1: "g1", 2: "g2"}[f.width] + group
}

// emitXYZZAddMixed: r = p + q with q affine, in the lanes of first r = q. The lanes
// returned are those where the sum may be wrong: p and q may have equal x, or p is
// infinity. t keeps H and then R for the caller's test. 8M + 2S.
func emitXYZZAddMixed(e *emitter, width int) {
	f := field{width: width}
	sig := map[int]string{
		1: "(r, p *[4]Fp, q *[2]Fp, t *[8]Fp, one *Fp, first uint8) (suspects uint8)",
		2: "(r, p *[8]Fp, q *[4]Fp, t *[16]Fp, one *Fp, first uint8) (suspects uint8)",
	}[width]
	f.program = beginMasked(e, f.name("AddMixedXYZZAsm"), sig, 5, "first")
	r, p, q, t := arg(0), arg(1), arg(2), arg(3)
	f.tmp = f.at(t, 6)
	f.given(p, 4*width, xyzzBound)
	f.given(q, 2*width, xyzzBound)
	x, y, zz, zzz := f.at(p, 0), f.at(p, 1), f.at(p, 2), f.at(p, 3)
	h, s, pp, ppp, v := f.at(t, 0), f.at(t, 1), f.at(t, 2), f.at(t, 3), f.at(t, 4)
	f.mulc(h, f.at(q, 0), zz, tail{terms: []term{{-1, x}}})
	f.mulc(s, f.at(q, 1), zzz, tail{terms: []term{{-1, y}}})
	f.mulc(pp, h, h, tail{})
	f.mulc(ppp, h, pp, tail{})
	f.mulc(v, x, pp, tail{})
	f.mulc(f.at(r, 2), zz, pp, tail{})
	f.mulc(f.at(r, 3), zzz, ppp, tail{})
	f.mulc(f.at(r, 0), s, s, tail{terms: []term{{-1, ppp}, {-2, v}}})
	f.linc(v, term{1, v}, term{-1, f.at(r, 0)})
	f.mulsubc(f.at(r, 1), s, v, y, ppp)
	f.ensure(r, 4*width, xyzzBound)
	f.replace(r, q, arg(4))
	f.suspects(pp, 48)
	f.end(false)
}

// replace stores the affine point q into the lanes K1 of r.
func (f field) replace(r, q, one operand) {
	f.op("KMOVB K1, AX")
	f.op("TESTL AX, AX")
	f.op("JZ kept")
	for i := range 2 * f.width * limbs {
		f.op("VMOVDQU64 %d(%s), Z8", q.off+vector*i, q.reg)
		f.op("VMOVDQU64 Z8, K1, %d(%s)", r.off+vector*i, r.reg)
	}
	for c := 2; c < 4; c++ {
		z := f.at(r, c)
		for j := range limbs {
			f.op("VMOVDQU64 %d(%s), Z8", one.off+vector*j, one.reg)
			f.op("VMOVDQU64 Z8, K1, %d(%s)", z.off+vector*j, z.reg)
		}
		if f.width == 2 {
			f.op("VPXORQ Z8, Z8, Z8")
			for j := range limbs {
				f.op("VMOVDQU64 Z8, K1, %d(%s)", z.off+element+vector*j, z.reg)
			}
		}
	}
	f.line("kept:")
}

// emitXYZZAdd: r = p + q. The lanes returned are those where the sum may be wrong: p
// and q may have equal x, or one is infinity. t keeps H and then R. 12M + 2S.
func emitXYZZAdd(e *emitter, width int) {
	f := field{width: width}
	sig := map[int]string{
		1: "(r, p, q *[4]Fp, t *[8]Fp) (suspects uint8)",
		2: "(r, p, q *[8]Fp, t *[16]Fp) (suspects uint8)",
	}[width]
	f.program = beginResult(e, f.name("AddXYZZAsm"), sig, 4)
	r, p, q, t := arg(0), arg(1), arg(2), arg(3)
	f.tmp = f.at(t, 7)
	f.given(p, 4*width, xyzzBound)
	f.given(q, 4*width, xyzzBound)
	h, s, pp, ppp, v, u := f.at(t, 0), f.at(t, 1), f.at(t, 2), f.at(t, 3), f.at(t, 4), f.at(t, 5)
	f.mulc(u, f.at(p, 0), f.at(q, 2), tail{}) // U₁
	f.mulc(h, f.at(q, 0), f.at(p, 2), tail{terms: []term{{-1, u}}})
	f.mulc(v, f.at(p, 1), f.at(q, 3), tail{}) // S₁
	f.mulc(s, f.at(q, 1), f.at(p, 3), tail{terms: []term{{-1, v}}})
	f.mulc(pp, h, h, tail{})
	f.mulc(ppp, h, pp, tail{})
	f.mulc(u, u, pp, tail{})
	f.mulc(f.at(r, 2), f.at(p, 2), f.at(q, 2), tail{})
	f.mulc(f.at(r, 2), f.at(r, 2), pp, tail{})
	f.mulc(f.at(r, 3), f.at(p, 3), f.at(q, 3), tail{})
	f.mulc(f.at(r, 3), f.at(r, 3), ppp, tail{})
	f.mulc(f.at(r, 0), s, s, tail{terms: []term{{-1, ppp}, {-2, u}}})
	f.linc(u, term{1, u}, term{-1, f.at(r, 0)})
	f.mulsubc(f.at(r, 1), s, u, v, ppp)
	f.ensure(r, 4*width, xyzzBound)
	f.suspects(pp, 32)
	f.end(false)
}

// emitXYZZDouble: r = 2p; infinity stays infinity. 6M + 3S less one reduction.
func emitXYZZDouble(e *emitter, width int) {
	f := field{width: width}
	sig := map[int]string{
		1: "(r, p *[4]Fp, t *[8]Fp)",
		2: "(r, p *[8]Fp, t *[16]Fp)",
	}[width]
	f.program = begin(e, f.name("DoubleXYZZAsm"), sig, 3, false)
	r, p, t := arg(0), arg(1), arg(2)
	f.tmp = f.at(t, 7)
	f.given(p, 4*width, xyzzBound)
	v, w, s, m, u := f.at(t, 0), f.at(t, 1), f.at(t, 2), f.at(t, 3), f.at(t, 4)
	f.linc(u, term{1, f.at(p, 1)}, term{1, f.at(p, 1)})
	f.mulc(v, u, u, tail{})
	f.mulc(w, u, v, tail{})
	f.mulc(s, f.at(p, 0), v, tail{})
	f.mulc(m, f.at(p, 0), f.at(p, 0), tail{scale: 3})
	f.mulc(f.at(r, 2), f.at(p, 2), v, tail{})
	f.mulc(f.at(r, 3), f.at(p, 3), w, tail{})
	f.mulc(f.at(r, 0), m, m, tail{terms: []term{{-2, s}}})
	f.linc(s, term{1, s}, term{-1, f.at(r, 0)})
	f.mulsubc(f.at(r, 1), m, s, w, f.at(p, 1))
	f.ensure(r, 4*width, xyzzBound)
	f.end(false)
}

// beginResult is begin for a function with a uint8 result behind its pointers.
func beginResult(e *emitter, name, signature string, args int) *program {
	return beginSized(e, name, signature, args, 8*args+1)
}

// beginMasked is begin for a function whose pointers are followed by a lane mask,
// which goes into K1, and a uint8 result.
func beginMasked(e *emitter, name, signature string, args int, mask string) *program {
	p := beginSized(e, name, signature, args, 8*args+9)
	p.op("MOVBLZX %s+%d(FP), AX", mask, 8*args)
	p.op("KMOVB AX, K1")
	return p
}

// emitTranspose writes the local routine that turns eight rows of eight words in
// Z0 … Z7 into columns, also in Z0 … Z7.
func emitTranspose(e *emitter) {
	e.routine("transpose", "Z0 … Z7 transposed as a matrix of words", func() {
		for i := 0; i < 8; i += 2 {
			e.op("VPUNPCKLQDQ Z%d, Z%d, Z%d", i+1, i, 16+i)
			e.op("VPUNPCKHQDQ Z%d, Z%d, Z%d", i+1, i, 17+i)
		}
		// Z16+k and Z17+k hold words 0, 2, 4, 6 and 1, 3, 5, 7 of rows k, k+1 in
		// pairs of 128 bits; gather the even or the odd 128-bit blocks.
		for i := range 2 { // low or high words
			for half := range 2 { // rows 0 to 3, 4 to 7
				a, b := 16+4*half+i, 18+4*half+i
				e.op("VSHUFI64X2 $0x88, Z%d, Z%d, Z%d", b, a, 24+4*half+i)
				e.op("VSHUFI64X2 $0xdd, Z%d, Z%d, Z%d", b, a, 26+4*half+i)
			}
		}
		for i := range 2 {
			e.op("VSHUFI64X2 $0x88, Z%d, Z%d, Z%d", 28+i, 24+i, 0+i)
			e.op("VSHUFI64X2 $0xdd, Z%d, Z%d, Z%d", 28+i, 24+i, 4+i)
			e.op("VSHUFI64X2 $0x88, Z%d, Z%d, Z%d", 30+i, 26+i, 2+i)
			e.op("VSHUFI64X2 $0xdd, Z%d, Z%d, Z%d", 30+i, 26+i, 6+i)
		}
	})
}

// emitGather writes the function that loads one record of n elements for each lane:
// lane l of dst[i] is the i-th group of eight words at base + offsets[l].
func emitGather(e *emitter) {
	p := begin(e, "gatherAsm", "(dst *Fp, base *uint64, offsets *[8]uint64, n int)", 3, true)
	for l := range 8 {
		p.op("MOVQ %d(R10), AX", 8*l)
		p.op("VMOVDQU64 (R9)(AX*1), Z%d", l)
	}
	p.op("CALL transpose<>(SB)")
	for j := range limbs {
		p.op("VMOVDQU64 Z%d, %d(R8)", j, vector*j)
	}
	p.op("ADDQ $%d, R8", element)
	p.op("ADDQ $%d, R9", vector)
	p.end(true)

	// Prefetch what gatherAsm would load.
	p = begin(e, "prefetchAsm", "(base *uint64, offsets *[8]uint64, n int)", 2, true)
	for l := range 8 {
		p.op("MOVQ %d(R9), AX", 8*l)
		p.op("PREFETCHT0 (R8)(AX*1)")
	}
	p.op("ADDQ $%d, R8", vector)
	p.op("DECQ CX")
	p.op("JNZ loop")
	p.op("RET")

	// x = 2^negationLog·p − x in the lanes of neg.
	p = beginMaskedNoResult(e, "negateLanesAsm", "(x *Fp, neg uint8)")
	p.op("VPBROADCASTQ mask<>(SB), Z%d", regMask)
	for j := range limbs {
		p.op("VMOVDQU64 %d(R8), Z%d", vector*j, 8+j)
		p.op("VPBROADCASTQ multiples<>+%d(SB), Z16", 8*(negationLog*limbs+j))
		p.op("VPSUBQ Z%d, Z16, K1, Z%d", 8+j, 8+j)
	}
	p.carry()
	p.store("R8", 0)
	p.end(false)
}

func beginMaskedNoResult(e *emitter, name, signature string) *program {
	p := beginSized(e, name, signature, 1, 9)
	p.op("MOVBLZX neg+8(FP), AX")
	p.op("KMOVB AX, K1")
	return p
}

// emitScatter is the inverse of gatherAsm.
func emitScatter(e *emitter) {
	p := begin(e, "scatterAsm", "(base *uint64, src *Fp, offsets *[8]uint64, n int)", 3, true)
	for j := range limbs {
		p.op("VMOVDQU64 %d(R9), Z%d", vector*j, j)
	}
	p.op("CALL transpose<>(SB)")
	for l := range 8 {
		p.op("MOVQ %d(R10), AX", 8*l)
		p.op("VMOVDQU64 Z%d, (R8)(AX*1)", l)
	}
	p.op("ADDQ $%d, R8", vector)
	p.op("ADDQ $%d, R9", element)
	p.end(true)
}
