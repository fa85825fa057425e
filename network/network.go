// Package network lists the published Mithril networks with their genesis verification keys, and reads such keys.
//
// The keys are those of SPEC 2.3. All networks but mainnet share one key, and no signature covers the name of a network:
// a chain of one of them also verifies under the key of another. [Network.Name] in the certificates is therefore a weak
// check; only a pinned genesis certificate or a checkpoint tells these networks apart.
package network

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/stmverify/stmverify/internal/limits"
)

// KeySize is the length of a genesis verification key, in bytes.
const KeySize = 32

// Key is an Ed25519 genesis verification key. It is not checked to be a point: [ed25519.Verify] decides that.
//
// [ed25519.Verify]: https://pkg.go.dev/github.com/stmverify/stmverify/ed25519#Verify
type Key [KeySize]byte

// String returns the key as 64 lowercase hexadecimal characters.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Network is a published network.
type Network struct {
	Name  string // as operators configure it: release-mainnet
	Short string // as users say it and as certificates carry it in their metadata: mainnet
	Key   Key    // its genesis verification key
}

var (
	mainnetKey = Key{
		0xbf, 0x42, 0x8c, 0xb9, 0x8a, 0x0b, 0xed, 0xcf, 0xfa, 0x90, 0x1b, 0x02, 0xbc, 0x1e, 0x0c, 0x51,
		0x9b, 0xcc, 0x0a, 0xb3, 0x4b, 0x17, 0x8a, 0xc4, 0xd9, 0x05, 0x0e, 0x14, 0x39, 0x4f, 0x27, 0xb0,
	}
	testKey = Key{
		0x7f, 0x49, 0x7c, 0xa1, 0x06, 0x89, 0x83, 0xd5, 0xcf, 0x75, 0xc6, 0x55, 0xb0, 0xc7, 0xa2, 0xf1,
		0x44, 0x7b, 0x77, 0x91, 0x0d, 0xe8, 0xf3, 0x31, 0xe5, 0x02, 0xf9, 0xcd, 0xcd, 0x27, 0xeb, 0x2c,
	}
	published = [...]Network{
		{"release-mainnet", "mainnet", mainnetKey},
		{"release-preprod", "preprod", testKey},
		{"pre-release-preview", "preview", testKey},
	}
)

// Published returns the published networks. The slice is the caller's.
func Published() []Network { return append([]Network(nil), published[:]...) }

// Lookup returns the network with the given name, long or short.
func Lookup(name string) (Network, error) {
	var known []string
	for _, n := range published {
		if name == n.Name || name == n.Short {
			return n, nil
		}
		known = append(known, n.Short)
	}
	return Network{}, fmt.Errorf("network: no network named %q: want %s", name, strings.Join(known, ", "))
}

// The errors of [ParseKey].
var (
	ErrKeyEmpty    = errors.New("network: empty genesis verification key")
	ErrKeyTooLong  = fmt.Errorf("network: genesis verification key longer than %d characters", limits.MaxGenesisKeyText)
	ErrKeyEncoding = errors.New("network: genesis verification key is neither 64 hexadecimal characters, nor JSON-hex of 32 numbers, nor a dual bundle")
)

// ParseKey reads a genesis verification key in one of three forms, outer white space ignored:
//
//   - JSON-hex, as in the published genesis.vkey files: hexadecimal of the JSON text of 32 numbers (SPEC 2.3);
//   - the dual bundle of the Lagrange era, hexadecimal of 01, 20, the Ed25519 key, 40, a Schnorr key of 64 bytes. Only the
//     Ed25519 half is returned: it alone signs what this module verifies;
//   - 64 hexadecimal characters, the key itself. The reference does not take this form.
func ParseKey(text string) (Key, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Key{}, ErrKeyEmpty
	}
	if len(text) > limits.MaxGenesisKeyText {
		return Key{}, ErrKeyTooLong
	}
	raw, err := hex.DecodeString(text)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKeyEncoding, err)
	}
	if len(raw) == KeySize { // The shortest JSON-hex has 65 bytes.
		return Key(raw), nil
	}
	if raw[0] == 0x01 {
		return parseBundle(raw)
	}
	return parseJSON(raw)
}

func parseBundle(raw []byte) (Key, error) {
	const ed25519At, schnorrAt, size = 2, 2 + KeySize + 1, 2 + KeySize + 1 + 64
	if len(raw) != size || raw[1] != KeySize || raw[schnorrAt-1] != 64 {
		return Key{}, ErrKeyEncoding
	}
	return Key(raw[ed25519At : ed25519At+KeySize]), nil
}

func parseJSON(raw []byte) (Key, error) {
	var numbers []number
	if err := json.Unmarshal(raw, &numbers); err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrKeyEncoding, err)
	}
	if len(numbers) != KeySize {
		return Key{}, fmt.Errorf("%w: got %d numbers, want %d", ErrKeyEncoding, len(numbers), KeySize)
	}
	var key Key
	for i, n := range numbers {
		key[i] = n.value
	}
	return key, nil
}

// number is a JSON number from 0 to 255. It is a struct because encoding/json reads any slice of bytes from base64 text
// too, and has its own method because null would be read as 0.
type number struct{ value uint8 }

func (n *number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return errors.New("null in the place of a number")
	}
	return json.Unmarshal(text, &n.value)
}
