package certificate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
)

// stricter names the chains whose first refused certificate decodes in the reference and does not here, because a rule of SPEC 11.3
// or 6.4 already speaks when the certificate is decoded.
var stricter = map[string]bool{
	"k-zero":                   true,
	"m-zero":                   true,
	"m-lowered-below-an-index": true, // below k too
	"genesis-turned-standard":  true, // without a previous hash
}

// TestChainCases decodes the certificates of every generated chain and compares how many are refused, and whether their hashes agree,
// with the verdict of the reference.
func TestChainCases(t *testing.T) {
	cases := vectors.ChainCases(t)
	if len(cases) != 86 {
		t.Errorf("got %d chains, want 86", len(cases))
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var undecodable, wrongHashes, wrongMessages int
			for _, raw := range c.Certificates {
				certificate, err := Decode(raw)
				if err != nil {
					undecodable++
					continue
				}
				if h, err := certificate.ComputeHash(); err != nil || h != certificate.Hash {
					wrongHashes++
				}
				if certificate.ProtocolMessage.ComputeHash().String() != certificate.SignedMessage {
					wrongMessages++
				}
			}
			check := func(what string, got int, want bool) {
				if (got > 0) != want {
					t.Errorf("%d %s; the reference says: %.100s", got, what, c.Reference)
				}
			}
			refused := strings.HasPrefix(c.Reference, "INVALID Can not convert message") ||
				strings.HasPrefix(c.Reference, "INVALID Unknown signed entity type")
			check("undecodable certificates", undecodable, refused || stricter[c.Name])
			if !refused {
				check("wrong hashes", wrongHashes, c.Name == "self-loop" || c.Reference == "INVALID certificate hash unmatch error")
				check("wrong messages", wrongMessages, c.Reference == "INVALID certificate protocol message unmatch error")
			}
		})
	}
}

// TestOtherEncodings compares the certificates whose objects arrive as CBOR or legacy bytes with those that arrive as JSON: what is
// hashed and written is the canonical form of all.
func TestOtherEncodings(t *testing.T) {
	canonical := map[Hash][]byte{}
	for _, raw := range smallChain(t) {
		c, err := Decode(raw)
		if err != nil {
			t.Fatal(err)
		}
		canonical[c.Hash] = raw
	}
	compared := 0
	for _, c := range vectors.ChainCases(t) {
		if !strings.Contains(c.Name, "-hex") || c.Expect != "valid" {
			continue
		}
		for _, raw := range c.Certificates {
			certificate, err := Decode(raw)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			text, err := certificate.AppendJSON(nil)
			if want := canonical[certificate.Hash]; err != nil || !bytes.Equal(text, want) {
				t.Errorf("%s: got %.200s, %v, want %.200s", c.Name, text, err, want)
			}
			compared++
		}
	}
	if compared < 30 {
		t.Errorf("only %d certificates were compared", compared)
	}
}
