package stm

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// TestMostOfEverything reads as many parts of a proof as there may be, and one more, in each encoding.
func TestMostOfEverything(t *testing.T) {
	indices := func(n int) []byte { return append(appendUint64(nil, uint64(n)), make([]byte, 8*n)...) }
	legacySingle := func(n int) []byte {
		return append(indices(n), make([]byte, multisig.SignatureSize+8)...)
	}
	cborSingle := func(n int) []byte {
		b := append(appendCBORText([]byte{cborVersion, 0xa3}, "indexes"), appendCBORHead(nil, cborArray, uint64(n))...)
		b = append(b, make([]byte, n)...)
		b = appendCBORInts(appendCBORText(b, "sigma"), make([]byte, multisig.SignatureSize))
		return appendCBORUint(appendCBORText(b, "signer_index"), 0)
	}
	jsonSingle := func(n int) []byte {
		return []byte(`{"sigma":[` + strings.Repeat("0,", multisig.SignatureSize-1) + `0],"indexes":[` + strings.Repeat("0,", n-1) + `0],"signer_index":0}`)
	}
	legacyPath := func(n int) []byte {
		return append(appendUint64(appendUint64(nil, 0), uint64(n)), make([]byte, 8*n)...)
	}
	cborPath := func(n int) []byte {
		b := append(appendCBORText([]byte{cborVersion, 0xa3}, "values"), 0x80)
		b = append(appendCBORHead(appendCBORText(b, "indices"), cborArray, uint64(n)), make([]byte, n)...)
		return append(appendCBORText(b, "hasher"), 0xf6)
	}
	entries := func(n int) []byte {
		single := legacySingle(0)
		party := make([]byte, multisig.VerificationKeySize+8)
		entry := append(appendUint64(nil, uint64(len(party))), party...)
		entry = append(appendUint64(entry, uint64(len(single))), single...)
		entry = append(appendUint64(nil, uint64(len(entry))), entry...)
		return append(append(appendUint64(nil, uint64(n)), []byte(strings.Repeat(string(entry), n))...), make([]byte, 16)...)
	}
	for name, c := range map[string]struct {
		most int
		read func(n int) error
	}{
		"indices, legacy": {limits.MaxIndexes, func(n int) error { return new(rawProof).readSingle(legacySingle(n)) }},
		"indices, CBOR":   {limits.MaxIndexes, func(n int) error { return new(rawProof).readSingle(cborSingle(n)) }},
		"indices, JSON": {limits.MaxIndexes, func(n int) error {
			_, err := ParseSingleSignatureJSON(jsonSingle(n))
			if errors.Is(err, multisig.ErrNotCanonical) {
				err = nil // The zeros are no point, which comes after.
			}
			return err
		}},
		"leaves, legacy":     {limits.MaxSigners, func(n int) error { return new(rawProof).readPath(legacyPath(n)) }},
		"leaves, CBOR":       {limits.MaxSigners, func(n int) error { return new(rawProof).readPath(cborPath(n)) }},
		"signatures, legacy": {limits.MaxSigners, func(n int) error { return new(rawProof).readProof(entries(n)) }},
		"bytes of a proof": {limits.MaxProofBytes, func(n int) error {
			_, err := ParseSingleSignatureJSON([]byte(strings.Repeat(" ", n)))
			if !errors.Is(err, verdict.ErrLimit) {
				err = nil
			}
			return err
		}},
		"bytes of a proof in bytes": {limits.MaxProofBytes, func(n int) error {
			_, err := SingleSignatureFromBytes(make([]byte, n))
			if !errors.Is(err, verdict.ErrLimit) {
				err = nil
			}
			return err
		}},
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
}

// TestLongestTexts parses keys and proofs as long as they may be, and longer.
func TestLongestTexts(t *testing.T) {
	plain := (&AggregateVerificationKey{Root: merkle.Hash{1}, NrLeaves: 1, TotalStake: 1}).AppendJSON(nil)
	longest := string(plain) + strings.Repeat(" ", limits.MaxKeyBytes-len(plain))
	if _, _, err := ParseAggregateVerificationKey([]byte(hex.EncodeToString([]byte(longest)))); err != nil {
		t.Errorf("key of %d bytes: %v", len(longest), err)
	}
	if _, _, err := ParseAggregateVerificationKey([]byte(hex.EncodeToString([]byte(longest + " ")))); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("key of %d bytes: got %v", len(longest)+1, err)
	}
	text, _, _, _ := example(t)
	padded := func(n int) []byte { return []byte(hex.EncodeToString([]byte(text + strings.Repeat(" ", n-len(text))))) }
	if _, _, err := ParseAggregateSignature(padded(limits.MaxProofBytes), nil); err != nil {
		t.Errorf("proof of %d bytes: %v", limits.MaxProofBytes, err)
	}
	if _, _, err := ParseAggregateSignature(padded(limits.MaxProofBytes+1), nil); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("proof of %d bytes: got %v", limits.MaxProofBytes+1, err)
	}
}
