package certio

import (
	"bytes"
	"encoding/hex"

	"github.com/stmverify/stmverify/internal/jsonhex"
)

// Hash is the claimed hash of a certificate.
type Hash [32]byte

// String returns the hash as 64 lowercase hexadecimal characters.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// link is what one certificate says about its place: its hash and the hash of the certificate before it, as text. A member
// that is absent, or no string, or longer than maxHashText, is nil.
type link struct {
	hash, previous []byte
}

// maxHashText is the longest text that is looked at: one more than a hash has.
const maxHashText = 65

// findLink looks for the members "hash" and "previous_hash" of the object text, at its top level. It trusts nothing: what
// it takes from text that is not JSON is undefined, and never panics. The decoder of package certificate has the last word
// on every certificate.
func findLink(text []byte) link {
	var l link
	depth, key := 0, []byte(nil)
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			end := stringEnd(text, i+1)
			if depth == 1 {
				key = l.member(key, text[i:end])
			}
			i = end
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 1 {
				key = nil
			}
		}
		i++
	}
	return l
}

// member takes the next string at the top level, with its quotes: a key where there is none, else its value. It returns the
// key that is open.
func (l *link) member(key, quoted []byte) []byte {
	if key == nil {
		if key = unquote(quoted); key == nil {
			return []byte{} // a name that is not looked for
		}
		return key
	}
	switch string(key) {
	case "hash":
		l.hash = unquote(quoted)
	case "previous_hash":
		l.previous = unquote(quoted)
	}
	return key
}

// unquote returns what a string says, or nil when it is none or longer than maxHashText. The result aliases the string unless
// that holds escapes.
func unquote(quoted []byte) []byte {
	const longestEscape = len(`\u0000`)
	s := jsonhex.NewScanner(quoted)
	text, err := s.String(longestEscape * maxHashText)
	if err != nil || len(text) > maxHashText {
		return nil
	}
	return text
}

// stringEnd returns the place behind the closing quote of the string in which i lies.
func stringEnd(text []byte, i int) int {
	for i < len(text) {
		next, inString := skipString(text, i)
		if !inString {
			return next
		}
		i = next
	}
	return len(text)
}

// parseHash reads exactly 64 lowercase hexadecimal characters.
func parseHash(text []byte) (h Hash, ok bool) {
	if len(text) != 2*len(h) || !bytes.Equal(text, bytes.ToLower(text)) {
		return Hash{}, false
	}
	_, err := hex.Decode(h[:], text)
	return h, err == nil
}
