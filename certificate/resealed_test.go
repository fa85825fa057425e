package certificate

import (
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/stm"
	"github.com/stmverify/stmverify/verdict"
)

// resealed holds edits of the genesis certificate with the hash that it then has. The reference accepts each edited certificate when it
// claims that hash (mithril-common 0.8.3): anybody can reseal what is not signed.
var resealed = []struct{ name, old, new, hash string }{
	{"previous hash of zeros", `"previous_hash":""`, `"previous_hash":"` + strings.Repeat("0", 64) + `"`, "a2b84cf46918226120808f01363a846093c8003bc0a2de62302f614a46e409b6"},
	{"previous hash", `"previous_hash":""`, `"previous_hash":"` + strings.Repeat("ab", 32) + `"`, "e802bd66644291fe07d9bbdcb5311e054e37e0e5eb304b21e0441c1d106cb901"},
	{"signers", `"signers":[`, `"signers":[{"party_id":"é\u0000\ud83d\ude00","stake":18446744073709551615},["b",0]`, "e62d6f933b9f45250641754dbcaa4fbd94b8b7a017147d45bfb857845909fb10"},
	{"leap second", `"initiated_at":`, `"initiated_at":"2026-7-14 23:59:60.5 -01 : 30","x":`, "34e9ebc3607c483024412c26099873b9bd85bc428cdf02c89d0e1c07f791a54f"},
	{"least date", `"initiated_at":`, `"initiated_at":"1677-09-21T00:12:43.145224192Z","x":`, "bb3d4803a919768bc68b5cf867eaa516a36676ea8ff1af3e4c84c572595afadf"},
	{"no network", `"network":"testnet"`, `"network":""`, "71f475602f250987f21af3fd6e7f3547922495b33512bd89f17d896e4e209f48"},
	{"phi_f that rounds up", `"phi_f":0.65`, `"phi_f":0.99999999`, "e530d0c1628b01b574204982300667651a21ea75806a82a7d061ca252e9de23f"},
	{"phi_f on a tie, to zero", `"phi_f":0.65`, `"phi_f":2.98023223876953125e-8`, "7de18141c9f372936d1e652a3b7121ffb2c2a1f4c9594695eef3d66216e11254"},
	{"phi_f on a tie, to two", `"phi_f":0.65`, `"phi_f":8.94069671630859375e-8`, "88914b5b6e5c7644c50bf809e36bfcac097c3ce93e30938d80e17be5e48b1d03"},
	{"the least phi_f", `"phi_f":0.65`, `"phi_f":5e-324`, "7de18141c9f372936d1e652a3b7121ffb2c2a1f4c9594695eef3d66216e11254"},
	{"the greatest k and m", `"k":15,"m":100`, `"k":18446744073709551615,"m":18446744073709551615`, "7c80f3dbc88e29e5bd3f2655bbd938a8452a04bebae43fae87c15f263b3e3fd9"},
}

func TestResealedHashes(t *testing.T) {
	_, genesis := bases(t)
	for _, e := range resealed {
		if strings.Count(genesis, e.old) != 1 {
			t.Fatalf("%q does not occur once", e.old)
		}
		c, err := Decode([]byte(strings.Replace(genesis, e.old, e.new, 1)))
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		if got, err := c.ComputeHash(); err != nil || got.String() != e.hash {
			t.Errorf("%s: got %v, %v, want %s", e.name, got, err, e.hash)
		}
	}
}

// TestPreviousHashOfGenesis tells the empty text from 64 zeros, which are the same value.
func TestPreviousHashOfGenesis(t *testing.T) {
	_, genesis := bases(t)
	const zeros = `"previous_hash":"0000000000000000000000000000000000000000000000000000000000000000"`
	for _, text := range []string{genesis, strings.Replace(genesis, `"previous_hash":""`, zeros, 1)} {
		c, err := Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !c.PreviousHash.IsZero() {
			t.Errorf("got %v", c.PreviousHash)
		}
		if written, err := c.AppendJSON(nil); err != nil || string(written) != text {
			t.Errorf("got %.200s, %v, want %.200s", written, err, text)
		}
	}
}

// TestMadeByHand computes the hash of a certificate that was not decoded, and of one whose objects were replaced.
func TestMadeByHand(t *testing.T) {
	chain := smallChain(t)
	for _, raw := range chain {
		c, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		made := &Certificate{
			Hash: c.Hash, PreviousHash: c.PreviousHash, Epoch: c.Epoch, SignedEntityType: c.SignedEntityType, Metadata: c.Metadata,
			ProtocolMessage: c.ProtocolMessage, SignedMessage: c.SignedMessage, AVK: c.AVK, MultiSignature: c.MultiSignature,
			GenesisSignature: c.GenesisSignature,
		}
		if h, err := made.ComputeHash(); err != nil || h != c.Hash {
			t.Errorf("made by hand: got %v, %v, want %v", h, err, c.Hash)
		}
		if text, err := made.AppendJSON(nil); err != nil || string(text) != string(raw) {
			t.Errorf("made by hand: got %.200s, %v, want %.200s", text, err, raw)
		}
	}
	for name, lacking := range map[string]Certificate{
		"nothing":      {},
		"no signature": {AVK: new(stm.AggregateVerificationKey)},
		"no key":       {GenesisSignature: new([SignatureSize]byte)},
		"no key again": {MultiSignature: new(stm.AggregateSignature)},
	} {
		if h, err := lacking.ComputeHash(); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v, %v, want an error", name, h, err)
		}
		if text, err := lacking.AppendJSON(nil); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %s, %v, want an error", name, text, err)
		}
	}
	first, err := Decode(chain[0])
	if err != nil {
		t.Fatal(err)
	}
	second, err := Decode(chain[4])
	if err != nil {
		t.Fatal(err)
	}
	for name, replace := range map[string]func(c *Certificate){
		"multi-signature": func(c *Certificate) { c.MultiSignature = second.MultiSignature },
		"key":             func(c *Certificate) { c.AVK = second.AVK },
	} {
		c := *first
		replace(&c)
		if h, err := c.ComputeHash(); err != nil || h == first.Hash {
			t.Errorf("another %s: got %v, %v, the hash of before", name, h, err)
		}
	}
}
