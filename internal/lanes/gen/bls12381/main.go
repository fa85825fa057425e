// Command bls12381 writes the AVX-512 IFMA assembly of internal/lanes/bls12381.
//
// It emits Go assembler text by itself instead of through avo: the point
// formulas call local routines with a register convention of their own (operands
// in SI and DX, columns in Z0 to Z15), which avo's register allocator does not
// model. The output is a function of this program alone, so that regenerating
// gives the same bytes.
//
// Usage: go run ./internal/lanes/gen/bls12381 -out internal/lanes/bls12381
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	out := flag.String("out", ".", "directory of the package to write into")
	flag.Parse()
	generate(*out)
}

// generate writes all files into dir.
func generate(dir string) {
	field := newEmitter()
	emitField(field)
	stubs := newEmitter()
	emitStubs(stubs, field.stubs)
	constants := newEmitter()
	emitGoConstants(constants)
	write(dir, "field_amd64.s", field)
	write(dir, "stubs_amd64.go", stubs)
	write(dir, "constants_amd64.go", constants)
}

// emitStubs writes the Go declarations of the assembly functions.
func emitStubs(e *emitter, stubs []string) {
	e.line("package bls12381")
	for _, s := range stubs {
		e.line("\n//go:noescape\n%s", s)
	}
}

func write(dir, name string, e *emitter) {
	if err := os.WriteFile(filepath.Join(dir, name), e.bytes(), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
