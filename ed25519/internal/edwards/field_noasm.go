//go:build !amd64 || purego

package edwards

func mul(v, a, b *element) { mulGeneric(v, a, b) }

// squareN2 sets v to x^(2ⁿ) for each of the two x. Requires n > 0.
func squareN2(v, x *[2]element, n int) {
	squareNGeneric(&v[0], &x[0], n)
	squareNGeneric(&v[1], &x[1], n)
}

func (p *extended) addAffine(q *Point)  { p.addAffineGeneric(q) }
func (p *extended) subAffine(q *Point)  { p.subAffineGeneric(q) }
func (p *extended) addCached(q *cached) { p.addCachedGeneric(q) }
func (p *extended) subCached(q *cached) { p.subCachedGeneric(q) }
func (p *extended) double()             { p.doubleGeneric() }
