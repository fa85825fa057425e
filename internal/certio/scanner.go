package certio

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
)

// Scanner splits JSON text into its top-level objects: the elements of one array, or values that follow one another. It
// balances brackets and skips strings; it does not otherwise check that an object is JSON. It holds at most one
// object of limits.MaxCertificateBytes and one read ahead of it, and takes time linear in the input.
type Scanner struct {
	r     io.Reader
	buf   []byte // buf[start:] is read and not yet delivered
	start int
	base  int64 // offset of buf[0] in the input
	eof   bool
	begun bool
	array bool
	done  bool
	count int
	// compressed says that offsets are not those of the file.
	compressed bool
}

const (
	firstBuffer = 64 << 10
	// maxBuffer lets the buffer hold one byte more than a certificate may have.
	maxBuffer = limits.MaxCertificateBytes + firstBuffer
)

// NewScanner returns a scanner that reads from r.
func NewScanner(r io.Reader) *Scanner { return &Scanner{r: r} }

// Next returns the next object and the offset of its first byte. The slice is the caller's. At the end of the input it
// returns io.EOF. Other errors belong to the object with the number [Scanner.Count]; no call after one succeeds.
func (s *Scanner) Next() (object []byte, offset int64, err error) {
	if s.done {
		return nil, s.offset(), io.EOF
	}
	object, offset, err = s.next()
	if err != nil {
		s.done = true
		return nil, s.offset(), err
	}
	s.count++
	return object, offset, nil
}

// Count returns how many objects Next has returned.
func (s *Scanner) Count() int { return s.count }

func (s *Scanner) offset() int64 { return s.base + int64(s.start) }

func (s *Scanner) next() ([]byte, int64, error) {
	if err := s.separator(); err != nil {
		return nil, 0, err
	}
	if s.count == limits.MaxInputCertificates {
		return nil, 0, errTooMany
	}
	n, err := s.objectLength()
	if err != nil {
		return nil, 0, err
	}
	offset := s.offset()
	object := bytes.Clone(s.buf[s.start : s.start+n])
	s.start += n
	return object, offset, nil
}

// separator moves to the first byte of the next object. It returns io.EOF where the input ends as it should.
func (s *Scanner) separator() error {
	c, err := s.skipSpace()
	if !s.begun {
		s.begun = true
		return s.first(c, err)
	}
	if !s.array {
		return wantObject(c, err)
	}
	if err != nil {
		return truncated(err)
	}
	switch c {
	case ',':
		s.start++
		c, err = s.skipSpace()
		return wantObject(c, truncated(err))
	case ']':
		return s.end()
	}
	return errSeparator
}

func (s *Scanner) first(c byte, err error) error {
	if err == io.EOF {
		return ErrEmpty
	}
	if err != nil {
		return err
	}
	if c == '{' {
		return nil
	}
	if c != '[' {
		return errNotJSON
	}
	s.array = true
	s.start++
	c, err = s.skipSpace()
	if err == nil && c == ']' {
		return ErrEmpty
	}
	return wantObject(c, truncated(err))
}

// end reads the closing bracket of the array and whatever follows it.
func (s *Scanner) end() error {
	s.start++
	if _, err := s.skipSpace(); err != nil {
		return err
	}
	return errTrailing
}

func wantObject(c byte, err error) error {
	if err == nil && c != '{' {
		return errNotObject
	}
	return err
}

func truncated(err error) error {
	if err == io.EOF {
		return errTruncated
	}
	return err
}

// skipSpace moves to the next byte that is not white space and returns it.
func (s *Scanner) skipSpace() (byte, error) {
	for skipped := 0; ; skipped++ {
		if skipped > limits.MaxSeparator {
			return 0, errWhiteSpace
		}
		if s.start == len(s.buf) {
			if err := s.fill(); err != nil {
				return 0, err
			}
		}
		switch c := s.buf[s.start]; c {
		case ' ', '\t', '\n', '\r':
			s.start++
		default:
			return c, nil
		}
	}
}

// objectLength returns the length of the object that begins at s.start, reading until it is complete.
func (s *Scanner) objectLength() (int, error) {
	i, depth, inString := 0, 0, false
	for {
		text := s.buf[s.start:]
		for i < len(text) {
			if inString {
				i, inString = skipString(text, i)
				continue
			}
			switch text[i] {
			case '"':
				inString = true
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				if i > limits.MaxCertificateBytes {
					return 0, errTooLarge
				}
				return i, nil
			}
		}
		if len(text) > limits.MaxCertificateBytes {
			return 0, errTooLarge
		}
		if err := s.fill(); err == io.EOF {
			return 0, s.unbalanced()
		} else if err != nil {
			return 0, err
		}
	}
}

// unbalanced says why the object at s.start has no end: where in it the JSON breaks, or that the input ends too early. What
// breaks so near the end may be a literal or an escape of which the rest is missing.
func (s *Scanner) unbalanced() error {
	const longest = len(`\u0000`)
	j := jsonhex.NewScanner(s.buf[s.start:])
	var broken *jsonhex.Error
	if err := j.Skip(); errors.As(err, &broken) && errors.Is(err, jsonhex.ErrSyntax) && broken.Offset+longest <= len(s.buf)-s.start {
		return fmt.Errorf("%w: %s at byte %d", errSyntax, broken.Reason, s.offset()+int64(broken.Offset))
	}
	return errTruncated
}

// stringWindow bounds one search inside a string, so that a string of many escapes does not cost a search to its end for each.
const stringWindow = 1 << 10

// skipString moves from i, inside a string, behind its closing quote, behind the next escape or to the end of the window.
// The place after an escape may lie one behind the text, when a backslash is the last byte read so far.
func skipString(text []byte, i int) (next int, inString bool) {
	window := text[i:min(len(text), i+stringWindow)]
	quote := bytes.IndexByte(window, '"')
	if quote < 0 {
		quote = len(window)
	}
	if escape := bytes.IndexByte(window[:quote], '\\'); escape >= 0 {
		return i + escape + 2, true
	}
	if quote == len(window) {
		return i + quote, true
	}
	return i + quote + 1, false
}

// fill reads more input behind what is buffered, moving or growing the buffer where there is no room.
func (s *Scanner) fill() error {
	if s.eof {
		return io.EOF
	}
	if s.start > 0 && (s.start == len(s.buf) || len(s.buf) == cap(s.buf)) {
		s.base += int64(s.start)
		s.buf = s.buf[:copy(s.buf, s.buf[s.start:])]
		s.start = 0
	}
	if len(s.buf) == cap(s.buf) {
		size := min(max(firstBuffer, 2*cap(s.buf)), maxBuffer)
		s.buf = append(make([]byte, 0, size), s.buf...)
	}
	for range 100 {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if err == io.EOF {
			s.eof = true
			if n == 0 {
				return io.EOF
			}
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
	}
	return io.ErrNoProgress
}
