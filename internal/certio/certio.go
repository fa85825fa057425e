// Package certio reads certificates from files, folders and streams, as bytes: a JSON array, JSON values one after another
// (JSON lines among them), or a folder of such files, each plain or compressed with gzip.
//
// It does not decode certificates. It finds where each begins and ends, and looks for their "hash" and "previous_hash" to
// put them in the order of a walk: the tip first, the genesis certificate last. Both are claims; package chain checks them.
//
// [Input.Stream] reads input that already is in walk order and holds one certificate at a time. [Input.Index] reads input in
// any order: it keeps some 200 bytes a certificate, and reads each again where it is.
package certio

import (
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// ErrOrder says that the input is not in walk order: some certificate is not followed by the one that its previous_hash
// names, or the genesis certificate is not the last. [Input.Index] reads such input.
var ErrOrder = errors.New("certio: certificates are not in walk order")

// ErrEmpty says that the input holds no certificate.
var ErrEmpty = verdict.Sentinel(verdict.ErrInvalid, "no certificate")

// The reasons of an [Error].
var (
	errNotJSON          = verdict.Sentinel(verdict.ErrInvalid, "neither a JSON object nor a JSON array of objects")
	errGzip             = verdict.Sentinel(verdict.ErrInvalid, "not the gzip data that it begins like")
	errTruncated        = verdict.Sentinel(verdict.ErrInvalid, "ends inside a JSON value")
	errSyntax           = verdict.Sentinel(verdict.ErrInvalid, "not JSON")
	errTrailing         = verdict.Sentinel(verdict.ErrInvalid, "bytes after the end of the JSON array")
	errSeparator        = verdict.Sentinel(verdict.ErrInvalid, "want a comma or the end of the JSON array")
	errNotObject        = verdict.Sentinel(verdict.ErrInvalid, "want a JSON object")
	errHash             = verdict.Sentinel(verdict.ErrInvalid, `"hash" is not 64 lowercase hexadecimal characters`)
	errNoHash           = verdict.Sentinel(verdict.ErrInvalid, `a JSON object without "hash" and "previous_hash"`)
	errConflict         = verdict.Sentinel(verdict.ErrInvalid, "two different certificates claim one hash")
	errLoop             = verdict.Sentinel(verdict.ErrInvalid, "the walk returns to a certificate that it has passed")
	errTooLarge         = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("a certificate of more than %d bytes", limits.MaxCertificateBytes))
	errTooMany          = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d certificates", limits.MaxInputCertificates))
	errTooManyUnordered = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d certificates that are not in walk order", limits.MaxIndexedCertificates))
	errWhiteSpace       = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d bytes of white space", limits.MaxSeparator))
	errSkipped          = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d bytes that are no certificates", limits.MaxSkipped))
	errSpool            = verdict.Sentinel(verdict.ErrLimit, fmt.Sprintf("more than %d bytes to sort", limits.MaxSpool))
)

// Error says where in the input something is not as it must be. It wraps one class of package verdict.
type Error struct {
	File    string       // path, or "-" for standard input
	Element int          // number of the certificate in its file, from 0
	Offset  int64        // where in the file the certificate begins, in bytes after decompression
	Rule    verdict.Rule // malformed, limit-exceeded or chain-loop
	Err     error
}

func newError(file string, element int, offset int64, err error) *Error {
	rule := verdict.RuleMalformed
	switch {
	case errors.Is(err, verdict.ErrLimit):
		rule = verdict.RuleLimitExceeded
	case errors.Is(err, errLoop):
		rule = verdict.RuleChainLoop
	}
	return &Error{File: file, Element: element, Offset: offset, Rule: rule, Err: err}
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: certificate %d at byte %d: %s: %v", e.File, e.Element, e.Offset, e.Rule, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
