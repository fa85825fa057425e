package main

// towerBound bounds the coordinates of an element of Fp12 = Fp2[w]/(w⁶ − ξ), ξ = 1 + i,
// kept as six elements of Fp2 for 1, w², w⁴, w, w³, w⁵.
const towerBound = 128

// lineBound bounds the coordinates of a line.
const lineBound = 512

// emitMiller writes the routines of the Miller loop.
func emitMiller(e *emitter) {
	emitLineDouble(e)
	emitLineAdd(e)
	emitTowerLine(e)
	emitTowerSquare(e)
	emitTowerMul(e)
}

// A product2 is one product of elements of Fp2.
type product2 [2]operand

// sum2 emits dst = Σ a·b over Fp2 with one reduction for each coordinate and a tail
// for each; dst overlaps no operand of the products.
func (p *program) sum2(dst operand, products []product2, tails [2]tail) {
	var re, minus, im [][2]operand
	for _, m := range products {
		a, b := m[0], m[1]
		re = append(re, [2]operand{a.c0(), b.c0()})
		minus = append(minus, [2]operand{a.c1(), b.c1()})
		im = append(im, [2]operand{a.c0(), b.c1()}, [2]operand{a.c1(), b.c0()})
	}
	p.sum(dst.c0(), re, minus, tails[0])
	p.sum(dst.c1(), im, nil, tails[1])
}

// timesXi emits dst = ξ·x = (x₀ − x₁, x₀ + x₁).
func (p *program) timesXi(dst, x operand) {
	p.lin(dst.c0(), term{1, x.c0()}, term{-1, x.c1()})
	p.lin(dst.c1(), term{1, x.c0()}, term{1, x.c1()})
}

// emitLineDouble: p = 2p and the tangent at p in the point (−xₚ, yₚ) as coefficients of 1,
// w², w³, up to a factor of Fp2: with E = 3X², B = Y²: E·X − 2B, E·Z²·(−xₚ), 2YZ·Z²·yₚ.
func emitLineDouble(e *emitter) {
	p := begin(e, "lineDoubleAsm", "(line, p *[6]Fp, at *[2]Fp, t *[18]Fp)", 4, false)
	line, acc, at, t := arg(0), arg(1), arg(2), arg(3)
	x, y, z := acc.at2(0), acc.at2(1), acc.at2(2)
	p.given(acc, 6, jacobianBound)
	p.given(at, 2, affineBound)
	a, b, c, d, f, w, zz, g := t.at2(0), t.at2(1), t.at2(2), t.at2(3), t.at2(4), t.at2(5), t.at2(6), t.at2(7)
	tmp := t.at2(8)
	p.sqr2(a, x, tail{}, tmp)
	p.sqr2(b, y, tail{}, tmp)
	p.sqr2(zz, z, tail{}, tmp)
	p.mul2(z, y, z, tail{scale: 2}, tmp) // Z₃ = 2YZ
	p.sqr2(c, b, tail{}, tmp)
	p.lin2(f, term{1, a}, term{2, a}) // E
	p.mul2(line.at2(0), f, x, tail{terms: []term{{-2, b}}}, tmp)
	p.mul2(g, f, zz, tail{}, tmp)
	p.scale2(line.at2(1), g, at.at(0))
	p.mul2(g, z, zz, tail{}, tmp)
	p.scale2(line.at2(2), g, at.at(1))
	p.lin2(w, term{1, x}, term{1, b})
	p.sqr2(d, w, tail{scale: 2, terms: []term{{-2, a}, {-2, c}}}, tmp)
	p.sqr2(x, f, tail{terms: []term{{-2, d}}}, tmp)
	p.lin2(w, term{1, d}, term{-1, x})
	p.mul2(y, f, w, tail{terms: []term{{-8, c}}}, tmp)
	p.ensure(acc, 6, jacobianBound)
	p.ensure(line, 6, lineBound)
	p.end(false)
}

// scale2 emits dst = x·s for s in Fp.
func (p *program) scale2(dst, x, s operand) {
	p.mul(dst.c0(), x.c0(), s, tail{})
	p.mul(dst.c1(), x.c1(), s, tail{})
}

// emitLineAdd: p += q, q affine, and the chord in (−xₚ, yₚ): with r and Z₃ of the addition
// r·x_q − Z₃·y_q, r·(−xₚ), Z₃·yₚ.
func emitLineAdd(e *emitter) {
	p := begin(e, "lineAddAsm", "(line, p *[6]Fp, q *[4]Fp, at *[2]Fp, t *[14]Fp)", 5, false)
	line, acc, q, at, t := arg(0), arg(1), arg(2), arg(3), arg(4)
	x, y, z := acc.at2(0), acc.at2(1), acc.at2(2)
	p.given(acc, 6, jacobianBound)
	p.given(q, 4, affineBound)
	p.given(at, 2, affineBound)
	zz, h, r := t.at2(0), t.at2(1), t.at2(2)
	tmp := t.at2(6)
	p.sqr2(zz, z, tail{}, tmp)
	p.mul2(h, q.at2(0), zz, tail{terms: []term{{-1, x}}}, tmp)
	p.mul2(zz, z, zz, tail{}, tmp)
	p.mul2(r, q.at2(1), zz, tail{terms: []term{{-1, y}}}, tmp)
	p.mul2(z, z, h, tail{}, tmp)
	p.mulsub2(line.at2(0), r, q.at2(0), z, q.at2(1), tmp)
	p.scale2(line.at2(1), r, at.at(0))
	p.scale2(line.at2(2), z, at.at(1))
	p.chord2(x, y, h, r, x, y, t.at2(3), tmp)
	p.ensure(acc, 6, jacobianBound)
	p.ensure(line, 6, lineBound)
	p.end(false)
}

// emitTowerLine: r = f·(c₀ + c₁w² + c₄w³).
func emitTowerLine(e *emitter) {
	p := begin(e, "towerLineAsm", "(r, f *[12]Fp, line *[6]Fp, t *[4]Fp)", 4, false)
	r, f, line, t := arg(0), arg(1), arg(2), arg(3)
	p.given(f, 12, towerBound)
	p.given(line, 6, lineBound)
	c0, c1, c4 := line.at2(0), line.at2(1), line.at2(2)
	d1, d4 := t.at2(0), t.at2(1) // times ξ
	p.timesXi(d1, c1)
	p.timesXi(d4, c4)
	a0, a1, a2, b0, b1, b2 := f.at2(0), f.at2(1), f.at2(2), f.at2(3), f.at2(4), f.at2(5)
	for i, products := range [][]product2{
		{{a0, c0}, {a2, d1}, {b1, d4}},
		{{a0, c1}, {a1, c0}, {b2, d4}},
		{{a1, c1}, {a2, c0}, {b0, c4}},
		{{a2, d4}, {b0, c0}, {b2, d1}},
		{{a0, c4}, {b0, c1}, {b1, c0}},
		{{a1, c4}, {b1, c1}, {b2, c0}},
	} {
		p.sum2(r.at2(i), products, [2]tail{})
	}
	p.ensure(r, 12, towerBound)
	p.end(false)
}

// cubic lists the products of (x₀ + x₁v + x₂v²)(y₀ + y₁v + y₂v²), v³ = ξ, given y and
// ξ·y₁, ξ·y₂.
func cubic(x, y [3]operand, xi1, xi2 operand) [3][]product2 {
	return [3][]product2{
		{{x[0], y[0]}, {x[1], xi2}, {x[2], xi1}},
		{{x[0], y[1]}, {x[1], y[0]}, {x[2], xi2}},
		{{x[0], y[2]}, {x[1], y[1]}, {x[2], y[0]}},
	}
}

func three(x operand) [3]operand { return [3]operand{x.at2(0), x.at2(1), x.at2(2)} }

// emitTowerSquare: r = f² = (a + bw)² by (a + b)(a + vb) − ab − vab and 2ab.
func emitTowerSquare(e *emitter) {
	p := begin(e, "towerSquareAsm", "(r, f *[12]Fp, t *[24]Fp)", 3, false)
	r, f, t := arg(0), arg(1), arg(2)
	p.given(f, 12, towerBound)
	a, b := three(f), three(f.at2(3))
	ab, s, u := three(t), three(t.at2(3)), three(t.at2(6))
	xi1, xi2 := t.at2(9), t.at2(10)
	p.timesXi(xi1, b[1])
	p.timesXi(xi2, b[2])
	for i, products := range cubic(a, b, xi1, xi2) {
		p.sum2(ab[i], products, [2]tail{})
		p.lin2(r.at2(3+i), term{1, ab[i]}, term{1, ab[i]})
	}
	for i := range 3 {
		p.lin2(s[i], term{1, a[i]}, term{1, b[i]})
	}
	p.lin2(u[0], term{1, a[0]}, term{1, xi2})
	p.lin2(u[1], term{1, a[1]}, term{1, b[0]})
	p.lin2(u[2], term{1, a[2]}, term{1, b[1]})
	p.timesXi(xi1, u[1])
	p.timesXi(xi2, u[2])
	products := cubic(s, u, xi1, xi2)
	x, y, z := ab[0], ab[1], ab[2]
	p.sum2(r.at2(0), products[0], [2]tail{
		{terms: []term{{-1, x.c0()}, {-1, z.c0()}, {1, z.c1()}}},
		{terms: []term{{-1, x.c1()}, {-1, z.c0()}, {-1, z.c1()}}},
	})
	p.sum2(r.at2(1), products[1], [2]tail{
		{terms: []term{{-1, y.c0()}, {-1, x.c0()}}},
		{terms: []term{{-1, y.c1()}, {-1, x.c1()}}},
	})
	p.sum2(r.at2(2), products[2], [2]tail{
		{terms: []term{{-1, z.c0()}, {-1, y.c0()}}},
		{terms: []term{{-1, z.c1()}, {-1, y.c1()}}},
	})
	p.ensure(r, 12, towerBound)
	p.end(false)
}

// emitTowerMul: r = f·g.
func emitTowerMul(e *emitter) {
	p := begin(e, "towerMulAsm", "(r, f, h *[12]Fp, t *[10]Fp)", 4, false)
	r, f, g, t := arg(0), arg(1), arg(2), arg(3)
	p.given(f, 12, towerBound)
	p.given(g, 12, towerBound)
	a, b := three(f), three(f.at2(3))
	c, d := three(g), three(g.at2(3))
	for i := range 5 {
		p.timesXi(t.at2(i), g.at2(1+i)) // ξ·c₁, ξ·c₂, ξ·d₀, ξ·d₁, ξ·d₂
	}
	// v·d = (ξ·d₂, d₀, d₁), and its ξ multiples are ξ·d₀, ξ·d₁.
	low := cubic(a, c, t.at2(0), t.at2(1))
	high := cubic(b, [3]operand{t.at2(4), d[0], d[1]}, t.at2(2), t.at2(3))
	for i := range 3 {
		p.sum2(r.at2(i), append(low[i], high[i]...), [2]tail{})
	}
	low = cubic(a, d, t.at2(3), t.at2(4))
	high = cubic(b, c, t.at2(0), t.at2(1))
	for i := range 3 {
		p.sum2(r.at2(3+i), append(low[i], high[i]...), [2]tail{})
	}
	p.ensure(r, 12, towerBound)
	p.end(false)
}
