package jsonhex

import (
	"fmt"

	"github.com/stmverify/stmverify/internal/limits"
)

// Object reads an object and calls member behind each key; member reads the value. The key is valid until member returns.
func (s *Scanner) Object(member func(key []byte) error) error {
	if s.peek() != '{' {
		return s.mismatch("an object")
	}
	if err := s.enter(); err != nil {
		return err
	}
	s.pos++
	for first := true; ; first = false {
		more, err := s.more('}', first)
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		key, err := s.key()
		if err != nil {
			return err
		}
		if err := member(key); err != nil {
			return inKey(err, key)
		}
	}
}

// key reads a key and its colon.
func (s *Scanner) key() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.syntax("want a key")
	}
	key, err := s.String(limits.MaxMemberName)
	if err != nil {
		return nil, err
	}
	if s.peek() != ':' {
		return nil, s.syntax("want a colon behind a key")
	}
	s.pos++
	return key, nil
}

// more moves to the next element of an array or object that ends in the byte end, and reports whether there is one. first
// says that none was read yet. Behind the last one it leaves the level. Behind a comma the caller finds the end in place of a
// value or a key, which is an error.
func (s *Scanner) more(end byte, first bool) (bool, error) {
	c := s.peek()
	switch {
	case c == end:
		s.pos++
		s.depth--
		return false, nil
	case first:
		return true, nil
	case c != ',':
		return false, s.syntax("want a comma or the end")
	}
	s.pos++
	return true, nil
}

// Array reads an array and calls element in front of each value; element reads it. i counts from 0.
func (s *Scanner) Array(element func(i int) error) error {
	if s.peek() != '[' {
		return s.mismatch("an array")
	}
	if err := s.enter(); err != nil {
		return err
	}
	s.pos++
	for i := 0; ; i++ {
		more, err := s.more(']', i == 0)
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		if err := element(i); err != nil {
			return inIndex(err, i)
		}
	}
}

// Fields describes a structure. Names has at most 64 entries. In an array, which the reference also accepts for a structure,
// the first Positional fields stand in this order. The bits of Required say which fields must be there.
type Fields struct {
	Names      []string
	Positional int
	Required   uint64
}

// Required is the bit set of the first n fields.
func Required(n int) uint64 { return 1<<n - 1 }

// Struct reads a structure: an object or an array. It calls member in front of the value of each known field, which member
// reads; i is the index of the field in f.Names. Values of unknown keys are skipped. It returns an error for a field that
// occurs twice, for one that is missing, and for an array with more elements than fields.
func (s *Scanner) Struct(f *Fields, member func(i int) error) error {
	start := s.pos
	var seen uint64
	visit := func(i int) error {
		if seen&(1<<i) != 0 {
			return &Error{Offset: s.pos, Reason: "field occurs twice", Err: ErrDuplicate}
		}
		seen |= 1 << i
		return member(i)
	}
	var err error
	switch s.peek() {
	case '[':
		err = s.positional(f, visit)
	case '{':
		err = s.Object(func(key []byte) error {
			for i, name := range f.Names {
				if string(key) == name {
					return visit(i)
				}
			}
			return s.skipUnknown()
		})
	default:
		err = s.mismatch("an object")
	}
	if err != nil {
		return err
	}
	for i, name := range f.Names {
		if f.Required&^seen&(1<<i) != 0 {
			return &Error{Place: name, Offset: start, Reason: "missing field", Err: ErrMissing}
		}
	}
	return nil
}

// CheckUnknown makes [Scanner.Struct] check the values of unknown keys like [Scanner.Value]. The reference does so where it
// collects a whole value before it knows what it is.
func (s *Scanner) CheckUnknown() { s.checkUnknown = true }

func (s *Scanner) skipUnknown() error {
	if !s.checkUnknown {
		return s.Skip()
	}
	_, err := s.Value(len(s.data))
	return err
}

func (s *Scanner) positional(f *Fields, visit func(i int) error) error {
	return s.Array(func(i int) error {
		if i >= f.Positional {
			return &Error{Offset: s.pos, Reason: fmt.Sprintf("more than %d elements", f.Positional), Err: ErrType}
		}
		return visit(i)
	})
}

// Skip moves behind one value of any type. It checks syntax and nesting, but neither the UTF-8 of strings nor the range of
// numbers, as the reference does for what it ignores.
func (s *Scanner) Skip() error { return s.skip((*Scanner).skipString, (*Scanner).skipNumber) }

// Value moves behind one value of any type and returns its text, an alias of the input. Unlike [Scanner.Skip] it checks
// strings and numbers as if they were used.
func (s *Scanner) Value(limit int) ([]byte, error) {
	s.peek()
	start := s.pos
	err := s.skip(func(s *Scanner) error {
		_, err := s.String(limit)
		return err
	}, func(s *Scanner) error {
		_, err := s.Float64()
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.data[start:s.pos:s.pos], nil
}

func (s *Scanner) skipString() error {
	_, _, err := s.scanString(len(s.data))
	return err
}

// skip moves behind one value. It keeps one bit for each open level instead of calling itself, because unknown text decides
// how deep it goes.
func (s *Scanner) skip(str, number func(*Scanner) error) error {
	bottom := s.depth
	var ends [(limits.MaxNesting + 63) / 64]uint64 // bit d: the level bottom+1+d is an object
	inObject := func() bool { d := s.depth - bottom - 1; return ends[d/64]>>(d%64)&1 != 0 }
	for {
		opened, err := s.skipToken(str, number)
		if err != nil {
			return err
		}
		if opened != 0 {
			d := s.depth - bottom - 1
			ends[d/64] &^= 1 << (d % 64)
			if opened == '{' {
				ends[d/64] |= 1 << (d % 64)
			}
		}
		for first := opened != 0; s.depth > bottom; first = false {
			end := byte(']')
			object := inObject()
			if object {
				end = '}'
			}
			more, err := s.more(end, first)
			if err != nil {
				return err
			}
			if !more {
				continue
			}
			if object {
				if err := s.skipKey(str); err != nil {
					return err
				}
			}
			break
		}
		if s.depth == bottom {
			return nil
		}
	}
}

// skipToken moves behind a scalar, or behind the opening byte of an array or object, which it returns.
func (s *Scanner) skipToken(str, number func(*Scanner) error) (opened byte, err error) {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		if err := s.enter(); err != nil {
			return 0, err
		}
		s.pos++
		return c, nil
	case c == '"':
		return 0, str(s)
	case c == '-' || isDigit(c):
		return 0, number(s)
	case c == 't':
		return 0, s.literal("true")
	case c == 'f':
		return 0, s.literal("false")
	case c == 'n':
		return 0, s.literal("null")
	}
	return 0, s.syntax("want a value")
}

func (s *Scanner) skipKey(str func(*Scanner) error) error {
	if s.peek() != '"' {
		return s.syntax("want a key")
	}
	if err := str(s); err != nil {
		return err
	}
	if s.peek() != ':' {
		return s.syntax("want a colon behind a key")
	}
	s.pos++
	return nil
}
