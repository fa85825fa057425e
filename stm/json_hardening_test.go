package stm

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/verdict"
)

// refusal is an input one step from a valid one, with the error that it must get: many of these inputs would be refused by a
// later check as well, so that only the text tells whether the first one is there. The texts are without the prefix that all
// have, and without the offsets of the JSON scanner.
type refusal struct{ name, input, want string }

func checkRefusals(t *testing.T, prefix string, cases []refusal, parse func(input string) error) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := parse(c.input)
			if err == nil {
				t.Fatalf("accepted, want %q", c.want)
			}
			if verdict.Class(err) == nil {
				t.Errorf("an error without a class: %v", err)
			}
			text, _, _ := strings.Cut(err.Error(), " (byte ")
			if text, ok := strings.CutPrefix(text, prefix); !ok || text != c.want {
				t.Errorf("\n got %s\nwant %s", text, c.want)
			}
		})
	}
}

// numbers returns n times the text and commas between.
func numbers(text string, n int) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

// TestKeyTextRefusals breaks the texts of keys that stand in certificates.
func TestKeyTextRefusals(t *testing.T) {
	object := func(root, leaves, hasher, stake string) string {
		return `{"mt_commitment":{"root":[` + root + `],"nr_leaves":` + leaves + `,"hasher":` + hasher + `},"total_stake":` + stake + `}`
	}
	parse := func(text string) error {
		_, _, err := ParseAggregateVerificationKey([]byte(text))
		return err
	}
	root := numbers("255", 32)
	legacy := (&AggregateVerificationKey{NrLeaves: 0xff, TotalStake: 1}).AppendLegacy(nil)
	inHex := func(text string) string { return hex.EncodeToString([]byte(text)) }
	for name, text := range map[string]string{
		"JSON":                    inHex(object(root, "1", "null", "2")),
		"legacy":                  hex.EncodeToString(legacy),
		"legacy that begins as {": "7b" + hex.EncodeToString(legacy)[2:], // 123·2⁵⁶ leaves, which Check refuses
	} {
		if err := parse(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	checkRefusals(t, "stm: aggregate verification key: ", []refusal{
		{"empty", "", "malformed: empty"},
		{"one digit", "0", "malformed: not hexadecimal"},
		{"a digit behind", inHex(object(root, "1", "null", "2")) + "0", "malformed: not hexadecimal"},
		{"g for f", strings.Replace(hex.EncodeToString(legacy), "ff", "gg", 1), "malformed: not hexadecimal"},
		{"a high g", strings.Replace(hex.EncodeToString(legacy), "ff", "gf", 1), "malformed: not hexadecimal"},
		{"a low g", strings.Replace(hex.EncodeToString(legacy), "ff", "fg", 1), "malformed: not hexadecimal"},
		{"no such form", "020000", "malformed: got 3 bytes, want 48"},
		{"JSON cut short", inHex(`{"mt_commitment"`), "malformed: unexpected end of the text"},
		{"array cut short", inHex(" \t\r\n["), "[0]: malformed: unexpected end of the text"},
		{"white space", inHex(" \t\r\n"), "malformed: got 4 bytes, want 48"},
		{"no commitment", inHex(object(root, "1", "null", "2")[:17] + `7}`), "mt_commitment: malformed: got a number, want an object"},
		{"root of 31", inHex(object(root[4:], "1", "null", "2")), "mt_commitment.root: malformed: got 31 bytes, want 32"},
		{"root of 33", inHex(object(root+",1", "1", "null", "2")), "mt_commitment.root[32]: malformed: more than 32 bytes"},
		{"root of text", inHex(object(`"1"`, "1", "null", "2")), "mt_commitment.root[0]: malformed: got a string, want an unsigned 64-bit integer"},
		{"byte of 256", inHex(object(root+",256", "1", "null", "2")), "mt_commitment.root[32]: malformed: more than 32 bytes"},
		{"last byte of 256", inHex(object(root[4:]+",256", "1", "null", "2")), "mt_commitment.root[31]: malformed: got 256, want a byte"},
		{"root cut short", inHex(object(root, "", "", "")[:40]), "mt_commitment.root: malformed: unexpected end of the text"},
		{"negative leaves", inHex(object(root, "-1", "null", "2")), "mt_commitment.nr_leaves: malformed: got a negative number, want an unsigned 64-bit integer"},
		{"hasher of 0", inHex(object(root, "1", "0", "2")), "mt_commitment.hasher: malformed: want null"},
		{"hasher of nul", inHex(object(root, "1", "nul", "2")), "mt_commitment.hasher: malformed: invalid literal"},
		{"stake of text", inHex(object(root, "1", "null", `"2"`)), "total_stake: malformed: got a string, want an unsigned 64-bit integer"},
		{"nested too deeply", inHex(`{"x":` + strings.Repeat("[", 200)), "x: nested deeper than 128"},
		{"text behind", inHex(object(root, "1", "null", `2`) + "}"), "malformed: trailing characters after the value"},
	}, parse)
}

// TestProofTextRefusals breaks the JSON of a proof, one place at a time.
func TestProofTextRefusals(t *testing.T) {
	text, _, _, _ := example(t)
	replaced := func(old, new string) string {
		edited := strings.Replace(text, old, new, 1)
		if edited == text {
			t.Fatalf("the proof has no %s", old)
		}
		return edited
	}
	first := func(name string) string { // the text of a list
		_, rest, _ := strings.Cut(text, `"`+name+`":[`)
		list, _, _ := strings.Cut(rest, "]")
		return list
	}
	sigma := first("sigma")
	_, key, _ := strings.Cut(text, "},[[")
	key, _, _ = strings.Cut(key, "]")
	checkRefusals(t, "stm: aggregate signature: ", []refusal{
		{"empty", "", "malformed: unexpected end of the text"},
		{"no object", "1", "malformed: got a number, want an object"},
		{"signatures of null", replaced(`"signatures":[`, `"signatures":null,"x":[`), "signatures: malformed: got null, want an array"},
		{"signature of a number", replaced(`"signatures":[`, `"signatures":[1,`), "signatures[0]: malformed: got a number, want an object"},
		{"signature of nothing", replaced(`"signatures":[`, `"signatures":[,`), "signatures[0]: malformed: want an object"},
		{"signature without a party", replaced(`"signatures":[`, `"signatures":[[`), "signatures[0][0][0]: malformed: more than 0 elements"},
		{"sigma of a number", replaced(`"sigma":[`, `"sigma":1,"x":[`), "signatures[0][0].sigma: malformed: got a number, want an array"},
		{"sigma of 47", replaced(`"sigma":[`+sigma, `"sigma":[`+sigma[strings.Index(sigma, ",")+1:]), "signatures[0][0].sigma: malformed: got 47 bytes, want 48"},
		{"sigma of 49", replaced(`"sigma":[`+sigma, `"sigma":[1,`+sigma), "signatures[0][0].sigma[48]: malformed: more than 48 bytes"},
		{"byte of 256", replaced(`"sigma":[`, `"sigma":[256,`), "signatures[0][0].sigma[0]: malformed: got 256, want a byte"},
		{"byte of text", replaced(`"sigma":[`, `"sigma":["1",`), "signatures[0][0].sigma[0]: malformed: got a string, want an unsigned 64-bit integer"},
		{"index of text", replaced(`"indexes":[`, `"indexes":["1",`), "signatures[0][0].indexes[0]: malformed: got a string, want an unsigned 64-bit integer"},
		{"indexes of null", replaced(`"indexes":[`, `"indexes":null,"x":[`), "signatures[0][0].indexes: malformed: got null, want an array"},
		{"signer of text", replaced(`"signer_index":`, `"signer_index":"1","x":`), "signatures[0][0].signer_index: malformed: got a string, want an unsigned 64-bit integer"},
		{"negative signer", replaced(`"signer_index":`, `"signer_index":-`), "signatures[0][0].signer_index: malformed: got a negative number, want an unsigned 64-bit integer"},
		{"no sigma", replaced(`"sigma":`, `"x":`), "signatures[0][0].sigma: malformed: missing field"},
		{"party of a number", replaced(`},[[`, `},1,[[`), "signatures[0][1]: malformed: got a number, want an object"},
		{"party of one", replaced(`},[[`+key+"],", `},[[`+key+`],"x"],[[`+key+"],"), "signatures[0][1][1]: malformed: got a string, want an unsigned 64-bit integer"},
		{"key of 95", replaced(`},[[`+key, `},[[`+key[strings.Index(key, ",")+1:]), "signatures[0][1][0]: malformed: got 95 bytes, want 96"},
		{"key of 97", replaced(`},[[`+key, `},[[1,`+key), "signatures[0][1][0][96]: malformed: more than 96 bytes"},
		{"key of text", replaced(`},[[`+key, `},[["1",`+key), "signatures[0][1][0][0]: malformed: got a string, want an unsigned 64-bit integer"},
		{"stake of text", replaced(`},[[`+key+"],", `},[[`+key+`],"1",`), "signatures[0][1][1]: malformed: got a string, want an unsigned 64-bit integer"},
		{"negative stake", replaced(`},[[`+key+"],", `},[[`+key+`],-`), "signatures[0][1][1]: malformed: got a negative number, want an unsigned 64-bit integer"},
		{"missing stake", replaced(`},[[`+key+"],", `},[[`+key+`]],[[0],`), "signatures[0][1].stake: malformed: missing field"},
		{"values of null", replaced(`"values":[`, `"values":null,"x":[`), "batch_proof.values: malformed: got null, want an array"},
		{"value of a number", replaced(`"values":[`, `"values":[1,`), "batch_proof.values[0]: malformed: got a number, want an array"},
		{"value with a byte of 256", replaced(`"values":[`, `"values":[[256],`), "batch_proof.values[0][0]: malformed: got 256, want a byte"},
		{"value of text", replaced(`"values":[`, `"values":["",`), "batch_proof.values[0]: malformed: got a string, want an array"},
		{"leaf of text", replaced(`"indices":[`, `"indices":["1",`), "batch_proof.indices[0]: malformed: got a string, want an unsigned 64-bit integer"},
		{"leaf of -1", replaced(`"indices":[`, `"indices":[-1,`), "batch_proof.indices[0]: malformed: got a negative number, want an unsigned 64-bit integer"},
		{"hasher of 0", replaced(`"hasher":null`, `"hasher":0`), "batch_proof.hasher: malformed: want null"},
		{"hasher of nul", replaced(`"hasher":null`, `"hasher":nul`), "batch_proof.hasher: malformed: invalid literal"},
		{"path of null", replaced(`"batch_proof":`, `"batch_proof":null,"x":`), "batch_proof: malformed: got null, want an object"},
		{"nested too deeply", replaced("{", `{"x":`+strings.Repeat("[", 200)), "x: nested deeper than 128"},
		{"text behind", text + "}", "malformed: trailing characters after the value"},
		{"all but the end", strings.TrimSuffix(text, `,"hasher":null}}`), "batch_proof: malformed: unexpected end of the text"},
		{"SNARK of nothing", `{"Snark":}`, "Snark: malformed: want a value"},
		{"SNARK beside another key", `{"Snark":1,"x":1}`, "signatures: malformed: missing field"},
		{"SNARK in an array", `["Snark"]`, "[0]: malformed: got a string, want an array"},
		{"SNARK", `{"Snark":1}`, "unsupported proof type"},
		{"SNARK with an end", `{"Snark":1}}`, "unsupported proof type"},
	}, func(text string) error {
		_, err := ParseAggregateSignatureJSON([]byte(text), nil)
		if !looksLikeJSON([]byte(text)) {
			return err
		}
		s, canonical, inHex := ParseAggregateSignature(appendHex(nil, []byte(text)), nil)
		if s != nil || canonical || inHex == nil || err == nil || inHex.Error() != err.Error() {
			t.Errorf("in hexadecimal: got %v, canonical %v, %v, want %v", s, canonical, inHex, err)
		}
		return err
	})
}

// TestProofTextCutShort cuts the text of a proof at every place.
func TestProofTextCutShort(t *testing.T) {
	text, _, _, _ := example(t)
	for n := range len(text) {
		var e *DecodeError
		if _, err := ParseAggregateSignatureJSON([]byte(text[:n]), nil); !errors.As(err, &e) || !errors.Is(err, ErrMalformed) {
			t.Fatalf("%d of %d bytes: got %v", n, len(text), err)
		}
	}
}

// TestProofHexRefusals parses texts that are no proof in any form.
func TestProofHexRefusals(t *testing.T) {
	text, _, _, _ := example(t)
	inHex := hex.EncodeToString([]byte(text))
	checkRefusals(t, "stm: aggregate signature: ", []refusal{
		{"empty", "", "malformed: empty"},
		{"one digit", "0", "malformed: not hexadecimal"},
		{"a digit behind", inHex + "0", "malformed: not hexadecimal"},
		{"no digits", "zz", "malformed: not hexadecimal"},
		{"no digit", inHex[:len(inHex)-1] + "g", "malformed: not hexadecimal"},
		{"no such form", "03", "malformed: proof type 3"},
		{"no such form in white space", "20", "malformed: proof type 32"},
	}, func(text string) error {
		_, _, err := ParseAggregateSignature([]byte(text), nil)
		return err
	})
}
