package doccheck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// source is a package of the module, tests apart.
type source struct {
	dir          string // from the root
	files, tests []*ast.File
}

// readModule parses every package of the module that holds this file. Other modules below it are left out.
func readModule(t *testing.T) map[string]*source {
	t.Helper()
	packages := map[string]*source{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			name := d.Name()
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || err == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir = filepath.ToSlash(dir)
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if packages[dir] == nil {
			packages[dir] = &source{dir: dir}
		}
		if p := packages[dir]; strings.HasSuffix(path, "_test.go") {
			p.tests = append(p.tests, file)
		} else {
			p.files = append(p.files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// public reports whether others can import the package.
func (p *source) public() bool {
	return len(p.files) > 0 && p.files[0].Name.Name != "main" && !strings.Contains("/"+p.dir+"/", "/internal/")
}

// functionName is Name, or Type.Name of a method.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	return receiver(f) + "." + f.Name.Name
}

func receiver(f *ast.FuncDecl) string {
	x := f.Recv.List[0].Type
	for {
		switch y := x.(type) {
		case *ast.StarExpr:
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.Ident:
			return y.Name
		default:
			return ""
		}
	}
}

// functions returns the names of all functions and methods.
func functions(files []*ast.File) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[functionName(f)] = true
			}
		}
	}
	return names
}
