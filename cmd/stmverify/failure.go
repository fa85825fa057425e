package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/stmverify/stmverify/internal/certio"
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
	File      string         `json:"file,omitempty"`
	Element   *int           `json:"element,omitempty"` // number of the certificate in the file
	Offset    *int64         `json:"offset,omitempty"`  // where in the file the certificate begins, in bytes
	Hints     []string       `json:"hints,omitempty"`
}

// newFailure describes err, which is not nil.
func newFailure(err error) *failure {
	f := &failure{Message: err.Error()}
	f.Class, f.ExitCode = class(err)
	var place *certio.Error
	if errors.As(err, &place) {
		f.Rule, f.File, f.Element, f.Offset = place.Rule, place.File, &place.Element, &place.Offset
	}
	f.addHints(err)
	return f
}

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
