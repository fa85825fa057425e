package ed25519

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// Spellings of the key that SPEC 2.3 lists for preprod.
const (
	keyHex = "7f497ca1068983d5cf75c655b0c7a2f1447b77910de8f331e502f9cdcd27eb2c"
	// The text as Mithril publishes it.
	keyJSONHex = "5b3132372c37332c3132342c3136312c362c3133372c3133312c3231332c3230372c3131372c3139382c38352c3137362c3139392c3136322c3234312c36382c3132332c3131392c3134352c31332c3233322c3234332c34392c3232392c322c3234392c3230352c3230352c33392c3233352c34345d"
)

// jsonHex returns the JSON-hex spelling of a key.
func jsonHex(key []byte) string {
	return hex.EncodeToString([]byte(strings.ReplaceAll(fmt.Sprint(key), " ", ",")))
}

func dualHex(key string) string { return "0120" + key + "40" + strings.Repeat("ab", schnorrKeySize) }

func TestParsePublicKey(t *testing.T) {
	for _, text := range []string{
		keyHex, keyJSONHex, dualHex(keyHex), "\n\t " + keyHex + " \r\n", keyJSONHex + "\n", " " + dualHex(keyHex),
	} {
		got, err := ParsePublicKey([]byte(text))
		if err != nil || hex.EncodeToString(got[:]) != keyHex {
			t.Errorf("%q: got %x, %v", text, got, err)
		}
	}
	for _, fill := range []byte{0, 9, 10, 99, 100, 255} {
		key := make([]byte, PublicKeySize)
		for i := range key {
			key[i] = fill
		}
		if got, err := ParsePublicKey([]byte(jsonHex(key))); err != nil || got != [PublicKeySize]byte(key) {
			t.Errorf("32 times %d: got %x, %v", fill, got, err)
		}
	}
}

func TestParsePublicKeyRefuses(t *testing.T) {
	json := func(text string) string { return hex.EncodeToString([]byte(text)) }
	numbers := strings.Repeat("1,", PublicKeySize-1)
	for name, text := range map[string]string{
		"empty":                 "",
		"white space":           " \n",
		"31 bytes":              keyHex[2:],
		"33 bytes":              keyHex + "00",
		"half a byte":           keyHex[1:],
		"upper case":            strings.ToUpper(keyHex),
		"no hex":                strings.Replace(keyHex, "7", "g", 1),
		"inner space":           keyHex[:10] + " " + keyHex[10:],
		"prefix":                "0x" + keyHex,
		"31 numbers":            json("[" + numbers[2:] + "1]"),
		"33 numbers":            json("[1," + numbers + "1]"),
		"256":                   json("[" + numbers + "256]"),
		"four digits":           json("[" + numbers + "1000]"),
		"leading zero":          json("[" + numbers + "01]"),
		"two zeros":             json("[" + numbers + "00]"),
		"sign":                  json("[" + numbers + "-1]"),
		"space in the array":    json("[ " + numbers + "1]"),
		"space before":          json(" [" + numbers + "1]"),
		"space after":           json("[" + numbers + "1] "),
		"no number":             json("[" + numbers + "]"),
		"not closed":            json("[" + numbers + "1"),
		"not closed, separator": json("[" + numbers + "1,"),
		"closed early":          json("[1]"),
		"bracket":               "5b",
		"more behind":           json("[" + numbers + "1]]"),
		"text":                  json("\"" + keyHex + "\""),
		"dual, version 2":       "02" + dualHex(keyHex)[2:],
		"dual, first length":    "0121" + dualHex(keyHex)[4:],
		"dual, second length":   strings.Replace(dualHex(keyHex), keyHex+"40", keyHex+"41", 1),
		"dual, short":           dualHex(keyHex)[:2*dualBundleSize-2],
		"dual, long":            dualHex(keyHex) + "00",
		"long":                  strings.Repeat("5b", 1<<20),
	} {
		got, err := ParsePublicKey([]byte(text))
		if err != ErrKeyText || !errors.Is(err, verdict.ErrInvalid) || got != [PublicKeySize]byte{} {
			t.Errorf("%s: got %x, %v, want %v", name, got, err, ErrKeyText)
		}
	}
}
