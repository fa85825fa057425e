package multisig

import (
	"bytes"
	"fmt"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/internal/bls12381/backend"
)

// SignatureSize is the length in bytes of an encoded [Signature].
const SignatureSize = bls12381.G1Size

// Signature is a point of G1: in the subgroup, not at infinity, with its canonical encoding.
type Signature struct {
	point bls12381.G1
	enc   [SignatureSize]byte
}

// SignatureFromBytes decodes a compressed point of exactly [SignatureSize] bytes. The errors are [ErrLength],
// [ErrNotCanonical], [ErrInfinity], [ErrNotOnCurve] and [ErrNotInSubgroup]. It costs a square root and a multiplication by
// the curve's parameter.
func SignatureFromBytes(b []byte) (*Signature, error) {
	if len(b) != SignatureSize {
		return nil, lengthError("signature", len(b), SignatureSize)
	}
	s := new(Signature)
	if err := s.set(b); err != nil {
		return nil, fmt.Errorf("multisig: signature: %w", err)
	}
	return s, nil
}

func (s *Signature) set(b []byte) error {
	enc := [SignatureSize]byte(b)
	if err := statusError(backend.DecodeG1(&s.point, &enc)); err != nil {
		return err
	}
	s.enc = enc
	return nil
}

// DecodeSignatures decodes len(dst) compressed points from enc, which has exactly len(dst)·[SignatureSize] bytes. When a
// point is refused it returns a [*PointError] for the first one and dst is not to be used.
func DecodeSignatures(dst []Signature, enc []byte) error {
	if len(enc) != len(dst)*SignatureSize {
		return lengthError("signatures", len(enc), len(dst)*SignatureSize)
	}
	points := make([]bls12381.G1, len(dst))
	if i, status := backend.DecodeG1s(points, enc); i >= 0 {
		return &PointError{"signature", i, statusError(status)}
	}
	for i := range dst {
		dst[i] = Signature{points[i], [SignatureSize]byte(enc[i*SignatureSize:])}
	}
	return nil
}

// Bytes returns the canonical encoding.
func (s *Signature) Bytes() [SignatureSize]byte { return s.enc }

// AppendTo appends the canonical encoding to b.
func (s *Signature) AppendTo(b []byte) []byte { return append(b, s.enc[:]...) }

// Equal reports whether s and t are the same point.
func (s *Signature) Equal(t *Signature) bool { return s.enc == t.enc }

// Compare orders signatures by their encodings, as the reference's aggregation does (SPEC 12).
func (s *Signature) Compare(t *Signature) int { return bytes.Compare(s.enc[:], t.enc[:]) }

// isZero reports whether s is the zero value.
func (s *Signature) isZero() bool { return s.enc[0] == 0 }

// Verify returns nil when s is a valid signature of msg under key, and [ErrSignature] otherwise. It costs two Miller loops
// and one final exponentiation.
func (s *Signature) Verify(msg []byte, key *VerificationKey) error {
	claim, err := NewClaim(msg, []*VerificationKey{key}, []Signature{*s})
	if err != nil {
		return err
	}
	return claim.Verify()
}
