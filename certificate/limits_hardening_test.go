package certificate

import (
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// TestBounds decodes certificates with as much of something as there may be, and with one more.
func TestBounds(t *testing.T) {
	standard, _ := bases(t)
	put := func(old, new string) string {
		if strings.Count(standard, old) != 1 {
			t.Fatalf("%q does not occur once", old)
		}
		return strings.Replace(standard, old, new, 1)
	}
	for name, c := range map[string]struct {
		most int
		text func(n int) string
	}{
		"bytes":           {limits.MaxCertificateBytes, func(n int) string { return standard + strings.Repeat(" ", n-len(standard)) }},
		"bytes of a text": {limits.MaxStringBytes, func(n int) string { return put(`"version":"0.1.0"`, `"version":"`+strings.Repeat("v", n)+`"`) }},
		"levels": {limits.MaxNesting, func(n int) string {
			return put(`{"hash":`, `{"x":`+strings.Repeat("[", n-1)+strings.Repeat("]", n-1)+`,"hash":`)
		}},
		"message parts": {limits.MaxMessageParts, func(n int) string {
			more := n - strings.Count(standard[strings.Index(standard, `"message_parts":{`):strings.Index(standard, `"signed_message"`)], `":"`)
			return put(`"message_parts":{`, `"message_parts":{`+strings.Repeat(`"current_epoch":"1",`, more))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := rule([]byte(c.text(c.most))); got != valid && got != verdict.RuleCertificateHashMismatch {
				t.Errorf("%d: %s: %v", c.most, got, err)
			}
			if got, err := rule([]byte(c.text(c.most + 1))); got != tooLarge {
				t.Errorf("%d: %s: %v", c.most+1, got, err)
			}
		})
	}
}
