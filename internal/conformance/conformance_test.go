package conformance_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stmverify/stmverify/internal/conformance"
	"github.com/stmverify/stmverify/internal/testkit/vectors"
)

// TestVectors runs every vector file of the repository.
func TestVectors(t *testing.T) {
	t.Parallel()
	passed := runFolder(t, vectors.Path(t, "testdata"))
	for file, want := range map[string]int{
		"attacks_batch.jsonl":                      4,
		"attacks_single.jsonl":                     5,
		"chain_cases.jsonl.gz":                     86,
		"chains/mainnet-like/certificates.json.gz": 1,
		"chains/small/certificates.json":           7,
		"lottery.json.gz":                          2800,
		"stm_sets.json":                            0, // counted in cases that the file does not number
	} {
		if got := passed[file]; got < want || got == 0 {
			t.Errorf("%s: %d cases passed, want %d", file, got, want)
		}
	}
}

// TestSharedVectors runs the vectors that may not be copied: real chains, and Ed25519 edge cases.
func TestSharedVectors(t *testing.T) {
	t.Parallel()
	folder := vectors.Path(t, vectors.Shared)
	for _, part := range []string{"real", "ed25519"} {
		if len(runFolder(t, filepath.Join(folder, part))) == 0 {
			t.Errorf("%s: no file was run", part)
		}
	}
}

func runFolder(t *testing.T, folder string) map[string]int {
	t.Helper()
	passed := make(map[string]int)
	err := conformance.Run(context.Background(), folder, func(r *conformance.Report) {
		passed[r.File] = r.Passed
		t.Logf("%s: %d passed, %d failed, %d not run", r.File, r.Passed, len(r.Failures), r.NotRun)
		for _, f := range r.Failures {
			t.Errorf("%s: %s: %v", r.File, f.Case, f.Err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return passed
}
