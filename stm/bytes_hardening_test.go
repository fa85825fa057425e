package stm

import (
	"bytes"
	"maps"
	"strings"
	"testing"
)

// field is a member of a CBOR map, its value encoded.
type field struct {
	name  string
	value []byte
}

// cborObject is the version byte and a map.
func cborObject(fields ...field) []byte {
	b := appendCBORHead([]byte{cborVersion}, cborMap, uint64(len(fields)))
	for _, f := range fields {
		b = append(appendCBORText(b, f.name), f.value...)
	}
	return b
}

// cborParts holds encoded parts that replace those of a valid object.
type cborParts map[string][]byte

// part returns the part with the given name, or the valid one.
func (p cborParts) part(name string, valid []byte) []byte {
	if b, ok := p[name]; ok {
		return b
	}
	return valid
}

// key encodes an aggregate verification key.
func (p cborParts) avk() []byte {
	return cborObject(
		field{"mt_commitment", p.part("commitment", cborObject(
			field{"root", p.part("root", appendCBORInts(nil, bytes.Repeat([]byte{0xff}, 32)))},
			field{"nr_leaves", p.part("leaves", []byte{1})},
			field{"hasher", p.part("hasher", []byte{0xf6})},
		)[1:])},
		field{"total_stake", p.part("total", []byte{2})},
	)
}

// proof encodes a proof with one signature; the parts single, party, entry, path and proof are the CBOR of bytes that hold the CBOR of
// what is in them.
func (p cborParts) proof(s *AggregateSignature) []byte {
	sigma, key := s.signatures[0].Bytes(), s.entries[0].key.Bytes()
	single := p.part("single", appendCBORInts(nil, cborObject(
		field{"sigma", p.part("sigma", appendCBORInts(nil, sigma[:]))},
		field{"indexes", p.part("indexes", []byte{0x82, 1, 2})},
		field{"signer_index", p.part("signer", []byte{7})})))
	party := p.part("party", appendCBORInts(nil, cborObject(
		field{"verification_key_bytes", p.part("key", appendCBORInts(nil, key[:]))},
		field{"stake", p.part("stake", []byte{3})})))
	entry := p.part("entry", appendCBORInts(nil, cborObject(field{"signature_bytes", single}, field{"registration_entry_bytes", party})))
	path := p.part("path", appendCBORInts(nil, cborObject(
		field{"values", p.part("values", []byte{0x80})},
		field{"indices", p.part("indices", []byte{0x81, 0})},
		field{"hasher", p.part("hasher", []byte{0xf6})})))
	proof := p.part("proof", appendCBORInts(nil, cborObject(
		field{"signature_bytes", p.part("signatures", append([]byte{0x81}, entry...))}, field{"batch_proof_bytes", path})))
	return cborObject(field{"signature_type", p.part("type", []byte{0})}, field{"proof_bytes", proof})
}

// with returns the parts with one replaced.
func (p cborParts) with(name string, value ...byte) cborParts {
	q := maps.Clone(p)
	q[name] = value
	return q
}

// TestCBORKeyRefusals breaks the CBOR of a key, one place at a time.
func TestCBORKeyRefusals(t *testing.T) {
	valid := cborParts{}
	parse := func(b string) error {
		_, err := AggregateVerificationKeyFromBytes([]byte(b))
		return err
	}
	if err := parse(string(valid.avk())); err != nil {
		t.Fatal(err)
	}
	ints := func(n int) []byte { return appendCBORInts(nil, make([]byte, n)) }
	with := func(name string, value ...byte) string { return string(valid.with(name, value...).avk()) }
	checkRefusals(t, "stm: aggregate verification key: malformed: ", []refusal{
		{"no map", "\x01\x80", "not the expected CBOR"},
		{"reserved map", "\x01\xbc", "not the expected CBOR"},
		{"reserved key", "\x01\xa1\x7c", "not the expected CBOR"},
		{"commitment of null", with("commitment", 0xf6), "not the expected CBOR"},
		{"commitment cut short", with("commitment", 0xa1), "a key is missing or occurs twice"},
		{"root of 31", with("root", ints(31)...), "got 31 bytes, want 32"},
		{"root of 33", with("root", ints(33)...), "got 33 bytes, want 32"},
		{"root of null", with("root", 0xf6), "not the expected CBOR"},
		{"root of text", with("root", 0x60), "not the expected CBOR"},
		{"root with an element of null", with("root", append([]byte{0x98, 33, 0xf6}, make([]byte, 32)...)...), "not the expected CBOR"},
		{"root with 256", with("root", append([]byte{0x98, 32, 0x19, 1, 0}, make([]byte, 31)...)...), "not the expected CBOR"},
		{"root cut short", with("root", append([]byte{0x58, 32}, make([]byte, 8)...)...), "not the expected CBOR"},
		{"leaves of null", with("leaves", 0xf6), "not the expected CBOR"},
		{"negative leaves", with("leaves", 0x20), "not the expected CBOR"},
		{"hasher of 0", with("hasher", 0), "not the expected CBOR"},
		{"total of null", with("total", 0xf6), "not the expected CBOR"},
		{"total and more", with("total", 0xf6, 5), "not the expected CBOR"},
		{"total twice", string(append(append(bytes.Clone([]byte{cborVersion, 0xa3}), valid.avk()[2:]...), valid.avk()[len(valid.avk())-13:]...)), "a key is missing or occurs twice"},
		{"no total", string(valid.avk()[:1]) + "\xa1" + string(valid.avk()[2:len(valid.avk())-13]), "a key is missing or occurs twice"},
	}, parse)
}

// TestCBORProofRefusals breaks the CBOR of a proof, one place at a time.
func TestCBORProofRefusals(t *testing.T) {
	text, _, _, _ := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	valid := cborParts{}
	parse := func(b string) error {
		_, err := AggregateSignatureFromBytes([]byte(b), nil)
		return err
	}
	if err := parse(string(valid.proof(s))); err != nil {
		t.Fatal(err)
	}
	with := func(name string, value ...byte) string { return string(valid.with(name, value...).proof(s)) }
	ints := func(b ...byte) []byte { return appendCBORInts(nil, b) }
	sigma, key := s.signatures[0].Bytes(), s.entries[0].key.Bytes()
	checkRefusals(t, "stm: aggregate signature: ", []refusal{
		{"type of null", with("type", 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"type 1", with("type", 1), "unsupported proof type"},
		{"type 3", with("type", 3), "malformed: proof type 3"},
		{"type 256", with("type", 0x19, 1, 0), "malformed: proof type 256"},
		{"type twice", string(cborObject(field{"signature_type", []byte{0}}, field{"signature_type", []byte{0}})), "malformed: a key is missing or occurs twice"},
		{"proof of null", with("proof", 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"proof of no bytes", with("proof", 0x40), "malformed: ends too early"},
		{"proof of no map", with("proof", ints(1, 0x80)...), "unsupported proof type (or not the expected CBOR)"},
		{"signatures of null", with("signatures", 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"signature of null", with("signatures", 0x81, 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"signature of no bytes", with("signatures", 0x81, 0x40), "malformed: signatures[0]: ends too early"},
		{"signature with null", with("signatures", 0x81, 0x81, 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"signature with a party of nothing", with("party", 0x40), "malformed: signatures[0]: ends too early"},
		{"signature with a signature of nothing", with("single", 0x40), "malformed: signatures[0]: ends too early"},
		{"single of null", with("single", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"single of no map", with("single", ints(1, 0x80)...), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"party of null", with("party", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"party of no map", with("party", ints(1, 0x80)...), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"party of 103 bytes", with("party", ints(make([]byte, 103)...)...), "malformed: signatures[0]: ends too early"},
		{"sigma of null", with("sigma", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"sigma of 47", with("sigma", ints(sigma[1:]...)...), "malformed: signatures[0]: sigma: got 47 bytes, want 48"},
		{"sigma of 49", with("sigma", ints(append(sigma[:], 0)...)...), "malformed: signatures[0]: sigma: got 49 bytes, want 48"},
		{"sigma with 256", with("sigma", append([]byte{0x98, 48, 0x19, 1, 0}, make([]byte, 47)...)...), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"index of null", with("indexes", 0x82, 0xf6, 1), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"indexes of null", with("indexes", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"signer of null", with("signer", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"key of null", with("key", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"key of 95", with("key", ints(key[1:]...)...), "malformed: signatures[0]: verification key: got 95 bytes, want 96"},
		{"key of 97", with("key", ints(append(key[:], 0)...)...), "malformed: signatures[0]: verification key: got 97 bytes, want 96"},
		{"key that is no point", with("key", ints(make([]byte, 96)...)...), "signatures[0].verification_key: malformed: encoding is not canonical"},
		{"stake of null", with("stake", 0xf6), "unsupported proof type (or signatures[0]: not the expected CBOR)"},
		{"path of null", with("path", 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"path of no bytes", with("path", 0x40), "malformed: ends too early"},
		{"path of no map", with("path", ints(1, 0x80)...), "unsupported proof type (or not the expected CBOR)"},
		{"values of null", with("values", 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"value of null", with("values", 0x81, 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"value with null", with("values", 0x81, 0x81, 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"value with 256", with("values", 0x81, 0x81, 0x19, 1, 0), "unsupported proof type (or not the expected CBOR)"},
		{"reserved values", with("values", 0x9c), "unsupported proof type (or not the expected CBOR)"},
		{"value cut short", with("values", 0x81, 0x58), "unsupported proof type (or not the expected CBOR)"},
		{"leaf of null", with("indices", 0x81, 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"leaves cut short", with("indices", 0x5f, 0x41, 0, 0xf6), "unsupported proof type (or not the expected CBOR)"},
		{"reserved leaves", with("indices", 0x9c), "unsupported proof type (or not the expected CBOR)"},
		{"too many leaves", with("indices", append([]byte{0x99, 0x40, 1}, make([]byte, 1<<14+1)...)...), "too large: more than 16384 indices of leaves"},
		{"too many leaves in a string", with("indices", append([]byte{0x59, 0x40, 1}, make([]byte, 1<<14+1)...)...), "too large: more than 16384 indices of leaves"},
		{"hasher of 0", with("hasher", 0), "unsupported proof type (or not the expected CBOR)"},
	}, parse)
}

// TestLegacyRefusals breaks the legacy form of a proof, one place at a time.
func TestLegacyRefusals(t *testing.T) {
	text, _, _, _ := example(t)
	s, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	sized := func(b []byte) []byte { return append(appendUint64(nil, uint64(len(b))), b...) }
	key := s.entries[0].key.Bytes()
	party := appendUint64(bytes.Clone(key[:]), 3)
	single := appendSingleLegacy(nil, &s.signatures[0], []uint64{1, 2}, 7)
	entry := func(party, single []byte) []byte { return sized(append(sized(party), sized(single)...)) }
	path := appendUint64(appendUint64(appendUint64(nil, 0), 1), 0)
	proof := func(count uint64, parts ...[]byte) string {
		return string(append(appendUint64([]byte{typeConcatenation}, count), bytes.Join(parts, nil)...))
	}
	valid := proof(1, entry(party, single), path)
	parse := func(b string) error {
		_, err := AggregateSignatureFromBytes([]byte(b), nil)
		return err
	}
	if err := parse(valid); err != nil {
		t.Fatal(err)
	}
	checkRefusals(t, "stm: aggregate signature: ", []refusal{
		{"nothing", "", "malformed: ends too early"},
		{"type 1", "\x01" + valid[1:], "unsupported proof type (or not the expected CBOR)"},
		{"type 2", "\x02" + valid[1:], "unsupported proof type"},
		{"type 3", "\x03" + valid[1:], "malformed: proof type 3"},
		{"no count", valid[:8], "malformed: ends too early"},
		{"one signature more", proof(2, entry(party, single), path), "malformed: signatures[1]: ends too early"},
		{"one signature more, alone", proof(2, entry(party, single)), "malformed: signatures[1]: ends too early"},
		{"no path", proof(1, entry(party, single)), "malformed: ends too early"},
		{"signature of nothing", proof(1, sized(nil), path), "malformed: signatures[0]: ends too early"},
		{"party of nothing", proof(1, entry(nil, single), path), "malformed: signatures[0]: ends too early"},
		{"party of 103 bytes", proof(1, entry(party[:103], single), path), "malformed: signatures[0]: ends too early"},
		{"party of 95 bytes", proof(1, entry(party[:95], single), path), "malformed: signatures[0]: ends too early"},
		{"party only", proof(1, sized(sized(party)), path), "malformed: signatures[0]: ends too early"},
		{"party larger than it is", proof(1, sized(append(appendUint64(nil, 105), party...)), path), "malformed: signatures[0]: ends too early"},
		{"signature larger than it is", proof(1, sized(append(append(sized(party), appendUint64(nil, 105)...), single...)), path), "malformed: signatures[0]: ends too early"},
		{"single of nothing", proof(1, entry(party, nil), path), "malformed: signatures[0]: ends too early"},
		{"single without its signer", proof(1, entry(party, single[:len(single)-1]), path), "malformed: signatures[0]: ends too early"},
		{"single without its sigma", proof(1, entry(party, single[:8+16]), path), "malformed: signatures[0]: ends too early"},
		{"single without an index", proof(1, entry(party, append([]byte{0xff}, single[1:]...)), path), "malformed: signatures[0]: ends too early"},
		{"path without values", proof(1, entry(party, single), appendUint64(appendUint64(nil, 1), 0)), "malformed: ends too early"},
		{"path without leaves", proof(1, entry(party, single), appendUint64(appendUint64(nil, 0), 1)), "malformed: ends too early"},
		{"key that is no point", proof(1, entry(append([]byte{0}, party[1:]...), single), path), "signatures[0].verification_key: malformed: encoding is not canonical"},
		{"sigma that is no point", proof(1, entry(party, append(append(bytes.Clone(single[:24]), 0), single[25:]...)), path), "signatures[0].sigma: malformed: encoding is not canonical"},
	}, parse)
}

// TestFalseCountsAllocateLittle reads objects that promise 2⁶⁴-1 elements and hold none: a count is never allocated for.
func TestFalseCountsAllocateLittle(t *testing.T) {
	huge := strings.Repeat("\xff", 8)
	for name, b := range map[string]string{
		"legacy signatures": "\x00" + huge,
		"legacy signature":  "\x00\x00\x00\x00\x00\x00\x00\x00\x01" + huge,
		"legacy values":     "\x00" + strings.Repeat("\x00", 8) + huge + strings.Repeat("\x00", 8),
		"legacy leaves":     "\x00" + strings.Repeat("\x00", 16) + huge,
		"CBOR map":          "\x01\xbb" + huge,
		"CBOR array":        "\x01\xa1\x6bproof_bytes\x9b" + huge,
		"CBOR bytes":        "\x01\xa1\x6bproof_bytes\x5b" + huge,
		"CBOR unknown text": "\x01\xa1\x61x\x7b" + huge,
		"CBOR key":          "\x01\xa1\x7b" + huge,
	} {
		allocations := testing.AllocsPerRun(10, func() {
			if _, err := AggregateSignatureFromBytes([]byte(b), nil); err == nil {
				t.Errorf("%s: accepted", name)
			}
		})
		if allocations > 30 {
			t.Errorf("%s: %v allocations", name, allocations)
		}
	}
}
