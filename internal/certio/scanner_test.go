package certio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// scanAll returns the objects of r and the error that ended them, nil for io.EOF.
func scanAll(r io.Reader) ([]string, error) {
	s := certio.NewScanner(r)
	var objects []string
	for {
		object, _, err := s.Next()
		if err == io.EOF {
			return objects, nil
		}
		if err != nil {
			return objects, err
		}
		objects = append(objects, string(object))
	}
}

func TestScanner(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
		err        string // "" for none
	}{
		{"one object", `{"a":1}`, []string{`{"a":1}`}, ""},
		{"object over lines", "{\n \"a\": 1\n}\n", []string{"{\n \"a\": 1\n}"}, ""},
		{"lines", "{}\n{\"a\":[{}]}\r\n\n{}", []string{`{}`, `{"a":[{}]}`, `{}`}, ""},
		{"lines without line breaks", `{}{}`, []string{`{}`, `{}`}, ""},
		{"array", ` [ {} , {"a":"]"} ] `, []string{`{}`, `{"a":"]"}`}, ""},
		{"quotes and brackets in strings", `[{"a":"\"}{"},{"b\\":"\\"},{"\u005d":"\\\"}"}]`, []string{`{"a":"\"}{"}`, `{"b\\":"\\"}`, `{"\u005d":"\\\"}"}`}, ""},
		{"empty", "", nil, "no certificate"},
		{"white space", " \n", nil, "no certificate"},
		{"empty array", " [ ] ", nil, "no certificate"},
		{"string", `"a"`, nil, "neither a JSON object"},
		{"byte order mark", "\xef\xbb\xbf{}", nil, "neither a JSON object"},
		{"array of numbers", `[1]`, nil, "want a JSON object"},
		{"array of arrays", `[[{}]]`, nil, "want a JSON object"},
		{"comma first", `[,{}]`, nil, "want a JSON object"},
		{"comma last", `[{},]`, []string{`{}`}, "want a JSON object"},
		{"two commas", `[{},,{}]`, []string{`{}`}, "want a JSON object"},
		{"no comma", `[{}{}]`, []string{`{}`}, "want a comma"},
		{"comma between lines", `{},{}`, []string{`{}`}, "want a JSON object"},
		{"array cut at start", `[`, nil, "ends inside"},
		{"array cut after object", `[{}`, []string{`{}`}, "ends inside"},
		{"array cut after comma", `[{},`, []string{`{}`}, "ends inside"},
		{"object cut", `[{},{"a":`, []string{`{}`}, "ends inside"},
		{"string cut", `{"a`, nil, "ends inside"},
		{"escape cut", `{"a\`, nil, "ends inside"},
		{"longer escape cut", `{"a\u00`, nil, "ends inside"},
		{"literal cut", `{"a":nul`, nil, "ends inside"},
		{"quote missing", `[{}, {"a": b", "c": "d"}, {"a": "b", "c": "d"}]`, []string{`{}`}, "not JSON: want a value at byte 11"},
		{"quote missing in the middle", `{"a": "b, "c": "d"}` + "\n" + `{"a": "b", "c": "d"}`, nil, "not JSON: want a comma or the end at byte 11"},
		{"object after array", `[{}]{}`, []string{`{}`}, "after the end"},
		{"array after array", `[{}] [{}]`, []string{`{}`}, "after the end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole":         strings.NewReader(test.text),
				"byte a read":   iotest.OneByteReader(strings.NewReader(test.text)),
				"end with data": iotest.DataErrReader(strings.NewReader(test.text)),
			} {
				got, err := scanAll(r)
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("%s: objects differ (-want +got):\n%s", name, diff)
				}
				if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
					t.Errorf("%s: got error %v, want %q", name, err, test.err)
				}
				if err != nil && !errors.Is(err, verdict.ErrInvalid) {
					t.Errorf("%s: error %v is not of class invalid", name, err)
				}
			}
		})
	}
}

func TestScannerOffsets(t *testing.T) {
	t.Parallel()
	large := `{"a":"` + strings.Repeat("x", 200_000) + `"}`
	text := " [ " + large + " , {} ,\n" + large + "]"
	s := certio.NewScanner(strings.NewReader(text))
	for range 3 {
		object, offset, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := text[offset : offset+int64(len(object))]; got != string(object) {
			t.Errorf("certificate %d: offset %d is not its place", s.Count()-1, offset)
		}
	}
	if _, _, err := s.Next(); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
}

// endless repeats a text without end and counts what was read of it.
type endless struct {
	prefix, text string
	read         int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.prefix)
	e.prefix = e.prefix[n:]
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	e.read += n
	return n, nil
}

func TestScannerBounds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, prefix, text string }{
		{"white space", "", " "},
		{"white space in an array", "[{}", "\n"},
		{"string", `[{"a":"`, "x"},
		{"escapes", `[{"a":"`, `\"`},
		{"brackets", `[`, "{"},
		{"members", `{`, `"a":1,`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := &endless{prefix: test.prefix, text: test.text}
			_, err := scanAll(e)
			if !errors.Is(err, verdict.ErrLimit) {
				t.Fatalf("got %v, want an error of class limit", err)
			}
			if most := limits.MaxCertificateBytes + 1<<20; e.read > most {
				t.Errorf("read %d bytes, want at most %d", e.read, most)
			}
		})
	}
}

func TestScannerLargestCertificate(t *testing.T) {
	t.Parallel()
	rest := limits.MaxCertificateBytes - len(`{"a":""}`)
	largest := `{"a":"` + strings.Repeat("x", rest) + `"}`
	if _, err := scanAll(strings.NewReader("[" + largest + "," + largest + "]")); err != nil {
		t.Errorf("%d bytes: %v", len(largest), err)
	}
	larger := `{"a":"x` + strings.Repeat("x", rest) + `"}`
	if _, err := scanAll(strings.NewReader(larger)); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("%d bytes: got %v, want an error of class limit", len(larger), err)
	}
}

func TestScannerReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader(`[{},{"a":`), iotest.ErrReader(broken))
	objects, err := scanAll(r)
	if len(objects) != 1 || !errors.Is(err, broken) {
		t.Errorf("got %d objects and %v, want 1 and %v", len(objects), err, broken)
	}
}

// value draws a JSON value of bounded depth.
func value(t *rapid.T, depth int) any {
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return rapid.Int().Draw(t, "number")
	case 1, 2:
		return rapid.StringOf(rapid.RuneFrom([]rune("a\"\\{}[],:\u00e9\n"))).Draw(t, "string")
	}
	if depth == 0 {
		return nil
	}
	return object(t, depth-1)
}

func object(t *rapid.T, depth int) map[string]any {
	o := make(map[string]any)
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		o[rapid.StringMatching(`[a-c"\\]{1,3}`).Draw(t, "key")] = []any{value(t, depth)}
	}
	return o
}

// TestScannerRoundTrip splits arrays and lines of random objects, read in random pieces.
func TestScannerRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want []string
		for range rapid.IntRange(1, 6).Draw(t, "objects") {
			text, err := json.Marshal(object(t, 3))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, string(text))
		}
		text := strings.Join(want, "\n")
		if rapid.Bool().Draw(t, "array") {
			text = "[" + strings.Join(want, " ,\t") + "]\n"
		}
		var r io.Reader = strings.NewReader(text)
		if rapid.Bool().Draw(t, "byte a read") {
			r = iotest.OneByteReader(r)
		}
		got, err := scanAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("objects differ (-want +got):\n%s", diff)
		}
	})
}

// FuzzScanner compares the scanner with encoding/json on arrays of objects: what that accepts must come apart equally.
func FuzzScanner(f *testing.F) {
	for _, text := range []string{`[{"a":"\"}"},{}]`, `{}{"b":[{}]}`, `[{"a":"\`, `[[{}]]`, " [ ] ", `{"hash":"00"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := scanAll(bytes.NewReader(text))
		bytewise, bytewiseErr := scanAll(iotest.OneByteReader(bytes.NewReader(text)))
		if diff := cmp.Diff(got, bytewise); diff != "" || (err == nil) != (bytewiseErr == nil) {
			t.Fatalf("a byte a read: error %v, want %v; objects (-want +got):\n%s", bytewiseErr, err, diff)
		}
		var want []json.RawMessage
		if json.Unmarshal(text, &want) != nil || len(want) == 0 {
			return
		}
		for _, object := range want {
			if object[0] != '{' {
				return
			}
		}
		if err != nil || len(got) != len(want) {
			t.Fatalf("got %d objects and error %v, want %d", len(got), err, len(want))
		}
		for i := range want {
			if string(want[i]) != got[i] {
				t.Errorf("object %d: got %q, want %q", i, got[i], want[i])
			}
		}
	})
}
