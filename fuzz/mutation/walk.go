package main

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"strconv"
	"strings"
)

// walker puts switches into one function.
type walker struct {
	r                   *rewriter
	fset                *token.FileSet
	pkg, file, function string
}

// body rewrites a function body. Function literals in it are bodies of their own.
func (w *walker) body(t *ast.FuncType, body *ast.BlockStmt) {
	kinds := resultKinds(t)
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			w.body(n.Type, n.Body)
			return false
		case *ast.IfStmt:
			if refuses(n.Body.List, kinds) {
				n.Cond = w.condition(n.Cond)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				w.cases(n, kinds)
			}
		}
		return true
	})
	w.last(body, kinds)
}

func (w *walker) cases(n *ast.SwitchStmt, kinds []kind) {
	for _, s := range n.Body.List {
		if c, ok := s.(*ast.CaseClause); ok && refuses(c.Body, kinds) {
			for i := range c.List {
				c.List[i] = w.condition(c.List[i])
			}
		}
	}
}

// last makes the error that a function ends with vanish.
func (w *walker) last(body *ast.BlockStmt, kinds []kind) {
	if len(body.List) == 0 || len(kinds) == 0 || kinds[len(kinds)-1] != failure {
		return
	}
	ret, ok := body.List[len(body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != len(kinds) {
		return
	}
	i := len(ret.Results) - 1
	switch x := ret.Results[i].(type) {
	case *ast.CallExpr:
		// An error made here and now ends a function that does nothing but refuse.
	case *ast.Ident:
		if x.Name == "nil" {
			return
		}
	default:
		return
	}
	id := w.site("error", ret.Results[i])
	ret.Results[i] = call("Drop", number(id), ret.Results[i])
}

// condition adds the switches of a condition: the whole, each operand, each bound.
func (w *walker) condition(c ast.Expr) ast.Expr {
	id := w.site("check", c)
	return &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: call("Off", number(id))}, Op: token.LAND, Y: &ast.ParenExpr{X: w.operands(c, true)}}
}

// operands switches operands of || off and of && on. whole says that c is all of the condition, which has its switch already.
func (w *walker) operands(c ast.Expr, whole bool) ast.Expr {
	switch x := c.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: w.operands(x.X, whole)}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.LOR, token.LAND:
			op := x.Op
			return &ast.BinaryExpr{X: w.operand(x.X, op), Op: op, Y: w.operand(x.Y, op)}
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			return w.bound(x)
		}
	}
	return c
}

func (w *walker) operand(c ast.Expr, op token.Token) ast.Expr {
	if b, ok := c.(*ast.BinaryExpr); ok && b.Op == op {
		return w.operands(c, false)
	}
	if guards(c) {
		return c // Without it, the other operand panics or means nothing.
	}
	id := w.site("operand", c)
	inner := &ast.ParenExpr{X: w.operands(c, false)}
	off := call("Off", number(id))
	if op == token.LOR {
		return &ast.ParenExpr{X: &ast.BinaryExpr{X: &ast.UnaryExpr{Op: token.NOT, X: off}, Op: token.LAND, Y: inner}}
	}
	return &ast.ParenExpr{X: &ast.BinaryExpr{X: off, Op: token.LOR, Y: inner}}
}

// guards reports whether an operand only keeps the others from being asked: err == nil, p != nil.
func guards(c ast.Expr) bool {
	b, ok := c.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ {
		return false
	}
	y, ok := b.Y.(*ast.Ident)
	return ok && y.Name == "nil"
}

// bound moves a bound by one.
func (w *walker) bound(x *ast.BinaryExpr) ast.Expr {
	moved := map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}
	other := &ast.BinaryExpr{X: x.X, Op: moved[x.Op], Y: x.Y}
	return call("Pick", number(w.site("bound", x)), x, other)
}

func (w *walker) site(kind string, n ast.Expr) int {
	var b bytes.Buffer
	_ = printer.Fprint(&b, w.fset, n) // It was parsed.
	p := w.fset.Position(n.Pos())
	id := len(w.r.sites) + 1
	w.r.sites = append(w.r.sites, &site{ID: id, Package: w.pkg, File: w.file, Line: p.Line, Function: w.function, Kind: kind,
		Text: strings.Join(strings.Fields(b.String()), " ")})
	return id
}

func number(n int) ast.Expr { return &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(n)} }

func call(name string, args ...ast.Expr) ast.Expr {
	return &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent("mutated"), Sel: ast.NewIdent(name)}, Args: args}
}

// kind is what a result of a function may say.
type kind int

const (
	other   kind = iota
	failure      // an error of some type
	truth        // a bool: false refuses
	reason       // a string named want: a text refuses
)

func resultKinds(t *ast.FuncType) []kind {
	if t.Results == nil {
		return nil
	}
	var kinds []kind
	for _, f := range t.Results.List {
		k := other
		switch x := f.Type.(type) {
		case *ast.Ident:
			k = map[string]kind{"error": failure, "bool": truth}[x.Name]
			if x.Name == "string" && len(f.Names) == 1 && f.Names[0].Name == "want" {
				k = reason
			}
		case *ast.StarExpr:
			if strings.HasSuffix(typeName(x.X), "Error") {
				k = failure
			}
		}
		for range max(1, len(f.Names)) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

func typeName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// refuses reports whether statements end in a refusal: they return an error or false, or they note a failure.
func refuses(list []ast.Stmt, kinds []kind) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		for i, x := range s.Results {
			if len(s.Results) != len(kinds) {
				break
			}
			id, isName := x.(*ast.Ident)
			switch kinds[i] {
			case failure:
				if !isName || id.Name != "nil" {
					return true
				}
			case truth:
				if isName && id.Name == "false" && !hasFailure(kinds) {
					return true
				}
			case reason:
				if lit, ok := x.(*ast.BasicLit); !ok || lit.Value != `""` {
					return true
				}
			}
		}
	case *ast.AssignStmt:
		return refusesByAssignment(s)
	}
	return false
}

func hasFailure(kinds []kind) bool {
	for _, k := range kinds {
		if k == failure {
			return true
		}
	}
	return false
}

// refusesByAssignment reports whether a failure is noted: err = …, p.bad = true, l.short = true.
func refusesByAssignment(a *ast.AssignStmt) bool {
	if a.Tok != token.ASSIGN || len(a.Rhs) != 1 && len(a.Rhs) != len(a.Lhs) {
		return false
	}
	for _, l := range a.Lhs {
		switch l := l.(type) {
		case *ast.Ident:
			if _, isCall := a.Rhs[0].(*ast.CallExpr); l.Name == "err" && len(a.Lhs) == 1 && (!isCall || isConstructor(a.Rhs[0])) {
				return true
			}
		case *ast.SelectorExpr:
			if l.Sel.Name == "bad" || l.Sel.Name == "short" {
				return true
			}
		}
	}
	return false
}

// isConstructor reports whether an expression makes an error.
func isConstructor(x ast.Expr) bool {
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	name := typeName(c.Fun)
	return strings.Contains(strings.ToLower(name), "error")
}
