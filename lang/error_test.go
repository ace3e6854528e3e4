package lang

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"infomall/lang/ast"
)

var update = flag.Bool("update", false, "rewrite the expected messages")

// TestErrorMessages shows each source in testdata/errors.txt with the message
// that its writer gets. Cases are parted by lines of dashes, a source and its
// messages by an empty line.
func TestErrorMessages(t *testing.T) {
	const name, rule = "testdata/errors.txt", "\n----\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range strings.Split(strings.TrimSuffix(string(text), "\n"), rule) {
		src, want, _ := strings.Cut(c, "\n\n")
		_, err := Parse(src, "e.iql")
		if err == nil {
			t.Errorf("%q is no error", src)
			continue
		}
		got := Render(err, src)
		if got != want && !*update {
			t.Errorf("%q gives\n%s\nwant\n%s", src, got, want)
		}
		checkMessages(t, src, err)
		out = append(out, src+"\n\n"+got)
	}
	if *update {
		if err := os.WriteFile(name, []byte(strings.Join(out, rule)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// checkMessages shows that faults lie in their source, in order, each at a
// place of its own, and that none is shown in more than three lines.
func checkMessages(t testing.TB, src string, err error) {
	t.Helper()
	var faults Errors
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("%q: error is %T, want Errors", src, err)
	}
	last := -1
	for _, e := range faults {
		if e.Start.Line == 0 || e.Start.Offset < 0 || e.End.Offset > len(src) || e.Start.Offset > e.End.Offset {
			t.Errorf("%q: fault %q at %v", src, e.Msg, e.Span)
		}
		if e.Start.Offset <= last {
			t.Errorf("%q: fault %q is not behind the one before it", src, e.Msg)
		}
		last = e.Start.Offset
		if n := strings.Count(Render(e, src), "\n"); n > 2 {
			t.Errorf("%q: fault %q is shown in %d lines", src, e.Msg, n+1)
		}
		if e.Msg == "" || strings.Contains(e.Msg, "\n") {
			t.Errorf("%q: message %q", src, e.Msg)
		}
	}
}

func TestRender(t *testing.T) {
	at := func(src, part string) ast.Span {
		i := strings.Index(src, part)
		tok := newScanner(src, "r.iql")
		start := ast.Pos(tok.place(i))
		end := ast.Pos(tok.place(i + len(part)))
		return ast.Span{Start: start, End: end}
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

func TestComplete(t *testing.T) {
	for _, tt := range []struct {
		src  string
		want State
	}{
		{"", State{Empty: true}},
		{" -- only a comment\n", State{Empty: true}},
		{";", State{Empty: true, Complete: true}},
		{"SELECT 1", State{}},
		{"SELECT 1;", State{Complete: true}},
		{"SELECT 1; -- done\n", State{Complete: true}},
		{"SELECT 1; SELECT", State{}},
		{"SELECT 'a;b", State{Open: "'"}},
		{"SELECT 'a;b'", State{}},
		{"SELECT 'a''", State{Open: "'"}},
		{`SELECT "a;`, State{Open: `"`}},
		{"SELECT 1 /* ;", State{Open: "*"}},
		{"/* ;", State{Open: "*"}},
		{"SELECT (1, -- ;\n", State{Open: "("}},
		{"SELECT (1;", State{Complete: true}},
		{"SELECT ('", State{Open: "'"}},
		{"SELECT 1; ?", State{}},
	} {
		if got := Complete(tt.src); got != tt.want {
			t.Errorf("Complete(%q) = %+v, want %+v", tt.src, got, tt.want)
		}
	}
}
