// Package vectors reads the files that the tests of several packages share: those in testdata at the root of the module, and
// the public data beside the module, which may not be copied and which not everybody has.
//
// It imports no package of the module, so that tests inside any package can use it.
package vectors

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Shared is the folder of the public data, which tests skip without.
const Shared = "../shared/vectors/"

// Path returns where a file or folder lies whose name is relative to the root of the module, with slashes. It skips the test
// when the name begins with [Shared] and nothing is there.
func Path(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); strings.HasPrefix(name, Shared) && errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here", name)
	}
	return path
}

// root returns the folder of go.mod. Tests run in the folder of their package.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod above the folder of the test")
		}
		folder = parent
	}
}

// Read returns a file that [Path] finds, uncompressed when its name ends in .gz.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(Path(t, name))
	if err == nil && strings.HasSuffix(name, ".gz") {
		data, err = uncompress(data)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

func uncompress(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// Elements returns the texts of the elements of a JSON array.
func Elements(t testing.TB, array []byte) [][]byte {
	t.Helper()
	var elements []json.RawMessage
	if err := json.Unmarshal(array, &elements); err != nil {
		t.Fatal(err)
	}
	return texts(elements)
}

func texts(elements []json.RawMessage) [][]byte {
	out := make([][]byte, len(elements))
	for i := range elements {
		out[i] = elements[i]
	}
	return out
}

// Chain returns the certificates of a folder in the order of its file certificates.json or certificates.json.gz, and the text
// of its genesis key.
func Chain(t testing.TB, folder string) (certificates [][]byte, genesisKey string) {
	t.Helper()
	name := folder + "/certificates.json"
	if _, err := os.Stat(Path(t, folder) + "/certificates.json.gz"); err == nil {
		name += ".gz"
	}
	return Elements(t, Read(t, name)), string(Read(t, folder+"/genesis.vkey"))
}

// ChainCase is a chain with what the reference says about it.
type ChainCase struct {
	Name         string
	Certificates [][]byte
	GenesisKey   string // text
	Expect       string // "valid" or "invalid"
	Reason       string // the rule, or "any"
	Reference    string // what the reference printed
}

// ChainCases returns the lines of testdata/chain_cases.jsonl.gz.
func ChainCases(t testing.TB) []ChainCase {
	t.Helper()
	var cases []ChainCase
	for line := range bytes.Lines(Read(t, "testdata/chain_cases.jsonl.gz")) {
		var c struct {
			Name         string            `json:"name"`
			Certificates []json.RawMessage `json:"certificates"`
			GenesisKey   string            `json:"genesis_vkey"`
			Expect       string            `json:"expect"`
			Reason       string            `json:"reason"`
			Reference    string            `json:"reference"`
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, ChainCase{c.Name, texts(c.Certificates), c.GenesisKey, c.Expect, c.Reason, c.Reference})
	}
	return cases
}
