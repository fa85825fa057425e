package jsonhex

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/stmverify/stmverify/verdict"
)

// The kinds of [Error].
var (
	ErrSyntax    = verdict.Sentinel(verdict.ErrInvalid, "not JSON")
	ErrType      = verdict.Sentinel(verdict.ErrInvalid, "wrong type")
	ErrMissing   = verdict.Sentinel(verdict.ErrInvalid, "missing field")
	ErrDuplicate = verdict.Sentinel(verdict.ErrInvalid, "duplicate field")
	ErrLimit     = verdict.Sentinel(verdict.ErrLimit, "too large")
)

// Error is what every method of [Scanner] returns. It wraps one of the sentinels above, or what a callback returned.
type Error struct {
	Place  string // path from the outermost value: metadata.signers[3].stake; empty at the outermost
	Offset int    // byte of the input
	Reason string // what is wrong there
	Err    error
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s (byte %d)", e.Reason, e.Offset)
	if e.Reason == "" {
		text = e.Err.Error()
	}
	if e.Place == "" {
		return text
	}
	return e.Place + ": " + text
}

func (e *Error) Unwrap() error { return e.Err }

func (s *Scanner) syntax(reason string) error { return s.syntaxAt(s.pos, reason) }

func (s *Scanner) syntaxAt(offset int, reason string) error {
	if offset >= len(s.data) {
		reason = "unexpected end of the text"
	}
	return &Error{Offset: offset, Reason: reason, Err: ErrSyntax}
}

func (s *Scanner) limitAt(offset int, format string, args ...any) error {
	return &Error{Offset: offset, Reason: fmt.Sprintf(format, args...), Err: ErrLimit}
}

// mismatch says that another type of value stands where want was expected.
func (s *Scanner) mismatch(want string) error {
	got := ""
	switch c := s.peek(); {
	case c == '{':
		got = "an object"
	case c == '[':
		got = "an array"
	case c == '"':
		got = "a string"
	case s.next("true"), s.next("false"):
		got = "a boolean"
	case s.next("null"):
		got = "null"
	case c == '-':
		got = "a negative number"
	case isDigit(c):
		got = "a number"
	default:
		return s.syntax("want " + want)
	}
	return s.mismatchAt(s.pos, got, want)
}

// next reports whether the text goes on with a literal.
func (s *Scanner) next(literal string) bool { return bytes.HasPrefix(s.data[s.pos:], []byte(literal)) }

func (s *Scanner) mismatchAt(offset int, got, want string) error {
	return &Error{Offset: offset, Reason: "got " + got + ", want " + want, Err: ErrType}
}

// inKey and inIndex put one step in front of the place of err.
func inKey(err error, key []byte) error { return inPlace(err, keyText(key)) }

func inIndex(err error, i int) error { return inPlace(err, "["+strconv.Itoa(i)+"]") }

func inPlace(err error, step string) error {
	e, ok := err.(*Error)
	if !ok {
		return &Error{Place: step, Err: err}
	}
	if e.Place != "" && e.Place[0] != '[' {
		step += "."
	}
	e.Place = step + e.Place
	return e
}

// keyText returns a key as it may stand in a message: short, and quoted unless it is a plain word.
func keyText(key []byte) string {
	const longest = 64
	short := key
	if len(short) > longest {
		short = short[:longest]
	}
	for _, c := range short {
		if c != '_' && c != '-' && !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'z') {
			return strconv.QuoteToASCII(string(short))
		}
	}
	return string(short)
}
