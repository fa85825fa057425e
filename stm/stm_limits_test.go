package stm

import (
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// TestMoreAtItsLimits reads what TestMostOfEverything leaves out: the signatures and the leaves of a proof in JSON and in CBOR, and the
// values of its path. What a limit does not refuse may be refused for what it is.
func TestMoreAtItsLimits(t *testing.T) {
	list := func(unit string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(unit+",", n), ",") + "]"
	}
	readJSON := func(signatures, values, indices string) error {
		return new(rawProof).scanJSON([]byte(`{"signatures":` + signatures + `,"batch_proof":{"values":` + values + `,"indices":` + indices + `,"hasher":null}}`))
	}
	entryJSON := `[{"sigma":` + list("0", multisig.SignatureSize) + `,"indexes":[],"signer_index":0},[` + list("0", multisig.VerificationKeySize) + `,0]]`
	entryLegacy := func() []byte {
		party, single := make([]byte, multisig.VerificationKeySize+8), make([]byte, 8+multisig.SignatureSize+8)
		b := append(appendUint64(nil, uint64(len(party))), party...)
		return append(appendUint64(b, uint64(len(single))), single...)
	}()
	readCBOR := func(signatures int) error {
		entry := append(appendCBORHead(nil, cborBytes, uint64(len(entryLegacy))), entryLegacy...)
		b := appendCBORHead(appendCBORText([]byte{cborVersion, 0xa2}, "signature_bytes"), cborArray, uint64(signatures))
		b = appendCBORText(append(b, strings.Repeat(string(entry), signatures)...), "batch_proof_bytes")
		return new(rawProof).readProof(append(appendCBORHead(b, cborBytes, 16), make([]byte, 16)...))
	}
	readPath := func(values int) error {
		b := appendCBORHead(appendCBORText([]byte{cborVersion, 0xa3}, "values"), cborArray, uint64(values))
		b = appendCBORText(append(b, strings.Repeat("\x80", values)...), "indices")
		return new(rawProof).readPath(append(appendCBORText(append(b, 0x80), "hasher"), 0xf6))
	}
	for name, c := range map[string]struct {
		most int
		read func(n int) error
	}{
		"signatures, JSON": {limits.MaxSigners, func(n int) error { return readJSON(list(entryJSON, n), "[]", "[]") }},
		"signatures, CBOR": {limits.MaxSigners, readCBOR},
		"leaves, JSON":     {limits.MaxSigners, func(n int) error { return readJSON("[]", "[]", list("0", n)) }},
		"values, JSON":     {limits.MaxIndexes, func(n int) error { return readJSON("[]", list("[]", n), "[]") }},
		"values, CBOR":     {limits.MaxIndexes, readPath},
	} {
		t.Run(name, func(t *testing.T) {
			if err := c.read(c.most); err != nil {
				t.Errorf("%d: %v", c.most, err)
			}
			if err := c.read(c.most + 1); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%d: got %v", c.most+1, err)
			}
		})
	}
	for name, read := range map[string]func(n int) error{
		"JSON": func(n int) error {
			_, err := ParseAggregateSignatureJSON([]byte(strings.Repeat(" ", n)), nil)
			return err
		},
		"bytes": func(n int) error { _, err := AggregateSignatureFromBytes(make([]byte, n), nil); return err },
	} {
		if err := read(limits.MaxProofBytes); errors.Is(err, verdict.ErrLimit) {
			t.Errorf("%s of %d bytes: got %v", name, limits.MaxProofBytes, err)
		}
		if err := read(limits.MaxProofBytes + 1); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s of %d bytes: got %v", name, limits.MaxProofBytes+1, err)
		}
	}
}
