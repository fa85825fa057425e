package vectors_test

import (
	"os"
	"testing"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
)

func TestChain(t *testing.T) {
	for folder, want := range map[string]int{"testdata/chains/small": 12, "testdata/chains/mainnet-like": 41} {
		certificates, key := vectors.Chain(t, folder)
		if len(certificates) != want || len(key) == 0 {
			t.Errorf("%s: got %d certificates, key %q", folder, len(certificates), key)
		}
	}
}

func TestChainCases(t *testing.T) {
	cases := vectors.ChainCases(t)
	if len(cases) != 86 {
		t.Errorf("got %d cases, want 86", len(cases))
	}
	for _, c := range cases {
		if c.Name == "" || len(c.Certificates) == 0 || c.GenesisKey == "" || c.Expect == "" || c.Reason == "" || c.Reference == "" {
			t.Errorf("case %q lacks something", c.Name)
		}
	}
}

// TestAbsent skips a test that needs what is not beside the module, and says where other files are.
func TestAbsent(t *testing.T) {
	reached := false
	t.Run("shared", func(t *testing.T) {
		defer func() { reached = t.Skipped() }()
		vectors.Path(t, vectors.Shared+"no such file")
	})
	if !reached {
		t.Error("a test without its shared file was not skipped")
	}
	if _, err := os.Stat(vectors.Path(t, "go.mod")); err != nil {
		t.Error(err)
	}
}
