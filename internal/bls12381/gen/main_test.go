package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGeneratedFilesAreCurrent fails when a file for the first group was changed without go generate.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	sources, err := filepath.Glob("../*_g1.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(strings.TrimSuffix(name, "_g1.go") + "_g2.go")
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != Generate(string(source)) {
			t.Errorf("%s: run go generate ./internal/bls12381", name)
		}
	}
}
