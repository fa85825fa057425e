package certificate

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// Error says why a text is no certificate that this module can use. It wraps one of the classes of package verdict.
type Error struct {
	Hash  Hash         // the hash that the certificate claims; zero when it could not be read
	Epoch *uint64      // the epoch that it claims; nil when it could not be read
	Place string       // where in the document: metadata.signers[3].stake; empty for the whole
	Rule  verdict.Rule // malformed, limit-exceeded, unsupported, or one of the stricter rules
	Err   error
}

func (e *Error) Error() string {
	text := "certificate"
	if !e.Hash.IsZero() {
		text += " " + e.Hash.Short()
	}
	text += ": " + string(e.Rule)
	if e.Place != "" {
		text += ": " + e.Place
	}
	return text + ": " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// The reasons that need no more than their text.
var (
	errEmptyPrevious = verdict.Sentinel(verdict.ErrInvalid, "empty, which only a genesis certificate may have")
	errSignature     = verdict.Sentinel(verdict.ErrInvalid, "want 64 bytes in hexadecimal")
	errDate          = verdict.Sentinel(verdict.ErrInvalid, "want a date as in RFC 3339")
	errDateRange     = verdict.Sentinel(verdict.ErrInvalid, "nanoseconds since 1970 do not fit in 64 bits")
	errEntityKind    = verdict.Sentinel(verdict.ErrInvalid, "unknown kind of signed entity")
	errEntityEntries = verdict.Sentinel(verdict.ErrInvalid, "want an object with one entry")
	errEntityNumbers = verdict.Sentinel(verdict.ErrInvalid, "wrong number of elements")
	errPartKey       = verdict.Sentinel(verdict.ErrInvalid, "unknown message part")
	errScheme        = verdict.Sentinel(verdict.ErrInvalid, `want "legacy" or "rigid"`)
	errAncillary     = verdict.Sentinel(verdict.ErrInvalid, "want CBOR of version 1 in hexadecimal")

	errNoKey       = verdict.Sentinel(verdict.ErrInvalid, "a certificate needs a key")
	errNoSignature = verdict.Sentinel(verdict.ErrInvalid, "a certificate needs a multi-signature or a genesis signature")

	errTooLong        = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d bytes", limits.MaxCertificateBytes))
	errTooManySigners = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d signers", limits.MaxSigners))
	errTooManyParts   = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d message parts", limits.MaxMessageParts))

	errRigid         = verdict.Sentinel(verdict.ErrUnsupported, "the rigid hash scheme of the Lagrange era")
	errAncillaryData = verdict.Sentinel(verdict.ErrUnsupported, "ancillary data of the Lagrange era")
	errNoProof       = verdict.Sentinel(verdict.ErrUnsupported, "the canonical form of this multi-signature is unknown")
)

// errStop ends a scan that has found what it looks for.
var errStop = errors.New("stop")

// ruleOf returns the rule that an error stands for when no other was named.
func ruleOf(err error) verdict.Rule {
	switch {
	case errors.Is(err, verdict.ErrLimit):
		return verdict.RuleLimitExceeded
	case errors.Is(err, verdict.ErrUnsupported):
		return verdict.RuleUnsupported
	case errors.Is(err, errDateRange):
		return verdict.RuleDateOutOfRange
	}
	return verdict.RuleMalformed
}

// at returns an [Error] for a field, with the rule that err stands for. An error of no class becomes one of class invalid.
func at(place string, err error) *Error {
	if verdict.Class(err) == nil {
		err = fmt.Errorf("%w: %w", verdict.ErrInvalid, err)
	}
	return &Error{Place: place, Rule: ruleOf(err), Err: err}
}

// fromScanner turns the error of a scanner into an [Error]: the place moves to the outside, so that it is said once.
func fromScanner(err error) *Error {
	e, ok := err.(*jsonhex.Error)
	if !ok {
		return at("", err)
	}
	if e.Reason == "" {
		return at(e.Place, e.Err)
	}
	inner := *e
	inner.Place = ""
	return at(e.Place, &inner)
}

// within puts a place in front of the one that err has.
func within(place string, err *Error) *Error {
	if err.Place != "" {
		place += "." + err.Place
	}
	err.Place = place
	return err
}
