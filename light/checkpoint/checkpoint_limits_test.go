package checkpoint

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// TestFileAtItsLimit reads a checkpoint in a file as long as one may be, and of one byte more.
func TestFileAtItsLimit(t *testing.T) {
	f, _, _ := made(t)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	padded := func(n int) error {
		_, err := Read(strings.NewReader(b.String() + strings.Repeat(" ", n-b.Len())))
		return err
	}
	if err := padded(limits.MaxCheckpointBytes); err != nil {
		t.Errorf("%d bytes: %v", limits.MaxCheckpointBytes, err)
	}
	if err := padded(limits.MaxCheckpointBytes + 1); !errors.Is(err, ErrLimit) || !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("%d bytes: got %v", limits.MaxCheckpointBytes+1, err)
	}
}
