package chain

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// ErrCertificateNotFound is what an iterator yields when it does not have the certificate that comes next. It is reported
// under the rule [verdict.RuleCertificateNotFound].
var ErrCertificateNotFound = verdict.Sentinel(verdict.ErrInvalid, "certificate not found")

// Error says which certificate of a chain breaks which rule.
type Error struct {
	Position int              // from the leaf, which is 0
	Hash     certificate.Hash // as claimed; zero when it could not be read
	Epoch    uint64           // as claimed, when HasEpoch is set
	HasEpoch bool             // false when a certificate that does not decode does not say
	Rule     verdict.Rule
	Detail   verdict.Detail // of RuleMultiSignatureInvalid

	Parent    certificate.Hash // the parent, when the rule is about the link to it
	Signature int              // position in the multi-signature, or -1
	Index     uint64           // lottery index, when HasIndex is set
	HasIndex  bool
	Got, Want string // may be empty

	// Culprits lists every certificate whose signatures do not verify, nearest to the leaf first, when Detail is
	// DetailAggregateInvalid. The first one is the certificate of this error. With 256 of them the walk ends.
	Culprits []Culprit

	Err error // a cause with more to say; may be nil
}

// Culprit is a certificate whose signatures do not verify.
type Culprit struct {
	Position   int
	Hash       certificate.Hash
	Epoch      uint64
	Signatures []int // positions in the multi-signature, ascending
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("chain: certificate ")
	if e.Hash.IsZero() {
		fmt.Fprintf(&b, "%d from the leaf", e.Position)
	} else {
		b.WriteString(e.Hash.Short())
	}
	if e.HasEpoch {
		fmt.Fprintf(&b, " (epoch %d)", e.Epoch)
	}
	fmt.Fprintf(&b, ": %s", e.Rule)
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if e.Signature >= 0 {
		fmt.Fprintf(&b, ": signature %d", e.Signature)
	}
	if e.HasIndex {
		fmt.Fprintf(&b, ": index %d", e.Index)
	}
	if e.Got != "" {
		fmt.Fprintf(&b, ": got %s, want %s", e.Got, e.Want)
	}
	if e.Err != nil && e.Got == "" && e.Detail != verdict.DetailAggregateInvalid {
		fmt.Fprintf(&b, ": %s", cause(e.Err))
	}
	if n := len(e.Culprits); n > 1 {
		fmt.Fprintf(&b, ", and %d more certificates", n-1)
	}
	return b.String()
}

// cause returns the text of err without the name of a certificate, which the caller has said already.
func cause(err error) string {
	var c *certificate.Error
	if errors.As(err, &c) {
		if c.Place == "" {
			return c.Err.Error()
		}
		return c.Place + ": " + c.Err.Error()
	}
	return err.Error()
}

// Unwrap returns the class of the rule and the cause.
func (e *Error) Unwrap() []error {
	class := verdict.ErrInvalid
	switch e.Rule {
	case verdict.RuleLimitExceeded, verdict.RuleChainTooLong:
		class = verdict.ErrLimit
	case verdict.RuleUnsupported:
		class = verdict.ErrUnsupported
	}
	if e.Err == nil {
		return []error{class}
	}
	if c := verdict.Class(e.Err); c != nil {
		return []error{e.Err} // It has its own class.
	}
	return []error{class, e.Err}
}

// refuse returns an error about c.
func refuse(position int, c *certificate.Certificate, rule verdict.Rule) *Error {
	return &Error{Position: position, Hash: c.Hash, Epoch: c.Epoch, HasEpoch: true, Rule: rule, Signature: -1}
}

// mismatch is refuse with what was found and what was expected.
func mismatch(position int, c *certificate.Certificate, rule verdict.Rule, got, want any) *Error {
	e := refuse(position, c, rule)
	e.Got, e.Want = fmt.Sprint(got), fmt.Sprint(want)
	return e
}

// decodeError translates the error of a decoder.
func decodeError(position int, err error) *Error {
	e := &Error{Position: position, Rule: verdict.RuleMalformed, Signature: -1, Err: err}
	var c *certificate.Error
	if errors.As(err, &c) {
		e.Hash, e.Rule = c.Hash, c.Rule
		if c.Epoch != nil {
			e.Epoch, e.HasEpoch = *c.Epoch, true
		}
	}
	return e
}

// proofError translates the error of a multi-signature.
func proofError(position int, c *certificate.Certificate, err error) *Error {
	e := refuse(position, c, verdict.RuleMultiSignatureInvalid)
	e.Err = err
	var p *stm.ProofError
	switch {
	case errors.As(err, &p):
		e.Detail, e.Signature, e.Index, e.HasIndex, e.Got, e.Want = p.Detail, p.Signature, p.Index, p.HasIndex, p.Got, p.Want
		e.Err = p.Err
	case errors.Is(err, stm.ErrParameters):
		e.Rule = verdict.RuleParametersOutOfRange
	}
	return e
}
