package ed25519

import (
	std "crypto/ed25519"
	"crypto/sha512"

	"github.com/oasisprotocol/curve25519-voi/curve"
	"github.com/oasisprotocol/curve25519-voi/curve/scalar"

	"github.com/stmverify/stmverify/internal/lanes/curve25519"
)

// Verify returns nil if sig is a signature of message under publicKey by the rules of mode, and otherwise the first
// reason against it: one of the errors of this package, each of which wraps verdict.ErrInvalid, or [ErrMode].
//
// It neither keeps nor changes its arguments and is safe for concurrent use. A valid signature costs no allocation.
// [Strict] costs what crypto/ed25519 costs and two comparisons, or half of it with AVX-512.
func Verify(mode Mode, publicKey, message, sig []byte) error {
	if err := checkEncoding(mode, publicKey, sig); err != nil {
		return err
	}
	if mode == Strict || mode == StdLib {
		return verifyCofactorless(publicKey, message, sig)
	}
	return verifyCofactored(publicKey, message, sig)
}

// verifyCofactorless checks S·B = R + k·A with the standard library, which recomputes R and compares its encoding, or
// by the same rule with AVX-512. Requires checked encodings.
func verifyCofactorless(publicKey, message, sig []byte) error {
	if curve25519.Available() {
		if curve25519.VerifyOne(itemOf(publicKey, message, sig), false) {
			return nil
		}
	} else if std.Verify(publicKey, message, sig) {
		return nil
	}
	// Neither says why. Only the failure pays for finding out.
	return cofactorlessReason(publicKey)
}

// cofactorlessReason returns the reason against a signature that failed, given that its encodings are right.
func cofactorlessReason(publicKey []byte) error {
	var a curve.EdwardsPoint
	if !decode(&a, publicKey) {
		return ErrPublicKeyNotOnCurve
	}
	return ErrEquation
}

// verifyCofactored checks 8·S·B = 8·R + 8·k·A. Requires checked encodings.
func verifyCofactored(publicKey, message, sig []byte) error {
	if cofactoredHolds(publicKey, message, sig) {
		return nil
	}
	var p curve.EdwardsPoint
	switch {
	case !decode(&p, publicKey):
		return ErrPublicKeyNotOnCurve
	case !decode(&p, sig[:32]):
		return ErrNonceNotOnCurve
	}
	return ErrEquation
}

// cofactoredHolds reports whether key and nonce encode points for which the equation holds.
func cofactoredHolds(publicKey, message, sig []byte) bool {
	if curve25519.Available() {
		return curve25519.VerifyOneCofactored(itemOf(publicKey, message, sig))
	}
	var a, r, diff curve.EdwardsPoint
	if !decode(&a, publicKey) || !decode(&r, sig[:32]) {
		return false
	}
	var s, k scalar.Scalar
	hash := challenge(publicKey, message, sig)
	_, errS := s.SetBits(sig[32:])
	_, errK := k.SetBytesModOrderWide(hash[:])
	// The sum comes out multiplied by an unknown number that is invertible modulo L, which matters neither for the
	// component of order L nor, after the multiplication by 8, for the one of small order.
	return errS == nil && errK == nil && diff.TripleScalarMulBasepointVartime(&k, a.Neg(&a), &s, &r).IsSmallOrder()
}

// itemOf returns a signature as the lanes take it. Requires checked encodings.
func itemOf(publicKey, message, sig []byte) *curve25519.Item {
	return &curve25519.Item{
		Key:       (*[PublicKeySize]byte)(publicKey),
		Signature: (*[SignatureSize]byte)(sig),
		Message:   message,
	}
}

// decode sets p to the point that the 32 bytes of encoding stand for under the rule of ZIP 215.
func decode(p *curve.EdwardsPoint, encoding []byte) bool {
	y := curve.CompressedEdwardsY(encoding)
	_, err := p.SetCompressedY(&y)
	return err == nil
}

// challenge returns SHA-512(R || A || message), with R and A as received.
func challenge(publicKey, message, sig []byte) (hash [64]byte) {
	h := sha512.New()
	h.Write(sig[:32])
	h.Write(publicKey)
	h.Write(message)
	h.Sum(hash[:0])
	return hash
}
