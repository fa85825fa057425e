package main

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stmverify": main})
}

// TestScripts runs the scripts in testdata/*.txtar. In them, $SMALL and $MAINNET are folders of generated chains, $VECTORS is the folder of
// all generated vectors, 'exit N command…' runs a command that must exit with that code, and 'case NAME' writes the chain of that
// name in chain_cases.jsonl.gz to NAME.json and its genesis key to NAME.vkey. 'split FILE FOLDER' writes each element of a JSON array to a
// file of its own, 0.json, 1.json and so on, the last one with the lowest number. 'zeros FILE N' writes N bytes of zero.
func TestScripts(t *testing.T) {
	vectors, err := filepath.Abs(filepath.FromSlash("../../testdata"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("VECTORS", vectors)
			env.Setenv("SMALL", filepath.Join(vectors, "chains", "small"))
			env.Setenv("MAINNET", filepath.Join(vectors, "chains", "mainnet-like"))
			return nil
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exit": exitCode, "case": writeCase, "split": splitFile, "zeros": writeZeros},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// exitCode runs a command and fails unless it exits with the given code: exit 2 stmverify ….
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exit code command [argument…]")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s exits with %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

func writeCase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: case name")
	}
	c, ok := cases()[args[0]]
	if !ok {
		ts.Fatalf("no case %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".json"), c.Certificates, 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".vkey"), []byte(c.GenesisKey), 0o600))
}

func splitFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: split file folder")
	}
	var elements []json.RawMessage
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &elements))
	slices.Reverse(elements)
	folder := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(folder, 0o700))
	for i, element := range elements {
		ts.Check(os.WriteFile(filepath.Join(folder, strconv.Itoa(i)+".json"), element, 0o600))
	}
}

func writeZeros(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: zeros file number")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	path := ts.MkAbs(args[0])
	ts.Check(os.WriteFile(path, nil, 0o600))
	ts.Check(os.Truncate(path, n))
}

type chainCase struct {
	Name         string          `json:"name"`
	Certificates json.RawMessage `json:"certificates"`
	GenesisKey   string          `json:"genesis_vkey"`
}

// cases reads chain_cases.jsonl.gz once.
var cases = sync.OnceValue(func() map[string]chainCase {
	f, err := os.Open(filepath.FromSlash("../../testdata/chain_cases.jsonl.gz"))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		panic(err)
	}
	all := make(map[string]chainCase)
	for decoder := json.NewDecoder(r); ; {
		var c chainCase
		if err := decoder.Decode(&c); err == io.EOF {
			return all
		} else if err != nil {
			panic(err)
		}
		all[c.Name] = c
	}
})
