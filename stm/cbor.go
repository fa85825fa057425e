package stm

import (
	"encoding/binary"
	"errors"
	"math"
)

// This file reads and writes the part of CBOR (RFC 8949) that the reference uses, with the tolerance of its decoder: every
// width of integers and lengths, definite and indefinite lengths, tags in front of values, byte strings where arrays of
// integers are expected, unknown keys, and bytes after the value.

// cborVersion is the byte in front of an object in CBOR.
const cborVersion = 1

// The major types.
const (
	cborUint  = 0
	cborBytes = 2
	cborText  = 3
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
	cborOther = 7
)

const (
	cborNull      = 22
	cborUndefined = 23
	cborBreak     = 0xff
	cborMaxDepth  = 64
)

var (
	errCBOR     = errors.New("not the expected CBOR")
	errCBORKeys = errors.New("a key is missing or occurs twice")
	errDepth    = errors.New("nested too deeply")
)

func appendUint64(dst []byte, v uint64) []byte { return binary.BigEndian.AppendUint64(dst, v) }

func appendCBORHead(dst []byte, major byte, v uint64) []byte {
	major <<= 5
	switch {
	case v < 24:
		return append(dst, major|byte(v))
	case v <= math.MaxUint8:
		return append(dst, major|24, byte(v))
	case v <= math.MaxUint16:
		return binary.BigEndian.AppendUint16(append(dst, major|25), uint16(v))
	case v <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(dst, major|26), uint32(v))
	}
	return binary.BigEndian.AppendUint64(append(dst, major|27), v)
}

func appendCBORUint(dst []byte, v uint64) []byte { return appendCBORHead(dst, cborUint, v) }

func appendCBORText(dst []byte, s string) []byte {
	return append(appendCBORHead(dst, cborText, uint64(len(s))), s...)
}

// appendCBORInts appends bytes as an array of integers, as the reference writes them.
func appendCBORInts(dst, b []byte) []byte {
	dst = appendCBORHead(dst, cborArray, uint64(len(b)))
	for _, x := range b {
		dst = appendCBORUint(dst, uint64(x))
	}
	return dst
}

// appendCBORFloat uses the shortest form that keeps the value.
func appendCBORFloat(dst []byte, f float64) []byte {
	if g := float32(f); float64(g) == f {
		if h, ok := float16(g); ok {
			return binary.BigEndian.AppendUint16(append(dst, 0xf9), h)
		}
		return binary.BigEndian.AppendUint32(append(dst, 0xfa), math.Float32bits(g))
	}
	return binary.BigEndian.AppendUint64(append(dst, 0xfb), math.Float64bits(f))
}

// float16 returns the bits of f in half precision when that is exact and f is normal there.
func float16(f float32) (uint16, bool) {
	b := math.Float32bits(f)
	exponent := int(b>>23&0xff) - 127
	mantissa := b & (1<<23 - 1)
	if exponent < -14 || exponent > 15 || mantissa&(1<<13-1) != 0 {
		return 0, false
	}
	return uint16(b>>31<<15) | uint16(exponent+15)<<10 | uint16(mantissa>>13), true
}

// cborReader reads one object from the front of b.
type cborReader struct {
	b     []byte
	depth int
}

// head reads the next head, skipping tags. indefinite says that no length was given.
func (r *cborReader) head() (major byte, value uint64, indefinite bool, err error) {
	for {
		if len(r.b) == 0 {
			return 0, 0, false, errCBOR
		}
		major, low := r.b[0]>>5, r.b[0]&0x1f
		r.b = r.b[1:]
		value, indefinite, err = r.argument(low)
		if err != nil || major != cborTag {
			return major, value, indefinite, err
		}
	}
}

func (r *cborReader) argument(low byte) (uint64, bool, error) {
	switch {
	case low < 24:
		return uint64(low), false, nil
	case low == 31:
		return 0, true, nil
	case low > 27:
		return 0, false, errCBOR
	}
	n := 1 << (low - 24)
	if len(r.b) < n {
		return 0, false, errCBOR
	}
	var v uint64
	for _, x := range r.b[:n] {
		v = v<<8 | uint64(x)
	}
	r.b = r.b[n:]
	return v, false, nil
}

func (r *cborReader) uint() (uint64, error) {
	major, v, indefinite, err := r.head()
	if err == nil && (major != cborUint || indefinite) {
		err = errCBOR
	}
	return v, err
}

// null reads the null that stands for the reference's phantom field.
func (r *cborReader) null() error {
	major, v, _, err := r.head()
	if err == nil && (major != cborOther || v != cborNull && v != cborUndefined) {
		err = errCBOR
	}
	return err
}

// each calls f for every element of an array or map whose head has been read; count is its length when not indefinite.
// Every element has at least one byte, so that a false count ends with the input.
func (r *cborReader) each(count uint64, indefinite bool, f func() error) error {
	if r.depth++; r.depth > cborMaxDepth {
		return errDepth
	}
	for i := uint64(0); indefinite || i < count; i++ {
		if len(r.b) == 0 {
			return errCBOR
		}
		if indefinite && r.b[0] == cborBreak {
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

// array calls f in front of every element.
func (r *cborReader) array(f func() error) error {
	major, count, indefinite, err := r.head()
	if err != nil {
		return err
	}
	if major != cborArray {
		return errCBOR
	}
	return r.each(count, indefinite, f)
}

// bytes appends to dst a sequence of bytes: an array of integers or a byte string.
func (r *cborReader) bytes(dst []byte) ([]byte, error) {
	major, count, indefinite, err := r.head()
	if err != nil {
		return nil, err
	}
	switch major {
	case cborBytes, cborText:
		if major == cborText {
			return nil, errCBOR
		}
		return r.byteString(dst, count, indefinite)
	case cborArray:
		err := r.each(count, indefinite, func() error {
			v, err := r.uint()
			if err == nil && v > math.MaxUint8 {
				err = errCBOR
			}
			dst = append(dst, byte(v))
			return err
		})
		return dst, err
	}
	return nil, errCBOR
}

func (r *cborReader) byteString(dst []byte, count uint64, indefinite bool) ([]byte, error) {
	if !indefinite {
		if count > uint64(len(r.b)) {
			return nil, errCBOR
		}
		dst = append(dst, r.b[:count]...)
		r.b = r.b[count:]
		return dst, nil
	}
	err := r.each(0, true, func() error {
		major, count, indefinite, err := r.head()
		if err != nil {
			return err
		}
		if major != cborBytes || indefinite || count > uint64(len(r.b)) {
			return errCBOR
		}
		dst = append(dst, r.b[:count]...)
		r.b = r.b[count:]
		return nil
	})
	return dst, err
}

// structure reads a map with text keys: it calls member in front of the value of each of the names, each of which must
// occur once, and skips the others.
func (r *cborReader) structure(names []string, member func(i int) error) error {
	major, count, indefinite, err := r.head()
	if err != nil {
		return err
	}
	if major != cborMap {
		return errCBOR
	}
	seen := 0
	err = r.each(count, indefinite, func() error {
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

// text reads a key.
func (r *cborReader) text() (string, error) {
	major, count, indefinite, err := r.head()
	if err != nil {
		return "", err
	}
	if major != cborText && major != cborBytes || indefinite || count > uint64(len(r.b)) {
		return "", errCBOR
	}
	s := string(r.b[:count])
	r.b = r.b[count:]
	return s, nil
}

// skip reads a value of any type.
func (r *cborReader) skip() error {
	major, v, indefinite, err := r.head()
	if err != nil {
		return err
	}
	switch major {
	case cborBytes, cborText:
		_, err = r.byteStringLike(major, v, indefinite)
		return err
	case cborArray:
		return r.each(v, indefinite, r.skip)
	case cborMap:
		return r.each(v, indefinite, func() error {
			if err := r.skip(); err != nil {
				return err
			}
			return r.skip()
		})
	}
	if indefinite {
		return errCBOR
	}
	return nil
}

// byteStringLike skips a byte or text string.
func (r *cborReader) byteStringLike(major byte, count uint64, indefinite bool) ([]byte, error) {
	if !indefinite {
		return r.byteString(nil, count, false)
	}
	return nil, r.each(0, true, func() error {
		chunk, count, indefinite, err := r.head()
		if err != nil {
			return err
		}
		if chunk != major || indefinite {
			return errCBOR
		}
		_, err = r.byteString(nil, count, false)
		return err
	})
}
