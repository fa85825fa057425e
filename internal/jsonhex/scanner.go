// Package jsonhex reads JSON text from untrusted parties and writes it back in canonical form.
//
// It accepts exactly the texts that serde_json, the decoder of the reference, accepts for the same type (SPEC 11.1):
// integers have no sign, fraction, exponent or leading zero; strings are valid UTF-8 without lone surrogates; a structure
// may not repeat a field, and may be written as an array of its fields; the values of unknown fields are skipped with
// their syntax checked but not their text. Nesting is bounded by limits.MaxNesting, everywhere.
//
// A [Scanner] makes one pass over its input, allocates only for strings with escapes, and never panics. Every error says
// where: the place in the document (metadata.signers[3].stake) and the byte.
package jsonhex

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/stmverify/stmverify/internal/limits"
)

// Scanner reads one JSON text from front to back. The zero value reads the empty text. It is not safe for concurrent use.
type Scanner struct {
	data  []byte
	pos   int
	depth int

	checkUnknown bool
}

// NewScanner returns a scanner of data, which it does not modify.
func NewScanner(data []byte) Scanner { return Scanner{data: data} }

// Offset returns the index of the next byte to be read.
func (s *Scanner) Offset() int { return s.pos }

// End returns an error unless only white space is left.
func (s *Scanner) End() error {
	if c := s.peek(); c != 0 || s.pos < len(s.data) {
		return s.syntax("trailing characters after the value")
	}
	return nil
}

// peek returns the first byte of the next token, or 0 at the end of the text. A NUL byte is no token, so that callers
// need not tell the two apart.
func (s *Scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// Is reports whether the next value begins with the byte c: '{', '[', '"', 'n', 't', 'f' or '-'.
func (s *Scanner) Is(c byte) bool { return s.peek() == c }

// Null consumes a null and reports whether there was one.
func (s *Scanner) Null() (bool, error) {
	if s.peek() != 'n' {
		return false, nil
	}
	return true, s.literal("null")
}

func (s *Scanner) literal(text string) error {
	if len(s.data)-s.pos < len(text) || string(s.data[s.pos:s.pos+len(text)]) != text {
		return s.syntax("invalid literal")
	}
	s.pos += len(text)
	return nil
}

// String reads a string of at most limit bytes between its quotes, escapes counted as they are written. The result aliases
// the input unless the string holds escapes.
func (s *Scanner) String(limit int) ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.mismatch("a string")
	}
	start := s.pos + 1
	high, escaped, err := s.scanString(limit)
	if err != nil {
		return nil, err
	}
	text := s.data[start : s.pos-1 : s.pos-1]
	if escaped {
		text, err = s.unescape(text, start)
		if err != nil {
			return nil, err
		}
	}
	if high && !utf8.Valid(text) {
		return nil, s.syntaxAt(start, "string is not valid UTF-8")
	}
	return text, nil
}

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// scanString moves behind the closing quote of the string that begins at the current byte. high says that the string has
// bytes above 0x7f, escaped that it has escapes. It reads eight bytes at a time: one string, the multi-signature, is
// nearly all of a certificate.
func (s *Scanner) scanString(limit int) (high, escaped bool, err error) {
	start := s.pos + 1
	data := s.data
	var seen uint64
	for i := start; ; {
		if len(data)-i >= 8 {
			w := binary.LittleEndian.Uint64(data[i:])
			quote := w ^ lowBits*'"'
			slash := w ^ lowBits*'\\'
			stop := ((quote - lowBits) &^ quote) | ((slash - lowBits) &^ slash) | ((w - lowBits*0x20) &^ w)
			stop &= highBits
			if stop == 0 {
				seen |= w
				i += 8
				continue
			}
			// The lowest flag is exact; flags above it may come from a borrow.
			n := bits.TrailingZeros64(stop) / 8
			seen |= w & (1<<(8*n) - 1)
			i += n
		}
		if i >= len(data) {
			s.pos = len(data)
			return false, false, s.syntax("unterminated string")
		}
		switch c := data[i]; {
		case c == '"':
			if i-start > limit {
				return false, false, s.limitAt(start, "string is longer than %d bytes", limit)
			}
			s.pos = i + 1
			return seen&highBits != 0, escaped, nil
		case c == '\\':
			escaped = true
			n, err := s.scanEscape(i)
			if err != nil {
				return false, false, err
			}
			i += n
		case c < 0x20:
			return false, false, s.syntaxAt(i, "control character in a string")
		default:
			seen |= uint64(c)
			i++
		}
	}
}

// scanEscape checks the form of the escape at data[i] and returns its length. It does not look at the value of \u, as the
// reference does not in text that it skips.
func (s *Scanner) scanEscape(i int) (int, error) {
	if i+1 >= len(s.data) {
		return 0, s.syntaxAt(i, "unterminated string")
	}
	switch s.data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, nil
	case 'u':
		if _, ok := hex4(s.data[i+2:]); ok {
			return 6, nil
		}
	}
	return 0, s.syntaxAt(i, "invalid escape")
}

// hex4 reads four hexadecimal digits of either case.
func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// unescape returns text without its escapes, whose form [Scanner.scanEscape] has checked. offset is the place of text in the
// input, for errors.
func (s *Scanner) unescape(text []byte, offset int) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out = append(out, text[i])
			i++
			continue
		}
		switch c := text[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, n := escapedRune(text[i:])
			if n == 0 {
				return nil, s.syntaxAt(offset+i, "lone surrogate in a string")
			}
			out = utf8.AppendRune(out, r)
			i += n
			continue
		default: // '"', '\\' and '/' stand for themselves
			out = append(out, c)
		}
		i += 2
	}
	return out, nil
}

// escapedRune reads the \u escape, or the pair of them, at the start of text, and returns its length: 0 for a surrogate
// without its other half.
func escapedRune(text []byte) (rune, int) {
	const high, low, end = 0xd800, 0xdc00, 0xe000
	r, _ := hex4(text[2:])
	if r < high || r >= end {
		return r, 6
	}
	if r >= low || len(text) < 12 || text[6] != '\\' || text[7] != 'u' {
		return 0, 0
	}
	r2, ok := hex4(text[8:])
	if !ok || r2 < low || r2 >= end {
		return 0, 0
	}
	return (r-high)<<10 | (r2 - low) + 0x10000, 12
}

// enter counts one level of nesting.
func (s *Scanner) enter() error {
	if s.depth++; s.depth > limits.MaxNesting {
		return s.limitAt(s.pos, "nested deeper than %d", limits.MaxNesting)
	}
	return nil
}
