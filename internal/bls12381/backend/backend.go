// Package backend is the curve backend of this build: blst with cgo, gnark-crypto without cgo or with the tag purego.
//
// Both have the same functions over the same point types (package bls12381), so that nothing above this package knows
// which of them runs. The functions start no goroutines and are safe for concurrent use.
package backend

import "github.com/stmverify/stmverify/internal/bls12381"

// DecodeG1 sets p to the point with the compressed encoding b and returns [bls12381.OK] when the encoding is canonical
// and the point is in the subgroup and is not the point at infinity. Otherwise p is unchanged.
func DecodeG1(p *bls12381.G1, b *[bls12381.G1Size]byte) bls12381.Status {
	if s := bls12381.CheckEncoding(b[:]); s != bls12381.OK {
		return s
	}
	return decodeG1(p, b)
}

// DecodeG2 is DecodeG1 for the other group.
func DecodeG2(p *bls12381.G2, b *[bls12381.G2Size]byte) bls12381.Status {
	if s := bls12381.CheckEncoding(b[:]); s != bls12381.OK {
		return s
	}
	return decodeG2(p, b)
}

// MillerLoop returns the product of the Miller loops of (p[i], q[i]) and how many it computed. A pair with the point at
// infinity contributes one. The slices have equal length and are not modified.
func MillerLoop(p []bls12381.G1, q []bls12381.G2) (GT, int) {
	for i := range p {
		if p[i].IsInfinity() || q[i].IsInfinity() {
			return millerLoopFinite(p, q)
		}
	}
	if len(p) == 0 {
		return One(), 0
	}
	return millerLoops(p, q), len(p)
}

// millerLoopFinite is MillerLoop over the pairs without the point at infinity, on which the libraries differ.
func millerLoopFinite(p []bls12381.G1, q []bls12381.G2) (GT, int) {
	var fp []bls12381.G1
	var fq []bls12381.G2
	for i := range p {
		if !p[i].IsInfinity() && !q[i].IsInfinity() {
			fp, fq = append(fp, p[i]), append(fq, q[i])
		}
	}
	if len(fp) == 0 {
		return One(), 0
	}
	return millerLoops(fp, fq), len(fp)
}
