package aggregator

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stmverify/stmverify/certificate"
	"github.com/stmverify/stmverify/light/provider"
	"github.com/stmverify/stmverify/verdict"
)

func TestFiles(t *testing.T) {
	chain := madeUp(30)
	array := append(append([]byte("["), bytes.Join(chain, []byte(","))...), ']')
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write(array)
	_ = z.Close()

	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	files := map[string][]byte{
		filepath.Join(dir, "array.json"):    array,
		filepath.Join(dir, "lines.jsonl"):   bytes.Join(chain, []byte("\n")),
		filepath.Join(dir, "array.json.gz"): zipped.Bytes(),
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for i, text := range chain {
		files[filepath.Join(folder, name(29-i).String()+".json")] = text
	}
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"array.json", "lines.jsonl", "array.json.gz", "folder"} {
		t.Run(path, func(t *testing.T) {
			f, err := OpenFiles(t.Context(), filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			got, err := f.Certificate(t.Context(), name(7))
			if err != nil || !bytes.Equal(got, chain[22]) {
				t.Errorf("Certificate: got %s, %v", got, err)
			}
			got, err = f.Genesis(t.Context())
			if err != nil || !bytes.Equal(got, chain[29]) {
				t.Errorf("Genesis: got %s, %v", got, err)
			}
			items, err := f.Recent(t.Context())
			if err != nil || len(items) != 30 || items[0].Hash != name(29) {
				t.Errorf("Recent: got %d items, %v", len(items), err)
			}
			_, err = f.Certificate(t.Context(), certificate.Hash{1})
			var failure *provider.Error
			if !errors.As(err, &failure) || !errors.Is(err, provider.ErrNotFound) || failure.Rule != verdict.RuleCertificateNotFound {
				t.Errorf("unknown certificate: got %v", err)
			}
		})
	}
	if _, err := OpenFiles(t.Context(), filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: got %v", err)
	}
}
