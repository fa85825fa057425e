package certificate

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

func TestParseHash(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 4)
	h, err := ParseHash(text)
	if err != nil || h.String() != text || h.IsZero() {
		t.Fatalf("got %v, %v", h, err)
	}
	if h.Short() != "01234567…" {
		t.Errorf("short: got %s", h.Short())
	}
	for name, bad := range map[string]string{
		"empty":      "",
		"short":      text[1:],
		"odd":        text + "0",
		"long":       text + "00",
		"upper case": strings.ToUpper(text),
		"not hex":    "g" + text[1:],
		"spaces":     " " + text[1:],
		"two bytes":  "é" + text[2:],
	} {
		if _, err := ParseHash(bad); !errors.Is(err, ErrHash) || !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v, want %v", name, err, ErrHash)
		}
	}
}

func TestHashText(t *testing.T) {
	want := Hash{1, 31: 0xff}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Hash
	if err := json.Unmarshal(text, &got); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if err := json.Unmarshal([]byte(`"00"`), &got); !errors.Is(err, ErrHash) {
		t.Errorf("got %v, want %v", err, ErrHash)
	}
	if got != want {
		t.Error("a refused text changed the hash")
	}
}
