package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

func named(i int) certificate.Hash { return certificate.Hash{31: byte(i + 1)} }

func certificates(n int) [][]byte {
	var out [][]byte
	for i := n - 1; i >= 0; i-- {
		parent, genesis := named(i-1).String(), ""
		if i == 0 {
			parent, genesis = "", "00ff"
		}
		out = append(out, fmt.Appendf(nil, `{"hash":%q,"previous_hash":%q,"epoch":%d,"signed_entity_type":{"MithrilStakeDistribution":%d},"genesis_signature":%q}`,
			named(i), parent, i, i, genesis))
	}
	return out
}

func each(texts [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

func header(n int) Header {
	return Header{
		Network: "test", GenesisKey: strings.Repeat("ab", 32), Tips: []certificate.Hash{named(n - 1)},
		RestsOn: named(0), Genesis: true, Certificates: n,
	}
}

func written(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, header(n), each(certificates(n))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	b, err := Read("b", bytes.NewReader(written(t, 9)))
	if err != nil {
		t.Fatal(err)
	}
	want := header(9)
	want.Format, want.Version, want.About = Format, Version, about
	if diff := cmp.Diff(want, b.Header()); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	for i, text := range certificates(9) {
		got, err := b.Certificate(t.Context(), named(8-i))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("certificate %d: got %s, %v", i, got, err)
		}
	}
	got, err := b.Genesis(t.Context())
	if err != nil || !bytes.Equal(got, certificates(9)[8]) {
		t.Errorf("genesis: got %s, %v", got, err)
	}
	items, err := b.Recent(t.Context())
	if err != nil || len(items) != 9 || items[0].Hash != named(8) {
		t.Errorf("recent: got %v, %v", items, err)
	}
	if _, err := b.Certificate(t.Context(), named(99)); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("unknown certificate: got %v", err)
	}
	if !bytes.Equal(written(t, 9), written(t, 9)) {
		t.Error("two bundles of the same chain differ")
	}
}

func TestWriteChecksTheNumber(t *testing.T) {
	if err := Write(new(bytes.Buffer), header(3), each(certificates(4))); err == nil {
		t.Error("got no error for a wrong number of certificates")
	}
}

// lined compresses lines as they are.
func lined(text string) []byte {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	defer enc.Close()
	return enc.EncodeAll([]byte(text), nil)
}

func plain(t *testing.T, b []byte) string {
	t.Helper()
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRefused(t *testing.T) {
	good := written(t, 4)
	text := plain(t, good)
	lines := strings.SplitAfter(text, "\n")
	tests := []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"empty", nil, ErrFormat},
		{"no zstd", []byte(text), ErrFormat},
		{"cut in half", good[:len(good)/2], ErrDamaged},
		{"one flipped bit", flip(good, len(good)/2), ErrDamaged},
		{"a JSON array", lined("[1,2]\n"), ErrFormat},
		{"other version", lined(strings.Replace(text, `"version":1`, `"version":2`, 1)), ErrVersion},
		{"no last line", lined(strings.Join(lines[:5], "")), ErrDamaged},
		{"a line removed", lined(strings.Join(append(lines[:2:2], lines[3:]...), "")), ErrDamaged},
		{"lines exchanged", lined(lines[0] + lines[2] + lines[1] + strings.Join(lines[3:], "")), ErrDamaged},
		{"a changed certificate", lined(strings.Replace(text, `"epoch":2`, `"epoch":3`, 1)), ErrDamaged},
		{"a certificate twice", lined(lines[0] + lines[1] + lines[1]), ErrFormat},
		{"no certificate", lined(lines[0] + "{}\n"), ErrFormat},
		{"more after the end", lined(text + "{}\n"), ErrDamaged},
		{"one line", lined("[1,2]"), ErrFormat},
		{"one long line", lined("[" + strings.Repeat(" ", maxLine+1)), ErrFormat},
		{"a long line", lined(lines[0] + strings.Repeat(" ", maxLine+1)), ErrLimit},
		{"too much", lined(lines[0] + strings.Repeat(strings.Repeat(" ", 1<<20)+"\n", 300)), ErrFormat},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := Read("b", bytes.NewReader(test.bytes))
			var place *Error
			if b != nil || !errors.Is(err, test.want) || !errors.As(err, &place) || verdict.Class(err) == nil {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			for _, other := range []error{ErrFormat, ErrVersion, ErrDamaged, ErrLimit} {
				if other != test.want && errors.Is(err, other) {
					t.Errorf("got %v, which is two reasons", err)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("got more than one line: %q", err)
			}
		})
	}
}

// TestReadError reads from something that fails, which says nothing about the bundle.
func TestReadError(t *testing.T) {
	good := written(t, 4)
	for _, n := range []int{0, 2, len(good) / 2, len(good)} {
		failure := errors.New("broken disk")
		_, err := Read("b", io.MultiReader(bytes.NewReader(good[:n]), iotest.ErrReader(failure)))
		if !errors.Is(err, failure) || verdict.Class(err) != nil {
			t.Errorf("after %d bytes: got %v, want %v without a class", n, err, failure)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || verdict.Class(err) != nil {
		t.Errorf("folder: got %v, want an error without a class", err)
	}
}

func flip(b []byte, i int) []byte {
	b = bytes.Clone(b)
	b[i] ^= 1
	return b
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, header(3), each(certificates(3))); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(lined("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Read("b", bytes.NewReader(data)); err != nil && verdict.Class(err) == nil {
			t.Errorf("error without a class: %v", err)
		}
	})
}
