// Package fixed holds the one fixed-point type that protocol parameters are hashed and compared with.
package fixed

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/stmverify/stmverify/verdict"
)

// ErrOutOfRange says that a number has no [U8F24] nearest to it: it is not a number, negative or too large. The
// reference wraps such numbers modulo 256 in release builds, so that 256.2 would hash like 0.2 (SPEC 3.4).
var ErrOutOfRange = verdict.Sentinel(verdict.ErrInvalid, "out of the range of unsigned 8.24 fixed point")

// U8F24 is an unsigned number below 256 with 24 fractional bits: the real number times 2²⁴.
type U8F24 uint32

// U8F24FromFloat64 returns the U8F24 nearest to f, ties to even (SPEC 3.4). It returns an error that wraps
// [ErrOutOfRange] for a NaN, a negative number and one that rounds to 256 or more.
func U8F24FromFloat64(f float64) (U8F24, error) {
	// The multiplication by a power of two is exact, so that the only rounding is RoundToEven's.
	scaled := math.RoundToEven(f * (1 << 24))
	if math.IsNaN(f) || f < 0 || scaled >= 1<<32 {
		return 0, fmt.Errorf("fixed: %v: %w", f, ErrOutOfRange)
	}
	return U8F24(scaled), nil
}

// Bytes returns the number as the protocol parameters hash takes it: four bytes, big-endian.
func (u U8F24) Bytes() [4]byte {
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], uint32(u))
	return b
}

// Float64 returns the number exactly.
func (u U8F24) Float64() float64 { return float64(u) / (1 << 24) }
