package doccheck

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var quoted = regexp.MustCompile("`([^`]+)`")

// row is a line of a table in SECURITY.md.
type row struct{ rule, code, tests string }

// rules reads the tables whose columns are rule, SPEC, code and test.
func rules(t *testing.T) []row {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	in := false
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case len(cells) != 6:
			in = false
		case strings.TrimSpace(cells[1]) == "rule":
			in = true
		case in && !strings.HasPrefix(cells[1], "---"):
			rows = append(rows, row{cells[1], cells[3], cells[4]})
		}
	}
	return rows
}

// TestRuleTable looks up every function and every test that the rule table names.
func TestRuleTable(t *testing.T) {
	packages := readModule(t)
	rows := rules(t)
	if len(rows) < 40 {
		t.Fatalf("SECURITY.md has %d rules; the table was not understood", len(rows))
	}
	for _, r := range rows {
		for what, cell := range map[string]string{"code": r.code, "test": r.tests} {
			names := quoted.FindAllStringSubmatch(cell, -1)
			if len(names) == 0 {
				t.Errorf("%s: no %s", r.rule, what)
			}
			for _, n := range names {
				dir, name := split(n[1])
				p := packages[dir]
				if p == nil {
					t.Errorf("%s: no package %q, named by %s", r.rule, dir, n[1])
					continue
				}
				files := p.files
				if what == "test" {
					files = p.tests
				}
				if !functions(files)[name] {
					t.Errorf("%s: %s has no %s %s", r.rule, dir, what, name)
				}
			}
		}
	}
}

// split cuts stm.AggregateSignature.Check into stm and AggregateSignature.Check.
func split(name string) (dir, function string) {
	slash := strings.LastIndex(name, "/") + 1
	dir, function, _ = strings.Cut(name[slash:], ".")
	return name[:slash] + dir, function
}

// TestEveryRuleIsInTheTable asks for a line for every name in package verdict.
func TestEveryRuleIsInTheTable(t *testing.T) {
	var all strings.Builder
	for _, r := range rules(t) {
		all.WriteString(r.rule)
	}
	for _, file := range readModule(t)["verdict"].files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				for _, v := range s.(*ast.ValueSpec).Values {
					lit, ok := v.(*ast.BasicLit)
					if !ok {
						continue
					}
					if name, err := strconv.Unquote(lit.Value); err == nil && !strings.Contains(all.String(), "`"+name+"`") {
						t.Errorf("SECURITY.md has no line for %s", name)
					}
				}
			}
		}
	}
}

// TestEveryLimitIsInTheTable asks for a line for every constant of package limits, and for code outside of it that uses the constant.
func TestEveryLimitIsInTheTable(t *testing.T) {
	packages := readModule(t)
	named := map[string]bool{}
	for _, r := range rules(t) {
		for _, n := range quoted.FindAllStringSubmatch(r.rule, -1) {
			named[n[1]] = true
		}
	}
	used := map[string]bool{}
	for _, p := range packages {
		for _, file := range p.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "limits" {
						used[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	constants := 0
	for _, file := range packages["internal/limits"].files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				name := v.Names[0].Name
				constants++
				if !named[name] {
					t.Errorf("SECURITY.md has no line for the limit %s", name)
				}
				if !used[name] {
					t.Errorf("the limit %s is used nowhere", name)
				}
				if v.Doc == nil {
					t.Errorf("the limit %s has no reason", name)
				}
			}
		}
	}
	if constants < 20 {
		t.Errorf("found %d limits; package limits was not understood", constants)
	}
}
