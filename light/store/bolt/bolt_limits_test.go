package bolt

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/light/store"
)

// TestTextAtItsLimit decompresses a text as long as one may be, and a longer one.
func TestTextAtItsLimit(t *testing.T) {
	enc, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	for n, want := range map[int]error{limits.MaxStoredText: nil, limits.MaxStoredText + 1: store.ErrCorrupt} {
		text, err := decompress(enc.EncodeAll(bytes.Repeat([]byte(" "), n), nil))
		if !errors.Is(err, want) || want == nil && (err != nil || len(text) != n) {
			t.Errorf("%d bytes: got %d, %v, want %v", n, len(text), err, want)
		}
	}
}
