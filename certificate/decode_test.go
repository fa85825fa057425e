package certificate

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
	"github.com/stmverify/stmverify/verdict"
)

// smallChain returns the generated chain of 12 certificates, newest first.
func smallChain(t testing.TB) [][]byte {
	t.Helper()
	return texts(t, "testdata/chains/small/certificates.json")
}

// texts returns the certificates of a file, each as it stands there.
func texts(t testing.TB, name string) [][]byte {
	t.Helper()
	var all [][]byte
	for raw, err := range Split(bytes.NewReader(vectors.Read(t, name))) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
	}
	return all
}

// bases returns a standard certificate and the genesis certificate that is its parent.
func bases(t testing.TB) (standard, genesis string) {
	chain := smallChain(t)
	return string(chain[len(chain)-2]), string(chain[len(chain)-1])
}

// TestGenesisSignatureAsJSON decodes the other form of a genesis signature that the reference accepts: the hexadecimal form of a
// JSON array of 64 bytes, with white space around either.
func TestGenesisSignatureAsJSON(t *testing.T) {
	_, genesis := bases(t)
	c, err := Decode([]byte(genesis))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(genesis, `"genesis_signature":"`) + len(`"genesis_signature":"`)
	array := strings.Join(strings.Fields(fmt.Sprint(*c.GenesisSignature)), ",") // [1,2,…]
	first, rest, _ := strings.Cut(array[1:], ",")
	for _, e := range []struct {
		name, json, around string
		want               verdict.Rule
	}{
		{"compact", array, "", valid},
		{"JSON with white space", " " + strings.ReplaceAll(array, ",", " ,") + "\n", "", valid},
		{"text with white space", array, " ", valid},
		{"an element short", "[" + rest, "", malformed},
		{"an element too many", "[0," + array[1:], "", malformed},
		{"an element above 255", "[256," + rest, "", malformed},
		{"an element with a fraction", "[" + first + ".0," + rest, "", malformed},
		{"text behind", array + "x", "", malformed},
	} {
		text := genesis[:at] + e.around + hex.EncodeToString([]byte(e.json)) + e.around + `"}`
		if got, err := rule([]byte(text)); got != e.want {
			t.Errorf("%s: got %s (%v), want %s", e.name, got, err, e.want)
		}
	}
}

// rule returns "valid", or the rule that refuses text: that of decoding, or that of a hash that does not match.
func rule(text []byte) (verdict.Rule, *Error) {
	c, err := Decode(text)
	if err != nil {
		return err.(*Error).Rule, err.(*Error)
	}
	if h, err := c.ComputeHash(); err != nil || h != c.Hash {
		return wrongHash, nil
	}
	if c.ProtocolMessage.ComputeHash().String() != c.SignedMessage {
		return verdict.RuleSignedMessageMismatch, nil
	}
	return valid, nil
}

func TestDecodeEdited(t *testing.T) {
	standard, genesis := bases(t)
	for _, set := range []struct {
		name, base string
		edits      []edit
	}{
		{"standard", standard, append(both, standardOnly...)},
		{"genesis", genesis, append(both, genesisOnly...)},
	} {
		for _, e := range set.edits {
			t.Run(set.name+"/"+e.name, func(t *testing.T) {
				text := e.apply(t, set.base)
				got, err := rule([]byte(text))
				if got != e.verdict {
					t.Fatalf("got %s (%v), want %s", got, err, e.verdict)
				}
				if err != nil {
					checkError(t, err, e.place)
				}
			})
		}
	}
}

// checkError holds what is true of every error of decoding.
func checkError(t *testing.T, err *Error, place string) {
	t.Helper()
	if place != "" && err.Place != place {
		t.Errorf("got place %q, want %q: %v", err.Place, place, err)
	}
	want := map[verdict.Rule]error{tooLarge: verdict.ErrLimit, unsupported: verdict.ErrUnsupported}[err.Rule]
	if want == nil {
		want = verdict.ErrInvalid
	}
	if verdict.Class(err) != want {
		t.Errorf("got class %v, want %v: %v", verdict.Class(err), want, err)
	}
	if text := err.Error(); len(text) > 500 || !strings.HasPrefix(text, "certificate") || strings.ContainsFunc(text, unprintable) {
		t.Errorf("message is not fit to print: %q", text)
	}
}

// unprintable reports whether r is a control character.
func unprintable(r rune) bool { return r < ' ' || r == 0x7f }

func TestErrorNamesTheCertificate(t *testing.T) {
	standard, _ := bases(t)
	const hash = "9c1e48da2ea6bae405ced4f7ba41343e853dcf530dafecbd0e71f2a21c0eead5"
	behind := strings.Replace(standard, `"epoch":401`, `"epoch":"x"`, 1)
	// The field hash may also stand behind the place of the error.
	before := strings.Replace(behind, `"hash":"`+hash+`",`, "", 1)
	before = before[:len(before)-1] + `,"hash":"` + hash + `"}`
	for name, text := range map[string]string{"behind": behind, "before": before} {
		_, err := Decode([]byte(text))
		const want = "certificate 9c1e48da…: malformed: epoch: got a string, want an unsigned 64-bit integer"
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
		var e *Error
		if !errors.As(err, &e) || e.Hash.String() != hash {
			t.Errorf("%s: got %+v", name, e)
		}
	}
	if _, err := Decode([]byte(behind[:200])); err == nil || !strings.HasPrefix(err.Error(), "certificate 9c1e48da…: malformed: ") {
		t.Errorf("cut: got %v", err)
	}
}

// TestDecodeCut decodes every prefix of a certificate.
func TestDecodeCut(t *testing.T) {
	standard, genesis := bases(t)
	for _, text := range []string{standard, genesis} {
		for n := range len(text) {
			_, err := Decode([]byte(text[:n]))
			var e *Error
			if !errors.As(err, &e) || e.Rule != malformed {
				t.Fatalf("%d of %d bytes: got %v, want a malformed text", n, len(text), err)
			}
		}
	}
}

// TestDecodeWithTrailingText decodes certificates with something behind them.
func TestDecodeWithTrailingText(t *testing.T) {
	standard, _ := bases(t)
	for _, tail := range []string{"x", "{}", ",", "]", "\x00", "\x1a", standard} {
		if _, err := Decode([]byte(standard + tail)); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%.10q behind: got %v, want an error", tail, err)
		}
	}
	if _, err := Decode([]byte("\n" + standard + " \r\n\t")); err != nil {
		t.Errorf("white space around: %v", err)
	}
}

// TestDecodeArrays decodes structures that are written as arrays of their fields, as the reference does.
func TestDecodeArrays(t *testing.T) {
	for _, raw := range smallChain(t) {
		want, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(asArray(t, raw))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(text)
		if err != nil {
			t.Errorf("%v as an array: %v\n%s", want.Hash, err, text)
			continue
		}
		if h, err := got.ComputeHash(); err != nil || h != want.Hash {
			t.Errorf("hash: got %v, %v, want %v", h, err, want.Hash)
		}
	}
}

// asArray rewrites a certificate: the fields of every structure in their order, null for the optional ones.
func asArray(t *testing.T, raw []byte) []any {
	var c struct {
		Hash     any `json:"hash"`
		Previous any `json:"previous_hash"`
		Epoch    any `json:"epoch"`
		Entity   any `json:"signed_entity_type"`
		Metadata struct {
			Network    any `json:"network"`
			Version    any `json:"version"`
			Parameters struct {
				K   any `json:"k"`
				M   any `json:"m"`
				Phi any `json:"phi_f"`
			} `json:"parameters"`
			Initiated any `json:"initiated_at"`
			Sealed    any `json:"sealed_at"`
			Signers   []struct {
				Party any `json:"party_id"`
				Stake any `json:"stake"`
			} `json:"signers"`
		} `json:"metadata"`
		Message struct {
			Parts any `json:"message_parts"`
		} `json:"protocol_message"`
		Signed  any `json:"signed_message"`
		AVK     any `json:"aggregate_verification_key"`
		Multi   any `json:"multi_signature"`
		Genesis any `json:"genesis_signature"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	signers := []any{}
	for _, s := range c.Metadata.Signers {
		signers = append(signers, []any{s.Party, s.Stake})
	}
	p := c.Metadata.Parameters
	return []any{
		c.Hash, c.Previous, c.Epoch, c.Entity,
		[]any{c.Metadata.Network, c.Metadata.Version, []any{p.K, p.M, p.Phi}, c.Metadata.Initiated, c.Metadata.Sealed, signers},
		[]any{c.Message.Parts}, c.Signed, c.AVK, nil, nil, c.Multi, c.Genesis,
	}
}

func TestDecodeDoesNotModify(t *testing.T) {
	standard, _ := bases(t)
	data := []byte(standard)
	if _, err := Decode(data); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, []byte(standard)) {
		t.Error("the text has changed")
	}
}
