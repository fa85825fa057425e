package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestCommitted regenerates the files and compares them with the committed ones.
func TestCommitted(t *testing.T) {
	dir := t.TempDir()
	generate(dir)
	for _, name := range []string{"field_amd64.s", "stubs_amd64.go", "constants_amd64.go"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", "..", "bls12381", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the committed file differs from a new one; run go generate", name)
		}
	}
}

// TestBoundsRefused shows that the generator refuses a sequence whose bounds do not hold.
func TestBoundsRefused(t *testing.T) {
	for name, emit := range map[string]func(p *program){
		"product":  func(p *program) { p.given(arg(1), 1, 1<<18); p.mul(arg(0), arg(1), arg(1), tail{}) },
		"value":    func(p *program) { p.given(arg(1), 1, valueBound); p.lin(arg(0), term{1, arg(1)}, term{3, arg(1)}) },
		"unknown":  func(p *program) { p.mul(arg(0), arg(1), arg(1), tail{}) },
		"declared": func(p *program) { p.given(arg(1), 1, 9); p.ensure(arg(1), 1, 8) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			emit(begin(newEmitter(), "f", "(z, x *Fp)", 2, false))
		})
	}
}
