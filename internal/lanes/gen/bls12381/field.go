package main

import "math/big"

// Register convention of the local routines.
//
//	Z0 … Z15   columns of a product; after a reduction Z8 … Z15 are the result
//	Z16 … Z23  one operand, then the reduction constants
//	Z24 … Z30  temporaries
//	Z31        the mask 2^52 − 1
//	SI, DX     operands; DI destination
const (
	regOperand = 16
	regTmp     = 24
	regMask    = 31
)

// emitField writes the constants, the local routines and the field operations
// callable from Go.
func emitField(e *emitter) {
	e.line("#include \"textflag.h\"")
	emitConstants(e)

	e.routine("mulwide", "columns = a·b, a at SI, b at DX", func() {
		e.zeroColumns()
		e.product()
	})
	e.routine("mac", "columns += a·b, a at SI, b at DX", e.product)
	e.routine("mulneg", "columns = −a·b, a at SI, b at DX", func() {
		e.zeroColumns()
		e.product()
		e.negate()
	})
	e.routine("macneg", "columns = −(columns + a·b), a at SI, b at DX", func() {
		e.product()
		e.negate()
	})
	e.routine("macred", "Z8 … Z15 = (columns + a·b)/R, a at SI, b at DX", func() {
		e.product()
		e.reduce()
	})
	e.routine("mulred", "Z8 … Z15 = a·b/R, a at SI, b at DX", func() {
		e.zeroColumns()
		e.product()
		e.reduce()
	})
	e.routine("sqrred", "Z8 … Z15 = a²/R, a at SI", func() {
		e.square()
		e.reduce()
	})
	emitFieldFuncs(e)
	emitPoints(e)
	emitMSM(e)
	emitMiller(e)
	emitHash(e)
}

// routine writes a local routine; it may change all vector registers.
func (e *emitter) routine(name, doc string, body func()) {
	e.line("\n// %s: %s.", name, doc)
	e.line("TEXT %s<>(SB), NOSPLIT|NOFRAME, $0-0", name)
	body()
	e.op("RET")
}

// emitConstants writes the tables: p, the Montgomery constants and the multiples
// 2^k·p that differences add.
func emitConstants(e *emitter) {
	p := modulus()
	radix := new(big.Int).Lsh(big.NewInt(1), limbBits)
	inv := new(big.Int).ModInverse(radix, p) // 2^−52 mod p
	neg := new(big.Int).ModInverse(p, radix)
	neg.Sub(radix, neg)
	e.data("prime", split(p))
	e.data("shift", split(inv))
	var multiples []uint64
	for k := range multiplesLog + 1 {
		multiples = append(multiples, split(new(big.Int).Lsh(p, uint(k)))...)
	}
	e.data("multiples", multiples)
	e.data("pinv", []uint64{neg.Uint64()})
	e.data("mask", []uint64{1<<limbBits - 1})
}

func (e *emitter) zeroColumns() {
	for i := range 16 {
		e.zero(i)
	}
}

func (e *emitter) negate() {
	e.zero(regTmp)
	for i := range 16 {
		e.op("VPSUBQ Z%d, Z%d, Z%d", i, regTmp, i)
	}
}

// product adds a·b to the columns Z0 … Z15: 128 multiplications.
func (e *emitter) product() {
	for j := range limbs {
		e.op("VMOVDQU64 %d(DX), Z%d", vector*j, regOperand+j)
	}
	for i := range limbs {
		a := regTmp + i%2
		e.op("VMOVDQU64 %d(SI), Z%d", vector*i, a)
		for j := range limbs {
			e.op("VPMADD52LUQ Z%d, Z%d, Z%d", a, regOperand+j, i+j)
		}
		for j := range limbs {
			e.op("VPMADD52HUQ Z%d, Z%d, Z%d", a, regOperand+j, i+j+1)
		}
	}
}

// square sets the columns Z0 … Z15 to a²: 72 multiplications.
func (e *emitter) square() {
	for j := range limbs {
		e.op("VMOVDQU64 %d(SI), Z%d", vector*j, regOperand+j)
	}
	e.zeroColumns()
	for i := range limbs {
		for j := i + 1; j < limbs; j++ {
			e.op("VPMADD52LUQ Z%d, Z%d, Z%d", regOperand+i, regOperand+j, i+j)
		}
		for j := i + 1; j < limbs; j++ {
			e.op("VPMADD52HUQ Z%d, Z%d, Z%d", regOperand+i, regOperand+j, i+j+1)
		}
	}
	for i := 1; i < 15; i++ {
		e.op("VPADDQ Z%d, Z%d, Z%d", i, i, i)
	}
	for i := range limbs {
		e.op("VPMADD52LUQ Z%d, Z%d, Z%d", regOperand+i, regOperand+i, 2*i)
		e.op("VPMADD52HUQ Z%d, Z%d, Z%d", regOperand+i, regOperand+i, 2*i+1)
	}
}

// reduce divides the columns by R = 2^416 modulo p and leaves Z8 … Z15 without
// carries. The first seven steps replace the lowest column t by t·(2^−52 mod p)
// one column up, which needs no quotient; the last is an ordinary Montgomery
// step, so that the result is below p·(2 + ε) plus columns/R.
func (e *emitter) reduce() {
	e.op("VPBROADCASTQ mask<>(SB), Z%d", regMask)
	for j := range limbs {
		e.op("VPBROADCASTQ shift<>+%d(SB), Z%d", 8*j, regOperand+j)
	}
	for i := range limbs - 1 {
		c := regTmp + i%2
		e.op("VPSRAQ $%d, Z%d, Z%d", limbBits, i, c)
		e.op("VPADDQ Z%d, Z%d, Z%d", c, i+1, i+1)
		for j := range limbs {
			e.op("VPMADD52LUQ Z%d, Z%d, Z%d", i, regOperand+j, i+1+j)
		}
		for j := range limbs {
			e.op("VPMADD52HUQ Z%d, Z%d, Z%d", i, regOperand+j, i+2+j)
		}
	}
	e.zero(0)
	e.op("VPMADD52LUQ.BCST pinv<>(SB), Z7, Z0")
	for j := range limbs {
		e.op("VPMADD52LUQ.BCST prime<>+%d(SB), Z0, Z%d", 8*j, 7+j)
	}
	for j := range limbs {
		e.op("VPMADD52HUQ.BCST prime<>+%d(SB), Z0, Z%d", 8*j, 8+j)
	}
	e.op("VPSRAQ $%d, Z7, Z1", limbBits)
	e.op("VPADDQ Z1, Z8, Z8")
}

// carry makes limbs Z8 … Z15 canonical, below 2^52 each.
func (e *emitter) carry() {
	for j := 8; j < 15; j++ {
		t := regTmp + j%4
		e.op("VPSRAQ $%d, Z%d, Z%d", limbBits, j, t)
		e.op("VPANDQ Z%d, Z%d, Z%d", j, regMask, j)
		e.op("VPADDQ Z%d, Z%d, Z%d", t, j+1, j+1)
	}
}

// store writes Z8 … Z15 to the element at reg+off.
func (e *emitter) store(reg string, off int) {
	for j := range limbs {
		e.op("VMOVDQU64 Z%d, %d(%s)", 8+j, off+vector*j, reg)
	}
}

// zero clears a register; the short form is free on the processors concerned.
func (e *emitter) zero(r int) {
	if r < 16 {
		e.op("VPXOR X%d, X%d, X%d", r, r, r)
		return
	}
	e.op("VPXORQ Z%d, Z%d, Z%d", r, r, r)
}
