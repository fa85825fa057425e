package stm

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/merkle"
	"github.com/stmverify/stmverify/multisig"
	"github.com/stmverify/stmverify/verdict"
)

// set is one registration of testdata/stm_sets.json, whose bytes and verdicts come from the reference.
type set struct {
	Name           string
	Parameters     parametersJSON
	ParametersCBOR string `json:"parameters_cbor"`
	Parties        []struct {
		IKM   string
		VK    string
		Stake uint64
	}
	AVKJSON  string `json:"avk_json"`
	AVKCBOR  string `json:"avk_cbor"`
	Messages []struct {
		Msg           string
		AggregateJSON string `json:"aggregate_json"`
		AggregateCBOR string `json:"aggregate_cbor"`
		Valid         bool
	}
}

type parametersJSON struct {
	K, M uint64
	PhiF float64 `json:"phi_f"`
}

func (p parametersJSON) parameters() Parameters { return Parameters(p) }

func readSets(t testing.TB) []set {
	t.Helper()
	data, err := os.ReadFile("../testdata/stm_sets.json")
	if err != nil {
		t.Fatal(err)
	}
	var sets []set
	if err := json.Unmarshal(data, &sets); err != nil {
		t.Fatal(err)
	}
	return sets
}

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSets checks every encoding of every object of the reference: each decodes to the same object, which encodes to the
// same bytes and has the reference's verdict.
func TestSets(t *testing.T) {
	aggregates := 0
	for _, s := range readSets(t) {
		avk := checkAVK(t, s)
		p := s.Parameters.parameters()
		if got := hex.EncodeToString(p.AppendCBOR(nil)); got != s.ParametersCBOR {
			t.Errorf("%s: parameters: got %s, want %s", s.Name, got, s.ParametersCBOR)
		}
		for i, m := range s.Messages {
			if m.AggregateJSON == "" {
				continue
			}
			aggregates++
			t.Run(fmt.Sprintf("%s/%d", s.Name, i), func(t *testing.T) {
				fromJSON, err := ParseAggregateSignatureJSON([]byte(m.AggregateJSON), nil)
				if err != nil {
					t.Fatal(err)
				}
				forms := map[string][]byte{"CBOR": unhex(t, m.AggregateCBOR), "legacy": fromJSON.AppendLegacy(nil)}
				for name, b := range forms {
					s, err := AggregateSignatureFromBytes(b, nil)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if diff := cmp.Diff(m.AggregateJSON, string(s.AppendJSON(nil))); diff != "" {
						t.Errorf("%s to JSON: %s", name, diff)
					}
				}
				if got := fromJSON.AppendCBOR(nil); !bytes.Equal(got, forms["CBOR"]) {
					t.Errorf("to CBOR: got %x", got)
				}
				if got := string(fromJSON.AppendJSON(nil)); got != m.AggregateJSON {
					t.Errorf("to JSON: %s", cmp.Diff(m.AggregateJSON, got))
				}
				if err := fromJSON.Verify(unhex(t, m.Msg), avk, p); (err == nil) != m.Valid {
					t.Errorf("got %v, want valid = %v", err, m.Valid)
				}
				if err := fromJSON.Verify([]byte("another message"), avk, p); !errors.Is(err, verdict.ErrInvalid) {
					t.Errorf("another message: %v", err)
				}
			})
		}
	}
	if aggregates == 0 {
		t.Fatal("no aggregates")
	}
}

func checkAVK(t *testing.T, s set) *AggregateVerificationKey {
	t.Helper()
	avk, err := ParseAggregateVerificationKeyJSON([]byte(s.AVKJSON))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(avk.AppendJSON(nil)); got != s.AVKJSON {
		t.Errorf("AVK: got %s, want %s", got, s.AVKJSON)
	}
	if got := hex.EncodeToString(avk.AppendCBOR(nil)); got != s.AVKCBOR {
		t.Errorf("AVK: got %s, want %s", got, s.AVKCBOR)
	}
	for name, text := range map[string]string{
		"JSON-hex":            hex.EncodeToString([]byte(s.AVKJSON)),
		"JSON-hex with space": hex.EncodeToString([]byte(" " + s.AVKJSON + "\n")),
		"upper case":          strings.ToUpper(hex.EncodeToString([]byte(s.AVKJSON))),
		"CBOR":                s.AVKCBOR,
		"legacy":              hex.EncodeToString(avk.AppendLegacy(nil)),
	} {
		again, canonical, err := ParseAggregateVerificationKey([]byte(text))
		if err != nil || !again.Equal(avk) || canonical != (name == "JSON-hex") {
			t.Errorf("AVK in %s: got %v, canonical %v, %v", name, again, canonical, err)
		}
	}
	return avk
}

func TestAVKRefuses(t *testing.T) {
	hash := strings.TrimSuffix(strings.Repeat("1,", 32), ",")
	object := func(root, leaves, hasher, stake string) string {
		return `{"mt_commitment":{"root":[` + root + `],"nr_leaves":` + leaves + `,"hasher":` + hasher + `},"total_stake":` + stake + `}`
	}
	if _, err := ParseAggregateVerificationKeyJSON([]byte(object(hash, "1", "null", "1"))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":             "",
		"root of 31":        object(hash[2:], "1", "null", "1"),
		"root of 33":        object(hash+",1", "1", "null", "1"),
		"byte of 256":       object("256"+hash[1:], "1", "null", "1"),
		"negative leaves":   object(hash, "-1", "null", "1"),
		"leaves of 2^64":    object(hash, "18446744073709551616", "null", "1"),
		"hasher of 0":       object(hash, "1", "0", "1"),
		"fraction":          object(hash, "1", "null", "1.0"),
		"text behind":       object(hash, "1", "null", "1") + "x",
		"missing hasher":    `{"mt_commitment":{"root":[` + hash + `],"nr_leaves":1},"total_stake":1}`,
		"total stake twice": `{"mt_commitment":{"root":[` + hash + `],"nr_leaves":1,"hasher":null},"total_stake":1,"total_stake":1}`,
	} {
		if avk, err := ParseAggregateVerificationKeyJSON([]byte(text)); !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v, %v", name, avk, err)
		}
	}
	for name, text := range map[string]string{"odd": "5b0", "not hex": "zz", "empty": "", "47 bytes": strings.Repeat("00", 47), "49 bytes": strings.Repeat("00", 49),
		"CBOR, short": "01a2", "CBOR, a list": "0182"} {
		var e *DecodeError
		if _, _, err := ParseAggregateVerificationKey([]byte(text)); !errors.As(err, &e) || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, _, err := ParseAggregateVerificationKey(bytes.Repeat([]byte("5b"), 1<<20)); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("large: got %v", err)
	}
}

// example returns a valid proof of several signers, with what it is valid for.
func example(t testing.TB) (text string, msg []byte, avk *AggregateVerificationKey, p Parameters) {
	t.Helper()
	for _, s := range readSets(t) {
		if len(s.Parties) == 8 {
			avk, err := ParseAggregateVerificationKeyJSON([]byte(s.AVKJSON))
			if err != nil {
				t.Fatal(err)
			}
			return s.Messages[0].AggregateJSON, unhex(t, s.Messages[0].Msg), avk, s.Parameters.parameters()
		}
	}
	t.Fatal("no such set")
	return
}

// TestCheckRefuses breaks one rule of SPEC 4 at a time.
func TestCheckRefuses(t *testing.T) {
	text, msg, avk, p := example(t)
	fresh := func() *AggregateSignature {
		s, err := ParseAggregateSignatureJSON([]byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.indexes = slices.Clone(s.indexes)
		return s
	}
	if s := fresh(); s.Len() < 2 || s.Verify(msg, avk, p) != nil {
		t.Fatal("the example has too few signatures or is not valid")
	}
	for name, test := range map[string]struct {
		change func(s *AggregateSignature, avk *AggregateVerificationKey, p *Parameters)
		want   verdict.Detail
	}{
		"index above m":  {func(s *AggregateSignature, _ *AggregateVerificationKey, p *Parameters) { s.indexes[0] = p.M + 1 }, verdict.DetailIndexOutOfRange},
		"index repeated": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) { s.indexes[1] = s.indexes[0] }, verdict.DetailIndexNotUnique},
		"index repeated, m of 2^63": {func(s *AggregateSignature, _ *AggregateVerificationKey, p *Parameters) {
			s.indexes[1], p.M = s.indexes[0], 1<<63
		}, verdict.DetailIndexNotUnique},
		"index repeated by another signer": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) {
			s.indexes[s.entries[0].end] = s.indexes[0]
		}, verdict.DetailIndexNotUnique},
		"one index too few": {func(s *AggregateSignature, _ *AggregateVerificationKey, p *Parameters) {
			p.K = uint64(len(s.indexes)) + 1
		}, verdict.DetailQuorumNotReached},
		"no signatures": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) {
			s.entries, s.signatures, s.indexes = nil, nil, nil
		}, verdict.DetailQuorumNotReached},
		"total stake 0": {func(_ *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) { a.TotalStake = 0 }, verdict.DetailStakeOutOfRange},
		"stakes above the total": {func(s *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) {
			a.TotalStake = s.entries[0].stake
		}, verdict.DetailStakeOutOfRange},
		"stakes beyond 64 bits": {func(s *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) {
			a.TotalStake, s.entries[0].stake, s.entries[1].stake = 1<<64-1, 1<<64-1, 1
		}, verdict.DetailStakeOutOfRange},
		"stake changed": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) { s.entries[0].stake-- }, verdict.DetailMerklePathInvalid},
		"key changed": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) {
			s.entries[0].key = s.entries[1].key
		}, verdict.DetailMerklePathInvalid},
		"another root":  {func(_ *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) { a.Root[0] ^= 1 }, verdict.DetailMerklePathInvalid},
		"more leaves":   {func(_ *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) { a.NrLeaves = 1 << 40 }, verdict.DetailMerklePathInvalid},
		"2^64-1 leaves": {func(_ *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) { a.NrLeaves = 1<<64 - 1 }, verdict.DetailMerklePathInvalid},
		"no leaves":     {func(_ *AggregateSignature, a *AggregateVerificationKey, _ *Parameters) { a.NrLeaves = 0 }, verdict.DetailMerklePathInvalid},
		"value of 31 bytes": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) {
			s.setValues([][]byte{make([]byte, 31)})
		}, verdict.DetailMerklePathInvalid},
		"extra value": {func(s *AggregateSignature, _ *AggregateVerificationKey, _ *Parameters) {
			s.path.Values = append(s.path.Values, merkle.Hash{})
		}, verdict.DetailMerklePathInvalid},
		"phi_f too low": {func(_ *AggregateSignature, _ *AggregateVerificationKey, p *Parameters) { p.PhiF = 0.01 }, verdict.DetailLotteryLost},
		"signature of another signer": {func(s *AggregateSignature, _ *AggregateVerificationKey, p *Parameters) {
			p.PhiF = 1 // so that the lottery does not speak first
			s.signatures[0] = s.signatures[1]
		}, verdict.DetailAggregateInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			s, a, q := fresh(), *avk, p
			test.change(s, &a, &q)
			err := s.Verify(msg, &a, q)
			var e *ProofError
			class := verdict.ErrInvalid
			if a.NrLeaves > limits.MaxLeaves {
				class = verdict.ErrLimit
			}
			if !errors.As(err, &e) || e.Detail != test.want || verdict.Class(err) != class || errors.Is(err, verdict.ErrInvalid) != (class == verdict.ErrInvalid) {
				t.Errorf("got %v (%v), want %s", err, verdict.Class(err), test.want)
			}
		})
	}
	for name, q := range map[string]Parameters{
		"k of 0": {0, 10, 0.5}, "m below k": {3, 2, 0.5}, "phi_f of 0": {1, 2, 0}, "negative phi_f": {1, 2, -0.5}, "phi_f above 1": {1, 2, 1.0000001}, "phi_f not a number": {1, 2, nan()},
	} {
		if err := fresh().Verify(msg, avk, q); !errors.Is(err, ErrParameters) || !errors.Is(err, verdict.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

// TestIndexOfMIsAccepted pins SPEC 11.4: the lottery decides on an index of exactly m like on any other.
func TestIndexOfMIsAccepted(t *testing.T) {
	text, msg, avk, p := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.PhiF = 1
	s.indexes[0] = p.M
	if err := s.Verify(msg, avk, p); err != nil {
		t.Error(err)
	}
}

// TestSpellings compares the canonical scanner with the general one and pins which spellings the reference takes.
func TestSpellings(t *testing.T) {
	text, _, _, _ := example(t)
	var raw rawProof
	if !raw.scanCanonical([]byte(text)) {
		t.Fatal("the canonical scanner refuses the canonical form")
	}
	for name, test := range map[string]struct {
		text string
		ok   bool
	}{
		"white space":           {" " + strings.ReplaceAll(text, ",", " ,\n") + "\t", true},
		"reordered":             {strings.Replace(text, `{"signatures":`, `{"batch_proof":{"hasher":null,"values":[],"indices":[0]},"signatures":`, 1), false},
		"unknown field":         {strings.Replace(text, `{"signatures":`, `{"x":[{}],"signatures":`, 1), true},
		"unknown in single":     {strings.Replace(text, `{"sigma":`, `{"x":1e9,"sigma":`, 1), true},
		"single as array":       {strings.Replace(strings.Replace(text, `{"sigma":`, `[`, 1), `"indexes":`, ``, 1), false},
		"leading zero":          {strings.Replace(text, `"signer_index":`, `"signer_index":0`, 1), false},
		"plus":                  {strings.Replace(text, `"signer_index":`, `"signer_index":+`, 1), false},
		"fraction":              {strings.Replace(text, `,"signer_index"`, `.0,"signer_index"`, 1), false},
		"hasher missing":        {strings.Replace(text, `,"hasher":null`, ``, 1), false},
		"hasher 0":              {strings.Replace(text, `"hasher":null`, `"hasher":0`, 1), false},
		"sigma twice":           {strings.Replace(text, `"indexes":`, `"sigma":[1],"indexes":`, 1), false},
		"text behind":           {text + "]", false},
		"one byte less":         {text[:len(text)-1], false},
		"sigma of 49":           {strings.Replace(text, `"sigma":[`, `"sigma":[1,`, 1), false},
		"byte of 256":           {strings.Replace(text, `"sigma":[1`, `"sigma":[256,1`, 1), false},
		"empty element":         {strings.Replace(text, `"indexes":[`, `"indexes":[,`, 1), false},
		"index of 2^64":         {strings.Replace(text, `"indexes":[`, `"indexes":[18446744073709551616,`, 1), false},
		"index of 2^64-1":       {strings.Replace(text, `"indexes":[`, `"indexes":[18446744073709551615,`, 1), true},
		"proof as array":        {"[" + strings.TrimSuffix(strings.Replace(strings.TrimPrefix(text, `{"signatures":`), `"batch_proof":`, "", 1), "}") + "]", true},
		"nested too deeply":     {strings.Replace(text, `{"signatures":`, `{"x":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`,"signatures":`, 1), false},
		"not UTF-8 in a number": {strings.Replace(text, `"signer_index":`, "\"signer_index\":\xff", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			s, canonical, err := ParseAggregateSignature(appendHex(nil, []byte(test.text)), nil)
			if (err == nil) != test.ok {
				t.Fatalf("got %v, want accepted = %v", err, test.ok)
			}
			if err != nil {
				var e *DecodeError
				if !errors.As(err, &e) || verdict.Class(err) == nil {
					t.Errorf("got %T: %v", err, err)
				}
				return
			}
			if isCanonical := string(s.AppendJSON(nil)) == test.text; canonical != isCanonical {
				t.Errorf("canonical: got %v, want %v", canonical, isCanonical)
			}
		})
	}
	upper := bytes.ToUpper(appendHex(nil, []byte(text)))
	s, canonical, err := ParseAggregateSignature(upper, nil)
	if err != nil || canonical || string(s.AppendJSON(nil)) != text {
		t.Errorf("upper case: canonical %v, %v", canonical, err)
	}
}

func TestProofRefusesPoints(t *testing.T) {
	text, _, _, _ := example(t)
	i := strings.Index(text, `"sigma":[`) + len(`"sigma":[`)
	j := i + strings.Index(text[i:], ",")
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"sigma without flag": {text[:i] + "0" + text[j:], multisig.ErrNotCanonical},
		"sigma at infinity":  {text[:i] + "192" + strings.Repeat(",0", 47) + text[strings.Index(text, `],"indexes"`):], multisig.ErrInfinity},
	} {
		var e *DecodeError
		_, err := ParseAggregateSignatureJSON([]byte(test.text), nil)
		if !errors.Is(err, test.want) || !errors.Is(err, ErrMalformed) || !errors.As(err, &e) || e.Place != "signatures[0].sigma" {
			t.Errorf("%s: got %v", name, err)
		}
		proof, canonical, inHex := ParseAggregateSignature(appendHex(nil, []byte(test.text)), nil)
		if proof != nil || canonical || inHex == nil || inHex.Error() != err.Error() {
			t.Errorf("%s: in hexadecimal: got %v, canonical %v, %v, want %v", name, proof, canonical, inHex, err)
		}
		parsed := ParseAggregateSignatures([][]byte{appendHex(nil, []byte(text)), appendHex(nil, []byte(test.text)), {'x'}}, nil)
		if p := parsed[0]; p.Err != nil || !p.Canonical || string(p.Signature.AppendJSON(nil)) != text {
			t.Errorf("%s: beside a valid proof: got %v, canonical %v, %v", name, p.Signature, p.Canonical, p.Err)
		}
		if p := parsed[1]; p.Signature != nil || p.Canonical || p.Err == nil || p.Err.Error() != err.Error() {
			t.Errorf("%s: among others: got %v, canonical %v, %v, want %v", name, p.Signature, p.Canonical, p.Err, err)
		}
		if p := parsed[2]; p.Signature != nil || p.Canonical || !errors.Is(p.Err, ErrMalformed) {
			t.Errorf("%s: no hexadecimal behind it: got %v, canonical %v, %v", name, p.Signature, p.Canonical, p.Err)
		}
	}
}

func TestUnsupportedProofs(t *testing.T) {
	for name, b := range map[string]string{
		"legacy SNARK":     "\x01\x00\x00",
		"legacy IVC SNARK": "\x02\x00\x00",
		"JSON SNARK":       `{"Snark":{"proof":[1]}}`,
		"JSON IVC SNARK":   `{"IvcSnark":{}}`,
		"CBOR SNARK":       "\x01\xa2\x6esignature_type\x01\x6bproof_bytes\x41\x00",
	} {
		_, _, err := ParseAggregateSignature(appendHex(nil, []byte(b)), nil)
		if !errors.Is(err, verdict.ErrUnsupported) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBytesRefuse cuts both binary forms at every length and plants counts that promise more than there is.
func TestBytesRefuse(t *testing.T) {
	text, _, _, _ := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"legacy": s.AppendLegacy(nil), "CBOR": s.AppendCBOR(nil)} {
		for n := range len(b) {
			var raw rawProof
			if err := raw.readBytes(b[:n]); err == nil {
				t.Fatalf("%s: accepts the first %d of %d bytes", name, n, len(b))
			}
		}
		again, err := AggregateSignatureFromBytes(append(b, 0, 1, 2), nil)
		if err != nil || !again.Equal(s) {
			t.Errorf("%s: bytes behind the object, which the reference ignores: %v", name, err)
		}
	}
	huge := strings.Repeat("\xff", 8)
	for name, b := range map[string]string{
		"signatures": "\x00" + huge,
		"values":     "\x00" + strings.Repeat("\x00", 8) + huge + huge,
		"indices":    "\x00" + strings.Repeat("\x00", 16) + huge,
		"entry":      "\x00" + strings.Repeat("\x00", 7) + "\x01" + huge,
		"CBOR array": "\x01\xa2\x6esignature_type\x00\x6bproof_bytes\x9b" + huge,
		"CBOR bytes": "\x01\xa2\x6esignature_type\x00\x6bproof_bytes\x5b" + huge,
		"CBOR depth": "\x01" + strings.Repeat("\x81", 1000),
		"CBOR tags":  "\x01" + strings.Repeat("\xc0", 1000),
		"CBOR skip":  "\x01\xa1\x61x" + strings.Repeat("\x9f", 1000),
		"type 3":     "\x03",
		"empty":      "",
	} {
		if _, err := AggregateSignatureFromBytes([]byte(b), nil); verdict.Class(err) == nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// A path of more values than a proof has indices, each of no bytes.
	path := append([]byte("\x01\xa3\x66values\x9a\x00\x05\x00\x00"), bytes.Repeat([]byte{0x80}, 5<<16)...)
	path = append(path, "\x67indices\x80\x66hasher\xf6"...)
	var raw rawProof
	if err := raw.readPath(path); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("many values: got %v", err)
	}
	if _, err := AggregateSignatureFromBytes(make([]byte, 4<<20), nil); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("large: got %v", err)
	}
}

func TestAttacks(t *testing.T) {
	data, err := os.ReadFile("../testdata/attacks_single.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var c struct {
			Name       string
			Parameters parametersJSON
			AVK        string `json:"avk_json"`
			Msg        string
			Sig        string `json:"sig_json"`
			Expect     string
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		t.Run(c.Name, func(t *testing.T) {
			avk, err := ParseAggregateVerificationKeyJSON([]byte(c.AVK))
			if err != nil {
				t.Fatal(err)
			}
			s, err := ParseAggregateSignatureJSON([]byte(c.Sig), nil)
			if err == nil {
				err = s.Verify(unhex(t, c.Msg), avk, c.Parameters.parameters())
			}
			if (err == nil) != (c.Expect == "valid") || err != nil && !errors.Is(err, verdict.ErrInvalid) {
				t.Errorf("got %v, want %s", err, c.Expect)
			}
		})
	}
}

func FuzzParseAggregateSignature(f *testing.F) {
	text, _, _, _ := example(f)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(text))
	f.Add(s.AppendCBOR(nil))
	f.Add(s.AppendLegacy(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, canonical, err := ParseAggregateSignature(appendHex(nil, data), nil)
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("error without a class: %v", err)
			}
			return
		}
		// Where a path holds what is no hash, the text counts as not canonical, and is written again to be hashed.
		if same := bytes.Equal(s.AppendJSON(nil), data); canonical != (same && s.oddValues == nil) {
			t.Fatalf("canonical is %v for %q", canonical, data)
		}
		for _, b := range [][]byte{s.AppendCBOR(nil), s.AppendJSON(nil)} {
			again, _, err := ParseAggregateSignature(appendHex(nil, b), nil)
			if err != nil || !again.Equal(s) {
				t.Fatalf("does not survive encoding: %v", err)
			}
		}
	})
}

func FuzzParseAggregateVerificationKey(f *testing.F) {
	for _, s := range readSets(f) {
		f.Add([]byte(s.AVKJSON))
		f.Add(unhex(f, s.AVKCBOR))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		avk, canonical, err := ParseAggregateVerificationKey(appendHex(nil, data))
		if err != nil {
			if verdict.Class(err) == nil {
				t.Fatalf("error without a class: %v", err)
			}
			return
		}
		if canonical != bytes.Equal(avk.AppendJSON(nil), data) {
			t.Fatalf("canonical is %v for %q", canonical, data)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text, _, _, _ := example(b)
	hexText := appendHex(nil, []byte(text))
	keys := multisig.NewKeyCache(100)
	b.SetBytes(int64(len(hexText)))
	for b.Loop() {
		if _, _, err := ParseAggregateSignature(hexText, keys); err != nil {
			b.Fatal(err)
		}
	}
}
