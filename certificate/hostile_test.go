package certificate

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// allocated returns how many bytes f allocates. Nothing else may run at the same time.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestHostileTexts decodes texts that are as large as they may be and made to cost as much as they can.
func TestHostileTexts(t *testing.T) {
	standard, genesis := bases(t)
	const room = limits.MaxCertificateBytes - 64<<10 // for the rest of the certificate
	fill := func(unit string) string { return strings.Repeat(unit, room/len(unit)) }
	in := func(base, old, new string) string {
		if strings.Count(base, old) != 1 {
			t.Fatalf("%q does not occur once", old)
		}
		return strings.Replace(base, old, new, 1)
	}
	unknown := func(value string) string { return in(standard, `{"hash":`, `{"x":`+value+`,"hash":`) }
	for _, c := range []struct {
		name, text string
		rule       verdict.Rule
	}{
		{"open arrays", fill("["), malformed},
		{"open objects", fill(`{"a":`), tooLarge},
		{"open arrays in an unknown field", `{"x":` + fill("["), tooLarge},
		{"open arrays in the entity type", `{"signed_entity_type":` + fill("["), tooLarge},
		{"closed arrays in an unknown field", unknown(strings.Repeat("[", room/2) + strings.Repeat("]", room/2)), tooLarge},
		{"many unknown fields", in(standard, `{"hash":`, `{`+fill(`"x":1,`)+`"hash":`), valid},
		{"many empty objects", unknown(`[{}` + fill(",{}") + `]`), valid},
		{"one unknown string", unknown(`"` + fill("x") + `"`), valid},
		{"one unknown string of escapes", unknown(`"` + fill(`\u0000`) + `"`), valid},
		{"one string without end", standard[:1] + `"x":"` + fill("x"), malformed},
		{"one unknown number", unknown("1" + fill("0")), valid},
		{"one unknown fraction", unknown("0." + fill("1")), valid},
		{"one unknown exponent", unknown("1e" + fill("9")), valid},
		{"one phi_f", in(standard, `"phi_f":0.65`, `"phi_f":0.65`+fill("0")), valid},
		{"one phi_f with a great exponent", in(standard, `"phi_f":0.65`, `"phi_f":0.65e`+fill("9")), malformed},
		{"one integer", in(standard, `"k":15`, `"k":1`+fill("5")), malformed},
		{"white space", in(standard, `"k":15`, `"k":`+fill(" ")+`15`), valid},
		{"one key", in(standard, `{"hash":`, `{"`+fill("x")+`":1,"hash":`), tooLarge},
		{"one network", in(standard, `"network":"`, `"network":"`+fill("x")), tooLarge},
		{"one network of escapes", in(standard, `"network":"`, `"network":"`+fill(`\u0041`)), tooLarge},
		{"one date", in(genesis, `"initiated_at":"`, `"initiated_at":"`+fill("9")), tooLarge},
		{"one signed message", in(standard, `"signed_message":"`, `"signed_message":"`+fill("0")), tooLarge},
		{"one message part", in(standard, `"current_epoch":"`, `"current_epoch":"`+fill("4")), tooLarge},
		{"many message parts", in(standard, `"message_parts":{`, `"message_parts":{`+fill(`"current_epoch":"401",`)), tooLarge},
		{"many entity types", in(standard, `"signed_entity_type":{`, `"signed_entity_type":{`+fill(`"MithrilStakeDistribution":401,`)), malformed},
		{"many numbers of an entity type", in(genesis, `"signed_entity_type":{"MithrilStakeDistribution":400}`, `"signed_entity_type":[1`+fill(",1")+`]`), valid},
		{"many signers", in(genesis, `"signers":[`, `"signers":[["",0]`+fill(`,["",0]`)), tooLarge},
		{"one key of points", in(standard, `"aggregate_verification_key":"`, `"aggregate_verification_key":"`+fill("7b")), tooLarge},
		{"one genesis signature", in(standard, `"genesis_signature":"`, `"genesis_signature":"`+fill("5b")), tooLarge},
		{"one multi-signature of arrays", in(genesis, `"multi_signature":"`, `"multi_signature":"`+fill("5b")), tooLarge},
		{"the longest multi-signature", in(genesis, `"multi_signature":"`, `"multi_signature":"`+strings.Repeat("5b", limits.MaxProofBytes)), valid},
		{"the longest multi-signature, used", in(standard, `"multi_signature":"7b`, `"multi_signature":"`+strings.Repeat("5b", limits.MaxProofBytes-20_000)+`7b`), malformed},
		{"the longest ancillary data", in(standard, `"multi_signature":"`, `"ancillary_prover_data":"`+strings.Repeat("01", limits.MaxProofBytes)+`","multi_signature":"`), unsupported},
		{"one byte too many", in(standard, `"k":15`, `"k":`+strings.Repeat(" ", limits.MaxCertificateBytes+1-len(standard))+`15`), tooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := []byte(c.text)
			var got verdict.Rule
			var err *Error
			used := allocated(func() { got, err = rule(data) })
			if got != c.rule {
				t.Errorf("got %s (%v), want %s", got, err, c.rule)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("message of %d bytes", len(err.Error()))
			}
			// The largest growth is that of hexadecimal text and of signers: their bytes, some of them twice.
			if most := uint64(2*len(data) + 1<<20); used > most {
				t.Errorf("allocated %d bytes for a text of %d, want at most %d", used, len(data), most)
			}
		})
	}
}

// TestMostSigners decodes as many signers as a certificate may have.
func TestMostSigners(t *testing.T) {
	_, genesis := bases(t)
	text := strings.Replace(genesis, `"signers":[`, `"signers":[["a",1]`+strings.Repeat(`,["b",2]`, limits.MaxSigners-1), 1)
	c, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Metadata.Signers); n != limits.MaxSigners {
		t.Fatalf("got %d signers, want %d", n, limits.MaxSigners)
	}
	if first, last := c.Metadata.Signers[0], c.Metadata.Signers[limits.MaxSigners-1]; first != (Signer{"a", 1}) || last != (Signer{"b", 2}) {
		t.Errorf("got %v … %v", first, last)
	}
}

// TestDecodeAllocations bounds what decoding costs around the proof: a certificate of 127 signers with the one of genesis.
func TestDecodeAllocations(t *testing.T) {
	_, genesis := bases(t)
	text := []byte(strings.Replace(genesis, `"signers":[`,
		`"signers":[{"party_id":"pool1","stake":1}`+strings.Repeat(`,{"party_id":"pool1h6q8jj55dn6727yydlypu0rz4sflf2enxhs0thqydmddgu3shl5","stake":4060316081262}`, 126), 1))
	if n := testing.AllocsPerRun(10, func() {
		if _, err := Decode(text); err != nil {
			t.Fatal(err)
		}
	}); n > 80 {
		t.Errorf("decoding makes %v allocations, want at most 80", n)
	}
}

func TestUnsupported(t *testing.T) {
	standard, genesis := bases(t)
	// The JSON form of a SNARK proof and its hexadecimal form, with and without white space.
	const proof, spaced = "7b22536e61726b223a7b7d7d", "7b22536e61726b223a207b7d7d"
	multi := func(text string) string {
		at := strings.Index(standard, `"multi_signature":"`) + len(`"multi_signature":"`)
		return standard[:at] + text + standard[at+strings.IndexByte(standard[at:], '"'):]
	}
	rigid := strings.Replace(standard, `"message_parts":{`, `"hash_scheme":"rigid","message_parts":{"next_aggregate_verification_key_snark":"`+goldenSnarkKey+`",`, 1)
	for _, c := range []struct {
		name, text, place string
		hashable          bool
	}{
		{"SNARK proof", multi(proof), "multi_signature", true},
		{"SNARK proof with white space", multi(spaced), "multi_signature", false},
		{"SNARK proof in upper case", multi(strings.ToUpper(proof)), "multi_signature", false},
		{"SNARK proof as bytes", multi("01" + strings.Repeat("00", 64)), "multi_signature", false},
		{"rigid scheme", rigid, "protocol_message.hash_scheme", true},
		{"ancillary data", strings.Replace(genesis, `"multi_signature":`, `"ancillary_prover_data":"01f6","multi_signature":`, 1), "ancillary_prover_data", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.text))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, verdict.ErrUnsupported) || e.Rule != unsupported || e.Place != c.place || e.Hash.IsZero() {
				t.Fatalf("decode: got %v, want an unsupported %s", err, c.place)
			}
			got, err := Inspect([]byte(c.text))
			if err != nil {
				t.Fatalf("inspect: %v", err)
			}
			if !errors.Is(got.Unsupported(), verdict.ErrUnsupported) {
				t.Errorf("unsupported: got %v", got.Unsupported())
			}
			h, err := got.ComputeHash()
			if c.hashable != (err == nil) || err != nil && !errors.Is(err, verdict.ErrUnsupported) {
				t.Errorf("hash: got %v, %v", h, err)
			}
			text, err := got.AppendJSON(nil)
			if c.hashable != (err == nil) {
				t.Errorf("write: got %v", err)
			}
			if err != nil {
				return
			}
			again, err := Inspect(text)
			if err != nil {
				t.Fatalf("inspect again: %v", err)
			}
			if h2, err := again.ComputeHash(); err != nil || h2 != h {
				t.Errorf("hash again: got %v, %v, want %v", h2, err, h)
			}
		})
	}
}

// TestAncillaryDataIsHashed compares certificates with and without it.
func TestAncillaryDataIsHashed(t *testing.T) {
	_, genesis := bases(t)
	seen := map[Hash]string{}
	for _, field := range []string{"", `"ancillary_prover_data":"01f6",`, `"ancillary_verifier_data":"01f5",`} {
		c, err := Inspect([]byte(strings.Replace(genesis, `"multi_signature":`, field+`"multi_signature":`, 1)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := c.ComputeHash()
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[h]; ok {
			t.Errorf("%q has the hash of %q", field, other)
		}
		seen[h] = field
	}
}
