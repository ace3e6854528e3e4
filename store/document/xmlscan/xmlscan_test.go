package xmlscan

import (
	"fmt"
	"strings"
	"testing"

	"infomall/store/document"
)

// tokens returns the tokens of a body as text, and its fault.
func tokens(body string) (string, error) {
	s := New(&document.Input{Body: []byte(body)})
	var out []string
	for s.Next() {
		switch t := s.Token(); t.Kind {
		case Text:
			out = append(out, fmt.Sprintf("%q", t.Text))
		case Start:
			name := t.Local
			if t.Space != "" {
				name = "{" + t.Space + "}" + name
			}
			for a := range t.Attrs {
				name += fmt.Sprintf(" %s:%s=%q", a.Prefix, a.Local, a.Value)
			}
			out = append(out, "<"+name+">")
		case End:
			out = append(out, "</"+t.Local+">")
		}
	}
	return strings.Join(out, " "), s.Fault()
}

// TestTokens shows the tokens of good and damaged XML.
func TestTokens(t *testing.T) {
	for _, c := range []struct{ body, want, fault string }{
		{`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b ">">]><a>1<!-- <c> -->2</a>`, `<a> "1" "2" </a>`, ""},
		{`<a b='1 > 2' c=d e="&lt;&nbsp;"/>`, `<a :b="1 > 2" :c="d" :e="<\u00a0"> </a>`, ""},
		{`<r xmlns="u" xmlns:x="v"><x:a/><y:a/></r>`, `<{u}r :xmlns="u" xmlns:x="v"> <{v}a> </a> <a> </a> </r>`, ""},
		{`<a><![CDATA[<b>&amp;]]>&amp;x & y</a>`, `<a> "<b>&amp;" "&x & y" </a>`, ""},
		{`<a>1 < 2</a>`, `<a> "1 " "< 2" </a>`, `line 1, column 6: "<" is not followed by a name`},
		{"<a>\n<b><c>x</b></a>", `<a> "\n" <b> <c> "x" </c> </b> </a>`, "line 2, column 8: the element c ends with the end tag of the element b"},
		{`<a></b>x</a>`, `<a> "x" </a>`, "the end tag of b has no start tag"},
		{`<a><b>x`, `<a> <b> "x" </b> </a>`, "the body ends inside of the element b"},
		{`<a b="1>x</a>`, `<a :b="1"> "x" </a>`, ""},
		{`<a <b>x</b></a>`, `<a> <b> "x" </b> </a>`, "the tag of the element a does not end"},
		{`<a>x<![CDATA[y`, `<a> "x" "y" </a>`, "the CDATA section does not end"},
		{`<a>x<!-- y</a>`, `<a> "x" </a>`, "the comment does not end"},
		{"<\u4e2d>x</\u4e2d>", "<\u4e2d> \"x\" </\u4e2d>", ""},
		{"", "", ""},
	} {
		got, err := tokens(c.body)
		if got != c.want {
			t.Errorf("%s: got  %s\nwant %s", c.body, got, c.want)
		}
		if fault := fmt.Sprint(err); c.fault == "" && err != nil || !strings.Contains(fault, c.fault) && c.fault != "" {
			t.Errorf("%s: got fault %v, want %q", c.body, err, c.fault)
		}
	}
}

// TestDepth shows that elements that are nested too deeply end the reading.
func TestDepth(t *testing.T) {
	got, err := tokens(strings.Repeat("<a>", 10_000))
	if n := strings.Count(got, "<a>"); n != 256 || strings.Count(got, "</a>") != n {
		t.Errorf("got %d elements, want 256, with as many ends", n)
	}
	if err == nil || !strings.Contains(err.Error(), "too deeply") {
		t.Errorf("got fault %v", err)
	}
}

// TestHostile shows that hostile documents cost linear time: with a search of the whole
// rest at each tag the test would run into the time limit of go test.
func TestHostile(t *testing.T) {
	for _, again := range []string{"<a ", "<a b=\"", "<!a[>", "<![", "</a", "<", "<a b='\"", "<![CDATA[", "<a><b></a>", "</a>"} {
		s := New(&document.Input{Body: []byte("<a>" + strings.Repeat(again, 1<<20/len(again)))})
		for s.Next() {
		}
		if s.Fault() == nil {
			t.Errorf("%q, repeated: no damage was found", again)
		}
	}
}

// TestRoot shows what is taken as XML.
func TestRoot(t *testing.T) {
	for body, want := range map[string]string{
		"\ufeff<?xml version='1.0'?>\n<!-- c --><rss version=2>": "rss",
		"<a:b xmlns:a='u'>":       "{u}b",
		"\xff\xfe<\x00a\x00>\x00": "a",
		"<?xml version='1.0'?>":   "",
		"<!-- only -->":           "none",
		"text <a>":                "none",
		"< a":                     "none",
		"{}":                      "none",
	} {
		got := "none"
		if r, ok := RootOf(&document.Input{Body: []byte(body)}); ok {
			if got = r.Local; r.Space != "" {
				got = "{" + r.Space + "}" + got
			}
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}
