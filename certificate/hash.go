package certificate

import (
	"encoding/hex"
	"fmt"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/verdict"
)

// HashSize is the length of a [Hash] in bytes.
const HashSize = 32

// Hash is a SHA-256 digest: of a certificate, of a protocol message, of protocol parameters. Its text form, which is also what
// enters other digests, is 64 lowercase hexadecimal characters.
type Hash [HashSize]byte

// ErrHash says that a text is not 64 lowercase hexadecimal characters.
var ErrHash = verdict.Sentinel(verdict.ErrInvalid, "want 64 lowercase hexadecimal characters")

// ParseHash reads the text form. It refuses upper case, because texts are compared and hashed as they are.
func ParseHash(text string) (Hash, error) {
	var h Hash
	if len(text) != 2*HashSize {
		return Hash{}, fmt.Errorf("got %d characters: %w", len(text), ErrHash)
	}
	if _, err := hex.Decode(h[:], []byte(text)); err != nil || !jsonhex.IsLowerHex(text) {
		return Hash{}, ErrHash
	}
	return h, nil
}

// AppendText appends the text form.
func (h Hash) AppendText(dst []byte) ([]byte, error) { return hex.AppendEncode(dst, h[:]), nil }

// MarshalText returns the text form.
func (h Hash) MarshalText() ([]byte, error) { return h.AppendText(nil) }

// UnmarshalText reads the text form as [ParseHash] does.
func (h *Hash) UnmarshalText(text []byte) error {
	parsed, err := ParseHash(string(text))
	if err != nil {
		return err
	}
	*h = parsed
	return nil
}

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Short returns the first eight characters of the text form and an ellipsis, for messages.
func (h Hash) Short() string { return hex.EncodeToString(h[:4]) + "…" }

// IsZero reports whether h is the zero value, which stands for no hash.
func (h Hash) IsZero() bool { return h == Hash{} }
