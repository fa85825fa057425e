package ed25519

import (
	"bytes"
	"encoding/hex"

	"github.com/stmverify/stmverify/verdict"
)

// ErrKeyText says that a text is none of the spellings of a verification key.
var ErrKeyText = verdict.Sentinel(verdict.ErrInvalid, "ed25519: not a verification key")

// maxKeyText is the length of the longest spelling: a JSON array of 32 numbers of three digits, in hexadecimal.
const maxKeyText = 2 * (len("[]") + PublicKeySize*len("255") + PublicKeySize - 1)

// ParsePublicKey decodes the text of a Mithril genesis or era verification key (SPEC section 2.3). White space around
// the text is ignored; everything else is exact. There are three spellings, all in lowercase hexadecimal:
//
//   - of the compact JSON array of the 32 bytes as decimal numbers, which begins with 5b;
//   - of the dual bundle 01 20 ‖ Ed25519 key ‖ 40 ‖ Schnorr key, of which the second key is ignored;
//   - of the 32 bytes, for convenience; the reference does not know this one.
//
// For any other text it returns [ErrKeyText]. The key is not required to encode a point.
func ParsePublicKey(text []byte) (key [PublicKeySize]byte, err error) {
	text = bytes.TrimSpace(text)
	if len(text) > maxKeyText || !isLowerHex(text) {
		return key, ErrKeyText
	}
	var buffer [maxKeyText / 2]byte
	n, err := hex.Decode(buffer[:], text)
	if err != nil {
		return key, ErrKeyText
	}
	raw := buffer[:n]
	switch {
	case n == PublicKeySize:
		return [PublicKeySize]byte(raw), nil
	case n == dualBundleSize && raw[0] == 0x01 && raw[1] == PublicKeySize && raw[2+PublicKeySize] == schnorrKeySize:
		return [PublicKeySize]byte(raw[2:]), nil
	case raw[0] == '[':
		return parseByteArray(raw)
	}
	return key, ErrKeyText
}

// Sizes of the parts of the dual bundle.
const (
	schnorrKeySize = 64
	dualBundleSize = 1 + 1 + PublicKeySize + 1 + schnorrKeySize
)

// isLowerHex reports whether text is a non-empty string of the digits 0 to 9 and a to f.
func isLowerHex(text []byte) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) > 0
}

// parseByteArray decodes a compact JSON array of 32 numbers below 256, without leading zeros.
func parseByteArray(raw []byte) (key [PublicKeySize]byte, err error) {
	rest := raw[1:]
	for i := range key {
		digits := 0
		value := 0
		for digits < len(rest) && digits < 3 && '0' <= rest[digits] && rest[digits] <= '9' {
			value = 10*value + int(rest[digits]-'0')
			digits++
		}
		end := byte(',')
		if i == len(key)-1 {
			end = ']'
		}
		if digits == 0 || digits == len(rest) || rest[digits] != end || value > 255 || digits > 1 && rest[0] == '0' {
			return [PublicKeySize]byte{}, ErrKeyText
		}
		key[i] = byte(value)
		rest = rest[digits+1:]
	}
	if len(rest) != 0 {
		return [PublicKeySize]byte{}, ErrKeyText
	}
	return key, nil
}
