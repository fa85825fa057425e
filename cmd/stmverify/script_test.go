package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"stmverify": func() {
			os.Exit(newApp(os.Stdin, os.Stdout, os.Stderr, os.Getenv).run(context.Background(), os.Args[1:]))
		},
	})
}

// TestScripts runs the scripts in testdata/*.txtar. In them, $SMALL and $MAINNET are folders of generated chains, $VECTORS is the folder of
// all generated vectors, and 'exit N command…' runs a command that must exit with that code.
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
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exit": exitCode},
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
