package multisig

import (
	"fmt"

	"github.com/stmverify/stmverify/internal/bls12381"
	"github.com/stmverify/stmverify/verdict"
)

// Why an encoding or a claim is refused. All are of the class [verdict.ErrInvalid].
var (
	ErrLength        = verdict.Sentinel(verdict.ErrInvalid, "wrong length")
	ErrNotCanonical  = verdict.Sentinel(verdict.ErrInvalid, "encoding is not canonical")
	ErrInfinity      = verdict.Sentinel(verdict.ErrInvalid, "point at infinity")
	ErrNotOnCurve    = verdict.Sentinel(verdict.ErrInvalid, "not on the curve")
	ErrNotInSubgroup = verdict.Sentinel(verdict.ErrInvalid, "not in the subgroup of order r")
	ErrSignature     = verdict.Sentinel(verdict.ErrInvalid, "signature does not verify")
	ErrPossession    = verdict.Sentinel(verdict.ErrInvalid, "proof of possession does not verify")
	ErrSecretKey     = verdict.Sentinel(verdict.ErrInvalid, "secret key is not in [1, r)")
	ErrEmpty         = verdict.Sentinel(verdict.ErrInvalid, "nothing to verify")
	ErrZeroValue     = verdict.Sentinel(verdict.ErrInvalid, "zero value holds no point")
)

// PointError says which of several encoded points was refused, and why.
type PointError struct {
	Kind     string // "signature", "verification key" or "proof of possession"
	Position int    // among those decoded together, from 0
	Err      error  // one of the sentinels of this package
}

func (e *PointError) Error() string {
	return fmt.Sprintf("multisig: %s %d: %v", e.Kind, e.Position, e.Err)
}

// Unwrap returns the reason.
func (e *PointError) Unwrap() error { return e.Err }

// statusError translates what a backend says of a point.
func statusError(s bls12381.Status) error {
	switch s {
	case bls12381.OK:
		return nil
	case bls12381.Infinity:
		return ErrInfinity
	case bls12381.NotOnCurve:
		return ErrNotOnCurve
	case bls12381.NotInSubgroup:
		return ErrNotInSubgroup
	}
	return ErrNotCanonical
}

func lengthError(kind string, got, want int) error {
	return fmt.Errorf("multisig: %s: %w: got %d bytes, want %d", kind, ErrLength, got, want)
}
