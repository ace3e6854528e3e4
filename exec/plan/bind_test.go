package plan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"infomall/exec/value"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
)

// testColumns are the columns that tests may name.
var testColumns = []Col{
	{0, "status", value.Int}, {1, "bytes", value.Int}, {2, "score", value.Float},
	{3, "kind", value.Text}, {4, "text", value.Text}, {5, "url", value.URL},
	{6, "target", value.URL}, {7, "time", value.Time}, {8, "next", value.Time},
	{9, "changed", value.Bool}, {10, "gap", value.Duration}, {11, "headers", value.Text},
}

func testBinder() *Binder {
	return &Binder{
		Column: func(c *ast.Column) (Expr, error) {
			for i := range testColumns {
				if testColumns[i].Name == c.Name.Text {
					return &testColumns[i], nil
				}
			}
			return nil, ast.Errorf(c, "no column %q", c.Name.Text)
		},
		Where: "WHERE",
		Env: &Env{
			Now: record.At(time.Date(2008, 6, 18, 10, 30, 15, 0, time.UTC)),
			Params: map[string]string{
				"n": "404", "f": "1.5", "s": "pku", "t": "2008-06", "d": "7d", "b": "true", "u": "WWW.PKU.edu.cn", "o'": "x",
			},
		},
	}
}

// parseExpr reads an expression as the first item of a SELECT.
func parseExpr(t testing.TB, src string) ast.Expr {
	t.Helper()
	s, err := lang.ParseOne("SELECT "+src, "")
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s.(*ast.Query).Select.Items[0].Expr
}

// TestBind shows what expressions become: types settled, constants computed,
// periods made bounds, URLs canonical.
func TestBind(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"1 + 2 * 3", "int 7"},
		{"7 / 2", "float 3.5"},
		{"status = 404", "bool status = 404"},
	} {
		e, err := testBinder().Bind(parseExpr(t, c.src))
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := fmt.Sprintf("%s %s", e.Type(), e); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

var _ = errors.As
var _ = strings.Cut
