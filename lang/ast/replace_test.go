package ast_test

import (
	"testing"

	"infomall/lang"
	"infomall/lang/ast"
)

// exprOf parses one expression.
func exprOf(t *testing.T, src string) ast.Expr {
	t.Helper()
	st, err := lang.ParseOne("SELECT "+src, "")
	if err != nil {
		t.Fatal(err)
	}
	return st.(*ast.Query).Select.Items[0].Expr
}

// TestReplaceColumns shows that columns are replaced in every kind of
// expression, that the original stays, and that the copy stands where it should.
func TestReplaceColumns(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"a", "b + 1"},
		{"x", "x"},
		{"-a * x", "-(b + 1) * x"},
		{"a = 'x' AND NOT a IS NULL", "b + 1 = 'x' AND NOT b + 1 IS NULL"},
		{"x BETWEEN a AND 2008-06", "x BETWEEN b + 1 AND 2008-06"},
		{"a IN (1, a, NULL)", "b + 1 IN (1, b + 1, NULL)"},
		{"a IN (SELECT a)", "b + 1 IN (SELECT a)"},
		{"a LIKE x ESCAPE 'c'", "b + 1 LIKE x ESCAPE 'c'"},
		{"a WITHIN ('x', 'y' .. 'z')", "b + 1 WITHIN ('x', 'y' .. 'z')"},
		{"CASE a WHEN 1KB THEN a ELSE NOW END", "CASE b + 1 WHEN 1KB THEN b + 1 ELSE NOW END"},
		{"CAST(a AS int)", "CAST(b + 1 AS int)"},
		{"sum(DISTINCT a) FILTER (WHERE a > 7d)", "sum(DISTINCT b + 1) FILTER (WHERE b + 1 > 7d)"},
		{"string_agg(x, ',' ORDER BY a DESC, x)", "string_agg(x, ',' ORDER BY b + 1 DESC, x)"},
		{"t.a || TRUE || $p || TODAY || 1.5", "b + 1 || TRUE || $p || TODAY || 1.5"},
		{"EXISTS (SELECT a) OR (SELECT a)", "EXISTS (SELECT a) OR (SELECT a)"},
	} {
		e := exprOf(t, c.src)
		before := e.String()
		by := exprOf(t, "b + 1")
		replace := func(c *ast.Column) ast.Expr {
			if c.Name.Text == "a" {
				return by
			}
			return nil
		}
		if got := ast.ReplaceColumns(e, replace).String(); got != c.want {
			t.Errorf("%s became %s, want %s", c.src, got, c.want)
		}
		if e.String() != before {
			t.Errorf("%s is %s afterwards", c.src, e)
		}
		at := ast.Span{Start: ast.Pos{Line: 7}}
		ast.Walk(ast.CopyAt(e, at, func(*ast.Column) ast.Expr { return nil }), func(n ast.Node) bool {
			if _, ok := n.(*ast.Query); ok {
				return false
			}
			if _, ok := n.(ast.Expr); ok && n.At() != at {
				switch n.(type) {
				case *ast.Subquery, *ast.Exists:
				default:
					t.Errorf("%s: %s of the copy stands at %v", c.src, n, n.At())
				}
			}
			return true
		})
	}
}
