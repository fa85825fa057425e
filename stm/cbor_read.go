package stm

import (
	"bytes"
	"errors"
	"math"
	"unicode/utf8"
)

var (
	errCBOR     = errors.New("not the expected CBOR")
	errCBORKeys = errors.New("a key is missing or occurs twice")
	errCBORTag  = errors.New("a tag that has no place there")
	errDepth    = errors.New("nested too deeply")
)

// cborReader reads one object from the front of b. Its tolerance is that of the reference's decoder (ciborium 0.2.2), whose rules for tags
// differ from type to type.
type cborReader struct {
	b     []byte
	depth int
	// buffered is set where the reference collects values before it knows their types, as it does for a structure whose fields come
	// from two: there a tag, a byte string for an array and a number beyond 64 bits are errors.
	buffered bool
}

// title reads the next head.
func (r *cborReader) title() (t cborTitle, err error) {
	if len(r.b) == 0 {
		return t, errCBOR
	}
	t.major = r.b[0] >> 5
	low := r.b[0] & 0x1f
	r.b = r.b[1:]
	switch {
	case low < 24:
		t.value = uint64(low)
		return t, nil
	case low == 31:
		if t.major < cborBytes || t.major == cborTag {
			return t, errCBOR
		}
		t.indefinite = true
		return t, nil
	case low > 27:
		return t, errCBOR
	}
	n := 1 << (low - 24)
	if len(r.b) < n {
		return t, errCBOR
	}
	for _, x := range r.b[:n] {
		t.value = t.value<<8 | uint64(x)
	}
	t.float = t.major == cborOther && n > 1
	r.b = r.b[n:]
	return t, nil
}

// cborTitle is the head of a value.
type cborTitle struct {
	major      byte
	value      uint64
	indefinite bool // no length was given, and value is 0; of major type 7, the break
	float      bool
}

// head reads the next head behind tags.
func (r *cborReader) head() (cborTitle, error) {
	for {
		t, err := r.title()
		if err != nil || t.major != cborTag {
			return t, err
		}
		if r.buffered {
			return t, errCBORTag
		}
	}
}

// uint reads an integer, or the byte string of a positive big number.
func (r *cborReader) uint() (uint64, error) {
	for {
		t, err := r.title()
		switch {
		case err != nil:
			return 0, err
		case t.major == cborUint:
			return t.value, nil
		case t.major != cborTag:
			return 0, errCBOR
		case r.buffered || t.value == cborTagNegative:
			return 0, errCBORTag
		case t.value == cborTagPositive:
			return r.bigNumber()
		}
	}
}

func (r *cborReader) bigNumber() (uint64, error) {
	t, err := r.title()
	if err != nil {
		return 0, err
	}
	if t.major != cborBytes {
		return 0, errCBOR
	}
	b, err := r.byteString(nil, t)
	if err != nil {
		return 0, err
	}
	b = bytes.TrimLeft(b, "\x00")
	if len(b) > 8 {
		return 0, errCBOR
	}
	var v uint64
	for _, x := range b {
		v = v<<8 | uint64(x)
	}
	return v, nil
}

// null reads the null that stands for the reference's phantom field.
func (r *cborReader) null() error {
	t, err := r.head()
	if err == nil && (t.major != cborOther || t.float || t.value != cborNull && t.value != cborUndefined) {
		err = errCBOR
	}
	return err
}

// each calls f for every element of an array or map whose head has been read; count is its length when not indefinite.
// Every element has at least one byte, so that a false count ends with the input.
func (r *cborReader) each(t cborTitle, f func() error) error {
	if err := r.deeper(); err != nil {
		return err
	}
	for i := uint64(0); t.indefinite || i < t.value; i++ {
		if len(r.b) == 0 {
			return errCBOR
		}
		if t.indefinite && r.b[0] == cborBreak {
			r.b = r.b[1:]
			break
		}
		if err := f(); err != nil {
			return err
		}
	}
	r.depth--
	return nil
}

func (r *cborReader) deeper() error {
	if r.depth++; r.depth > cborMaxDepth {
		return errDepth
	}
	return nil
}

// array calls f in front of every element. A byte string passes for an array when it is empty: its elements would be numbers.
// No array is buffered.
func (r *cborReader) array(f func() error) error {
	t, err := r.head()
	switch {
	case err != nil:
		return err
	case t.major == cborArray:
		return r.each(t, f)
	case t.major != cborBytes:
		return errCBOR
	}
	b, err := r.byteString(nil, t)
	if err == nil && len(b) > 0 {
		err = errCBOR
	}
	return err
}

// uints calls f for every number of an array of integers, or for every byte of a byte string.
func (r *cborReader) uints(f func(uint64) error) error {
	t, err := r.head()
	switch {
	case err != nil:
		return err
	case t.major == cborArray:
		return r.each(t, func() error {
			v, err := r.uint()
			if err != nil {
				return err
			}
			return f(v)
		})
	case t.major != cborBytes || r.buffered:
		return errCBOR
	}
	b, err := r.byteString(nil, t)
	for _, v := range b {
		if err == nil {
			err = f(uint64(v))
		}
	}
	return err
}

// bytes appends to dst a sequence of bytes: an array of integers or a byte string.
func (r *cborReader) bytes(dst []byte) ([]byte, error) {
	err := r.uints(func(v uint64) error {
		if v > math.MaxUint8 {
			return errCBOR
		}
		dst = append(dst, byte(v))
		return nil
	})
	return dst, err
}

// byteString appends a byte string, of which t is the head, to dst. The chunks of an indefinite one may be indefinite themselves.
func (r *cborReader) byteString(dst []byte, t cborTitle) ([]byte, error) {
	return r.chunks(dst, t, func([]byte) bool { return true })
}

// chunks appends the chunks of a string, each of which ok must accept.
func (r *cborReader) chunks(dst []byte, t cborTitle, ok func([]byte) bool) ([]byte, error) {
	open, major := 0, t.major
	for {
		switch {
		case t.major == cborOther && t.indefinite && open > 0:
			open--
		case t.major != major:
			return dst, errCBOR
		case t.indefinite:
			open++
		case t.value > uint64(len(r.b)) || !ok(r.b[:t.value]):
			return dst, errCBOR
		default:
			dst = append(dst, r.b[:t.value]...)
			r.b = r.b[t.value:]
		}
		if open == 0 {
			return dst, nil
		}
		var err error
		if t, err = r.title(); err != nil {
			return dst, err
		}
	}
}

// structure reads a map with text keys: it calls member in front of the value of each of the names, each of which must
// occur once, and skips the others.
func (r *cborReader) structure(names []string, member func(i int) error) error {
	t, err := r.head()
	if err != nil {
		return err
	}
	if t.major != cborMap {
		return errCBOR
	}
	seen := 0
	err = r.each(t, func() error {
		key, err := r.text()
		if err != nil {
			return err
		}
		for i, name := range names {
			if key == name {
				if seen&(1<<i) != 0 {
					return errCBORKeys
				}
				seen |= 1 << i
				return member(i)
			}
		}
		return r.skip()
	})
	if err == nil && seen != 1<<len(names)-1 {
		err = errCBORKeys
	}
	return err
}

// text reads a key: text, or a byte string with the bytes of a text. Tags are skipped in front of every key.
func (r *cborReader) text() (string, error) {
	buffered := r.buffered
	r.buffered = false
	t, err := r.head()
	r.buffered = buffered
	if err != nil {
		return "", err
	}
	if t.major != cborText && t.major != cborBytes || t.indefinite || t.value > uint64(min(len(r.b), cborMaxKey)) {
		return "", errCBOR
	}
	s := string(r.b[:t.value])
	if t.major == cborText && !utf8.ValidString(s) {
		return "", errCBOR
	}
	r.b = r.b[t.value:]
	return s, nil
}

// skip reads a value of any type.
func (r *cborReader) skip() error {
	t, err := r.title()
	if err != nil {
		return err
	}
	switch t.major {
	case cborNegative:
		if r.buffered && t.value > math.MaxInt64 {
			return errCBOR
		}
	case cborBytes:
		_, err = r.byteString(nil, t)
	case cborText:
		_, err = r.chunks(nil, t, utf8.Valid)
	case cborArray:
		err = r.each(t, r.skip)
	case cborMap:
		err = r.each(t, func() error {
			if err := r.skip(); err != nil {
				return err
			}
			return r.skip()
		})
	case cborTag:
		err = r.skipTagged()
	case cborOther:
		if !t.float && (t.value < cborFalse || t.value > cborUndefined) {
			err = errCBOR
		}
	}
	return err
}

func (r *cborReader) skipTagged() error {
	if r.buffered {
		return errCBORTag
	}
	if err := r.deeper(); err != nil {
		return err
	}
	if err := r.skip(); err != nil {
		return err
	}
	r.depth--
	return nil
}
