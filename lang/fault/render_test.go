package fault

import (
	"errors"
	"strings"
	"testing"

	"infomall/lang/ast"
	"infomall/lang/scan"
)

func TestRender(t *testing.T) {
	at := func(src, part string) ast.Span {
		i := strings.Index(src, part)
		pos := scan.Position{Filename: "r.iql", Line: 1, Column: 1}
		pos.Advance(src[:i])
		start := ast.Pos(pos)
		pos.Advance(part)
		return ast.Span{Start: start, End: ast.Pos(pos)}
	}
	long := "SELECT '" + strings.Repeat("长", 100) + "', tittle, " + strings.Repeat("x", 200)
	for _, tt := range []struct {
		name, src string
		err       func(src string) error
		want      string
	}{
		{"hint", "SELECT 1\nWHERE tittle = 'PKU'", func(src string) error {
			return &ast.Error{Span: at(src, "tittle"), Msg: `no column "tittle"`, Hint: "did you mean title?"}
		}, "r.iql:2:7: no column \"tittle\"\n  | WHERE tittle = 'PKU'\n  |       ^~~~~~ did you mean title?"},
		{"wide", "SELECT '标题', tittle", func(src string) error {
			return &ast.Error{Span: at(src, "tittle"), Msg: "bad"}
		}, "r.iql:1:14: bad\n  | SELECT '标题', tittle\n  |                ^~~~~~"},
		{"tab and escape", "SELECT\t\x1b[2J, tittle\r\n", func(src string) error {
			return &ast.Error{Span: at(src, "tittle"), Msg: "bad"}
		}, "r.iql:1:14: bad\n  | SELECT ·[2J, tittle\n  |              ^~~~~~"},
		{"long", long, func(src string) error {
			return &ast.Error{Span: at(src, "tittle"), Msg: "bad"}
		}, "r.iql:1:112: bad\n  | …" + strings.Repeat("长", 15) + "', tittle, " + strings.Repeat("x", 59) + "…\n  | " +
			strings.Repeat(" ", 34) + "^~~~~~"},
		{"several lines", "SELECT a\n+ b", func(src string) error {
			return &ast.Error{Span: at(src, "a\n+ b"), Msg: "bad"}
		}, "r.iql:1:8: bad\n  | SELECT a\n  |        ^"},
		{"no place", "SELECT 1", func(string) error {
			return &ast.Error{Msg: "bad", Hint: "mend it"}
		}, "bad (mend it)"},
		{"wrapped", "SELECT 1", func(src string) error {
			return errors.Join(&ast.Error{Span: at(src, "1"), Msg: "bad"})
		}, "r.iql:1:8: bad\n  | SELECT 1\n  |        ^"},
		{"of another kind", "SELECT 1", func(string) error { return errors.New("disk full") }, "disk full"},
		{"of another source", "", func(string) error {
			return &ast.Error{Span: at("SELECT 1", "1"), Msg: "bad"}
		}, "r.iql:1:8: bad"},
	} {
		if got := Render(tt.err(tt.src), tt.src); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
}
