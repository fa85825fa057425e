package main

import (
	"fmt"
	"strings"
)

// An operand is one element in memory: a base register and a byte offset.
type operand struct {
	reg string
	off int
}

// pair is an element of Fp2 in memory: c0, then c1.
func (o operand) c0() operand { return o }
func (o operand) c1() operand { return operand{o.reg, o.off + element} }

// at returns the i-th element of an array that starts at o.
func (o operand) at(i int) operand { return operand{o.reg, o.off + i*element} }

// at2 returns the i-th element of Fp2 of an array that starts at o.
func (o operand) at2(i int) operand { return operand{o.reg, o.off + 2*i*element} }

// A term is coef·x, coef being ±1, ±2, ±3, ±4 or ±8.
type term struct {
	coef int
	x    operand
}

// A tail is what happens to a reduced product before its carries: the product is
// multiplied by scale (0 means 1) and the terms are added.
type tail struct {
	scale int
	terms []term
}

func (t tail) factor() int {
	if t.scale == 0 {
		return 1
	}
	return t.scale
}

// productBound limits the sum of the products under one reduction, in p²:
// 2^34·p² is less than p·R/2.
const productBound = 1 << 34

// valueBound limits every element, in multiples of p: 2^17·p is below 2^398.
const valueBound = 1 << 17

// A program is a straight sequence of field operations. It knows an upper bound,
// in multiples of p, for every element it has seen, chooses the multiple of p that
// keeps differences positive from them, and panics when a bound does not hold.
// So the generated file is itself the proof of its bounds.
type program struct {
	*emitter
	bounds map[operand]int
}

// begin opens the function name with pointer arguments in R8, R9, … and, if
// counted, a count in CX that repeats the body.
func begin(e *emitter, name, signature string, args int, counted bool) *program {
	if !counted {
		return beginSized(e, name, signature, args, 8*args)
	}
	p := beginSized(e, name, signature, args, 8*args+8)
	p.op("MOVQ %s+%d(FP), CX", argumentNames(signature)[args], 8*args)
	p.line("loop:")
	return p
}

// beginSized opens a function whose first args arguments are pointers and whose
// arguments and results take size bytes.
func beginSized(e *emitter, name, signature string, args, size int) *program {
	e.stubs = append(e.stubs, fmt.Sprintf("func %s%s", name, signature))
	e.line("\n// func %s%s", name, signature)
	e.line("TEXT ·%s(SB), NOSPLIT, $0-%d", name, size)
	names := argumentNames(signature)
	for i := range args {
		e.op("MOVQ %s+%d(FP), R%d", names[i], 8*i, 8+i)
	}
	e.op("VPBROADCASTQ mask<>(SB), Z%d", regMask)
	return &program{emitter: e, bounds: map[operand]int{}}
}

// argumentNames reads the parameter names out of a Go signature.
func argumentNames(signature string) []string {
	var names []string
	signature, _, _ = strings.Cut(strings.TrimPrefix(signature, "("), ")")
	for _, field := range strings.Split(signature, ",") {
		names = append(names, strings.Fields(field)[0])
	}
	return names
}

// end closes the function; a counted one repeats.
func (p *program) end(counted bool) {
	if counted {
		p.op("DECQ CX")
		p.op("JNZ loop")
	}
	p.op("VZEROUPPER")
	p.op("RET")
}

// arg returns the i-th pointer argument as an operand.
func arg(i int) operand { return operand{fmt.Sprintf("R%d", 8+i), 0} }

// given declares the bound of n consecutive elements from x on.
func (p *program) given(x operand, n, bound int) {
	for i := range n {
		p.bounds[x.at(i)] = bound
	}
}

// ensure panics unless n consecutive elements from x on respect bound.
func (p *program) ensure(x operand, n, bound int) {
	for i := range n {
		if got := p.bound(x.at(i)); got > bound {
			panic(fmt.Sprintf("result %v: bound %d p, declared %d p", x.at(i), got, bound))
		}
	}
}

func (p *program) bound(x operand) int {
	b, ok := p.bounds[x]
	if !ok {
		panic(fmt.Sprintf("%v read before it is written", x))
	}
	return b
}

func (p *program) set(x operand, bound int) {
	if bound > valueBound {
		panic(fmt.Sprintf("%v: bound %d p", x, bound))
	}
	p.bounds[x] = bound
}

// load points reg at x.
func (p *program) load(reg string, x operand) {
	p.op("LEAQ %d(%s), %s", x.off, x.reg, reg)
}

// mul emits dst = a·b/R with a tail. dst may be any operand.
func (p *program) mul(dst, a, b operand, t tail) {
	p.checkProducts([][2]operand{{a, b}})
	p.load("SI", a)
	if a == b {
		p.op("CALL sqrred<>(SB)")
	} else {
		p.load("DX", b)
		p.op("CALL mulred<>(SB)")
	}
	p.finish(dst, 3, 0, t)
}

// sum emits dst = (Σ plus − Σ minus)/R with one reduction and a tail.
func (p *program) sum(dst operand, plus, minus [][2]operand, t tail) {
	p.checkProducts(plus)
	p.checkProducts(minus)
	routine, neg := "mulwide", 0
	if len(minus) > 0 {
		neg = 1
	}
	for i, m := range minus {
		p.load("SI", m[0])
		p.load("DX", m[1])
		if i == len(minus)-1 {
			routine = map[bool]string{true: "mulneg", false: "macneg"}[i == 0]
		}
		p.op("CALL %s<>(SB)", routine)
		routine = "mac"
	}
	for i, m := range plus {
		p.load("SI", m[0])
		p.load("DX", m[1])
		if i == len(plus)-1 {
			routine = "macred"
		}
		p.op("CALL %s<>(SB)", routine)
		routine = "mac"
	}
	p.finish(dst, 3, neg, t)
}

func (p *program) checkProducts(products [][2]operand) {
	total := 0
	for _, m := range products {
		total += p.bound(m[0]) * p.bound(m[1])
	}
	if total > productBound {
		panic(fmt.Sprintf("products %v: bound %d p²", products, total))
	}
}

// lin emits dst = Σ terms; the first term has coefficient 1.
func (p *program) lin(dst operand, terms ...term) {
	if terms[0].coef != 1 {
		panic("lin: the first coefficient is 1")
	}
	x := terms[0].x
	for j := range limbs {
		p.op("VMOVDQU64 %d(%s), Z%d", x.off+vector*j, x.reg, 8+j)
	}
	p.finish(dst, p.bound(x), 0, tail{terms: terms[1:]})
}

// finish applies a tail to Z8 … Z15, whose value is between −neg·p and bound·p,
// carries and stores.
func (p *program) finish(dst operand, bound, neg int, t tail) {
	s := t.factor()
	p.scale(s)
	if s < 0 {
		bound, neg = -s*neg, -s*bound
	} else {
		bound, neg = s*bound, s*neg
	}
	for _, x := range t.terms {
		p.addTerm(x)
		if x.coef > 0 {
			bound += x.coef * p.bound(x.x)
		} else {
			neg -= x.coef * p.bound(x.x)
		}
	}
	if neg > 0 {
		k := 1
		for 1<<k < neg {
			k++
		}
		for j := range limbs {
			p.op("VPADDQ.BCST multiples<>+%d(SB), Z%d, Z%d", 8*(limbs*k+j), 8+j, 8+j)
		}
		bound += 1 << k
	}
	p.carry()
	p.store(dst.reg, dst.off)
	p.set(dst, bound)
}

func (p *program) scale(s int) {
	for j := 8; j < 16; j++ {
		switch s {
		case 1:
		case 2:
			p.op("VPADDQ Z%d, Z%d, Z%d", j, j, j)
		case 3:
			p.op("VPADDQ Z%d, Z%d, Z24", j, j)
			p.op("VPADDQ Z24, Z%d, Z%d", j, j)
		case 4:
			p.op("VPSLLQ $2, Z%d, Z%d", j, j)
		case 6:
			p.op("VPADDQ Z%d, Z%d, Z24", j, j)
			p.op("VPADDQ Z24, Z%d, Z%d", j, j)
			p.op("VPADDQ Z%d, Z%d, Z%d", j, j, j)
		case 8:
			p.op("VPSLLQ $3, Z%d, Z%d", j, j)
		case -1:
			if j == 8 {
				p.op("VPXORQ Z24, Z24, Z24")
			}
			p.op("VPSUBQ Z%d, Z24, Z%d", j, j)
		default:
			panic(fmt.Sprintf("scale %d", s))
		}
	}
}

func (p *program) addTerm(t term) {
	name, c := "VPADDQ", t.coef
	if c < 0 {
		name, c = "VPSUBQ", -c
	}
	for j := range limbs {
		off := t.x.off + vector*j
		switch c {
		case 1, 2, 3:
			for range c {
				p.op("%s %d(%s), Z%d, Z%d", name, off, t.x.reg, 8+j, 8+j)
			}
		case 4, 8:
			p.op("VPSLLQ $%d, %d(%s), Z%d", c/4+1, off, t.x.reg, regTmp+j%4)
			p.op("%s Z%d, Z%d, Z%d", name, regTmp+j%4, 8+j, 8+j)
		default:
			panic(fmt.Sprintf("coefficient %d", t.coef))
		}
	}
}
