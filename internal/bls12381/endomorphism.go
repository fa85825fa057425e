package bls12381

import "github.com/consensys/gnark-crypto/ecc/bls12-381/fp"

// Both groups carry an endomorphism that multiplies by a power of the curve's parameter x = -0xd201000000010000 and
// costs one or two field multiplications:
//
//	G1: σ(X, Y) = (β·X, -Y)      acts as [x²]: φ(X, Y) = (β·X, Y) has the eigenvalue -x², a root of t² + t + 1
//	G2: ψ²(X, Y) = (γ·X, -Y)     acts as [x²]: ψ, untwist-Frobenius-twist, acts as [p] = [x]
//
// Here β and γ are the two primitive cube roots of one in Fp. TestEndomorphisms checks the eigenvalues.

// lambdaG1 and lambdaG2 are β and γ.
var (
	lambdaG1 = mustElement("793479390729215512621379701633421447060886740281060493010456487427281649075476305620758731620350")
	lambdaG2 = mustElement("4002409555221667392624310435006688643935503118305586438271171395842971157480381377015405980053539358417135540939436")
)

func mustElement(s string) fp.Element {
	e, err := new(fp.Element).SetString(s)
	if err != nil {
		panic(err) // A constant of this file is not a number.
	}
	return *e
}

// mulX2G1 sets p to [x²]q.
func mulX2G1(p, q *G1) {
	p.X.Mul(&q.X, &lambdaG1)
	p.Y.Neg(&q.Y)
}

// mulX2G2 sets p to [x²]q.
func mulX2G2(p, q *G2) {
	p.X.A0.Mul(&q.X.A0, &lambdaG2)
	p.X.A1.Mul(&q.X.A1, &lambdaG2)
	p.Y.Neg(&q.Y)
}
