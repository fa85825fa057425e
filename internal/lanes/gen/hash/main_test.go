package main

import (
	"path/filepath"
	"testing"

	"github.com/stmverify/stmverify/internal/lanes/gen/output"
)

// TestCommitted regenerates the files and compares them with the committed ones.
func TestCommitted(t *testing.T) {
	dir := t.TempDir()
	if err := generate(dir); err != nil {
		t.Fatal(err)
	}
	stale, err := output.Stale(dir, filepath.Join("..", "..", "hash"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stale {
		t.Errorf("%s: the committed file differs from a new one; run go generate", name)
	}
}
