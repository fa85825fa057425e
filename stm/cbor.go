package stm

import (
	"encoding/binary"
	"math"
)

// This file and the next write and read the part of CBOR (RFC 8949) that the reference uses, with the tolerance of its decoder: every
// width of integers and lengths, definite and indefinite lengths, tags in front of values, big numbers, byte strings where
// arrays of integers are expected, unknown keys, and bytes after the value.

// cborVersion is the byte in front of an object in CBOR.
const cborVersion = 1

// The major types.
const (
	cborUint     = 0
	cborNegative = 1
	cborBytes    = 2
	cborText     = 3
	cborArray    = 4
	cborMap      = 5
	cborTag      = 6
	cborOther    = 7
)

const (
	cborFalse       = 20
	cborNull        = 22
	cborUndefined   = 23
	cborBreak       = 0xff
	cborTagPositive = 2 // a big number
	cborTagNegative = 3
	cborMaxDepth    = 256  // where the reference stops
	cborMaxKey      = 4096 // as long as the reference's buffer
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

// float16 returns the bits of f in half precision when f is finite and that is exact.
func float16(f float32) (uint16, bool) {
	b := math.Float32bits(f)
	exponent := max(int(b>>23&0xff)-127, -14) // Below 2⁻¹⁴ all halves have the same unit, 2⁻²⁴.
	units := math.Ldexp(math.Abs(float64(f)), 10-exponent)
	if exponent > 15 || units != math.Trunc(units) {
		return 0, false
	}
	// From 2⁻¹⁴ on, the units include the hidden bit, which adds one to the exponent.
	return uint16(b>>31<<15) | (uint16(exponent+14)<<10 + uint16(units)), true
}
