package light

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

// ErrNotCertified says that no certificate of the store signs a message. One that does may exist all the same.
var ErrNotCertified = errors.New("light: no verified certificate signs this message")

// ErrNoTarget says that a provider lists no certificate.
var ErrNoTarget = verdict.Sentinel(verdict.ErrUnavailable, "light: the provider lists no certificate")

// ErrConflict is what every [*ConflictError] wraps.
var ErrConflict = verdict.Sentinel(verdict.ErrInvalid, "light: verified certificates contradict each other")

// RefusedError says that what a provider sent was refused, and which provider it was. Err names the rule and the
// certificate; it is a *chain.Error or a *provider.Error.
type RefusedError struct {
	Provider string
	Err      error
}

func (e *RefusedError) Error() string {
	if p, ok := e.Err.(*provider.Error); ok {
		return "light: " + p.Error() // it names the provider
	}
	return fmt.Sprintf("light: provider %s: %v", e.Provider, e.Err)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// ConflictError says that two verified certificates contradict each other. Nothing was stored.
type ConflictError struct{ Evidence Evidence }

func (e *ConflictError) Error() string {
	v := &e.Evidence
	ours, theirs := differences(v.Ours.Value, v.Theirs.Value)
	return fmt.Sprintf("light: %s: %s: certificate %s of %s says %s, certificate %s of %s says %s",
		v.Kind, v.Statement, v.Ours.Hash, v.Ours.Source, ours, v.Theirs.Hash, v.Theirs.Source, theirs)
}

// differences shortens two texts to what they have from about where they differ.
func differences(a, b string) (string, string) {
	const before, most = 8, 64
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	short := func(text string) string {
		if len(text) <= most {
			return text
		}
		from := max(0, min(same-before, len(text)-most))
		text = text[from:]
		if from > 0 {
			text = "…" + text
		}
		if len(text) > most {
			text = text[:most] + "…"
		}
		return text
	}
	return short(a), short(b)
}

// Unwrap returns [ErrConflict].
func (e *ConflictError) Unwrap() error { return ErrConflict }

// EvidenceKind says what two certificates disagree on.
type EvidenceKind string

// The kinds of evidence.
const (
	// ConflictingStatement is two certificates, both signed by enough stake, whose messages say different things about
	// the same: the stake of one epoch signed two versions of it, or one of the chains was forked off.
	ConflictingStatement EvidenceKind = "conflicting-statement"

	// OtherGenesis is two genesis certificates under one key: a re-genesis, or the chain of another network.
	OtherGenesis EvidenceKind = "other-genesis"
)

// Evidence is a contradiction that others can check: both certificates verify under the same genesis key.
type Evidence struct {
	Kind      EvidenceKind `json:"kind"`
	Statement string       `json:"statement"` // what both certificates say something about
	Ours      Exhibit      `json:"ours"`
	Theirs    Exhibit      `json:"theirs"`
}

// Exhibit is one side of a contradiction.
type Exhibit struct {
	Source      string           `json:"source"` // provider, or "store"
	Hash        certificate.Hash `json:"hash"`
	Epoch       uint64           `json:"epoch"`
	Value       string           `json:"value"`
	Certificate json.RawMessage  `json:"certificate,omitempty"` // its text; absent when the store has pruned it
}
