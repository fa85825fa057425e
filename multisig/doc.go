// Package multisig is the BLS multi-signature scheme of Mithril over BLS12-381: signatures in G1 (48 bytes), verification
// keys in G2 (96 bytes), messages hashed to G1 by BLS12381G1_XMD:SHA-256_SSWU_RO_ with an empty domain separation tag
// (SPEC 4).
//
// # Validated types
//
// A [Signature], a [VerificationKey] and a [ProofOfPossession] come from a decoder or from a [SigningKey] only. Each has a
// canonical encoding of exact length and its points are on the curve, in the subgroup of order r and not the point at
// infinity. So no function of this package takes a flag that says what to check. The zero values hold no point and are
// refused.
//
// # Claims
//
// A [Claim] states that every one of some signatures is valid for one message, each under its own key. A claim is verified
// by itself with [Claim.Verify], or prepared with [Claim.Prepare] and verified with many others by [VerifyPrepared]: one
// random linear combination, n+1 Miller loops and one final exponentiation for n claims. The verdict on a claim does not
// depend on the others, up to a probability of 2⁻¹²⁸ (SPEC 9.3, 11.5). Package batch drives this over a stream.
//
// Signatures are never added without coefficients: with a coefficient of one, keys that work together pass with
// signatures whose errors cancel (SPEC 9.2).
//
// # Backends, time, concurrency
//
// blst does the curve arithmetic when cgo is on, gnark-crypto otherwise or with the build tag purego; [Backend] tells
// which. Verification runs in variable time, its inputs are public. Signing runs in constant time with blst only. All
// types are safe for concurrent use once made.
package multisig

import "github.com/stmverify/stmverify/internal/bls12381/backend"

// Backend returns the name and the version of the curve library of this build, and whether points are also processed eight
// at a time (internal/lanes).
func Backend() string {
	if backend.Lanes() {
		return backend.Name + " with AVX-512 IFMA lanes"
	}
	return backend.Name
}
