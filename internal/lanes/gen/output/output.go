// Package output prints what a generator built: the assembly and the Go
// declarations of its functions.
package output

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// ZMM lists the vector registers.
var ZMM = [32]reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// YMM lists the vector registers at half their width.
var YMM = func() (y [32]reg.VecPhysical) {
	for i, z := range ZMM {
		y[i] = z.AsY().(reg.VecPhysical)
	}
	return y
}()

// Text starts a function without a stack check: the frames are small.
func Text(c *build.Context, name, signature string) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
	c.Pragma("noescape")
}

// Write runs one generator and writes name_amd64.s and name_stub_amd64.go of
// package pkg into dir.
func Write(dir, pkg, name string, gen func(*build.Context)) error {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego,!nolanes")
	gen(ctx)
	file, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	cfg := printer.Config{Name: "internal/lanes/gen/" + pkg, Pkg: pkg}
	asm, err := printer.NewGoAsm(cfg).Print(file)
	if err != nil {
		return err
	}
	stubs, err := printer.NewStubs(cfg).Print(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, name+"_amd64.s"), asm, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+"_stub_amd64.go"), stubs, 0o644)
}

// Stale returns the names of the generated files in dir that differ from those
// in committed, or are missing there.
func Stale(dir, committed string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		if got, err := os.ReadFile(filepath.Join(committed, f.Name())); err != nil || !bytes.Equal(got, want) {
			stale = append(stale, f.Name())
		}
	}
	return stale, nil
}
