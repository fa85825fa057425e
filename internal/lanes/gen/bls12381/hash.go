package main

import "math/big"

// emitHash writes the steps of hashing to G1 by RFC 9380, 6.6.2 and 6.6.3.
func emitHash(e *emitter) {
	emitMapStart(e)
	emitMapEnd(e)
	emitIsogeny(e)
	emitAffine(e)
}

// emitMapStart: from u the values that the simplified SWU map (RFC 9380, F.2) has before its
// square root, and the base of that: with t = 11u², s.0 = t, s.1 = xn = B(t² + t + 1),
// s.2 = xd = −A(t² + t), s.3 = gn, s.4 = xd³, s.5 = gn·xd³, base = gn·xd⁹; gn/xd³ is
// xn³/xd³ + A·xn/xd + B. c is 1, A, −A, B, 11.
func emitMapStart(e *emitter) {
	p := begin(e, "mapStartAsm", "(s *[6]Fp, base, u *Fp, c *[6]Fp, t *[4]Fp)", 5, false)
	s, base, u, c, t := arg(0), arg(1), arg(2), arg(3), arg(4)
	one, a, minusA, b, eleven := c.at(0), c.at(1), c.at(2), c.at(3), c.at(4)
	p.given(u, 1, affineBound*4)
	p.given(c, 5, 1)
	p.mul(t.at(0), u, u, tail{})
	p.mul(s.at(0), t.at(0), eleven, tail{})
	p.mul(t.at(1), s.at(0), s.at(0), tail{terms: []term{{1, s.at(0)}}})
	p.lin(t.at(2), term{1, t.at(1)}, term{1, one})
	p.mul(s.at(1), t.at(2), b, tail{})
	p.mul(s.at(2), t.at(1), minusA, tail{})
	p.mul(t.at(0), s.at(2), s.at(2), tail{})
	p.mul(s.at(4), t.at(0), s.at(2), tail{})
	p.sum(t.at(1), [][2]operand{{s.at(1), s.at(1)}, {a, t.at(0)}}, nil, tail{})
	p.sum(s.at(3), [][2]operand{{t.at(1), s.at(1)}, {b, s.at(4)}}, nil, tail{})
	p.mul(s.at(5), s.at(3), s.at(4), tail{})
	p.mul(t.at(0), s.at(4), s.at(4), tail{})
	p.mul(base, t.at(0), s.at(5), tail{})
	p.ensure(base, 1, affineBound)
	p.end(false)
}

// emitMapEnd: from the power root of the base y = root·gn·xd³, check = y²·xd³ − gn, which is
// zero if gn/xd³ is a square, and for the other case the candidates
// other.0 = t·xn and other.1 = t·u·y·√−11. c.5 is √−11.
func emitMapEnd(e *emitter) {
	p := begin(e, "mapEndAsm", "(y, check *Fp, other *[2]Fp, s *[6]Fp, root, u *Fp, c *[6]Fp)", 7, false)
	y, check, other, s, root, u, c := arg(0), arg(1), arg(2), arg(3), arg(4), arg(5), arg(6)
	p.given(s, 6, affineBound)
	p.given(root, 1, affineBound)
	p.given(u, 1, affineBound*4)
	p.given(c, 6, 1)
	p.mul(y, root, s.at(5), tail{})
	p.mul(check, y, y, tail{})
	p.mul(check, check, s.at(4), tail{terms: []term{{-1, s.at(3)}}})
	p.mul(other.at(1), s.at(0), u, tail{})
	p.mul(other.at(1), other.at(1), c.at(5), tail{})
	p.mul(other.at(1), other.at(1), y, tail{})
	p.mul(other.at(0), s.at(0), s.at(1), tail{})
	p.end(false)

	p = begin(e, "mapPointAsm", "(p *[3]Fp, x, y *Fp, s *[6]Fp)", 4, false) // (x/xd, y)
	point, x, y := arg(0), arg(1), arg(2)
	s = arg(3)
	p.given(x, 1, affineBound)
	p.given(y, 1, xyzzBound)
	p.given(s, 6, affineBound)
	p.mul(point.at(0), x, s.at(2), tail{})
	p.mul(point.at(1), y, s.at(4), tail{})
	p.move(point.at(2), s.at(2))
	p.ensure(point, 3, jacobianBound)
	p.end(false)
}

// emitIsogeny: p = the image of q under the isogeny to G1's curve, both Jacobian; z = 0
// stays 0. k lists the coefficients as isogeny does.
func emitIsogeny(e *emitter) {
	p := begin(e, "isogenyAsm", "(p, q *[3]Fp, k *[53]Fp, t *[24]Fp)", 4, false)
	out, q, k, t := arg(0), arg(1), arg(2), arg(3)
	x, y, z := q.at(0), q.at(1), q.at(2)
	p.given(q, 3, jacobianBound)
	p.given(k, 53, 1)
	power := func(i int) operand { return t.at(i - 1) } // Z^2i
	p.mul(power(1), z, z, tail{})
	for i := 2; i < 16; i++ {
		p.mul(power(i), power(i/2), power(i-i/2), tail{})
	}
	values := t.at(15)
	for i := range isogeny {
		n := len(isogeny[i])
		v := values.at(i)
		degree := n
		if monic := i%2 == 1; monic {
			p.mul(v, k.at(n-1), power(1), tail{terms: []term{{1, x}}})
		} else {
			degree = n - 1
			p.sum(v, [][2]operand{{k.at(n - 1), x}, {k.at(n - 2), power(1)}}, nil, tail{})
			n--
		}
		for j := n - 2; j >= 0; j-- {
			p.sum(v, [][2]operand{{v, x}, {k.at(j), power(degree - j)}}, nil, tail{})
		}
		k = k.at(len(isogeny[i]))
	}
	xn, xd, yn, yd := values.at(0), values.at(1), values.at(2), values.at(3)
	d, w := values.at(4), values.at(5)
	p.mul(d, xd, yd, tail{})
	p.mul(out.at(2), d, z, tail{}) // Z₃ = x_d·y_d·Z
	p.mul(w, xn, yd, tail{})
	p.mul(out.at(0), w, d, tail{}) // X₃ = x_n·x_d·y_d²
	p.mul(w, d, d, tail{})
	p.mul(w, w, xd, tail{})
	p.mul(w, w, yn, tail{})
	p.mul(out.at(1), w, y, tail{}) // Y₃ = Y·y_n·x_d³·y_d²
	p.ensure(out, 3, jacobianBound)
	p.end(false)
}

// emitAffine: q = (X/Z², Y/Z³) for inv = 1/Z, over Fp2 for inv = 1/(Z₀² + Z₁²).
func emitAffine(e *emitter) {
	p := begin(e, "g1AffineAsm", "(q *[2]Fp, p *[3]Fp, inv, t *Fp)", 4, false)
	q, acc, inv, t := arg(0), arg(1), arg(2), arg(3)
	p.given(acc, 3, jacobianBound)
	p.given(inv, 1, affineBound)
	p.mul(t, inv, inv, tail{})
	p.mul(q.at(0), acc.at(0), t, tail{})
	p.mul(t, t, inv, tail{})
	p.mul(q.at(1), acc.at(1), t, tail{})
	p.end(false)

	p = begin(e, "g2AffineAsm", "(q *[4]Fp, p *[6]Fp, inv *Fp, t *[6]Fp)", 4, false)
	q, acc, inv, t = arg(0), arg(1), arg(2), arg(3)
	z := acc.at2(2)
	p.given(acc, 6, jacobianBound)
	p.given(inv, 1, affineBound)
	u, v, tmp := t.at2(0), t.at2(1), t.at2(2)
	p.mul(u.c0(), z.c0(), inv, tail{})
	p.mul(u.c1(), z.c1(), inv, tail{scale: -1})
	p.sqr2(v, u, tail{}, tmp)
	p.mul2(q.at2(0), acc.at2(0), v, tail{}, tmp)
	p.mul2(v, v, u, tail{}, tmp)
	p.mul2(q.at2(1), acc.at2(1), v, tail{}, tmp)
	p.end(false)
}

// Coefficients of the curve y² = x³ + Ax + B that the map reaches first (RFC 9380, 8.8.1).
const (
	isogenousA = "144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1d"
	isogenousB = "12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0"
)

// emitHashConstants writes the Go tables of the map and of the isogeny.
func emitHashConstants(e *emitter, mont func(*big.Int) *big.Int) {
	p := modulus()
	hex := func(s string) *big.Int { x, _ := new(big.Int).SetString(s, 16); return x }
	a := hex(isogenousA)
	root := new(big.Int).ModSqrt(new(big.Int).Sub(p, big.NewInt(11)), p)
	e.table("mapLimbs", "1, A, −A, B, 11, √−11 of the map to the isogenous curve", []*big.Int{
		mont(big.NewInt(1)), mont(a), mont(new(big.Int).Sub(p, a)), mont(hex(isogenousB)), mont(big.NewInt(11)), mont(root),
	})
	var k []*big.Int
	for _, polynomial := range isogeny {
		for _, c := range polynomial {
			k = append(k, mont(hex(c)))
		}
	}
	e.table("isogenyLimbs", "the coefficients of the isogeny: numerator and denominator of x, then of y", k)
}

// table writes a list of elements as 52-bit limbs.
func (e *emitter) table(name, doc string, values []*big.Int) {
	e.line("\n// %s lists %s.", name, doc)
	e.line("var %s = [...][8]uint64{", name)
	for _, x := range values {
		e.buf.WriteString("\t{")
		for i, w := range split(x) {
			if i > 0 {
				e.buf.WriteString(", ")
			}
			e.buf.WriteString(hexWord(w))
		}
		e.line("},")
	}
	e.line("}")
}
