//go:build !purego

package edwards

import (
	"math/rand/v2"
	"testing"
)

func hasAssembly() bool { return hasADX }

// disableAssembly switches to the generic code and returns the function that switches back.
func disableAssembly() func() {
	old := hasADX
	hasADX = false
	return func() { hasADX = old }
}

// TestAssemblyFormulas compares the assembly of each formula with the generic code, coordinate by coordinate, on
// coordinates with extreme words. They belong to no point, which does not matter: both compute the same polynomials.
func TestAssemblyFormulas(t *testing.T) {
	if !hasADX {
		t.Skip("this CPU lacks ADX")
	}
	r := rand.New(rand.NewPCG(21, 22))
	sparse := sparseElements()
	next := func() element {
		if r.IntN(2) == 0 {
			return sparse[r.IntN(len(sparse))]
		}
		return randomElement(r)
	}
	for range 20_000 {
		p := extended{next(), next(), next(), next()}
		q := Point{next(), next(), next()}
		c := cached{next(), next(), next(), next()}
		for name, run := range map[string]func(p *extended, assembly bool){
			"addAffine": func(p *extended, assembly bool) {
				if assembly {
					addAffineADX(p, &q)
				} else {
					p.addAffineGeneric(&q)
				}
			},
			"subAffine": func(p *extended, assembly bool) {
				if assembly {
					subAffineADX(p, &q)
				} else {
					p.subAffineGeneric(&q)
				}
			},
			"addCached": func(p *extended, assembly bool) {
				if assembly {
					addCachedADX(p, &c)
				} else {
					p.addCachedGeneric(&c)
				}
			},
			"subCached": func(p *extended, assembly bool) {
				if assembly {
					subCachedADX(p, &c)
				} else {
					p.subCachedGeneric(&c)
				}
			},
			"double": func(p *extended, assembly bool) {
				if assembly {
					doubleADX(p)
				} else {
					p.doubleGeneric()
				}
			},
		} {
			got, want := p, p
			run(&got, true)
			run(&want, false)
			if !got.x.equal(&want.x) || !got.y.equal(&want.y) || !got.z.equal(&want.z) || !got.t.equal(&want.t) {
				t.Fatalf("%s of %x with %x or %x: got %x, want %x", name, p, q, c, got, want)
			}
		}
	}
}
