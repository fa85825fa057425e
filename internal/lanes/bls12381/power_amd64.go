//go:build amd64 && !purego && !nolanes

package bls12381

// groups is the number of lane groups that share one exponentiation.
const groups = 2

const rootWindow = 5

// An exponentiation raises elements to (p−3)/4: of x it is √x/x if x is a square, and its
// fourth power times x is 1/x.
type exponentiation struct {
	in    [groups]Fp
	root  [groups]Fp
	table [1 << (rootWindow - 1)][groups]Fp // x, x³, … x³¹
}

// power sets root to in^((p−3)/4) for n groups.
func (e *exponentiation) power(n int) {
	mul := func(z, x, y *[groups]Fp) {
		for i := range n {
			mulAsm(&z[i], &x[i], &y[i])
		}
	}
	square := func(z, x *[groups]Fp, k int) {
		if n == groups {
			sqrn2Asm(z, x, k)
			return
		}
		sqrnAsm(&z[0], &x[0], k)
	}
	e.table[0] = e.in
	square(&e.root, &e.in, 1)
	for i := 1; i < len(e.table); i++ {
		mul(&e.table[i], &e.table[i-1], &e.root)
	}
	e.root = e.table[rootSteps[0].power/2]
	for _, s := range rootSteps[1:] {
		square(&e.root, &e.root, int(s.squarings))
		if s.power > 0 {
			mul(&e.root, &e.root, &e.table[s.power/2])
		}
	}
}

// invert sets root to 1/in for n groups; the inverse of 0 is 0.
func (e *exponentiation) invert(n int) {
	e.power(n)
	for i := range n {
		sqrnAsm(&e.root[i], &e.root[i], 2)
		mulAsm(&e.root[i], &e.root[i], &e.in[i])
	}
}
