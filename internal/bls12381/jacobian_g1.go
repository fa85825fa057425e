package bls12381

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

// jacobianG1 is a point in Jacobian coordinates (X/Z², Y/Z³) of a curve y² = x³ + b; Z = 0 is the point at infinity, also
// the zero value. The formulas are complete: equal and opposite operands are recognised.
type jacobianG1 struct{ X, Y, Z fp.Element }

func (p *jacobianG1) isInfinity() bool { return p.Z.IsZero() }

// double sets p to 2p (dbl-2009-l of the Explicit-Formulas Database).
func (p *jacobianG1) double() {
	if p.isInfinity() {
		return
	}
	var a, b, c, d, e, f fp.Element
	a.Square(&p.X)
	b.Square(&p.Y)
	c.Square(&b)
	d.Add(&p.X, &b)
	d.Square(&d)
	d.Sub(&d, &a)
	d.Sub(&d, &c)
	d.Double(&d)
	e.Double(&a)
	e.Add(&e, &a)
	f.Square(&e)
	p.Z.Mul(&p.Y, &p.Z)
	p.Z.Double(&p.Z)
	p.X.Double(&d)
	p.X.Sub(&f, &p.X)
	c.Double(&c)
	c.Double(&c)
	c.Double(&c)
	p.Y.Sub(&d, &p.X)
	p.Y.Mul(&p.Y, &e)
	p.Y.Sub(&p.Y, &c)
}

// addSigned sets p to p + q, or to p - q.
func (p *jacobianG1) addSigned(q *G1, negative bool) {
	if !negative {
		p.add(q)
		return
	}
	n := *q
	n.Y.Neg(&q.Y)
	p.add(&n)
}

// add sets p to p + q (madd-2007-bl).
func (p *jacobianG1) add(q *G1) {
	if q.IsInfinity() {
		return
	}
	if p.isInfinity() {
		p.X, p.Y = q.X, q.Y
		p.Z.SetOne()
		return
	}
	var zz, u, s, h, r fp.Element
	zz.Square(&p.Z)
	u.Mul(&q.X, &zz)
	s.Mul(&q.Y, &p.Z)
	s.Mul(&s, &zz)
	h.Sub(&u, &p.X)
	r.Sub(&s, &p.Y)
	if h.IsZero() {
		p.equalX(&r)
		return
	}
	var hh, i, j, v fp.Element
	hh.Square(&h)
	i.Double(&hh)
	i.Double(&i)
	j.Mul(&h, &i)
	r.Double(&r)
	v.Mul(&p.X, &i)
	p.Z.Add(&p.Z, &h)
	p.Z.Square(&p.Z)
	p.Z.Sub(&p.Z, &zz)
	p.Z.Sub(&p.Z, &hh)
	p.finish(&r, &j, &v)
}

// addJacobian sets p to p + q (add-2007-bl).
func (p *jacobianG1) addJacobian(q *jacobianG1) {
	if q.isInfinity() {
		return
	}
	if p.isInfinity() {
		*p = *q
		return
	}
	var zz1, zz2, u1, u2, s1, s2, h, r fp.Element
	zz1.Square(&p.Z)
	zz2.Square(&q.Z)
	u1.Mul(&p.X, &zz2)
	u2.Mul(&q.X, &zz1)
	s1.Mul(&p.Y, &q.Z)
	s1.Mul(&s1, &zz2)
	s2.Mul(&q.Y, &p.Z)
	s2.Mul(&s2, &zz1)
	h.Sub(&u2, &u1)
	r.Sub(&s2, &s1)
	if h.IsZero() {
		p.equalX(&r)
		return
	}
	var i, j, v fp.Element
	i.Double(&h)
	i.Square(&i)
	j.Mul(&h, &i)
	r.Double(&r)
	v.Mul(&u1, &i)
	p.Z.Add(&p.Z, &q.Z)
	p.Z.Square(&p.Z)
	p.Z.Sub(&p.Z, &zz1)
	p.Z.Sub(&p.Z, &zz2)
	p.Z.Mul(&p.Z, &h)
	p.Y = s1
	p.finish(&r, &j, &v)
}

// finish computes the coordinates that both additions share: p.Y holds the first operand's Y.
func (p *jacobianG1) finish(r, j, v *fp.Element) {
	p.X.Square(r)
	p.X.Sub(&p.X, j)
	p.X.Sub(&p.X, v)
	p.X.Sub(&p.X, v)
	var t fp.Element
	t.Mul(&p.Y, j)
	t.Double(&t)
	p.Y.Sub(v, &p.X)
	p.Y.Mul(&p.Y, r)
	p.Y.Sub(&p.Y, &t)
}

// equalX sets p to the sum of p and a point with the same X, given the difference r of their Y: twice p or infinity.
func (p *jacobianG1) equalX(r *fp.Element) {
	if r.IsZero() {
		p.double()
		return
	}
	*p = jacobianG1{}
}

func (p *jacobianG1) affine() G1 { return toAffineG1([]jacobianG1{*p})[0] }

// toAffineG1 converts with one inversion for all.
func toAffineG1(p []jacobianG1) []G1 {
	out := make([]G1, len(p))
	inverses := make([]fp.Element, len(p))
	for i := range p {
		inverses[i] = p[i].Z
	}
	invertAllG1(inverses, make([]fp.Element, len(p)))
	for i := range p {
		var zz fp.Element
		zz.Square(&inverses[i])
		out[i].X.Mul(&p[i].X, &zz)
		zz.Mul(&zz, &inverses[i])
		out[i].Y.Mul(&p[i].Y, &zz)
	}
	return out
}

// invertAllG1 replaces every element that is not zero by its inverse, with one inversion and three
// multiplications each. prefix is scratch of the same length.
func invertAllG1(v, prefix []fp.Element) {
	var acc fp.Element
	acc.SetOne()
	for i := range v {
		prefix[i] = acc
		if !v[i].IsZero() {
			acc.Mul(&acc, &v[i])
		}
	}
	acc.Inverse(&acc)
	for i := len(v) - 1; i >= 0; i-- {
		if v[i].IsZero() {
			continue
		}
		var inverse fp.Element
		inverse.Mul(&acc, &prefix[i])
		acc.Mul(&acc, &v[i])
		v[i] = inverse
	}
}
