package peers

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"testing"

	"github.com/c2sp/wycheproof"

	"github.com/stmverify/stmverify/ed25519"
)

// signed is a signature with what it belongs to.
type signed struct {
	pub, msg, sig []byte
}

// wycheproofFile is the part of a Wycheproof file that concerns us.
type wycheproofFile struct {
	NumberOfTests int
	TestGroups    []struct {
		PublicKey struct{ PK string }
		Tests     []struct {
			TcID             int
			Comment          string
			Msg, Sig, Result string
		}
	}
}

// lenientTest is the test that only ZIP215 accepts although it is marked invalid: R is y = 1 with the sign bit set.
const lenientTest = 151

// TestWycheproof runs every test in every mode, singly and in one batch.
func TestWycheproof(t *testing.T) {
	data, err := fs.ReadFile(wycheproof.TestVectors, "ed25519_test.json")
	if err != nil {
		t.Fatal(err)
	}
	var file wycheproofFile
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []ed25519.Mode{ed25519.Strict, ed25519.CofactoredStrict, ed25519.ZIP215, ed25519.StdLib} {
		batch, err := ed25519.NewBatch(mode, ed25519.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var singly []error
		for _, group := range file.TestGroups {
			pub := unhex(t, group.PublicKey.PK)
			for _, test := range group.Tests {
				s := signed{pub, unhex(t, test.Msg), unhex(t, test.Sig)}
				want := test.Result == "valid" || mode == ed25519.ZIP215 && test.TcID == lenientTest
				err := ed25519.Verify(mode, s.pub, s.msg, s.sig)
				if (err == nil) != want {
					t.Errorf("%v, test %d (%s): got %v, want valid = %t", mode, test.TcID, test.Comment, err, want)
				}
				singly = append(singly, err)
				batch.Add(s.pub, s.msg, s.sig)
			}
		}
		if len(singly) != file.NumberOfTests || len(singly) == 0 {
			t.Fatalf("ran %d tests, want %d", len(singly), file.NumberOfTests)
		}
		_ = batch.Verify(context.Background())
		for i, err := range batch.Verdicts(nil) {
			if err != singly[i] {
				t.Errorf("%v, test %d: got %v in a batch, %v singly", mode, i, err, singly[i])
			}
		}
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
