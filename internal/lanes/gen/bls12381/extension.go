package main

// tail2 is a tail over Fp2; its operands name elements of Fp2.
func (t tail) part(i int) tail {
	r := tail{scale: t.scale}
	for _, x := range t.terms {
		r.terms = append(r.terms, term{x.coef, x.x.at(i)})
	}
	return r
}

// mul2 emits dst = a·b over Fp2, u² = −1. dst may be any operand; tmp is an
// element of Fp used only if dst overlaps a, b or a term.
func (p *program) mul2(dst, a, b operand, t tail, tmp operand) {
	if a == b {
		panic("mul2: use sqr2")
	}
	c0 := dst.c0()
	overlap := dst == a || dst == b
	if overlap {
		c0 = tmp
	}
	p.sum(c0, [][2]operand{{a.c0(), b.c0()}}, [][2]operand{{a.c1(), b.c1()}}, t.part(0))
	p.sum(dst.c1(), [][2]operand{{a.c0(), b.c1()}, {a.c1(), b.c0()}}, nil, t.part(1))
	if overlap {
		p.move(dst.c0(), tmp)
	}
}

// sqr2 emits dst = a² over Fp2. dst may be a; tmp is two elements of Fp.
func (p *program) sqr2(dst, a operand, t tail, tmp operand) {
	p.lin(tmp.at(0), term{1, a.c0()}, term{1, a.c1()})
	p.lin(tmp.at(1), term{1, a.c0()}, term{-1, a.c1()})
	double := t.part(1)
	double.scale = 2 * t.factor()
	p.mul(dst.c1(), a.c0(), a.c1(), double)
	p.mul(dst.c0(), tmp.at(0), tmp.at(1), t.part(0))
}

// mulsub2 emits dst = a·b − c·d over Fp2 with one reduction for each
// coordinate; dst overlaps no operand unless tmp takes c0 meanwhile.
func (p *program) mulsub2(dst, a, b, c, d operand, tmp operand) {
	p.sum(tmp,
		[][2]operand{{a.c0(), b.c0()}, {c.c1(), d.c1()}},
		[][2]operand{{a.c1(), b.c1()}, {c.c0(), d.c0()}}, tail{})
	p.sum(dst.c1(),
		[][2]operand{{a.c0(), b.c1()}, {a.c1(), b.c0()}},
		[][2]operand{{c.c0(), d.c1()}, {c.c1(), d.c0()}}, tail{})
	p.move(dst.c0(), tmp)
}

// lin2 emits dst = Σ terms over Fp2.
func (p *program) lin2(dst operand, terms ...term) {
	for i := range 2 {
		var part []term
		for _, x := range terms {
			part = append(part, term{x.coef, x.x.at(i)})
		}
		p.lin(dst.at(i), part...)
	}
}

// conjugate emits dst = (x₀, −x₁).
func (p *program) conjugate(dst, x operand) {
	p.move(dst.c0(), x.c0())
	for j := range limbs {
		p.zero(8 + j)
	}
	p.finish(dst.c1(), 0, 0, tail{terms: []term{{-1, x.c1()}}})
}

// move copies one element.
func (p *program) move(dst, src operand) {
	for j := range limbs {
		p.op("VMOVDQU64 %d(%s), Z%d", src.off+vector*j, src.reg, 8+j)
	}
	p.store(dst.reg, dst.off)
	p.set(dst, p.bound(src))
}
