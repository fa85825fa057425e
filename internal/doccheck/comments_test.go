package doccheck

import (
	"go/ast"
	"go/doc"
	"go/token"
	"strings"
	"testing"
)

// TestPublicNamesAreDocumented asks for a comment on every package, and on every public name of a public one. The comment of a
// function, a method or a type begins with its name.
func TestPublicNamesAreDocumented(t *testing.T) {
	for dir, p := range readModule(t) {
		if len(p.files) == 0 {
			continue
		}
		if !hasPackageComment(p.files) {
			t.Errorf("%s: no comment on the package", dir)
		}
		if !p.public() {
			continue
		}
		for _, file := range p.files {
			for _, d := range file.Decls {
				for _, complaint := range complaints(d) {
					t.Errorf("%s: %s", dir, complaint)
				}
			}
		}
	}
}

func hasPackageComment(files []*ast.File) bool {
	for _, f := range files {
		if f.Doc != nil {
			return true
		}
	}
	return false
}

func complaints(d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !d.Name.IsExported() || d.Recv != nil && !ast.IsExported(receiver(d)) || isUsual(d) {
			return nil
		}
		if c := complaint(d.Doc, d.Name.Name); c != "" {
			out = append(out, functionName(d)+": "+c)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				doc := s.Doc
				if doc == nil {
					doc = d.Doc
				}
				if c := complaint(doc, s.Name.Name); s.Name.IsExported() && c != "" {
					out = append(out, s.Name.Name+": "+c)
				}
			case *ast.ValueSpec:
				// A group may have one comment, and a value one behind it.
				documented := s.Doc != nil || s.Comment != nil || d.Doc != nil
				if d.Tok != token.IMPORT && s.Names[0].IsExported() && !documented {
					out = append(out, s.Names[0].Name+": no comment")
				}
			}
		}
	}
	return out
}

// isUsual reports whether a method does what its name says everywhere.
func isUsual(f *ast.FuncDecl) bool {
	return f.Recv != nil && (f.Name.Name == "Error" || f.Name.Name == "String" || f.Name.Name == "Unwrap" || f.Name.Name == "Is")
}

func complaint(doc *ast.CommentGroup, name string) string {
	if doc == nil {
		return "no comment"
	}
	text := doc.Text()
	if strings.Contains(text, "limits.") {
		return "the comment names a constant of an internal package, where a reader needs its value"
	}
	for _, article := range []string{"", "A ", "An ", "The "} {
		if strings.HasPrefix(text, article+name) {
			return ""
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return "the comment begins with " + first
}

// TestPublicPackagesHaveExamples asks for an example in every public package that go doc shows and go test runs.
func TestPublicPackagesHaveExamples(t *testing.T) {
	without := map[string]string{
		"light/store/storetest": "tests for implementations of a store, which need the *testing.T of one",
	}
	for dir, p := range readModule(t) {
		if !p.public() || strings.HasPrefix(dir, "benches") || without[dir] != "" {
			continue
		}
		found := false
		for _, e := range doc.Examples(p.tests...) {
			found = found || e.Output != "" || e.EmptyOutput
		}
		if !found {
			t.Errorf("%s: no example that runs", dir)
		}
	}
}
