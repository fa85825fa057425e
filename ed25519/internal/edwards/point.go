package edwards

// Point is a decoded point of the curve, in the form in which it is added cheapest: y+x, y-x and 2·d·x·y of its affine
// coordinates. The zero value is not a point; [Decode] and [Identity] make one.
type Point struct {
	yPlusX, yMinusX, t2d element
}

// Identity is the neutral element.
var Identity = Point{yPlusX: one, yMinusX: one}

// basepoint is the generator B: y = 4/5, x even.
var basepoint = func() Point {
	y := [32]byte{0: 0x58}
	for i := 1; i < len(y); i++ {
		y[i] = 0x66
	}
	var b Point
	Decode(&b, &y)
	return b
}()

// extended is a point (X/Z, Y/Z) with T = X·Y/Z.
type extended struct {
	x, y, z, t element
}

// cached is a point with Z != 1 prepared for addition.
type cached struct {
	yPlusX, yMinusX, z2, t2d element
}

var identity = extended{y: one, z: one}

// negate sets p to -p.
func (p *Point) negate() {
	p.yPlusX, p.yMinusX = p.yMinusX, p.yPlusX
	p.t2d.neg(&p.t2d)
}

// Decode sets p to the point that encoding stands for and reports whether there is one, by the rule of ZIP 215: the low
// 255 bits are y, which may be p or more; the high bit is the low bit of x, and is ignored when x = 0. On false p is
// [Identity].
func Decode(p *Point, encoding *[32]byte) bool {
	ok, _ := DecodePair(p, p, encoding, encoding)
	return ok
}

// DecodePair is two calls of [Decode] for less than the price of two: the two exponentiations overlap.
func DecodePair(p, q *Point, pEncoding, qEncoding *[32]byte) (pOK, qOK bool) {
	var y, u, v, v3, r, x11 [2]element
	y[0].setBytes(pEncoding[:])
	y[1].setBytes(qEncoding[:])
	for i := range y {
		mul(&v[i], &y[i], &y[i])
		u[i].sub(&v[i], &one) // u = y² - 1
		mul(&v[i], &v[i], &d)
		v[i].add(&v[i], &one) // v = d·y² + 1
	}
	// x = u·v³·(u·v⁷)^((p-5)/8) is a square root of u/v or of i·u/v, if either exists.
	mul2(&v3, &v, &v)
	mul2(&v3, &v3, &v)
	mul2(&r, &v3, &v3)
	mul2(&r, &r, &v)
	mul2(&r, &r, &u)
	base := r
	power250(&r, &r, &x11)
	squareN2(&r, &r, 2)
	mul2(&r, &r, &base) // ^(2²⁵² - 3)
	mul2(&r, &r, &v3)
	mul2(&r, &r, &u)
	pOK = p.setRoot(&r[0], &y[0], &u[0], &v[0], pEncoding[31]>>7)
	qOK = q.setRoot(&r[1], &y[1], &u[1], &v[1], qEncoding[31]>>7)
	return pOK, qOK
}

// setRoot finishes the decoding: x is a candidate for the square root of u/v, and sign the wanted low bit.
func (p *Point) setRoot(x, y, u, v *element, sign byte) bool {
	*p = Identity
	var check, minus element
	mul(&check, x, x)
	mul(&check, &check, v)
	if !check.equal(u) {
		minus.neg(u)
		if !check.equal(&minus) {
			return false
		}
		mul(x, x, &sqrtM1)
	}
	x.reduce()
	if byte(x[0]&1) != sign {
		x.neg(x)
	}
	p.yPlusX.add(y, x)
	p.yMinusX.sub(y, x)
	mul(&p.t2d, x, y)
	mul(&p.t2d, &p.t2d, &d2)
	return true
}

// setAffine sets p to q, with Z = 2.
func (p *extended) setAffine(q *Point) {
	p.x.sub(&q.yPlusX, &q.yMinusX)
	p.y.add(&q.yPlusX, &q.yMinusX)
	p.z = element{2}
	mul(&p.t, &q.t2d, &invD)
}

// addAffineGeneric sets p = p + q.
func (p *extended) addAffineGeneric(q *Point) {
	var a, b, c, d element
	a.sub(&p.y, &p.x)
	mul(&a, &a, &q.yMinusX)
	b.add(&p.y, &p.x)
	mul(&b, &b, &q.yPlusX)
	mul(&c, &p.t, &q.t2d)
	d.add(&p.z, &p.z)
	p.complete(&a, &b, &c, &d)
}

// subAffineGeneric sets p = p - q.
func (p *extended) subAffineGeneric(q *Point) {
	var a, b, c, d element
	a.sub(&p.y, &p.x)
	mul(&a, &a, &q.yPlusX)
	b.add(&p.y, &p.x)
	mul(&b, &b, &q.yMinusX)
	mul(&c, &p.t, &q.t2d)
	c.neg(&c)
	d.add(&p.z, &p.z)
	p.complete(&a, &b, &c, &d)
}

// addCachedGeneric sets p = p + q.
func (p *extended) addCachedGeneric(q *cached) {
	var a, b, c, d element
	a.sub(&p.y, &p.x)
	mul(&a, &a, &q.yMinusX)
	b.add(&p.y, &p.x)
	mul(&b, &b, &q.yPlusX)
	mul(&c, &p.t, &q.t2d)
	mul(&d, &p.z, &q.z2)
	p.complete(&a, &b, &c, &d)
}

// subCachedGeneric sets p = p - q.
func (p *extended) subCachedGeneric(q *cached) {
	var a, b, c, d element
	a.sub(&p.y, &p.x)
	mul(&a, &a, &q.yPlusX)
	b.add(&p.y, &p.x)
	mul(&b, &b, &q.yMinusX)
	mul(&c, &p.t, &q.t2d)
	c.neg(&c)
	mul(&d, &p.z, &q.z2)
	p.complete(&a, &b, &c, &d)
}

// complete is the second half of an addition (Hisil, Wong, Carter, Dawson 2008, section 3.1, a = -1).
func (p *extended) complete(a, b, c, d *element) {
	var e, f, g, h element
	e.sub(b, a)
	f.sub(d, c)
	g.add(d, c)
	h.add(b, a)
	mul(&p.x, &e, &f)
	mul(&p.y, &g, &h)
	mul(&p.t, &e, &h)
	mul(&p.z, &f, &g)
}

// doubleGeneric sets p = 2·p.
func (p *extended) doubleGeneric() {
	var a, b, c, e, f, g, h element
	mul(&a, &p.x, &p.x)
	mul(&b, &p.y, &p.y)
	mul(&c, &p.z, &p.z)
	c.add(&c, &c)
	e.add(&p.x, &p.y)
	mul(&e, &e, &e)
	h.add(&a, &b)
	e.sub(&h, &e)
	g.sub(&a, &b)
	f.add(&c, &g)
	mul(&p.x, &e, &f)
	mul(&p.y, &g, &h)
	mul(&p.t, &e, &h)
	mul(&p.z, &f, &g)
}

// add sets p = p + q.
func (p *extended) add(q *extended) {
	var c cached
	c.set(q)
	p.addCached(&c)
}

// set prepares p for additions.
func (c *cached) set(p *extended) {
	c.yPlusX.add(&p.y, &p.x)
	c.yMinusX.sub(&p.y, &p.x)
	c.z2.add(&p.z, &p.z)
	mul(&c.t2d, &p.t, &d2)
}

// isSmallOrder reports whether 8·p is the identity. The order of 8·p divides L, so that x = 0 alone would do.
func (p *extended) isSmallOrder() bool {
	q := *p
	q.double()
	q.double()
	q.double()
	return q.x.equal(&zero) && q.y.equal(&q.z)
}
