// Package gnark is the curve backend over gnark-crypto. It needs no C compiler.
//
// Package backend documents the functions; this one and its sibling blst have the same.
package gnark

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"math/big"

	curve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/stmverify/stmverify/internal/bls12381"
)

// Name is the library and the version this package was written for.
const Name = "gnark-crypto v0.22.0"

// GT is an element of Fp¹² before the final exponentiation.
type GT = curve.GT

// SecretKey is a scalar.
type SecretKey struct{ s fr.Element }

// DecodeG1 decodes what [bls12381.CheckEncoding] accepted.
func DecodeG1(p *bls12381.G1, b *[bls12381.G1Size]byte) bls12381.Status {
	var q bls12381.G1
	if _, err := q.SetBytes(b[:]); err == nil {
		*p = q
		return bls12381.OK
	}
	// SetBytes reports the curve and the subgroup by text only, so the refused point is decoded once more.
	if err := curve.NewDecoder(bytes.NewReader(b[:]), curve.NoSubgroupChecks()).Decode(&q); err != nil {
		return bls12381.NotOnCurve
	}
	return bls12381.NotInSubgroup
}

// DecodeG2 decodes what [bls12381.CheckEncoding] accepted.
func DecodeG2(p *bls12381.G2, b *[bls12381.G2Size]byte) bls12381.Status {
	var q bls12381.G2
	if _, err := q.SetBytes(b[:]); err == nil {
		*p = q
		return bls12381.OK
	}
	if err := curve.NewDecoder(bytes.NewReader(b[:]), curve.NoSubgroupChecks()).Decode(&q); err != nil {
		return bls12381.NotOnCurve
	}
	return bls12381.NotInSubgroup
}

// EncodeG1 returns the compressed encoding.
func EncodeG1(p *bls12381.G1) [bls12381.G1Size]byte { return p.Bytes() }

// EncodeG2 returns the compressed encoding.
func EncodeG2(p *bls12381.G2) [bls12381.G2Size]byte { return p.Bytes() }

// HashToG1 hashes msg with the suite BLS12381G1_XMD:SHA-256_SSWU_RO_ and an empty domain separation tag.
func HashToG1(p *bls12381.G1, msg []byte) {
	q, err := curve.HashToG1(msg, nil)
	if err != nil {
		panic("gnark: " + err.Error()) // It fails only for tags of more than 255 bytes.
	}
	*p = q
}

// MillerLoop returns the product of the Miller loops of (p[i], q[i]), which are not empty and of equal length.
func MillerLoop(p []bls12381.G1, q []bls12381.G2) GT {
	f, err := curve.MillerLoop(p, q)
	if err != nil {
		panic("gnark: " + err.Error()) // It fails only for lengths that differ or are zero.
	}
	return f
}

// Mul sets z to x·y.
func Mul(z, x, y *GT) { z.Mul(x, y) }

// FinalExpIsOne reports whether the final exponentiation maps f to one.
func FinalExpIsOne(f *GT) bool {
	r := curve.FinalExponentiation(f)
	return r.IsOne()
}

// KeyGen derives a secret key from at least 32 bytes (KeyGen of the BLS draft, version 4, without key information).
func KeyGen(ikm []byte) SecretKey {
	const length = 48 // ceil(3 * ceil(log2 r) / 16), of the draft
	salt := []byte("BLS-SIG-KEYGEN-SALT-")
	for {
		digest := sha256.Sum256(salt)
		salt = digest[:]
		prk, err := hkdf.Extract(sha256.New, append(bytes.Clone(ikm), 0), salt)
		if err != nil {
			panic("gnark: " + err.Error()) // It fails only in FIPS mode for short keys; callers pass at least 32 bytes.
		}
		okm, err := hkdf.Expand(sha256.New, prk, string([]byte{0, length}), length)
		if err != nil {
			panic("gnark: " + err.Error()) // It fails only for lengths beyond 255 digests.
		}
		var k SecretKey
		k.s.SetBytes(okm)
		if !k.s.IsZero() {
			return k
		}
	}
}

// SecretKeyFromBytes reads 32 big-endian bytes and reports whether they are in [1, r).
func SecretKeyFromBytes(k *SecretKey, b *[32]byte) bool {
	return k.s.SetBytesCanonical(b[:]) == nil && !k.s.IsZero()
}

// SecretKeyBytes returns 32 big-endian bytes.
func SecretKeyBytes(k *SecretKey) [32]byte { return k.s.Bytes() }

// Zeroize overwrites k.
func Zeroize(k *SecretKey) { k.s.SetZero() }

// MulG1 sets p to k·q. It runs in variable time: gnark-crypto has no other.
func MulG1(p, q *bls12381.G1, k *SecretKey) {
	var s big.Int
	p.ScalarMultiplication(q, k.s.BigInt(&s))
	s.SetUint64(0)
}

// PublicKey sets p to k·g₂. It runs in variable time.
func PublicKey(p *bls12381.G2, k *SecretKey) {
	var s big.Int
	p.ScalarMultiplicationBase(k.s.BigInt(&s))
	s.SetUint64(0)
}

// One returns the neutral element.
func One() GT {
	var z GT
	z.SetOne()
	return z
}
