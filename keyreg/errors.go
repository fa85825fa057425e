package keyreg

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/verdict"
)

// Why a party or a registration is refused. All but [ErrTooManyParties] and [ErrTooLarge] are [verdict.ErrInvalid].
var (
	ErrMalformed      = verdict.Sentinel(verdict.ErrInvalid, "malformed")
	ErrTooLarge       = verdict.Sentinel(verdict.ErrLimit, "too large")
	ErrTooManyParties = verdict.Sentinel(verdict.ErrLimit, "too many parties")
	ErrIncomplete     = verdict.Sentinel(verdict.ErrInvalid, "no key or no proof of possession")
	ErrDuplicateKey   = verdict.Sentinel(verdict.ErrInvalid, "key is registered already")
	ErrNotRegistered  = verdict.Sentinel(verdict.ErrInvalid, "not registered")
	ErrStakeOverflow  = verdict.Sentinel(verdict.ErrInvalid, "total stake exceeds 64 bits")
	ErrNoStake        = verdict.Sentinel(verdict.ErrInvalid, "total stake is 0")
	ErrClosed         = verdict.Sentinel(verdict.ErrInvalid, "registration is closed")
)

// Error says what was refused, and which party if it was one of several.
type Error struct {
	Position int // in the list that was given, or -1
	Err      error
}

func (e *Error) Error() string {
	if e.Position < 0 {
		return fmt.Sprintf("keyreg: %v", e.Err)
	}
	return fmt.Sprintf("keyreg: party %d: %v", e.Position, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// malformed returns err as [ErrMalformed], unless it is that already or has the class of limits.
func malformed(err error) error {
	if errors.Is(err, ErrMalformed) || errors.Is(err, verdict.ErrLimit) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrMalformed, err)
}
