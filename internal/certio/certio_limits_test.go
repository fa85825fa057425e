package certio

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stmverify/stmverify/internal/limits"
	"github.com/stmverify/stmverify/verdict"
)

// repeated yields a text over and over.
type repeated struct {
	text string
	left int64 // bytes
}

func (r *repeated) Read(p []byte) (n int, err error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), r.left)]
	for n < len(p) { // Every read begins with the text: of one byte, or aligned to it.
		m := copy(p[n:], r.text)
		n += m
	}
	r.left -= int64(n)
	return n, nil
}

// TestScannerAtItsLimits reads as many objects as an input may have, and as much white space between two, and one more.
func TestScannerAtItsLimits(t *testing.T) {
	space := func(n int) io.Reader {
		return io.MultiReader(strings.NewReader("{}"), &repeated{" ", int64(n)}, strings.NewReader("{}"))
	}
	for name, c := range map[string]struct {
		most  int
		input func(n int) io.Reader
	}{
		"certificates": {limits.MaxInputCertificates, func(n int) io.Reader { return strings.NewReader(strings.Repeat("{}", n)) }},
		"white space":  {limits.MaxSeparator, space},
	} {
		count := func(n int) (int, error) {
			s := NewScanner(c.input(n))
			for {
				if _, _, err := s.Next(); err == io.EOF {
					return s.Count(), nil
				} else if err != nil {
					return s.Count(), err
				}
			}
		}
		if n, err := count(c.most); err != nil || n < 2 {
			t.Errorf("%s: %d: %d objects, %v", name, c.most, n, err)
		}
		if _, err := count(c.most + 1); !errors.Is(err, verdict.ErrLimit) {
			t.Errorf("%s: %d: got %v", name, c.most+1, err)
		}
	}
}

// TestSpoolIsBounded fills the last byte of a spool, and asks for one more.
func TestSpoolIsBounded(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	s := spool{file: file, size: limits.MaxSpool - 3} // The file has a hole.
	offset, err := s.append([]byte("abc"))
	if err != nil || offset != limits.MaxSpool-3 {
		t.Fatalf("at the limit: offset %d, %v", offset, err)
	}
	if _, err := s.append([]byte("d")); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("one byte more: got %v", err)
	}
	var b [3]byte
	if err := s.read(b[:], offset); err != nil || string(b[:]) != "abc" {
		t.Errorf("read %q, %v", b, err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestSkippedAtItsLimit puts as many bytes that are no certificates into a folder as there may be, and one more.
func TestSkippedAtItsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("decompresses 128 MB")
	}
	certificate := fmt.Sprintf(`{"hash":"%064d","previous_hash":""}`, 1)
	object := `{"text":"` + strings.Repeat("x", 1<<20-len(`{"text":""}`)) + `"}`
	for more, want := range map[string]error{"": nil, "{}": verdict.ErrLimit} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := io.WriteString(w, certificate+strings.Repeat(object, limits.MaxSkipped>>20)+more); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a.json.gz"), packed.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := Open(folder, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := in.Index(context.Background())
		if !errors.Is(err, want) || err == nil && x.Len() != 1 {
			t.Errorf("%q behind the most: got %v, want %v", more, err, want)
		}
		in.Close()
	}
}

// TestFolderOfManyFiles opens a folder of as many files as there may be, and of one more.
func TestFolderOfManyFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("makes some 65 000 files")
	}
	folder := t.TempDir()
	one := filepath.Join(folder, "0.json")
	if err := os.WriteFile(one, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= limits.MaxIndexedCertificates; i++ {
		if i == limits.MaxIndexedCertificates {
			if in, err := Open(folder, nil); err != nil || len(in.files) != limits.MaxIndexedCertificates {
				t.Fatalf("%d files: %v", i, err)
			}
		}
		// A hard link costs less than a file; systems allow some thousands of one file.
		if err := os.Link(one, filepath.Join(folder, fmt.Sprint(i, ".json"))); err != nil {
			if err := os.WriteFile(filepath.Join(folder, fmt.Sprint(i, ".json")), nil, 0o600); err != nil {
				t.Skip(err) // No room for so many.
			}
		}
	}
	if _, err := Open(folder, nil); !errors.Is(err, verdict.ErrLimit) {
		t.Errorf("one more: got %v", err)
	}
}
