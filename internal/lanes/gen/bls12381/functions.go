package main

// emitFieldFuncs writes the field operations callable from Go.
func emitFieldFuncs(e *emitter) {
	p := begin(e, "mulAsm", "(z, x, y *Fp)", 3, false)
	p.given(arg(1), 1, valueBound)
	p.given(arg(2), 1, valueBound)
	p.mul(arg(0), arg(1), arg(2), tail{})
	p.end(false)

	p = begin(e, "addAsm", "(z, x, y *Fp)", 3, false)
	p.given(arg(1), 1, valueBound/4)
	p.given(arg(2), 1, valueBound/4)
	p.lin(arg(0), term{1, arg(1)}, term{1, arg(2)})
	p.end(false)

	p = begin(e, "subAsm", "(z, x, y *Fp)", 3, false)
	p.given(arg(1), 1, valueBound/4)
	p.given(arg(2), 1, valueBound/4)
	p.lin(arg(0), term{1, arg(1)}, term{-1, arg(2)})
	p.end(false)

	emitSquarings(e, "sqrnAsm", "(z, x *Fp, n int)", 1)
	emitSquarings(e, "sqrn2Asm", "(z, x *[2]Fp, n int)", 2)
	emitDecode(e)
}

// emitSquarings writes z = x^(2^n), n ≥ 1, for one or two independent elements:
// two keep the multipliers busy while one propagates its carries.
func emitSquarings(e *emitter, name, signature string, count int) {
	p := begin(e, name, signature, 2, true)
	z, x := arg(0), arg(1)
	for i := range count {
		p.given(x.at(i), 1, valueBound)
		p.mul(z.at(i), x.at(i), x.at(i), tail{})
	}
	p.op("MOVQ R8, R9")
	p.end(true)
}

// emitDecode writes the steps of decompression and of the subgroup checks.
func emitDecode(e *emitter) {
	p := begin(e, "g1CurveAsm", "(z, x, b *Fp)", 3, false) // z = x³ + b
	z, x, b := arg(0), arg(1), arg(2)
	p.given(x, 1, affineBound)
	p.given(b, 1, 1)
	p.mul(z, x, x, tail{})
	p.mul(z, z, x, tail{terms: []term{{1, b}}})
	p.end(false)

	p = begin(e, "g1RootAsm", "(y, e, t, a *Fp)", 4, false) // y = a·t, e = y² − a
	y, d, t, a := arg(0), arg(1), arg(2), arg(3)
	p.given(t, 1, affineBound)
	p.given(a, 1, affineBound)
	p.mul(y, a, t, tail{})
	p.mul(d, y, y, tail{terms: []term{{-1, a}}})
	p.end(false)

	p = begin(e, "g1CompareAsm", "(e *[2]Fp, p *[3]Fp, q *[2]Fp, beta *Fp, t *[2]Fp)", 5, false)
	// e = (βx_q·Z² − X, y_q·Z³ + Y): zero if p = (βx_q, −y_q).
	d, acc, q, beta, tmp := arg(0), arg(1), arg(2), arg(3), arg(4)
	p.given(acc, 3, jacobianBound)
	p.given(q, 2, affineBound)
	p.given(beta, 1, 1)
	p.mul(tmp.at(0), acc.at(2), acc.at(2), tail{})
	p.mul(tmp.at(1), q.at(0), beta, tail{})
	p.mul(d.at(0), tmp.at(0), tmp.at(1), tail{terms: []term{{-1, acc.at(0)}}})
	p.mul(tmp.at(0), acc.at(2), tmp.at(0), tail{})
	p.mul(d.at(1), tmp.at(0), q.at(1), tail{terms: []term{{1, acc.at(1)}}})
	p.end(false)

	emitDecodeG2(e)
}

func emitDecodeG2(e *emitter) {
	m := begin(e, "fp2MulAsm", "(z, x, y *[2]Fp)", 3, false) // z overlaps neither
	m.given(arg(1), 2, valueBound/4)
	m.given(arg(2), 2, valueBound/4)
	m.mul2(arg(0), arg(1), arg(2), tail{}, operand{})
	m.end(false)

	p := begin(e, "g2CurveAsm", "(z, x, b *[2]Fp, t *[2]Fp)", 4, false) // z = x³ + b
	z, x, b, tmp := arg(0), arg(1), arg(2), arg(3)
	p.given(x, 2, affineBound)
	p.given(b, 2, 1)
	p.sqr2(z, x, tail{}, tmp)
	p.mul2(z, z, x, tail{terms: []term{{1, b}}}, tmp)
	p.end(false)

	p = begin(e, "fp2NormAsm", "(z *Fp, a *[2]Fp)", 2, false) // z = a₀² + a₁²
	z, a := arg(0), arg(1)
	p.given(a, 2, curveBound)
	p.sum(z, [][2]operand{{a.c0(), a.c0()}, {a.c1(), a.c1()}}, nil, tail{})
	p.end(false)

	p = begin(e, "fp2HalfAsm", "(d *Fp, a *[2]Fp, n, t, half *Fp)", 5, false) // d = (a₀ + n·t)/2
	d, a, n, t, half := arg(0), arg(1), arg(2), arg(3), arg(4)
	p.given(a, 2, curveBound)
	p.given(n, 1, affineBound)
	p.given(t, 1, affineBound)
	p.given(half, 1, 1)
	p.mul(d, n, t, tail{terms: []term{{1, a.c0()}}})
	p.mul(d, d, half, tail{})
	p.end(false)

	// y = (d·t, a₁·t/2), minus = −d·t, square = d·t²
	p = begin(e, "fp2RootAsm", "(y *[2]Fp, minus, square, d, t *Fp, a *[2]Fp, half *Fp)", 7, false)
	y, minus, square := arg(0), arg(1), arg(2)
	d, t, a, half = arg(3), arg(4), arg(5), arg(6)
	p.given(d, 1, affineBound)
	p.given(t, 1, affineBound)
	p.given(a, 2, curveBound)
	p.given(half, 1, 1)
	p.mul(y.c1(), t, half, tail{})
	p.mul(y.c1(), y.c1(), a.c1(), tail{})
	p.mul(y.c0(), d, t, tail{})
	p.mul(square, y.c0(), t, tail{})
	p.mul(minus, d, t, tail{scale: -1})
	p.end(false)

	p = begin(e, "fp2CheckAsm", "(e, y, a, t *[2]Fp)", 4, false) // e = y² − a
	d, y, a, tmp = arg(0), arg(1), arg(2), arg(3)
	p.given(y, 2, 2*affineBound)
	p.given(a, 2, curveBound)
	p.sqr2(d, y, tail{terms: []term{{-1, a}}}, tmp)
	p.end(false)

	// q = −ψ(p) = (c·x̄, −d·ȳ)
	p = begin(e, "g2PsiAsm", "(q, p, psi *[4]Fp, t *[2]Fp)", 4, false)
	image, point, psi := arg(0), arg(1), arg(2)
	u := arg(3)
	p.given(point, 4, affineBound)
	p.given(psi, 4, 1)
	p.conjugate(u, point.at2(0))
	p.mul2(image.at2(0), u, psi.at2(0), tail{}, operand{})
	p.conjugate(u, point.at2(1))
	p.mul2(image.at2(1), u, psi.at2(1), tail{scale: -1}, operand{})
	p.ensure(image, 4, xyzzBound)
	p.end(false)

	// e = (c·x̄_q·Z² − X, −(d·ȳ_q·Z³) − Y) for psi = (c, d): zero if p = −ψ(q)
	p = begin(e, "g2CompareAsm", "(e *[4]Fp, p *[6]Fp, q, psi *[4]Fp, t *[8]Fp)", 5, false)
	out, acc, q := arg(0), arg(1), arg(2)
	psi = arg(3)
	var zz, v operand
	zz, u, v, tmp = arg(4).at2(0), arg(4).at2(1), arg(4).at2(2), arg(4).at2(3)
	p.given(acc, 6, jacobianBound)
	p.given(q, 4, affineBound)
	p.given(psi, 4, 1)
	p.sqr2(zz, acc.at2(2), tail{}, tmp)
	p.conjugate(u, q.at2(0))
	p.mul2(v, u, psi.at2(0), tail{}, tmp)
	p.mul2(out.at2(0), v, zz, tail{terms: []term{{-1, acc.at2(0)}}}, tmp)
	p.mul2(zz, acc.at2(2), zz, tail{}, tmp)
	p.conjugate(u, q.at2(1))
	p.mul2(v, u, psi.at2(1), tail{}, tmp)
	p.mul2(out.at2(1), v, zz, tail{terms: []term{{1, acc.at2(1)}}}, tmp)
	p.end(false)
}
