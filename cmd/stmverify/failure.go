package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/chain"
	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/light/bundle"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/verdict"
)

// The exit codes.
const (
	exitOK          = 0
	exitError       = 1 // usage, files, anything that says nothing about the data
	exitInvalid     = 2
	exitUnavailable = 3
	exitUnsupported = 4
	exitLimit       = 5
)

// failureDocument is what --json prints where a command has no result.
type failureDocument struct {
	Schema string   `json:"schema"`
	Error  *failure `json:"error"`
}

// failure is an error in the form in which it is printed. Members are absent where they do not apply.
type failure struct {
	Class     string         `json:"class"` // invalid, unavailable, unsupported, limit, usage, error
	ExitCode  int            `json:"exit_code"`
	Message   string         `json:"message"`
	Rule      verdict.Rule   `json:"rule,omitempty"`
	Detail    verdict.Detail `json:"detail,omitempty"`
	Position  *int           `json:"position,omitempty"` // of the certificate in the walk, the tip is 0
	Hash      string         `json:"hash,omitempty"`
	Epoch     *uint64        `json:"epoch,omitempty"`
	Signature *int           `json:"signature,omitempty"` // number of the signature in the multi-signature
	Index     *uint64        `json:"index,omitempty"`     // lottery index
	Got       string         `json:"got,omitempty"`
	Want      string         `json:"want,omitempty"`
	Cause     string         `json:"cause,omitempty"`
	Parent    string         `json:"parent,omitempty"`   // hash of the parent, where the rule is about the link to it
	Culprits  []culprit      `json:"culprits,omitempty"` // every certificate whose signatures do not verify
	File      string         `json:"file,omitempty"`
	Element   *int           `json:"element,omitempty"` // number of the certificate in the file
	Offset    *int64         `json:"offset,omitempty"`  // where in the file the certificate begins, in bytes
	Line      *int           `json:"line,omitempty"`    // of a bundle or a file of signatures, the first is 1
	lightFailure
	Hints []string `json:"hints,omitempty"`
}

// culprit is a certificate whose signatures do not verify.
type culprit struct {
	Position   int    `json:"position"`
	Hash       string `json:"hash"`
	Epoch      uint64 `json:"epoch"`
	Signatures []int  `json:"signatures"`
}

// verdictOn returns what a result says of a verification that ended with err: the verdict, and why if it is not "valid".
func verdictOn(err error) (name string, f *failure) {
	if err == nil {
		return "valid", nil
	}
	f = newFailure(err)
	return f.Class, f
}

// newFailure describes err, which is not nil.
func newFailure(err error) *failure {
	f := &failure{Message: err.Error()}
	f.Class, f.ExitCode = class(err)
	if errors.Is(err, context.Canceled) {
		f.Message = "interrupted"
	}
	f.addPlace(err)
	f.addLight(err)
	f.addHints(err)
	return f
}

// addPlace says which certificate breaks which rule, and where it is.
func (f *failure) addPlace(err error) {
	var link *chain.Error
	var file *certio.Error
	var decode *certificate.Error
	var broken *brokenError
	var packed *bundle.Error
	var line *lineError
	switch {
	case errors.As(err, &link):
		f.addChainError(link)
	case errors.As(err, &file):
		f.Message = file.Error() // Whoever passed it on says the place again.
		f.Rule, f.File, f.Element, f.Offset = file.Rule, file.File, &file.Element, &file.Offset
	case errors.As(err, &decode):
		f.Rule = decode.Rule
		if !decode.Hash.IsZero() {
			f.Hash = decode.Hash.String()
		}
	case errors.As(err, &broken):
		f.Rule, f.Detail, f.Hash, f.Epoch = broken.check.Rule, broken.check.Detail, broken.hash.String(), &broken.epoch
		f.Got, f.Want = broken.check.Computed, broken.check.Claimed
	case errors.As(err, &packed):
		f.Message, f.File, f.Line, f.Cause = packed.Error(), packed.Name, &packed.Line, packed.Err.Error()
	case errors.As(err, &line):
		f.File, f.Line, f.Cause = line.file, &line.line, line.err.Error()
	}
}

func (f *failure) addChainError(e *chain.Error) {
	f.Rule, f.Detail, f.Position, f.Got, f.Want = e.Rule, e.Detail, &e.Position, e.Got, e.Want
	if !e.Hash.IsZero() {
		f.Hash = e.Hash.String()
	}
	if e.HasEpoch {
		f.Epoch = &e.Epoch
	}
	if !e.Parent.IsZero() {
		f.Parent = e.Parent.String()
	}
	if e.Signature >= 0 {
		f.Signature = &e.Signature
	}
	if e.HasIndex {
		f.Index = &e.Index
	}
	for _, c := range e.Culprits {
		f.Culprits = append(f.Culprits, culprit{c.Position, c.Hash.String(), c.Epoch, c.Signatures})
	}
	var root *merkle.RootMismatchError
	switch {
	case errors.As(e.Err, &root):
		f.Got, f.Want, f.Cause = fmt.Sprintf("%x", root.Got), fmt.Sprintf("%x", root.Want), "the path leads to another root"
	case e.Err != nil && !errors.Is(e.Err, chain.ErrCertificateNotFound):
		f.Cause = e.Err.Error()
	}
}

// text prints the place and what differs, one fact a line.
func (f *failure) text(w *writer) {
	w.optional("rule", string(f.Rule))
	w.optional("detail", string(f.Detail))
	if f.Position != nil {
		w.field("position", *f.Position)
	}
	if f.Element != nil {
		w.field("place", fmt.Sprintf("certificate %d of %s, at byte %d", *f.Element, f.File, *f.Offset))
	}
	w.optional("certificate", f.Hash)
	if f.Epoch != nil {
		w.field("epoch", *f.Epoch)
	}
	w.optional("parent", f.Parent)
	if f.Signature != nil {
		w.field("signature", *f.Signature)
	}
	if f.Index != nil {
		w.field("index", *f.Index)
	}
	w.optional("got", f.Got)
	w.optional("want", f.Want)
	switch {
	case f.Cause != "":
		w.field("cause", f.Cause)
	case f.Rule == "":
		w.field("cause", f.Message)
	}
	if len(f.Culprits) > 1 {
		w.field("culprits", len(f.Culprits))
		for _, c := range f.Culprits[:min(mostCulprits, len(f.Culprits))] {
			w.field("", fmt.Sprintf("%s (position %d, epoch %d): signatures %v", c.Hash, c.Position, c.Epoch, c.Signatures))
		}
	}
}

// mostCulprits bounds the lines that list culprits; JSON has all.
const mostCulprits = 20

func class(err error) (name string, exitCode int) {
	switch verdict.Class(err) {
	case verdict.ErrInvalid:
		return "invalid", exitInvalid
	case verdict.ErrUnavailable:
		return "unavailable", exitUnavailable
	case verdict.ErrUnsupported:
		return "unsupported", exitUnsupported
	case verdict.ErrLimit:
		return "limit", exitLimit
	}
	var u *usage
	switch {
	case errors.As(err, &u):
		return "usage", exitError
	case errors.Is(err, context.DeadlineExceeded):
		return "limit", exitLimit
	}
	return "error", exitError
}

func (f *failure) addHints(err error) {
	if hint := ruleHints[f.Rule]; hint != "" {
		if broken := (*brokenError)(nil); errors.As(err, &broken) {
			hint, _, _ = strings.Cut(hint, ": 'stmverify certificate explain'") // Its result stands above.
		}
		f.Hints = append(f.Hints, hint)
	}
	var u *usage
	var h *hinted
	switch {
	case errors.As(err, &h):
		f.Hints = append(f.Hints, h.hint)
	case errors.As(err, &u):
		f.Hints = append(f.Hints, fmt.Sprintf("run '%s --help' for its arguments and flags", u.command))
	case errors.Is(err, fs.ErrNotExist) && f.Rule == "":
		f.Hints = append(f.Hints, "the path is relative to the current folder; '-' reads standard input")
	}
}

// hinted adds to an error what the user can do about it.
type hinted struct {
	err  error
	hint string
}

func withHint(err error, hint string) error { return &hinted{err, hint} }
func (h *hinted) Error() string             { return h.err.Error() }
func (h *hinted) Unwrap() error             { return h.err }
