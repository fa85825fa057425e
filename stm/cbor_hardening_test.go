package stm

import (
	"bytes"
	"encoding/hex"
	"math"
	"testing"
)

// TestCBOROddities decodes keys whose total stake, or whose unknown entry, is written in unusual ways. The verdicts are the
// reference's, whose rules for tags, big numbers and ignored values these are.
func TestCBOROddities(t *testing.T) {
	key := &AggregateVerificationKey{NrLeaves: 3, TotalStake: 5}
	plain := key.AppendCBOR(nil)
	front := plain[:len(plain)-1] // all but the total stake
	nested := func(n int, head byte) []byte { return append(bytes.Repeat([]byte{head}, n), 1) }
	text := func(n int) []byte {
		return append([]byte{0x79, byte(n >> 8), byte(n)}, bytes.Repeat([]byte{'k'}, n)...)
	}
	for _, c := range []struct {
		name  string
		stake []byte
		valid bool
	}{
		{"plain", []byte{5}, true},
		{"eight bytes", []byte{0x1b, 0, 0, 0, 0, 0, 0, 0, 5}, true},
		{"tag", []byte{0xc1, 5}, true},
		{"big number", []byte{0xc2, 0x41, 5}, true},
		{"big number behind a tag", []byte{0xc1, 0xc2, 0x41, 5}, true},
		{"big number with zeros", append([]byte{0xc2, 0x54}, append(make([]byte, 19), 5)...), true},
		{"big number in chunks", []byte{0xc2, 0x5f, 0x40, 0x5f, 0x41, 0, 0xff, 0x41, 5, 0xff}, true},
		{"big number that begins with nine zeros", append([]byte{0xc2, 0x49}, 0, 0, 0, 0, 0, 0, 0, 0, 5), true},
		{"big number of nine digits", []byte{0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 5}, false},
		{"big number that is no string", []byte{0xc2, 5}, false},
		{"big number in place of a string", []byte{0xc2, 1, 5}, false},
		{"big number of text", []byte{0xc2, 0x61, 5}, false},
		{"big number with a reserved length", []byte{0xc2, 0x5c, 5}, false},
		{"big number with a reserved length of a chunk", []byte{0xc2, 0x5f, 0x5c, 0x41, 5, 0xff}, false},
		{"big number cut short", []byte{0xc2, 0x42, 5}, false},
		{"negative big number", []byte{0xc3, 0x41, 5}, false},
		{"negative big number that is no string", []byte{0xc3, 5}, false},
		{"negative", []byte{0x24}, false},
		{"negative in front of a number", []byte{0x24, 5}, false},
		{"tag of no number", []byte{0xdf, 5}, false},
		{"indefinite integer", []byte{0x1f}, false},
		{"reserved head", []byte{0x1c, 5}, false},
		{"reserved head of sixteen bytes", append(append([]byte{0x1c}, make([]byte, 15)...), 5), false},
		{"float", []byte{0xf9, 0x45, 0}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkOddity(t, append(bytes.Clone(front), c.stake...), key, c.valid)
		})
	}
	for _, c := range []struct {
		name  string
		entry []byte // a key and a value
		valid bool
	}{
		{"null", []byte{0x61, 'x', 0xf6}, true},
		{"undefined", []byte{0x61, 'x', 0xf7}, true},
		{"float whose bits are those of null", []byte{0x61, 'x', 0xf9, 0, 22}, true},
		{"simple value in two bytes", []byte{0x61, 'x', 0xf8, 20}, true},
		{"unknown simple value", []byte{0x61, 'x', 0xf8, 32}, false},
		{"small simple value", []byte{0x61, 'x', 0xe0}, false},
		{"float of one", []byte{0x61, 'x', 0xf9, 0x3c, 0}, true},
		{"reserved array", []byte{0x61, 'x', 0x9c}, false},
		{"break", []byte{0x61, 'x', 0xff}, false},
		{"negative", []byte{0x61, 'x', 0x3b, 255, 255, 255, 255, 255, 255, 255, 255}, true},
		{"indefinite negative", []byte{0x61, 'x', 0x3f}, false},
		{"text that is no UTF-8", []byte{0x61, 'x', 0x61, 0xff}, false},
		{"character over two chunks", []byte{0x61, 'x', 0x7f, 0x61, 0xc3, 0x61, 0xa9, 0xff}, false},
		{"bytes among chunks of text", []byte{0x61, 'x', 0x7f, 0x41, 'a', 0xff}, false},
		{"text of two chunks", []byte{0x61, 'x', 0x7f, 0x61, 'a', 0x61, 'b', 0xff}, true},
		{"bytes in nested chunks", []byte{0x61, 'x', 0x5f, 0x5f, 0x41, 0, 0xff, 0xff}, true},
		{"tag", []byte{0x61, 'x', 0xd8, 30, 0x82, 1, 2}, true},
		{"map with keys of any type", []byte{0x61, 'x', 0xa1, 0xf6, 0xf6}, true},
		{"map with a small simple value for a key", []byte{0x61, 'x', 0xa1, 0xe0, 1}, false},
		{"map with a small simple value", []byte{0x61, 'x', 0xa1, 1, 0xe0}, false},
		{"tag of a small simple value", []byte{0x61, 'x', 0xc1, 0xe0}, false},
		{"map without the last value", []byte{0x61, 'x', 0xbf, 0xf6, 0xff}, false},
		{"nested as deep as allowed", append([]byte{0x61, 'x'}, nested(255, 0x81)...), true},
		{"nested deeper", append([]byte{0x61, 'x'}, nested(256, 0x81)...), false},
		{"tags as deep as allowed", append([]byte{0x61, 'x'}, nested(255, 0xc1)...), true},
		{"tags deeper", append([]byte{0x61, 'x'}, nested(256, 0xc1)...), false},
		{"key of bytes", []byte{0x41, 0xff, 1}, true},
		{"key that is no UTF-8", []byte{0x61, 0xff, 1}, false},
		{"key behind a tag", []byte{0xc1, 0x61, 'x', 1}, true},
		{"key in chunks", []byte{0x7f, 0x61, 'x', 0xff, 1}, false},
		{"key that is a number", []byte{1, 1}, false},
		{"key that is a number in front of a text of that length", []byte{1, 'x', 1}, false},
		{"key of indefinite length", []byte{0x7f, 1}, false},
		{"key with a reserved length", []byte{0x7c, 1}, false},
		{"longest key", append(text(4096), 1), true},
		{"longer key", append(text(4097), 1), false},
	} {
		t.Run("entry/"+c.name, func(t *testing.T) {
			b := append([]byte{cborVersion, 0xa3}, c.entry...)
			checkOddity(t, append(b, plain[2:]...), key, c.valid)
		})
	}
}

func checkOddity(t *testing.T, b []byte, want *AggregateVerificationKey, valid bool) {
	t.Helper()
	got, err := AggregateVerificationKeyFromBytes(b)
	if (err == nil) != valid {
		t.Fatalf("%x: got %v, want valid %v", b, err, valid)
	}
	if valid && !got.Equal(want) {
		t.Errorf("%x: got %v", b, got)
	}
}

// TestCBORSingleOddities decodes single signatures. The reference collects most of their fields before it knows the types, so that
// other rules hold than elsewhere.
func TestCBORSingleOddities(t *testing.T) {
	text, _, _, _ := example(t)
	aggregate, err := ParseAggregateSignatureJSON([]byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	sigma := aggregate.Signature(0).Bytes()
	ints := appendCBORInts(nil, sigma[:])
	indexes := []byte{0x82, 1, 2}
	for _, c := range []struct {
		name                   string
		sigma, indexes, signer []byte
		more                   []byte
		valid                  bool
	}{
		{"plain", ints, indexes, []byte{7}, nil, true},
		{"sigma as a byte string", append([]byte{0x58, 48}, sigma[:]...), indexes, []byte{7}, nil, false},
		{"indexes as a byte string", ints, []byte{0x42, 1, 2}, []byte{7}, nil, false},
		{"tag in front of the indexes", ints, append([]byte{0xc1}, indexes...), []byte{7}, nil, false},
		{"tag in front of an index", ints, []byte{0x82, 0xc1, 1, 2}, []byte{7}, nil, false},
		{"big number among the indexes", ints, []byte{0x82, 0xc2, 0x41, 1, 2}, []byte{7}, nil, false},
		{"indefinite indexes", ints, []byte{0x9f, 1, 2, 0xff}, []byte{7}, nil, true},
		{"tag in front of the signer", ints, indexes, []byte{0xc1, 7}, nil, true},
		{"big number of the signer", ints, indexes, []byte{0xc2, 0x41, 7}, nil, true},
		{"unknown entry", ints, indexes, []byte{7}, []byte{0x61, 'x', 0x81, 1}, true},
		{"unknown entry with a tag", ints, indexes, []byte{7}, []byte{0x61, 'x', 0xc1, 1}, false},
		{"unknown entry behind a tag", ints, indexes, []byte{7}, []byte{0xc1, 0x61, 'x', 1}, true},
		{"unknown entry of 64 negative bits", ints, indexes, []byte{7}, []byte{0x61, 'x', 0x3b, 0x7f, 255, 255, 255, 255, 255, 255, 255}, true},
		{"unknown entry of 65 negative bits", ints, indexes, []byte{7}, []byte{0x61, 'x', 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0}, false},
		{"no signer", ints, indexes, nil, nil, false},
		{"tag that comes after", ints, indexes, []byte{7}, []byte{0x69, 's', 'i', 'g', 'm', 'a', '_', 't', 'a', 'g', 0xc1, 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := append(appendCBORText([]byte{cborVersion, 0xbf}, "sigma"), c.sigma...)
			b = append(appendCBORText(b, "indexes"), c.indexes...)
			if c.signer != nil {
				b = append(appendCBORText(b, "signer_index"), c.signer...)
			}
			b = append(append(b, c.more...), 0xff)
			s, err := SingleSignatureFromBytes(b)
			if (err == nil) != c.valid {
				t.Fatalf("%x: got %v, want valid %v", b, err, c.valid)
			}
			if c.valid && (s.SignerIndex() != 7 || len(s.Indexes()) != 2) {
				t.Errorf("got signer %d, indexes %v", s.SignerIndex(), s.Indexes())
			}
		})
	}
}

// TestCBORByteStringsForArrays reads paths whose arrays are byte strings, as the reference does.
func TestCBORByteStringsForArrays(t *testing.T) {
	for _, c := range []struct {
		name            string
		values, indices []byte
		valid           bool
	}{
		{"arrays", []byte{0x80}, []byte{0x82, 0, 1}, true},
		{"indices as bytes", []byte{0x80}, []byte{0x42, 0, 1}, true},
		{"no values as bytes", []byte{0x40}, []byte{0x82, 0, 1}, true},
		{"values as bytes", []byte{0x41, 0}, []byte{0x82, 0, 1}, false},
		{"indices as text", []byte{0x80}, []byte{0x62, 0, 1}, false},
		{"values as text", []byte{0x60}, []byte{0x82, 0, 1}, false},
		{"reserved values", []byte{0x9c}, []byte{0x82, 0, 1}, false},
		{"reserved indices", []byte{0x80}, []byte{0x9c}, false},
		{"negative index", []byte{0x80}, []byte{0x83, 0x20, 0, 1}, false},
		{"indices in a string with a reserved length", []byte{0x80}, []byte{0x5f, 0x42, 0, 1, 0x5c, 0xff}, false},
		{"indices in a string with a number", []byte{0x80}, []byte{0x5f, 0x42, 0, 1, 1}, false},
		{"value of text", []byte{0x81, 0x60}, []byte{0x82, 0, 1}, false},
		{"value with a byte of 256", []byte{0x81, 0x81, 0x19, 1, 0}, []byte{0x82, 0, 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := append(appendCBORText([]byte{0xa3}, "values"), c.values...)
			b = append(appendCBORText(b, "indices"), c.indices...)
			b = append(appendCBORText(b, "hasher"), 0xf6)
			var raw rawProof
			if err := raw.readPathCBOR(b); (err == nil) != c.valid {
				t.Fatalf("got %v, want valid %v", err, c.valid)
			}
			if c.valid && (len(raw.pathIndices) != 2 || raw.pathIndices[1] != 1) {
				t.Errorf("got indices %v", raw.pathIndices)
			}
		})
	}
}

// TestCBORNull reads what stands for the phantom field.
func TestCBORNull(t *testing.T) {
	for _, c := range []struct {
		b     []byte
		valid bool
	}{
		{[]byte{0xf6}, true}, {[]byte{0xf7}, true}, {[]byte{0xf8, 22}, true}, {[]byte{0xc1, 0xf6}, true},
		{[]byte{0xf9, 0, 22}, false}, {[]byte{0xf4}, false}, {[]byte{0x16}, false}, {[]byte{0x80}, false}, {[]byte{0xff}, false}, {nil, false},
	} {
		r := cborReader{b: c.b}
		if err := r.null(); (err == nil) != c.valid {
			t.Errorf("%x: got %v, want valid %v", c.b, err, c.valid)
		}
	}
}

// TestUnknownFieldsOfProofs puts values that the reference refuses under keys that nobody knows: it collects a proof before it knows
// its type, and so reads them.
func TestUnknownFieldsOfProofs(t *testing.T) {
	text, _, _, _ := example(t)
	for value, valid := range map[string]bool{"1": true, `"\ud83d\ude00"`: true, "1e400": false, `"\ud83d"`: false} {
		for _, place := range []string{`{"signatures":`, `{"values":`, `{"sigma":`} {
			edited := bytes.Replace([]byte(text), []byte(place), []byte(`{"other":`+value+`,`+place[1:]), 1)
			if bytes.Equal(edited, []byte(text)) {
				t.Fatalf("the proof has no %s", place)
			}
			if _, err := ParseAggregateSignatureJSON(edited, nil); (err == nil) != valid {
				t.Errorf("%s in front of %s: got %v, want valid %v", value, place[1:], err, valid)
			}
		}
	}
}

// TestCBORLargestBigNumber reads a big number with all its 64 bits.
func TestCBORLargestBigNumber(t *testing.T) {
	r := cborReader{b: append([]byte{0xc2, 0x48}, bytes.Repeat([]byte{0xff}, 8)...)}
	if v, err := r.uint(); err != nil || v != math.MaxUint64 {
		t.Errorf("got %d, %v", v, err)
	}
}

// TestCBORFloats writes floats in the shortest form that keeps them, as the reference does, on both sides of the bounds of half precision.
func TestCBORFloats(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{1, "f93c00"}, {0.5, "f93800"}, {-0.5, "f9b800"}, {0.75, "f93a00"}, {0, "f90000"}, {math.Copysign(0, -1), "f98000"},
		{0x1p-14, "f90400"}, {0x1.ff8p-15, "f903ff"}, {0x1.ffcp-15, "fa387fe000"}, {0x1p-15, "f90200"}, {0x1p-24, "f90001"}, {0x3p-24, "f90003"}, {0x1p-25, "fa33000000"},
		{0x1.8p-24, "fa33c00000"}, {0x1.ffcp15, "f97bff"}, {0x1p15, "f97800"}, {0x1p16, "fa47800000"}, {0x1.001p0, "fa3f800800"}, {0x1.004p0, "f93c01"},
		{0x1.000002p0, "fa3f800001"}, {0.2, "fb3fc999999999999a"}, {0x1p-149, "fa00000001"}, {0x1p-150, "fb3690000000000000"},
	} {
		if got := hex.EncodeToString(appendCBORFloat(nil, c.f)); got != c.want {
			t.Errorf("%v: got %s, want %s", c.f, got, c.want)
		}
	}
}
