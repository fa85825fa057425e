package ed25519

import "encoding/binary"

// Sizes in bytes.
const (
	PublicKeySize = 32
	SignatureSize = 64
)

// smallOrderY lists, as little-endian words, the y coordinates of the eight points of small order: 0, 1, p-1 and the two
// of order 8; then the second encodings p and p+1 of 0 and 1. Each with either sign bit makes the 14 encodings that a
// lenient decoder takes for a point of small order. A test derives the list from the curve equation.
var smallOrderY = [7][4]uint64{
	{0, 0, 0, 0},
	{1, 0, 0, 0},
	{0xffffffffffffffec, 0xffffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff},
	{0xb027b2c28f95e826, 0xf098eff289f4c345, 0x3933c6d305acdfd5, 0x05fc536d880238b1},
	{0x4fd84d3d706a17c7, 0x0f67100d760b3cba, 0xc6cc392cfa53202a, 0x7a03ac9277fdc74e},
	{0xffffffffffffffed, 0xffffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff},
	{0xffffffffffffffee, 0xffffffffffffffff, 0xffffffffffffffff, 0x7fffffffffffffff},
}

// groupOrder is L = 2^252 + 27742317777372353535851937790883648493 as little-endian words.
var groupOrder = [4]uint64{0x5812631a5cf5d3ed, 0x14def9dea2f79cd6, 0, 0x1000000000000000}

// words reads 32 bytes as little-endian words.
func words(b []byte) [4]uint64 {
	_ = b[31]
	return [4]uint64{
		binary.LittleEndian.Uint64(b[0:]), binary.LittleEndian.Uint64(b[8:]),
		binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:]),
	}
}

// isSmallOrder reports whether the 32 bytes of encoding are one of the 14 encodings of a point of small order.
func isSmallOrder(encoding []byte) bool {
	y := words(encoding)
	y[3] &^= 1 << 63
	for i := range smallOrderY {
		if y == smallOrderY[i] {
			return true
		}
	}
	return false
}

// isCanonical reports whether the y coordinate in the 32 bytes of encoding is less than p = 2^255 - 19. A canonical
// encoding moreover has no sign bit when x = 0; that concerns y = 1 and y = p-1 only, which [isSmallOrder] finds.
func isCanonical(encoding []byte) bool {
	y := words(encoding)
	return y[3]|1<<63 != ^uint64(0) || y[2]&y[1] != ^uint64(0) || y[0] < ^uint64(0)-18
}

// isReduced reports whether the 32 bytes of s are less than the group order.
func isReduced(s []byte) bool {
	w := words(s)
	for i := 3; i >= 0; i-- {
		if w[i] != groupOrder[i] {
			return w[i] < groupOrder[i]
		}
	}
	return false
}

// checkEncoding applies the rules of the mode that concern the encodings alone. The batch and the single verification
// both begin with it, so that they cannot differ here.
func checkEncoding(mode Mode, publicKey, sig []byte) error {
	switch {
	case mode >= modeCount:
		return ErrMode
	case len(publicKey) != PublicKeySize:
		return ErrPublicKeyLength
	case len(sig) != SignatureSize:
		return ErrSignatureLength
	case !isReduced(sig[32:]):
		return ErrScalarRange
	case mode == ZIP215 || mode == StdLib:
		return nil
	case isSmallOrder(publicKey):
		return ErrPublicKeySmallOrder
	case isSmallOrder(sig[:32]):
		return ErrNonceSmallOrder
	case mode == Strict:
		return nil
	case !isCanonical(publicKey):
		return ErrPublicKeyNonCanonical
	case !isCanonical(sig[:32]):
		return ErrNonceNonCanonical
	}
	return nil
}
