package ed25519

// Mode is a rule set. The zero value is [Strict].
//
// In every mode a public key has 32 bytes, a signature R || S has 64, S is less than the group order L, and the hashed
// encodings of R and of the public key A are the bytes received.
type Mode uint8

const (
	// Strict is the rule of Mithril (SPEC section 5, the reference's verify_strict): the equation without cofactor,
	// R compared as bytes, neither A nor R of small order.
	Strict Mode = iota
	// CofactoredStrict is the equation multiplied by the cofactor 8; A and R canonical and not of small order.
	CofactoredStrict
	// ZIP215 is the equation multiplied by the cofactor 8; A and R may be any encoding of a curve point, canonical or
	// not, of small order or not. Under a small-order key one signature is valid for every message: the key of 32 zero
	// bytes accepts 64 zero bytes. Use it only where a protocol prescribes it.
	ZIP215
	// StdLib is the rule of crypto/ed25519: the equation without cofactor, R compared as bytes, A any encoding of a
	// curve point.
	StdLib

	modeCount
)

// String returns the name of the mode as the command line spells it.
func (m Mode) String() string {
	switch m {
	case Strict:
		return "strict"
	case CofactoredStrict:
		return "cofactored-strict"
	case ZIP215:
		return "zip215"
	case StdLib:
		return "stdlib"
	}
	return "unknown"
}

// ParseMode is the inverse of [Mode.String]. It returns [ErrMode] for any other text.
func ParseMode(text string) (Mode, error) {
	for m := range modeCount {
		if m.String() == text {
			return m, nil
		}
	}
	return 0, ErrMode
}
