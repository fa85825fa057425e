package stm

import (
	"fmt"

	"github.com/stmverify/stmverify/verdict"
)

// Why an object is refused.
var (
	// ErrMalformed says that the bytes are not the encoding of the object.
	ErrMalformed = verdict.Sentinel(verdict.ErrInvalid, "malformed")
	// ErrTooLarge says that an object has more parts than internal/limits allows.
	ErrTooLarge = verdict.Sentinel(verdict.ErrLimit, "too large")
	// ErrUnsupportedProofType says that an aggregate signature is a SNARK or an IVC SNARK proof (SPEC 7, 10).
	ErrUnsupportedProofType = verdict.Sentinel(verdict.ErrUnsupported, "unsupported proof type")
	// ErrParameters says that protocol parameters are out of range.
	ErrParameters = verdict.Sentinel(verdict.ErrInvalid, "protocol parameters out of range")
)

// DecodeError says which part of an encoded object was refused.
type DecodeError struct {
	Object string // "aggregate signature", "aggregate verification key", …
	Place  string // path inside the object, as signatures[17].sigma; may be empty
	Err    error
}

func (e *DecodeError) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("stm: %s: %v", e.Object, e.Err)
	}
	return fmt.Sprintf("stm: %s: %s: %v", e.Object, e.Place, e.Err)
}

// Unwrap returns the reason, which has a class of package verdict.
func (e *DecodeError) Unwrap() error { return e.Err }

// ProofError says which check of SPEC 4 an aggregate signature failed, and where.
type ProofError struct {
	Detail    verdict.Detail
	Signature int    // position of the signature in the proof, or -1
	Index     uint64 // lottery index, when HasIndex is set
	HasIndex  bool
	Got, Want string // may be empty
	Err       error  // a cause with more to say; may be nil
}

func (e *ProofError) Error() string {
	text := "stm: "
	if e.Signature >= 0 {
		text += fmt.Sprintf("signature %d: ", e.Signature)
	}
	if e.HasIndex {
		text += fmt.Sprintf("index %d: ", e.Index)
	}
	text += string(e.Detail)
	if e.Got != "" {
		text += fmt.Sprintf(": got %s, want %s", e.Got, e.Want)
	}
	if e.Err != nil {
		text += fmt.Sprintf(": %v", e.Err)
	}
	return text
}

// Unwrap returns the cause, and [verdict.ErrInvalid] unless the cause has a class of its own, as one that reached a bound.
func (e *ProofError) Unwrap() []error {
	switch {
	case e.Err == nil:
		return []error{verdict.ErrInvalid}
	case verdict.Class(e.Err) != nil:
		return []error{e.Err}
	}
	return []error{verdict.ErrInvalid, e.Err}
}
