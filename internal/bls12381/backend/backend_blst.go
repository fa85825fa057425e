//go:build cgo && !purego

package backend

import (
	"github.com/stmverify/stmverify/internal/bls12381"
	impl "github.com/stmverify/stmverify/internal/bls12381/blst"
)

// Name is the library that serves this build, with the version it was written for.
const Name = impl.Name

// GT is an element of Fp¹² before the final exponentiation. Values of different backends do not mix.
type GT = impl.GT

// SecretKey is a scalar in [1, r).
type SecretKey = impl.SecretKey

func decodeG1(p *bls12381.G1, b *[bls12381.G1Size]byte) bls12381.Status { return impl.DecodeG1(p, b) }
func decodeG2(p *bls12381.G2, b *[bls12381.G2Size]byte) bls12381.Status { return impl.DecodeG2(p, b) }

// EncodeG1 returns the compressed encoding of p.
func EncodeG1(p *bls12381.G1) [bls12381.G1Size]byte { return impl.EncodeG1(p) }

// EncodeG2 returns the compressed encoding of p.
func EncodeG2(p *bls12381.G2) [bls12381.G2Size]byte { return impl.EncodeG2(p) }

// HashToG1 sets p to the hash of msg: suite BLS12381G1_XMD:SHA-256_SSWU_RO_ with an empty domain separation tag, as
// SPEC 4 has it (RFC 9380 section 3.1 wants a tag that is not empty).
func HashToG1(p *bls12381.G1, msg []byte) { impl.HashToG1(p, msg) }

func millerLoop(p []bls12381.G1, q []bls12381.G2) GT { return impl.MillerLoop(p, q) }

// Mul sets z to x·y.
func Mul(z, x, y *GT) { impl.Mul(z, x, y) }

// FinalExpIsOne reports whether the final exponentiation maps f to one.
func FinalExpIsOne(f *GT) bool { return impl.FinalExpIsOne(f) }

// KeyGen derives a secret key from at least 32 bytes (KeyGen of draft-irtf-cfrg-bls-signature, no key information).
func KeyGen(ikm []byte) SecretKey { return impl.KeyGen(ikm) }

// SecretKeyFromBytes reads 32 big-endian bytes and reports whether they are in [1, r).
func SecretKeyFromBytes(k *SecretKey, b *[32]byte) bool { return impl.SecretKeyFromBytes(k, b) }

// SecretKeyBytes returns 32 big-endian bytes.
func SecretKeyBytes(k *SecretKey) [32]byte { return impl.SecretKeyBytes(k) }

// Zeroize overwrites k.
func Zeroize(k *SecretKey) { impl.Zeroize(k) }

// MulG1 sets p to k·q: in constant time with blst, in variable time with gnark-crypto.
func MulG1(p, q *bls12381.G1, k *SecretKey) { impl.MulG1(p, q, k) }

// PublicKey sets p to k·g₂: in constant time with blst, in variable time with gnark-crypto.
func PublicKey(p *bls12381.G2, k *SecretKey) { impl.PublicKey(p, k) }

// One returns the neutral element.
func One() GT { return impl.One() }
