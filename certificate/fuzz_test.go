package certificate

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// FuzzDecode decodes anything. A refusal has a class and a message fit to print; what is accepted has a hash, which survives being
// written and decoded again.
func FuzzDecode(f *testing.F) {
	standard, genesis := bases(f)
	f.Add([]byte(standard))
	f.Add([]byte(genesis))
	for _, e := range append(both, genesisOnly...) {
		if text := e.apply(f, genesis); len(text) < 1<<12 {
			f.Add([]byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Inspect(data)
		if err != nil {
			checkFuzzError(t, err)
			return
		}
		hash, err := c.ComputeHash()
		if err != nil {
			if !errors.Is(err, verdict.ErrUnsupported) {
				t.Fatalf("hash: %v", err)
			}
			return
		}
		text, err := c.AppendJSON(nil)
		if err != nil {
			t.Fatalf("write: %v", err)
		}
		again, err := Inspect(text)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, text)
		}
		if again.Metadata.Parameters != c.Metadata.Parameters {
			return // The reference does not read every phi_f as the number that it wrote, and neither does this module.
		}
		if h, err := again.ComputeHash(); err != nil || h != hash {
			t.Fatalf("hash of what was written: got %v, %v, want %v", h, err, hash)
		}
		if text2, err := again.AppendJSON(nil); err != nil || !bytes.Equal(text, text2) {
			t.Fatalf("written again: got %s, %v, want %s", text2, err, text)
		}
		if (c.Unsupported() == nil) != (again.Unsupported() == nil) {
			t.Fatalf("unsupported: got %v, want %v", again.Unsupported(), c.Unsupported())
		}
	})
}

func checkFuzzError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Rule == "" || verdict.Class(err) == nil {
		t.Fatalf("got %v, want an *Error with a rule and a class", err)
	}
	if text := err.Error(); len(text) > 1000 || strings.ContainsFunc(text, unprintable) {
		t.Fatalf("message is not fit to print: %q", text)
	}
}

// FuzzSplit splits anything, and makes sure that what it yields, in an array or in lines, is split into the same again.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{`[{"a":"]}\"\\"},{}]`, "{}\n{\"b\":[{}]}\n", "[", "[]", `{"a`, " 7", `[{},`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		items, err := split(bytes.NewReader(data))
		if err != nil && verdict.Class(err) == nil {
			t.Fatalf("got %v, which has no class", err)
		}
		for _, joined := range []string{"[" + strings.Join(items, ",") + "]", strings.Join(items, "\n"), strings.Join(items, "")} {
			again, err := split(strings.NewReader(joined))
			if err != nil || strings.Join(again, "\x00") != strings.Join(items, "\x00") {
				t.Fatalf("got %q, %v, want %q", again, err, items)
			}
		}
	})
}
