package stm

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/jsonhex"
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
	jsonPath := func(values, indices string) error {
		scanner := jsonhex.NewScanner([]byte(`{"values":[` + values + `],"indices":[` + indices + `],"hasher":null}`))
		return new(rawProof).scanPath(&scanner)
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
		"leaves, legacy": {limits.MaxSigners, func(n int) error { return new(rawProof).readPath(legacyPath(n)) }},
		"leaves, CBOR":   {limits.MaxSigners, func(n int) error { return new(rawProof).readPath(cborPath(n)) }},
		"leaves, JSON":   {limits.MaxSigners, func(n int) error { return jsonPath("", numbers("0", n)) }},
		"values, JSON":   {limits.MaxIndexes, func(n int) error { return jsonPath(numbers("[]", n), "") }},
		"values, CBOR": {limits.MaxIndexes, func(n int) error {
			b := appendCBORHead(appendCBORText([]byte{cborVersion, 0xa3}, "values"), cborArray, uint64(n))
			b = append(appendCBORText(append(b, bytes.Repeat([]byte{0x80}, n)...), "indices"), 0x80)
			return new(rawProof).readPath(append(appendCBORText(b, "hasher"), 0xf6))
		}},
		// A text that long is refused before: the bound holds by itself.
		"signatures, JSON": {limits.MaxSigners, func(n int) error {
			raw := rawProof{stakes: make([]uint64, n-1)}
			text, _, _, _ := example(t)
			scanner := jsonhex.NewScanner([]byte(strings.TrimPrefix(text, `{"signatures":[`)))
			return raw.scanEntry(&scanner)
		}},
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
			err := c.read(c.most + 1)
			if !errors.Is(err, ErrTooLarge) || errors.Is(malformed(err), ErrMalformed) {
				t.Errorf("%d: got %v", c.most+1, err)
			}
		})
	}
}

// TestLongestValue reads values of a path, which no verifier takes at such a length: what is too long is malformed, no limit.
func TestLongestValue(t *testing.T) {
	for n, want := range map[int]string{limits.MaxStringBytes: "", limits.MaxStringBytes + 1: "values[0][65536]: more than 65536 bytes"} {
		scanner := jsonhex.NewScanner([]byte(`{"values":[[` + numbers("0", n) + `]],"indices":[],"hasher":null}`))
		err := new(rawProof).scanPath(&scanner)
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != want {
			t.Errorf("%d bytes: got %v, want %q", n, got, want)
		}
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
	longestText := text + strings.Repeat(" ", limits.MaxProofBytes-len(text))
	s, err := ParseAggregateSignatureJSON([]byte(longestText), nil)
	if err != nil {
		t.Fatalf("proof of %d bytes in JSON: %v", len(longestText), err)
	}
	longestBytes := append(s.AppendLegacy(nil), make([]byte, limits.MaxProofBytes)...)[:limits.MaxProofBytes]
	inHex := func(b []byte) error {
		_, _, err := ParseAggregateSignature([]byte(hex.EncodeToString(b)), nil)
		return err
	}
	inJSON := func(b []byte) error {
		_, err := ParseAggregateSignatureJSON(b, nil)
		return err
	}
	inBytes := func(b []byte) error {
		_, err := AggregateSignatureFromBytes(b, nil)
		return err
	}
	for name, c := range map[string]struct {
		parse   func([]byte) error
		longest []byte
	}{
		"JSON":                 {inJSON, []byte(longestText)},
		"legacy":               {inBytes, longestBytes},
		"JSON in hexadecimal":  {inHex, []byte(longestText)},
		"bytes in hexadecimal": {inHex, longestBytes},
	} {
		if err := c.parse(c.longest); err != nil {
			t.Errorf("%s: proof of %d bytes: %v", name, len(c.longest), err)
		}
		if err := c.parse(append(c.longest, ' ')); !errors.Is(err, ErrTooLarge) || errors.Is(err, ErrMalformed) {
			t.Errorf("%s: proof of %d bytes: got %v", name, len(c.longest)+1, err)
		}
	}
}
