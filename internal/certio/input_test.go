package certio_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stmverify/stmverify/internal/certio"
	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// hash returns the hash that test certificate n claims; n < 0 is none.
func hash(n int) string {
	if n < 0 {
		return ""
	}
	return fmt.Sprintf("%064x", n+1)
}

func parse(t *testing.T, n int) certio.Hash {
	t.Helper()
	raw, err := hex.DecodeString(hash(n))
	if err != nil {
		t.Fatal(err)
	}
	return certio.Hash(raw)
}

// cert returns a certificate that names its parent; members of these names below the top level must not be taken for them.
func cert(n, parent int) string {
	return fmt.Sprintf(`{"nested":{"hash":"x","previous_hash":["previous_hash"]},"hash":"%s","text":"\"hash\":\"","previous_hash":"%s"}`, hash(n), hash(parent))
}

// chain returns the certificates of a walk of n, tip first: certificate i names i+1, the last none.
func chain(n int) []string {
	certs := make([]string, n)
	for i := range certs {
		certs[i] = cert(i, i+1)
	}
	certs[n-1] = cert(n-1, -1)
	return certs
}

func array(certs []string) string { return "[" + strings.Join(certs, ",\n") + "]" }

func compress(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// open writes the files to a new folder and opens it, or its only file when that is named "file".
func open(t *testing.T, files map[string]string) *certio.Input {
	t.Helper()
	path := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(path, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "file") {
			path = filepath.Join(path, name)
		}
	}
	in, err := certio.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeInput(t, in) })
	return in
}

func closeInput(t *testing.T, in *certio.Input) {
	t.Helper()
	if err := in.Close(); err != nil {
		t.Error(err)
	}
}

func collect(certs iter.Seq2[[]byte, error]) ([]string, error) {
	var all []string
	for c, err := range certs {
		if err != nil {
			return all, err
		}
		all = append(all, string(c))
	}
	return all, nil
}

func index(t *testing.T, in *certio.Input) *certio.Index {
	t.Helper()
	x, err := in.Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func reversed(certs []string) []string {
	r := make([]string, 0, len(certs))
	for i := range certs {
		r = append(r, certs[len(certs)-1-i])
	}
	return r
}

func TestStreamInWalkOrder(t *testing.T) {
	t.Parallel()
	want := chain(5)
	for name, files := range map[string]map[string]string{
		"array":         {"file": array(want)},
		"lines":         {"file": strings.Join(want, "\n")},
		"gzip":          {"file.gz": compress(t, array(want))},
		"gzip, no name": {"file": compress(t, array(want))},
		"folder of one": {"a.json": array(want), "genesis.vkey": "5b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := collect(open(t, files).Stream(t.Context(), certio.Hash{}))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("certificates differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestStreamOutOfOrder(t *testing.T) {
	t.Parallel()
	c := chain(4)
	for _, test := range []struct {
		name  string
		certs []string
		tip   int
		pass  int // certificates before the error
	}{
		{"reversed", reversed(c), -1, 0},
		{"gap", []string{c[0], c[2], c[3]}, -1, 1},
		{"certificate after genesis", append(chain(4), cert(9, 0)), -1, 3},
		{"two genesis certificates", append(chain(4), cert(9, -1)), -1, 3},
		{"another tip", c, 1, 0},
		{"self loop", []string{cert(0, 0), c[1]}, -1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var tip certio.Hash
			if test.tip >= 0 {
				tip = parse(t, test.tip)
			}
			got, err := collect(open(t, map[string]string{"file": array(test.certs)}).Stream(t.Context(), tip))
			if !errors.Is(err, certio.ErrOrder) || len(got) != test.pass {
				t.Errorf("got %d certificates and %v, want %d and %v", len(got), err, test.pass, certio.ErrOrder)
			}
		})
	}
}

func TestIndexWalksInAnyOrder(t *testing.T) {
	t.Parallel()
	want := chain(6)
	r := reversed(want)
	for name, files := range map[string]map[string]string{
		"array":            {"file": array(r)},
		"gzip":             {"file": compress(t, array(r))},
		"one file each":    {"a.json": r[0], "b.json": r[1], "c.jsonl": r[2], "d.ndjson": r[3], "e.json": r[4], "f.JSON": r[5]},
		"compressed files": {"a.json.gz": compress(t, r[3]), "b.jsonl.gz": compress(t, r[0]+r[1]), "c.json": array(r[2:3]), "d.json.gz": compress(t, array(r[4:]))},
		"twice":            {"a.json": array(r), "b.json.gz": compress(t, array(want))},
		"other files":      {"a.json": array(r), "b.json": `{"other":1}`, "c.txt": "text", "genesis.vkey": "5b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := index(t, open(t, files))
			if diff := cmp.Diff([]certio.Hash{parse(t, 0)}, x.Tips()); diff != "" {
				t.Fatalf("tips differ (-want +got):\n%s", diff)
			}
			for from := range want {
				got, err := collect(x.Walk(t.Context(), parse(t, from)))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want[from:], got); diff != "" {
					t.Errorf("walk from %d differs (-want +got):\n%s", from, diff)
				}
			}
			if got := x.Reachable(parse(t, 2)); got != 4 {
				t.Errorf("got %d reachable from certificate 2, want 4", got)
			}
		})
	}
}

// TestEscapedNames finds the way from certificate to certificate also where names and hashes are written with escapes, as the
// decoder does.
func TestEscapedNames(t *testing.T) {
	t.Parallel()
	all := func(text string) string {
		var b strings.Builder
		for _, c := range text {
			fmt.Fprintf(&b, `\u%04X`, c)
		}
		return b.String()
	}
	for name, member := range map[string]func(name, value string) string{
		"a letter of a name": func(name, value string) string { return strings.Replace(name, "hash", `h\u0061sh`, 1) + `":"` + value },
		"all of a name":      func(name, value string) string { return all(name) + `":"` + value },
		"all of a hash":      func(name, value string) string { return name + `":"` + all(value) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			escaped := func(n, parent int) string {
				return fmt.Sprintf(`{"h\u0062sh":"x","previous\\u005fhash":"y","%s","%s"}`, member("hash", hash(n)), member("previous_hash", hash(parent)))
			}
			want := []string{escaped(0, 1), cert(1, 2), escaped(2, -1)}
			in := open(t, map[string]string{"file": array(want)})
			if got, err := collect(in.Stream(t.Context(), certio.Hash{})); err != nil || !cmp.Equal(want, got) {
				t.Errorf("stream: %v, diff (-want +got):\n%s", err, cmp.Diff(want, got))
			}
			x := index(t, open(t, map[string]string{"file": array(reversed(want))}))
			if got, err := collect(x.Walk(t.Context(), parse(t, 0))); err != nil || !cmp.Equal(want, got) {
				t.Errorf("walk: %v, diff (-want +got):\n%s", err, cmp.Diff(want, got))
			}
		})
	}
}

func TestIndexCounts(t *testing.T) {
	t.Parallel()
	c := chain(3)
	x := index(t, open(t, map[string]string{"a.json": array(c), "b.json": array(c[1:]), "c.json": `{"hash":1}{"a":2}`}))
	if x.Len() != 3 || x.Duplicates() != 2 || len(x.Skipped()) != 1 {
		t.Errorf("got %d certificates, %d duplicates, %d skipped, want 3, 2, 1", x.Len(), x.Duplicates(), len(x.Skipped()))
	}
	got, err := x.Get(parse(t, 1))
	if err != nil || string(got) != c[1] {
		t.Errorf("got %q and %v, want %q", got, err, c[1])
	}
	if got, err := x.Get(parse(t, 7)); got != nil || err != nil || x.Has(parse(t, 7)) {
		t.Errorf("absent certificate: got %q and %v", got, err)
	}
}

func TestTips(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		certs []string
		want  []int
	}{
		{"one", []string{cert(0, -1)}, []int{0}},
		{"two children of one parent", []string{cert(3, 1), cert(2, 1), cert(1, -1)}, []int{3, 2}},
		{"self loop", []string{cert(0, 0), cert(1, -1)}, []int{0, 1}},
		{"loop of two", []string{cert(1, 0), cert(0, 1)}, []int{1}},
		{"parent missing", []string{cert(0, 8), cert(1, 9)}, []int{0, 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var want []certio.Hash
			for _, n := range test.want {
				want = append(want, parse(t, n))
			}
			if diff := cmp.Diff(want, index(t, open(t, map[string]string{"file": array(test.certs)})).Tips()); diff != "" {
				t.Errorf("tips differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWalkEndsInLoop(t *testing.T) {
	t.Parallel()
	x := index(t, open(t, map[string]string{"file": array([]string{cert(0, 1), cert(1, 2), cert(2, 1)})}))
	got, err := collect(x.Walk(t.Context(), parse(t, 0)))
	var where *certio.Error
	if len(got) != 3 || !errors.As(err, &where) || where.Rule != verdict.RuleChainLoop || where.Element != 1 {
		t.Errorf("got %d certificates and %v, want 3 and a loop at certificate 1", len(got), err)
	}
}

func TestIndexRefuses(t *testing.T) {
	t.Parallel()
	c := chain(2)
	upper := strings.Replace(cert(10, -1), "0b", "0B", 1)
	for _, test := range []struct {
		name    string
		files   map[string]string
		element int
		text    string
	}{
		{"empty file", map[string]string{"file": ""}, 0, "no certificate"},
		{"only other objects", map[string]string{"a.json": "{}"}, 0, "no certificate"},
		{"object without hash", map[string]string{"file": array([]string{c[1], c[0], "{}"})}, 2, `without "hash"`},
		{"upper case hash", map[string]string{"file": array([]string{c[1], upper})}, 1, "lowercase"},
		{"long previous hash", map[string]string{"file": `{"hash":"` + hash(1) + `","previous_hash":"` + hash(1) + `0"}`}, 0, "lowercase"},
		{"hash of escapes that is too long", map[string]string{"file": `{"hash":"` + strings.Repeat(`\u0030`, 66) + `","previous_hash":""}`}, 0, `without "hash"`},
		{"broken escape in a name", map[string]string{"file": `{"has\u00":"` + hash(1) + `","previous_hash":""}`}, 0, `without "hash"`},
		{"hash twice", map[string]string{"file": array([]string{c[1], cert(1, 0)})}, 1, "claim one hash"},
		{"hash twice in two files", map[string]string{"a.json": c[0], "b.json.gz": compress(t, c[1]), "c.json": cert(1, 0)}, 0, "claim one hash"},
		{"cut", map[string]string{"a.json": c[0] + c[1][:40]}, 1, "ends inside"},
		{"cut gzip", map[string]string{"file": compress(t, array(c))[:60]}, 0, "gzip"},
		{"no gzip", map[string]string{"file": "\x1f\x8bno gzip"}, 0, "gzip"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := open(t, test.files).Index(t.Context())
			var where *certio.Error
			if !errors.As(err, &where) || !errors.Is(err, verdict.ErrInvalid) {
				t.Fatalf("got %v, want an *Error of class invalid", err)
			}
			if where.Element != test.element || where.Rule != verdict.RuleMalformed || !strings.Contains(err.Error(), test.text) {
				t.Errorf("got %v, want certificate %d, malformed and %q", err, test.element, test.text)
			}
		})
	}
}

// TestIndexIsBounded indexes as many certificates as it may, then one more.
func TestIndexIsBounded(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range limits.MaxIndexedCertificates {
		fmt.Fprintf(&text, `{"hash":"%064x","previous_hash":""}`, i+1)
	}
	x := index(t, open(t, map[string]string{"file": text.String()}))
	if x.Len() != limits.MaxIndexedCertificates {
		t.Errorf("got %d certificates", x.Len())
	}
	text.WriteString(cert(1<<24, -1))
	if _, err := open(t, map[string]string{"file": text.String()}).Index(t.Context()); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("one more: got %v, want an error of class limit", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	if _, err := certio.Open(filepath.Join(t.TempDir(), "absent"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: got %v", err)
	}
	if _, err := certio.Open(t.TempDir(), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty folder: got %v", err)
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	want := chain(5)
	for _, test := range []struct {
		name, text string
		ordered    bool
	}{
		{"array", array(want), true},
		{"gzip", compress(t, array(want)), true},
		{"reversed", array(reversed(want)), false},
		{"reversed gzip", compress(t, array(reversed(want))), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := openStdin(t, strings.NewReader(test.text))
			got, err := collect(in.Stream(t.Context(), certio.Hash{}))
			if !test.ordered {
				if !errors.Is(err, certio.ErrOrder) {
					t.Fatalf("got %v, want %v", err, certio.ErrOrder)
				}
				x := index(t, in)
				got, err = collect(x.Walk(t.Context(), x.Tips()[0]))
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("certificates differ (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSpoolToFile sorts more than the spool keeps in memory, from standard input and from a compressed file.
func TestSpoolToFile(t *testing.T) {
	t.Parallel()
	const n = 40
	want := make([]string, n)
	for i := range want {
		parent := i + 1
		if parent == n {
			parent = -1
		}
		want[i] = strings.Replace(cert(i, parent), "{", `{"pad":"`+strings.Repeat("x", 300_000)+`",`, 1)
	}
	text := array(reversed(want))
	for name, in := range map[string]*certio.Input{
		"compressed file": open(t, map[string]string{"file.gz": compress(t, text)}),
		"standard input":  openStdin(t, strings.NewReader(text)),
	} {
		x := index(t, in)
		got, err := collect(x.Walk(t.Context(), parse(t, 0)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: certificates differ", name)
		}
	}
}

func openStdin(t *testing.T, r io.Reader) *certio.Input {
	t.Helper()
	in, err := certio.Open(certio.Stdin, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeInput(t, in) })
	return in
}

// endlessChain is a walk without genesis certificate; it counts how many certificates were begun.
type endlessChain struct {
	rest string
	made int
}

func (e *endlessChain) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.rest = fmt.Sprintf(`{"hash":"%064x","pad":"%s","previous_hash":"%064x"}`, e.made+1, strings.Repeat("x", 10_000), e.made+2)
		e.made++
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

func TestStreamReadsNotFarAhead(t *testing.T) {
	t.Parallel()
	e := new(endlessChain)
	in := openStdin(t, e)
	taken := 0
	for _, err := range in.Stream(t.Context(), certio.Hash{}) {
		if err != nil {
			t.Fatal(err)
		}
		if taken++; taken == 100 {
			break
		}
	}
	if ahead := e.made - taken; ahead > 20 { // 20 certificates of 10 kB: the buffers hold 128 kB.
		t.Errorf("read %d certificates ahead", ahead)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in := open(t, map[string]string{"file": array(chain(3))})
	if _, err := collect(in.Stream(ctx, certio.Hash{})); !errors.Is(err, context.Canceled) {
		t.Errorf("Stream: got %v", err)
	}
	if _, err := in.Index(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Index: got %v", err)
	}
	x := index(t, in)
	if _, err := collect(x.Walk(ctx, x.Tips()[0])); !errors.Is(err, context.Canceled) {
		t.Errorf("Walk: got %v", err)
	}
}

func TestSharedVectorOrder(t *testing.T) {
	t.Parallel()
	for path, ordered := range map[string]bool{"small": false, "mainnet-like": true} {
		in, err := certio.Open(filepath.Join("..", "..", "testdata", "chains", path), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer closeInput(t, in)
		_, err = collect(in.Stream(t.Context(), certio.Hash{}))
		if ordered != (err == nil) {
			t.Errorf("%s: got %v", path, err)
		}
	}
}

// TestZerosNameNoParent: a certificate that claims a hash of zeros is not the parent of those that name none.
func TestZerosNameNoParent(t *testing.T) {
	zeros := strings.Repeat("0", 64)
	behind := fmt.Sprintf(`{"hash":"%s","previous_hash":"%s"}`, zeros, hash(7))
	path := filepath.Join(t.TempDir(), "c.json")
	// Out of order, so that it is indexed.
	certs := []string{behind, cert(1, -1), cert(0, 1), cert(7, -1)}
	if err := os.WriteFile(path, []byte(array(certs)), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := certio.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	x, err := in.Index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := x.Reachable(parse(t, 0)); got != 2 {
		t.Errorf("%d certificates on the walk, want 2", got)
	}
	if got := len(x.Tips()); got != 2 {
		t.Errorf("%d tips, want 2: the one at hand and the one of zeros", got)
	}
	walked := 0
	for _, err := range x.Walk(context.Background(), parse(t, 0)) {
		if err != nil {
			t.Fatal(err)
		}
		walked++
	}
	if walked != 2 {
		t.Errorf("walks through %d certificates, want 2", walked)
	}
}

func TestFolderWithWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte(cert(0, -1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(folder, "b.json")); err != nil {
		t.Skip(err)
	}
	if _, err := certio.Open(folder, nil); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got %v", err)
	}
	in, err := certio.Open(os.DevNull, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
}

// TestSkippedObjectsAreBounded fills a folder with objects that are no certificates.
func TestSkippedObjectsAreBounded(t *testing.T) {
	folder := t.TempDir()
	object := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	if err := os.WriteFile(filepath.Join(folder, "a.json.gz"), []byte(compress(t, strings.Repeat(object, 65))), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := certio.Open(folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Index(context.Background()); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("got %v", err)
	}
}
