package stm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/merkle"
)

// This file holds what the encodings of several objects share.

var errNotHex = errors.New("not hexadecimal")

// malformedError adds a class to an error of this package's decoders.
type malformedError struct{ err error }

func (e *malformedError) Error() string   { return "malformed: " + e.err.Error() }
func (e *malformedError) Unwrap() []error { return []error{ErrMalformed, e.err} }

// malformed gives err the class of ErrMalformed unless it has one of its own.
func malformed(err error) error {
	if errors.Is(err, ErrTooLarge) || errors.Is(err, jsonhex.ErrLimit) || errors.Is(err, ErrUnsupportedProofType) {
		return err
	}
	return &malformedError{err}
}

func notHexError(text []byte) error {
	if len(text) == 0 {
		return malformed(errors.New("empty"))
	}
	return malformed(errNotHex)
}

func lengthError(got, want int) error {
	return malformed(fmt.Errorf("got %d bytes, want %d", got, want))
}

// jsonError splits the place off an error of the scanner.
func jsonError(object string, err error) error {
	place := ""
	var e *jsonhex.Error
	if errors.As(err, &e) {
		inner := *e
		place, inner.Place = e.Place, ""
		err = &inner
	}
	return &DecodeError{object, place, malformed(err)}
}

// looksLikeJSON reports whether data begins like an object or an array.
func looksLikeJSON(data []byte) bool {
	for _, c := range data {
		switch c {
		case ' ', '\t', '\n', '\r':
			continue
		}
		return c == '{' || c == '['
	}
	return false
}

func readUint64(b []byte) uint64 { return binary.BigEndian.Uint64(b) }

// appendJSONInts appends bytes as a JSON array of numbers.
func appendJSONInts(dst, b []byte) []byte {
	dst = append(dst, '[')
	for i, x := range b {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendByte(dst, x)
	}
	return append(dst, ']')
}

func appendByte(dst []byte, x byte) []byte {
	switch {
	case x >= 100:
		return append(dst, '0'+x/100, '0'+x/10%10, '0'+x%10)
	case x >= 10:
		return append(dst, '0'+x/10, '0'+x%10)
	}
	return append(dst, '0'+x)
}

// scanBytes appends a JSON array of at most limit numbers below 256.
func scanBytes(s *jsonhex.Scanner, dst []byte, limit int) ([]byte, error) {
	err := s.Array(func(i int) error {
		if i >= limit {
			return fmt.Errorf("more than %d bytes", limit)
		}
		v, err := s.Uint64()
		if err == nil && v > 255 {
			err = fmt.Errorf("got %d, want a byte", v)
		}
		dst = append(dst, byte(v))
		return err
	})
	return dst, err
}

// scanExactly appends a JSON array of exactly n numbers below 256.
func scanExactly(s *jsonhex.Scanner, dst []byte, n int) ([]byte, error) {
	before := len(dst)
	dst, err := scanBytes(s, dst, n)
	if err == nil && len(dst)-before != n {
		err = fmt.Errorf("got %d bytes, want %d", len(dst)-before, n)
	}
	return dst, err
}

func scanHash(s *jsonhex.Scanner, h *merkle.Hash) error {
	_, err := scanExactly(s, h[:0], merkle.HashSize)
	return err
}

func scanNull(s *jsonhex.Scanner) error {
	null, err := s.Null()
	if err == nil && !null {
		err = errors.New("want null")
	}
	return err
}

// hash reads exactly 32 bytes.
func (r *cborReader) hash(h *merkle.Hash) error {
	b, err := r.bytes(nil)
	if err == nil && len(b) != merkle.HashSize {
		err = fmt.Errorf("got %d bytes, want %d", len(b), merkle.HashSize)
	}
	copy(h[:], b)
	return err
}
