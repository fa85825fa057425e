package certificate

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/jsonhex"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// TestHashNeedsMetadata computes the hash of a certificate whose parameters have none.
func TestHashNeedsMetadata(t *testing.T) {
	standard, _ := bases(t)
	c, err := Decode([]byte(standard))
	if err != nil {
		t.Fatal(err)
	}
	c.Metadata.Parameters.PhiF = 300
	if h, err := c.ComputeHash(); err == nil {
		t.Errorf("got %v", h)
	}
}

func TestIsCanonicalJSONHex(t *testing.T) {
	for text, want := range map[string]bool{"7b7d": true, "": false, "5b5d": false, "7B7D": false, "7b207d": false, "7b7d7": false, "7b": false, "zz": false} {
		if got := isCanonicalJSONHex([]byte(text)); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// TestClaimedHashIsTheFirst names a broken certificate by the first hash in it.
func TestClaimedHashIsTheFirst(t *testing.T) {
	a, b := strings.Repeat("a", 64), strings.Repeat("b", 64)
	_, err := Decode([]byte(`{"epoch":"x","hash":"` + a + `","hash":"` + b + `"}`))
	var e *Error
	if !errors.As(err, &e) || e.Hash.String() != a {
		t.Errorf("got %v", err)
	}
}

// TestKeysWithSpaces decodes keys with white space around, which take another way.
func TestKeysWithSpaces(t *testing.T) {
	key := &stm.AggregateVerificationKey{NrLeaves: 1, TotalStake: 1}
	plain := string(key.AppendJSONHex(nil))
	for text, valid := range map[string]bool{
		" " + plain + "\n":                            true,
		" " + plain + "zz":                            false,
		" " + plain + "0":                             false,
		" " + plain[:len(plain)-2]:                    false,
		" " + hex.EncodeToString(key.AppendCBOR(nil)): false,
	} {
		got, _, err := parseAVK([]byte(text))
		if (err == nil) != valid || valid && !got.Equal(key) {
			t.Errorf("%q: got %v, %v", text, got, err)
		}
	}
	var m ProtocolMessage
	m.SetPart(NextAggregateVerificationKey, " "+plain+"zz")
	if got, err := m.NextAVK(); err == nil {
		t.Errorf("part: got %v", got)
	}
}

func TestEntityTypesRefused(t *testing.T) {
	for _, text := range []string{
		`{"CardanoDatabase":{"epoch":1}}`, `{"CardanoDatabase":{"epoch":1,"immutable_file_number":1,"epoch":1}}`, `{"CardanoDatabase":[1]}`,
		`{"CardanoTransactions":[1]}`, `{"CardanoTransactions":[1,2,}`, `{"CardanoTransactions":[1,2,3]}`, `{"CardanoBlocksTransactions":[1,2]}`,
		`{"MithrilStakeDistribution":[1]}`, `{"CardanoTransactions":[1,,2]}`, `{}`, `{"MithrilStakeDistribution":1,"MithrilStakeDistribution":1}`,
	} {
		if got, err := parseEntityType([]byte(text)); err == nil {
			t.Errorf("%s: got %v", text, got)
		}
	}
}

// TestEntityErrorsAreExact says what is wrong with a number rather than that something else should follow.
func TestEntityErrorsAreExact(t *testing.T) {
	for _, text := range []string{
		`{"MithrilStakeDistribution":"1"}`, `{"CardanoTransactions":[1,"2"]}`, `{"CardanoDatabase":{"epoch":1,"immutable_file_number":"2"}}`,
	} {
		if _, err := parseEntityType([]byte(text)); !errors.Is(err, jsonhex.ErrType) {
			t.Errorf("%s: got %v, want %v", text, err, jsonhex.ErrType)
		}
	}
}

// TestSchemeTooLong refuses a name for its length, not for what it says.
func TestSchemeTooLong(t *testing.T) {
	for n, want := range map[int]error{limits.MaxStringBytes: errScheme, limits.MaxStringBytes + 1: jsonhex.ErrLimit} {
		var m ProtocolMessage
		s := jsonhex.NewScanner([]byte(`"` + strings.Repeat("x", n) + `"`))
		if err := m.scanScheme(&s); !errors.Is(err, want) {
			t.Errorf("%d bytes: got %v, want %v", n, err, want)
		}
	}
}

func TestSchemesRefused(t *testing.T) {
	for text, valid := range map[string]bool{
		`"legacy"`: true, `{"legacy":null}`: true, `"other"`: false, `{"other":null}`: false, `{"legacy":1}`: false, `{}`: false, `1`: false,
		`{"legacy":null,"legacy":null}`: false, "\"\xff\"": false,
	} {
		var m ProtocolMessage
		s := jsonhex.NewScanner([]byte(text))
		if err := m.scanScheme(&s); (err == nil) != valid {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestErrorsHaveAClass gives an error without a class that of invalid data, and leaves a reason as it is.
func TestErrorsHaveAClass(t *testing.T) {
	if err := at("x", errors.New("y")); !errors.Is(err, verdict.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	if err := fromScanner(&jsonhex.Error{Place: "x", Err: errDate}); err.Err != errDate || err.Place != "x" {
		t.Errorf("got %v", err)
	}
}

func TestSnarkKeyPieces(t *testing.T) {
	if rest, ok := cutPrefix([]byte("ab"), "ab"); !ok || len(rest) != 0 {
		t.Errorf("got %q, %v", rest, ok)
	}
	for _, text := range []string{"a", "xb", "ax"} {
		if rest, ok := cutPrefix([]byte(text), "ab"); ok {
			t.Errorf("%s: got %q", text, rest)
		}
	}
	if n, rest, ok := cborUint([]byte{27, 0, 0, 0, 0, 0, 0, 1, 0}); !ok || n != 256 || len(rest) != 0 {
		t.Errorf("eight bytes: got %d, %x, %v", n, rest, ok)
	}
	for _, head := range []byte{28, 29, 30, 31, 32, 255} {
		if n, _, ok := cborUint(append([]byte{head}, make([]byte, 300)...)); ok {
			t.Errorf("head %d: got %d", head, n)
		}
	}
	var m ProtocolMessage
	m.SetPart(NextAggregateVerificationKeySnark, strings.Repeat("ab", 40)+"zz")
	if slot, ok := m.rigidKey(); ok {
		t.Errorf("a key with something behind it is %x", slot)
	}
}
