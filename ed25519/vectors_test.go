package ed25519

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// hexBytes is a byte string written in hexadecimal in JSON.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// vector is one input of expected_modes.json with its verdict in each mode.
type vector struct {
	Set, ID          string
	Pub, Msg, Sig    hexBytes
	Strict           bool
	ZIP215           bool
	CofactoredStrict bool `json:"cofactored_strict"`
	StdLib           bool
}

func (v *vector) want(mode Mode) bool {
	return [modeCount]bool{Strict: v.Strict, CofactoredStrict: v.CofactoredStrict, ZIP215: v.ZIP215, StdLib: v.StdLib}[mode]
}

// sharedVectors is where the vectors lie, as seen from the module root.
const sharedVectors = "../../shared/vectors/ed25519"

// readShared reads a file of the shared vectors, and skips the test where there are none.
func readShared(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedVectors, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no shared vectors: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func expectedModes(t testing.TB) []vector {
	t.Helper()
	var vectors []vector
	if err := json.Unmarshal(readShared(t, "expected_modes.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) != 1669 {
		t.Fatalf("got %d vectors, want 1669", len(vectors))
	}
	return vectors
}

func TestVerifyExpectedModes(t *testing.T) {
	t.Parallel()
	vectors := expectedModes(t)
	for mode := range modeCount {
		t.Run(mode.String(), func(t *testing.T) {
			for i := range vectors {
				v := &vectors[i]
				err := Verify(mode, v.Pub, v.Msg, v.Sig)
				if (err == nil) != v.want(mode) {
					t.Errorf("%s %s: got %v, want valid = %t", v.Set, v.ID, err, v.want(mode))
				}
				if err != nil && !errors.Is(err, verdict.ErrInvalid) {
					t.Errorf("%s %s: %v does not wrap verdict.ErrInvalid", v.Set, v.ID, err)
				}
			}
		})
	}
}
