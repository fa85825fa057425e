//go:build cgo && !purego

// Package blst is the curve backend over blst. It needs cgo.
//
// Package backend documents the functions; this one and its sibling gnark have the same.
package blst

import (
	"unsafe"

	"github.com/supranational/blst/bindings/go"

	"github.com/stmverify/stmverify/internal/bls12381"
)

// Name is the library and the version this package was written for.
const Name = "blst v0.3.17"

// GT is an element of Fp¹² before the final exponentiation.
type GT = blst.Fp12

// SecretKey is a scalar.
type SecretKey struct{ s blst.SecretKey }

// The layouts agree, see package bls12381; these lines do not compile when the sizes differ.
var (
	_ [unsafe.Sizeof(blst.P1Affine{})]byte = [unsafe.Sizeof(bls12381.G1{})]byte{}
	_ [unsafe.Sizeof(blst.P2Affine{})]byte = [unsafe.Sizeof(bls12381.G2{})]byte{}
)

func g1(p *bls12381.G1) *blst.P1Affine { return (*blst.P1Affine)(unsafe.Pointer(p)) }
func g2(p *bls12381.G2) *blst.P2Affine { return (*blst.P2Affine)(unsafe.Pointer(p)) }

// DecodeG1 decodes what [bls12381.CheckEncoding] accepted.
func DecodeG1(p *bls12381.G1, b *[bls12381.G1Size]byte) bls12381.Status {
	var q bls12381.G1
	if g1(&q).Uncompress(b[:]) == nil {
		if isZeroX(b) {
			return bls12381.NotInSubgroup // (0, ±2) has order 3; blst's decoder refuses it already.
		}
		return bls12381.NotOnCurve
	}
	if !g1(&q).InG1() {
		return bls12381.NotInSubgroup
	}
	*p = q
	return bls12381.OK
}

func isZeroX(b *[bls12381.G1Size]byte) bool {
	x := *b
	x[0] &= 0x1f
	return x == [bls12381.G1Size]byte{}
}

// DecodeG2 decodes what [bls12381.CheckEncoding] accepted.
func DecodeG2(p *bls12381.G2, b *[bls12381.G2Size]byte) bls12381.Status {
	var q bls12381.G2
	if g2(&q).Uncompress(b[:]) == nil {
		return bls12381.NotOnCurve
	}
	if !g2(&q).InG2() {
		return bls12381.NotInSubgroup
	}
	*p = q
	return bls12381.OK
}

// EncodeG1 returns the compressed encoding.
func EncodeG1(p *bls12381.G1) [bls12381.G1Size]byte {
	return [bls12381.G1Size]byte(g1(p).Compress())
}

// EncodeG2 returns the compressed encoding.
func EncodeG2(p *bls12381.G2) [bls12381.G2Size]byte {
	return [bls12381.G2Size]byte(g2(p).Compress())
}

// HashToG1 hashes msg with the suite BLS12381G1_XMD:SHA-256_SSWU_RO_ and an empty domain separation tag.
func HashToG1(p *bls12381.G1, msg []byte) {
	*g1(p) = *blst.HashToG1(msg, nil).ToAffine()
}

// MillerLoop returns the product of the Miller loops of (p[i], q[i]), which are not empty and of equal length.
//
// A pairing context is used because it shares the squarings of up to eight pairs on the caller's own thread; blst's
// function for many pairs starts goroutines of its own.
func MillerLoop(p []bls12381.G1, q []bls12381.G2) GT {
	ctx := blst.PairingCtx(true, nil)
	for i := range p {
		blst.PairingRawAggregate(ctx, g2(&q[i]), g1(&p[i]))
	}
	blst.PairingCommit(ctx)
	return *blst.PairingAsFp12(ctx)
}

// Mul sets z to x·y.
func Mul(z, x, y *GT) {
	r := *x
	r.MulAssign(y)
	*z = r
}

// FinalExpIsOne reports whether the final exponentiation maps f to one.
func FinalExpIsOne(f *GT) bool {
	one := blst.Fp12One()
	return blst.Fp12FinalVerify(f, &one)
}

// KeyGen derives a secret key from at least 32 bytes (KeyGen of the BLS draft, version 4, without key information).
func KeyGen(ikm []byte) SecretKey { return SecretKey{*blst.KeyGen(ikm)} }

// SecretKeyFromBytes reads 32 big-endian bytes and reports whether they are in [1, r).
func SecretKeyFromBytes(k *SecretKey, b *[32]byte) bool {
	return k.s.Deserialize(b[:]) != nil && k.s.Valid()
}

// SecretKeyBytes returns 32 big-endian bytes.
func SecretKeyBytes(k *SecretKey) [32]byte { return [32]byte(k.s.ToBEndian()) }

// Zeroize overwrites k.
func Zeroize(k *SecretKey) { k.s.Zeroize() }

// MulG1 sets p to k·q in constant time.
func MulG1(p, q *bls12381.G1, k *SecretKey) {
	var j blst.P1
	j.FromAffine(g1(q))
	*g1(p) = *j.MultAssign(&k.s).ToAffine()
}

// PublicKey sets p to k·g₂ in constant time.
func PublicKey(p *bls12381.G2, k *SecretKey) { g2(p).From(&k.s) }

// One returns the neutral element.
func One() GT { return blst.Fp12One() }
