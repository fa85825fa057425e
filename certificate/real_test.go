package certificate

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/internal/testkit/vectors"
)

// realFiles are the files of certificates, with how many each holds and whether all of it is spelled canonically.
var realFiles = []struct {
	name      string
	count     int
	canonical bool
}{
	{vectors.Shared + "real/preprod/certificates.json", 106, false},
	{vectors.Shared + "real/mainnet-epoch-643/certificate.json", 1, true},
	{vectors.Shared + "real/devnet-2025-02-25/certificates.json", 12, false},
	{vectors.Shared + "real/devnet-2025-02-25/all.json", 47, false},
	{vectors.Shared + "real/devnet-2026-05-21/certificates.json", 12, false},
	{vectors.Shared + "real/devnet-2026-05-21/all.json", 43, false},
	{"testdata/chains/small/certificates.json", 12, true},
	{"testdata/chains/mainnet-like/certificates.json.gz", 41, true},
}

// TestRealCertificates decodes every certificate at hand, compares its hashes with the claimed ones, and writes it back.
func TestRealCertificates(t *testing.T) {
	for _, file := range realFiles {
		t.Run(file.name, func(t *testing.T) {
			t.Parallel()
			all := texts(t, file.name)
			if len(all) != file.count {
				t.Errorf("got %d certificates, want %d", len(all), file.count)
			}
			for _, raw := range all {
				if t.Failed() {
					return // one certificate says enough
				}
				checkReal(t, raw, file.canonical)
			}
		})
	}
}

func checkReal(t *testing.T, raw []byte, canonical bool) {
	t.Helper()
	c, err := Decode(raw)
	if err != nil {
		t.Error(err)
		return
	}
	if got, err := c.ComputeHash(); err != nil || got != c.Hash {
		t.Errorf("hash: got %v, %v, want %v", got, err, c.Hash)
	}
	if got := c.ProtocolMessage.ComputeHash().String(); got != c.SignedMessage {
		t.Errorf("%v: message hash: got %s, want %s", c.Hash, got, c.SignedMessage)
	}
	if epoch, ok := c.ProtocolMessage.Epoch(); !ok || epoch != c.Epoch {
		t.Errorf("%v: signed epoch %d, %t, want %d", c.Hash, epoch, ok, c.Epoch)
	}
	if c.IsGenesis() != c.PreviousHash.IsZero() {
		t.Errorf("%v: genesis %t, previous hash %v", c.Hash, c.IsGenesis(), c.PreviousHash)
	}
	text, err := c.AppendJSON(nil)
	if err != nil {
		t.Error(err)
		return
	}
	if canonical && !bytes.Equal(text, raw) {
		t.Errorf("%v: written back: got %.300s, want %.300s", c.Hash, text, raw)
	}
	if diff := cmp.Diff(tree(t, raw), tree(t, text)); diff != "" {
		t.Errorf("%v: written back (-received +written):\n%s", c.Hash, diff)
	}
	// What is encoded anew must be what the received text was used for.
	c.avkText, c.proofText = nil, nil
	if got, err := c.ComputeHash(); err != nil || got != c.Hash {
		t.Errorf("hash over encoded objects: got %v, %v, want %v", got, err, c.Hash)
	}
}

// tree returns JSON as values that compare without regard to the order of fields.
func tree(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}
