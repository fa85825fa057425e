package certificate

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

func split(r io.Reader) (items []string, err error) {
	for raw, err := range Split(r) {
		if err != nil {
			return items, err
		}
		items = append(items, string(raw))
	}
	return items, nil
}

func TestSplit(t *testing.T) {
	const a, b, c = `{"a":"]}\"\\"}`, `{ "b" : [ {"c":[]} ] }`, `{}`
	for _, test := range []struct {
		name, text string
		want       []string
		err        error
	}{
		{"array", "[" + a + "," + b + "," + c + "]", []string{a, b, c}, nil},
		{"array with white space", "\r\n [\t" + a + " ,\n" + b + "]\n\n", []string{a, b}, nil},
		{"lines", a + "\n" + b + "\r\n" + c + "\n", []string{a, b, c}, nil},
		{"one after another", a + b + c, []string{a, b, c}, nil},
		{"one object", a, []string{a}, nil},
		{"empty", "", nil, nil},
		{"white space", " \n\t", nil, nil},
		{"empty array", "[]", nil, nil},
		{"array cut behind an object", "[" + a, []string{a}, verdict.ErrInvalid},
		{"array cut behind a comma", "[" + a + ",", []string{a}, verdict.ErrInvalid},
		{"array cut in an object", "[" + a + "," + b[:9], []string{a}, verdict.ErrInvalid},
		{"array cut in a string", "[" + a + "," + a[:8], []string{a}, verdict.ErrInvalid},
		{"array cut behind a backslash", "[" + a[:8] + `\`, nil, verdict.ErrInvalid},
		{"object cut", a[:5], nil, verdict.ErrInvalid},
		{"array without comma", "[" + a + b + "]", []string{a}, verdict.ErrInvalid},
		{"array with two commas", "[" + a + ",," + b + "]", []string{a}, verdict.ErrInvalid},
		{"array of numbers", "[1,2]", nil, verdict.ErrInvalid},
		{"array with text behind", "[" + a + "]" + b, []string{a}, verdict.ErrInvalid},
		{"lines with a number", a + "\n7\n" + b, []string{a}, verdict.ErrInvalid},
		{"lines with commas", a + ",\n" + b, []string{a}, verdict.ErrInvalid},
		{"text", "hello", nil, verdict.ErrInvalid},
		{"byte order mark", "\ufeff" + a, nil, verdict.ErrInvalid},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole":          strings.NewReader(test.text),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(test.text)),
				"error with end": iotest.DataErrReader(strings.NewReader(test.text)),
			} {
				got, err := split(r)
				if !errors.Is(err, test.err) {
					t.Fatalf("%s: got error %v, want %v", name, err, test.err)
				}
				if strings.Join(got, "|") != strings.Join(test.want, "|") {
					t.Errorf("%s: got %q, want %q", name, got, test.want)
				}
			}
		})
	}
}

func TestSplitOwnsWhatItYields(t *testing.T) {
	var kept [][]byte
	for raw, err := range Split(strings.NewReader(`[{"a":1},{"b":2},{"c":3}]`)) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, raw)
	}
	if got := string(bytes.Join(kept, nil)); got != `{"a":1}{"b":2}{"c":3}` {
		t.Errorf("got %s", got)
	}
	_ = append(kept[0], "x"...)
	if string(kept[1]) != `{"b":2}` {
		t.Error("appending to one certificate changed another")
	}
}

func TestSplitStops(t *testing.T) {
	n := 0
	for range Split(io.MultiReader(strings.NewReader(`[{},{},`), iotest.ErrReader(errors.New("read too far")))) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("got %d certificates", n)
	}
}

func TestSplitReturnsReadErrors(t *testing.T) {
	want := errors.New("disk on fire")
	_, err := split(io.MultiReader(strings.NewReader(`[{}`), iotest.ErrReader(want)))
	if !errors.Is(err, want) || verdict.Class(err) != nil {
		t.Errorf("got %v of class %v, want %v of none", err, verdict.Class(err), want)
	}
}

// endless yields text, then unit for ever.
type endless struct {
	text, unit string
	at, read   int
}

func (e *endless) Read(p []byte) (n int, err error) {
	n = copy(p, e.text)
	e.text = e.text[n:]
	for n < len(p) {
		m := copy(p[n:], e.unit[e.at:])
		n += m
		e.at = (e.at + m) % len(e.unit)
	}
	e.read += n
	return n, nil
}

// TestSplitEndless reads input without end and makes sure that it ends in an error soon, and in little memory.
func TestSplitEndless(t *testing.T) {
	for name, r := range map[string]*endless{
		"string":         {text: `[{"a":"`, unit: "x"},
		"escapes":        {text: `[{"a":"`, unit: `\"`},
		"nesting":        {text: `[`, unit: `{"a":[`},
		"white space":    {text: `[`, unit: " "},
		"space in lines": {text: `{}`, unit: "\n"},
		"numbers":        {text: `{"a":`, unit: "1"},
	} {
		t.Run(name, func(t *testing.T) {
			var err error
			used := allocated(func() { _, err = split(r) })
			if !errors.Is(err, verdict.ErrLimit) {
				t.Errorf("got %v, want an error of class limit", err)
			}
			if r.read > 2*limits.MaxCertificateBytes {
				t.Errorf("read %d bytes", r.read)
			}
			if used > 4*limits.MaxCertificateBytes {
				t.Errorf("allocated %d bytes", used)
			}
		})
	}
}

// TestSplitHoldsOneCertificate reads many certificates and compares what is allocated with what is yielded.
func TestSplitHoldsOneCertificate(t *testing.T) {
	const count, size = 2000, 10_000
	line := `{"a":"` + strings.Repeat("x", size) + "\"}\n"
	r := io.LimitReader(&endless{unit: line}, int64(count*len(line)))
	n := 0
	used := allocated(func() {
		for _, err := range Split(r) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
	})
	if n != count {
		t.Errorf("got %d certificates, want %d", n, count)
	}
	if most := uint64(count*len(line)*5/4 + 1<<20); used > most {
		t.Errorf("allocated %d bytes, want at most %d", used, most)
	}
}
