package main

// Bounds of the coordinates that the point routines take and give back, in
// multiples of p.
const (
	affineBound   = 4   // coordinates of an affine input
	curveBound    = 16  // the values x³ + b
	jacobianBound = 256 // coordinates of an accumulator
)

// emitPoints writes the group operations of G1 and G2 in Jacobian coordinates.
func emitPoints(e *emitter) {
	emitG1Double(e)
	emitG1AddMixed(e)
	emitG1Add(e)
	emitG2Double(e)
	emitG2AddMixed(e)
}

// emitG1Double: 3M + 4S, y² = x³ + b, z = 0 stays 0.
func emitG1Double(e *emitter) {
	p := begin(e, "g1DoubleAsm", "(p *[3]Fp, t *[5]Fp, n int)", 2, true)
	x, y, z := arg(0).at(0), arg(0).at(1), arg(0).at(2)
	t := arg(1)
	b, d, c, w, f := t.at(0), t.at(1), t.at(2), t.at(3), t.at(4)
	p.given(x, 3, jacobianBound)
	p.mul(f, x, x, tail{scale: 3})               // E = 3X²
	p.mul(b, y, y, tail{})                       // B = Y²
	p.mul(d, x, b, tail{scale: 4})               // D = 4XB
	p.mul(z, y, z, tail{scale: 2})               // Z₃ = 2YZ
	p.mul(x, f, f, tail{terms: []term{{-2, d}}}) // X₃ = E² − 2D
	p.mul(c, b, b, tail{scale: 8})               // 8B²
	p.lin(w, term{1, d}, term{-1, x})            // D − X₃
	p.mul(y, f, w, tail{terms: []term{{-1, c}}}) // Y₃ = E(D − X₃) − 8B²
	p.ensure(x, 3, jacobianBound)
	p.end(true)
}

// emitG1AddMixed: p += q, q affine, 8M + 3S less one reduction; z becomes 0 if
// the points have equal x or if p.z = 0.
func emitG1AddMixed(e *emitter) {
	p := begin(e, "g1AddMixedAsm", "(p *[3]Fp, q *[2]Fp, t *[6]Fp)", 3, false)
	x, y, z := arg(0).at(0), arg(0).at(1), arg(0).at(2)
	qx, qy := arg(1).at(0), arg(1).at(1)
	t := arg(2)
	p.given(x, 3, jacobianBound)
	p.given(qx, 2, affineBound)
	zz, h, r := t.at(0), t.at(1), t.at(2)
	p.mul(zz, z, z, tail{})
	p.mul(h, qx, zz, tail{terms: []term{{-1, x}}}) // H = X₂Z₁² − X₁
	p.mul(zz, z, zz, tail{})
	p.mul(r, qy, zz, tail{terms: []term{{-1, y}}}) // r = Y₂Z₁³ − Y₁
	p.mul(z, z, h, tail{})                         // Z₃ = Z₁H
	p.chord(x, y, h, r, x, y, t.at(3))
	p.ensure(x, 3, jacobianBound)
	p.end(false)
}

// chord emits X₃ = r² − H³ − 2V and Y₃ = r(V − X₃) − S·H³ with V = U·H², the
// common end of the additions; tmp is three elements.
func (p *program) chord(x, y, h, r, u, s, tmp operand) {
	hh, hhh, v := tmp.at(0), tmp.at(1), tmp.at(2)
	p.mul(hh, h, h, tail{})
	p.mul(hhh, h, hh, tail{})
	p.mul(v, u, hh, tail{})
	p.mul(x, r, r, tail{terms: []term{{-1, hhh}, {-2, v}}})
	p.lin(v, term{1, v}, term{-1, x})
	p.sum(y, [][2]operand{{r, v}}, [][2]operand{{s, hhh}}, tail{})
}

// emitG1Add: p += q, both Jacobian; z becomes 0 if the points have equal x or if
// either z is 0.
func emitG1Add(e *emitter) {
	p := begin(e, "g1AddAsm", "(p, q *[3]Fp, t *[8]Fp)", 3, false)
	x, y, z := arg(0).at(0), arg(0).at(1), arg(0).at(2)
	qx, qy, qz := arg(1).at(0), arg(1).at(1), arg(1).at(2)
	t := arg(2)
	p.given(x, 3, jacobianBound)
	p.given(qx, 3, jacobianBound)
	zz, h, r, u, s := t.at(0), t.at(1), t.at(2), t.at(3), t.at(4)
	p.mul(zz, qz, qz, tail{})
	p.mul(u, x, zz, tail{}) // U₁ = X₁Z₂²
	p.mul(zz, qz, zz, tail{})
	p.mul(s, y, zz, tail{}) // S₁ = Y₁Z₂³
	p.mul(zz, z, z, tail{})
	p.mul(h, qx, zz, tail{terms: []term{{-1, u}}})
	p.mul(zz, z, zz, tail{})
	p.mul(r, qy, zz, tail{terms: []term{{-1, s}}})
	p.mul(z, z, qz, tail{})
	p.mul(z, z, h, tail{})
	p.chord(x, y, h, r, u, s, t.at(5))
	p.ensure(x, 3, jacobianBound)
	p.end(false)
}

// emitG2Double is dbl-2009-l over Fp2: 2M + 5S.
func emitG2Double(e *emitter) {
	p := begin(e, "g2DoubleAsm", "(p *[6]Fp, t *[14]Fp, n int)", 2, true)
	x, y, z := arg(0).at2(0), arg(0).at2(1), arg(0).at2(2)
	t := arg(1)
	p.given(x, 6, jacobianBound)
	a, b, c, d, f, w := t.at2(0), t.at2(1), t.at2(2), t.at2(3), t.at2(4), t.at2(5)
	tmp := t.at2(6)
	p.sqr2(a, x, tail{}, tmp)
	p.sqr2(b, y, tail{}, tmp)
	p.mul2(z, y, z, tail{scale: 2}, tmp) // Z₃ = 2YZ
	p.sqr2(c, b, tail{}, tmp)
	p.lin2(w, term{1, x}, term{1, b})
	p.lin2(f, term{1, a}, term{2, a})                                  // E = 3A
	p.sqr2(d, w, tail{scale: 2, terms: []term{{-2, a}, {-2, c}}}, tmp) // D
	p.sqr2(x, f, tail{terms: []term{{-2, d}}}, tmp)                    // X₃ = E² − 2D
	p.lin2(w, term{1, d}, term{-1, x})
	p.mul2(y, f, w, tail{terms: []term{{-8, c}}}, tmp) // Y₃ = E(D − X₃) − 8C
	p.ensure(x, 6, jacobianBound)
	p.end(true)
}

// emitG2AddMixed is emitG1AddMixed over Fp2.
func emitG2AddMixed(e *emitter) {
	p := begin(e, "g2AddMixedAsm", "(p *[6]Fp, q *[4]Fp, t *[14]Fp)", 3, false)
	x, y, z := arg(0).at2(0), arg(0).at2(1), arg(0).at2(2)
	qx, qy := arg(1).at2(0), arg(1).at2(1)
	t := arg(2)
	p.given(x, 6, jacobianBound)
	p.given(qx, 4, affineBound)
	zz, h, r := t.at2(0), t.at2(1), t.at2(2)
	tmp := t.at2(6)
	p.sqr2(zz, z, tail{}, tmp)
	p.mul2(h, qx, zz, tail{terms: []term{{-1, x}}}, tmp)
	p.mul2(zz, z, zz, tail{}, tmp)
	p.mul2(r, qy, zz, tail{terms: []term{{-1, y}}}, tmp)
	p.mul2(z, z, h, tail{}, tmp)
	p.chord2(x, y, h, r, x, y, t.at2(3), tmp)
	p.ensure(x, 6, jacobianBound)
	p.end(false)
}

// chord2 is chord over Fp2; work is three elements of Fp2, tmp one.
func (p *program) chord2(x, y, h, r, u, s, work, tmp operand) {
	hh, hhh, v := work.at2(0), work.at2(1), work.at2(2)
	p.sqr2(hh, h, tail{}, tmp)
	p.mul2(hhh, h, hh, tail{}, tmp)
	p.mul2(v, u, hh, tail{}, tmp)
	p.sqr2(x, r, tail{terms: []term{{-1, hhh}, {-2, v}}}, tmp)
	p.lin2(v, term{1, v}, term{-1, x})
	p.mulsub2(y, r, v, s, hhh, tmp)
}
