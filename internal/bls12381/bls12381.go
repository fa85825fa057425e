// Package bls12381 holds what both curve backends share: the point types, the canonical encodings, the endomorphisms and
// the multi-scalar multiplication.
//
// Points are affine, with coordinates in Montgomery form of six 64-bit limbs, least significant first (R = 2^384). This is
// the layout in memory of gnark-crypto's and of blst's affine points alike, so that a backend converts by reinterpreting
// a pointer and no coordinate is ever recomputed. The point at infinity is all zeros in both.
//
// Everything here runs in variable time: the inputs are public.
package bls12381

import (
	curve "github.com/consensys/gnark-crypto/ecc/bls12-381"
	"github.com/consensys/gnark-crypto/ecc/bls12-381/fp"
)

// Lengths in bytes of the compressed encodings.
const (
	G1Size = 48
	G2Size = 96
)

// G1 is a point of E(Fp), 96 bytes in memory.
type G1 = curve.G1Affine

// G2 is a point of E'(Fp²), 192 bytes in memory.
type G2 = curve.G2Affine

// Status is what a decoder has to say of an encoded point.
type Status uint8

// The outcomes of decoding, from the first check to the last.
const (
	OK            Status = iota
	NotCanonical         // a flag is wrong or a coordinate is not below the field's modulus
	Infinity             // the encoding of the point at infinity
	NotOnCurve           // no point has this coordinate
	NotInSubgroup        // on the curve, but not in the subgroup of order r
)

// Flags of the first byte of a compressed point (the ZCash encoding, also of the BLS draft's appendix).
const (
	flagCompressed = 0x80
	flagInfinity   = 0x40
	flagSign       = 0x20
	flags          = flagCompressed | flagInfinity | flagSign
)

// modulus is the field's modulus p, big-endian.
var modulus = [fp.Bytes]byte{
	0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7,
	0x64, 0x77, 0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24,
	0x1e, 0xab, 0xff, 0xfe, 0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
}

// CheckEncoding decides what can be decided of a compressed encoding without arithmetic: the flags and that every
// coordinate is below p. b has G1Size or G2Size bytes. Both backends decode only what passed here, so that they cannot
// differ in what they take for canonical.
func CheckEncoding(b []byte) Status {
	if b[0]&flagCompressed == 0 {
		return NotCanonical
	}
	if b[0]&flagInfinity != 0 {
		return infinityOrNotCanonical(b)
	}
	first := b[0]
	b = b[:len(b):len(b)]
	if !belowModulus(first&^flags, b[1:fp.Bytes]) {
		return NotCanonical
	}
	if len(b) == G2Size && !belowModulus(b[fp.Bytes], b[fp.Bytes+1:]) {
		return NotCanonical
	}
	return OK
}

func infinityOrNotCanonical(b []byte) Status {
	rest := b[0] &^ (flagCompressed | flagInfinity)
	for _, x := range b[1:] {
		rest |= x
	}
	if rest != 0 {
		return NotCanonical
	}
	return Infinity
}

// belowModulus reports whether the big-endian number first ‖ rest is below p.
func belowModulus(first byte, rest []byte) bool {
	if first != modulus[0] {
		return first < modulus[0]
	}
	for i, x := range rest {
		if m := modulus[i+1]; x != m {
			return x < m
		}
	}
	return false
}

// GeneratorG1 returns g₁.
func GeneratorG1() G1 {
	_, _, g, _ := curve.Generators()
	return g
}

// GeneratorG2 returns g₂.
func GeneratorG2() G2 {
	_, _, _, g := curve.Generators()
	return g
}
