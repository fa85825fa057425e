//go:build !purego

package edwards

import "golang.org/x/sys/cpu"

// hasADX selects the assembly, which needs MULX, ADCX and ADOX (Intel since 2014, AMD since 2017). Tests clear it to
// run everything on the generic code too.
var hasADX = cpu.X86.HasBMI2 && cpu.X86.HasADX

//go:noescape
func mulADX(v, a, b *element)

//go:noescape
func squareN2ADX(v, x *[2]element, n int)

//go:noescape
func addAffineADX(p *extended, q *Point)

//go:noescape
func subAffineADX(p *extended, q *Point)

//go:noescape
func addCachedADX(p *extended, q *cached)

//go:noescape
func subCachedADX(p *extended, q *cached)

//go:noescape
func doubleADX(p *extended)

// mul sets v = a·b.
func mul(v, a, b *element) {
	if hasADX {
		mulADX(v, a, b)
		return
	}
	mulGeneric(v, a, b)
}

// squareN2 sets v to x^(2ⁿ) for each of the two x. Requires n > 0.
func squareN2(v, x *[2]element, n int) {
	if hasADX {
		squareN2ADX(v, x, n)
		return
	}
	squareNGeneric(&v[0], &x[0], n)
	squareNGeneric(&v[1], &x[1], n)
}

func (p *extended) addAffine(q *Point) {
	if hasADX {
		addAffineADX(p, q)
		return
	}
	p.addAffineGeneric(q)
}

func (p *extended) subAffine(q *Point) {
	if hasADX {
		subAffineADX(p, q)
		return
	}
	p.subAffineGeneric(q)
}

func (p *extended) addCached(q *cached) {
	if hasADX {
		addCachedADX(p, q)
		return
	}
	p.addCachedGeneric(q)
}

func (p *extended) subCached(q *cached) {
	if hasADX {
		subCachedADX(p, q)
		return
	}
	p.subCachedGeneric(q)
}

func (p *extended) double() {
	if hasADX {
		doubleADX(p)
		return
	}
	p.doubleGeneric()
}
