package merkle

import (
	"fmt"

	"github.com/stmverify/stmverify/verdict"
)

// What can be wrong with a tree or a path. All but [ErrTooManyLeaves] are [verdict.ErrInvalid].
var (
	ErrNoLeaves      = verdict.Sentinel(verdict.ErrInvalid, "tree without leaves")
	ErrTooManyLeaves = verdict.Sentinel(verdict.ErrLimit, "too many leaves in the tree")
	ErrNoIndices     = verdict.Sentinel(verdict.ErrInvalid, "path without indices")
	ErrIndexOrder    = verdict.Sentinel(verdict.ErrInvalid, "indices do not strictly increase")
	ErrIndexRange    = verdict.Sentinel(verdict.ErrInvalid, "index beyond the leaves")
	ErrLeafCount     = verdict.Sentinel(verdict.ErrInvalid, "as many leaves as indices are needed")
	ErrValueMissing  = verdict.Sentinel(verdict.ErrInvalid, "too few values")
	ErrValueUnused   = verdict.Sentinel(verdict.ErrInvalid, "value left over")
	ErrRootMismatch  = verdict.Sentinel(verdict.ErrInvalid, "path leads to another root")
)

// PathError says what is wrong with the shape of a tree or a path.
type PathError struct {
	Err error // one of the values above, but ErrRootMismatch
	// Position is the place in BatchPath.Indices, for ErrIndexOrder and ErrIndexRange, or in BatchPath.Values, for
	// ErrValueMissing and ErrValueUnused. It is -1 for the others.
	Position int
	// Got is the number found and Want the one it was compared with: the previous index, the number of leaves, the bound.
	Got, Want uint64
}

func (e *PathError) Error() string {
	switch e.Err {
	case ErrIndexOrder:
		return fmt.Sprintf("merkle: index %d: %v: got %d after %d", e.Position, e.Err, e.Got, e.Want)
	case ErrIndexRange:
		return fmt.Sprintf("merkle: index %d: %v: got %d, want less than %d", e.Position, e.Err, e.Got, e.Want)
	case ErrTooManyLeaves:
		return fmt.Sprintf("merkle: %v: got %d, want at most %d", e.Err, e.Got, e.Want)
	case ErrLeafCount:
		return fmt.Sprintf("merkle: %v: got %d, want %d", e.Err, e.Got, e.Want)
	case ErrValueMissing, ErrValueUnused:
		return fmt.Sprintf("merkle: value %d: %v", e.Position, e.Err)
	}
	return fmt.Sprintf("merkle: %v", e.Err)
}

// Unwrap returns e.Err.
func (e *PathError) Unwrap() error { return e.Err }

// RootMismatchError says that a well-formed path leads to another root.
type RootMismatchError struct{ Got, Want Hash }

func (e *RootMismatchError) Error() string {
	return fmt.Sprintf("merkle: %v: got %x, want %x", ErrRootMismatch, e.Got, e.Want)
}

// Unwrap returns [ErrRootMismatch].
func (e *RootMismatchError) Unwrap() error { return ErrRootMismatch }
