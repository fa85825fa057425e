package stm

import (
	"fmt"
	"math"
)

// Parameters are the protocol parameters of a multi-signature.
type Parameters struct {
	K    uint64  // the quorum: how many lottery indices a proof must hold
	M    uint64  // how many lotteries there are: signers play 0 to M-1, verifiers accept M too (SPEC 11.4)
	PhiF float64 // the chance of a signer with all the stake to win one lottery, in (0, 1]
}

// Validate returns nil when 1 ≤ k ≤ m and 0 < phi_f ≤ 1, and an error that wraps [ErrParameters] otherwise (SPEC 9.1, 11.3).
func (p Parameters) Validate() error {
	switch {
	case p.K < 1:
		return fmt.Errorf("stm: %w: k is 0", ErrParameters)
	case p.M < p.K:
		return fmt.Errorf("stm: %w: m is %d, below k, which is %d", ErrParameters, p.M, p.K)
	case !(p.PhiF > 0 && p.PhiF <= 1): // Also when it is not a number.
		return fmt.Errorf("stm: %w: phi_f is %v, not in (0, 1]", ErrParameters, p.PhiF)
	}
	return nil
}

// AppendCBOR appends the version byte and the CBOR encoding (SPEC 2.2).
func (p Parameters) AppendCBOR(dst []byte) []byte {
	dst = append(dst, cborVersion)
	dst = appendCBORHead(dst, cborMap, 3)
	dst = appendCBORText(dst, "m")
	dst = appendCBORUint(dst, p.M)
	dst = appendCBORText(dst, "k")
	dst = appendCBORUint(dst, p.K)
	dst = appendCBORText(dst, "phi_f")
	return appendCBORFloat(dst, p.PhiF)
}

// AppendLegacy appends the legacy encoding, 24 bytes: m, k and phi_f, big-endian.
func (p Parameters) AppendLegacy(dst []byte) []byte {
	dst = appendUint64(dst, p.M)
	dst = appendUint64(dst, p.K)
	return appendUint64(dst, math.Float64bits(p.PhiF))
}
