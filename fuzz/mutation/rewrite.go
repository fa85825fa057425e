package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// site is one mutation.
type site struct {
	ID       int    `json:"-"`
	Package  string `json:"package"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Function string `json:"function"`
	Kind     string `json:"kind"` // check, operand, bound, error
	Text     string `json:"text"` // the condition, the operand, the comparison or the call
	Outcome  string `json:"outcome"`
	By       string `json:"by,omitempty"` // the test that failed
}

// key names the mutation independently of its line.
func (s *site) key() string {
	return strings.Join([]string{s.Package + "/" + s.File, s.Function, s.Kind, s.Text}, " | ")
}

const switchPath = "internal/mutated"

// switchSource is the package that the rewritten files import.
const switchSource = `// Package mutated switches single checks off.
package mutated

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var active, _ = strconv.Atoi(os.Getenv("MUTATION"))
var hits = os.Getenv("MUTATION_HITS")
var seen [1 << 14]atomic.Bool

func hit(id int) {
	if hits != "" && !seen[id].Swap(true) {
		f, err := os.OpenFile(hits, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err == nil {
			fmt.Fprintln(f, id)
			f.Close()
		}
	}
}

func Off(id int) bool {
	hit(id)
	return id == active
}

func Pick(id int, original, mutated bool) bool {
	if Off(id) {
		return mutated
	}
	return original
}

func Drop[T any](id int, v T) T {
	if Off(id) {
		var zero T
		return zero
	}
	return v
}
`

// rewriter puts switches into packages.
type rewriter struct {
	root, work string
	overlay    map[string]string
	sites      []*site
}

func (r *rewriter) rewritePackage(name string) error {
	files, err := filepath.Glob(filepath.Join(r.root, name, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if err := r.rewriteFile(name, path); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) rewriteFile(name, path string) error {
	fset := token.NewFileSet()
	// Without comments: the printer would put them into the middle of new expressions.
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before := len(r.sites)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Type.Results == nil && !setsErrors(f) {
			continue
		}
		w := &walker{r: r, fset: fset, pkg: name, file: filepath.Base(path), function: functionName(f)}
		w.body(f.Type, f.Body)
	}
	if len(r.sites) == before {
		return nil
	}
	var b bytes.Buffer
	b.WriteString(constraint(source))
	file.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{&ast.ImportSpec{
		Path: &ast.BasicLit{Kind: token.STRING, Value: `"github.com/stmverify/stmverify/` + switchPath + `"`}}}}}, file.Decls...)
	if err := printer.Fprint(&b, fset, file); err != nil {
		return err
	}
	return r.add(path, b.Bytes())
}

// constraint returns the build constraint of a file, which goes with the comments.
func constraint(source []byte) string {
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "//go:build") {
			return line + "\n"
		}
	}
	return ""
}

func (r *rewriter) add(path string, content []byte) error {
	copied := filepath.Join(r.work, fmt.Sprintf("%d.go", len(r.overlay)))
	r.overlay[path] = copied
	return os.WriteFile(copied, content, 0o600)
}

// finish adds the package of the switches and writes the overlay.
func (r *rewriter) finish() error {
	if err := r.add(filepath.Join(r.root, switchPath, "mutated.go"), []byte(switchSource)); err != nil {
		return err
	}
	b, err := json.Marshal(map[string]any{"Replace": r.overlay})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.work, "overlay.json"), b, 0o600)
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if s, ok := t.(*ast.StarExpr); ok {
		t = s.X
	}
	if i, ok := t.(*ast.Ident); ok {
		return i.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// setsErrors reports whether a function without results notes failures in a field.
func setsErrors(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && refusesByAssignment(a) {
			found = true
		}
		return !found
	})
	return found
}
