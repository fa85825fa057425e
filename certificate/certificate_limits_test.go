package certificate

import (
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
)

// TestListsAndTextsAtTheirLimits decodes certificates with as many signers, as long a multi-signature and as long texts as there may
// be, and with one more.
func TestListsAndTextsAtTheirLimits(t *testing.T) {
	_, genesis := bases(t)
	put := func(old, new string) string {
		if strings.Count(genesis, old) != 1 {
			t.Fatalf("%q does not occur once", old)
		}
		return strings.Replace(genesis, old, new, 1)
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		most int
		text func(n int) string
	}{
		"signers": {limits.MaxSigners, func(n int) string {
			return put(`"signers":[`, `"signers":[["a",1]`+strings.Repeat(`,["b",2]`, n-1))
		}},
		// The multi-signature of a genesis certificate is not looked at.
		"characters of a multi-signature": {2 * limits.MaxProofBytes, func(n int) string {
			return put(`"multi_signature":"`, `"multi_signature":"`+strings.Repeat("5", n))
		}},
		"bytes of a party": {limits.MaxStringBytes, func(n int) string { return put(`"signers":[`, `"signers":[["`+long(n)+`",1]`) }},
		"bytes of a message part": {limits.MaxStringBytes, func(n int) string {
			return put(`"message_parts":{`, `"message_parts":{"snapshot_digest":"`+long(n)+`",`)
		}},
		"bytes of a name": {limits.MaxMemberName, func(n int) string { return put(`{"hash":`, `{"`+long(n)+`":0,"hash":`) }},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := rule([]byte(c.text(c.most))); got == tooLarge || got == malformed {
				t.Errorf("%d: %v", c.most, err)
			}
			if got, err := rule([]byte(c.text(c.most + 1))); got != tooLarge {
				t.Errorf("%d: %s: %v", c.most+1, got, err)
			}
		})
	}
}
