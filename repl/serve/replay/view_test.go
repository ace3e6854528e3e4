package replay

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestViewAddress shows which addresses have a view, and that a target prints as it
// was parsed.
func TestViewAddress(t *testing.T) {
	for first, want := range map[string]View{
		"20080710mp_changes":            {Name: Changes},
		"mp_changes-2007":               {Name: Changes, Since: "2007"},
		"2008if_changes-20070101020304": {Name: Changes, Since: "20070101020304"},
		"20080710mp_blocks":             {Name: Blocks},
		"20080710mp_":                   {},
		"20080710im_":                   {},
	} {
		got, err := ParseTarget("/" + first + "/http://a.example/x?y")
		if err != nil || got.View != want || got.URL != "http://a.example/x?y" || got.Prefix() != "/"+first+"/" {
			t.Errorf("%s: %+v, %v; want the view %v", first, got, err, want)
		}
	}
	for _, first := range []string{"2008im_blocks", "2008mp_blocks-2007", "2008mp_changes-", "2008mp_changes-7", "2008mp_changes-2007x", "2008mp_other", "2008changes"} {
		if got, err := ParseTarget("/" + first + "/http://a.example/"); err == nil && got.View != (View{}) {
			t.Errorf("%s has the view %v", first, got.View)
		}
	}
}

// place returns a mark of the only place of text in body.
func place(body, text string, around bool, old string) Mark {
	start := strings.Index(body, text)
	return Mark{Start: start, End: start + len(text), Around: around, Kind: "edited", Label: "x", Old: old}
}

// TestMarks shows where the marks of a view come into the markup, and that marks in
// what is no markup are left out.
func TestMarks(t *testing.T) {
	const attrs = ` data-infomall-mark="edited" data-infomall-label="x"`
	for _, c := range []struct {
		name, in string
		marks    func(in string) []Mark
		want     string
	}{
		{"an element", `<p class=a>one</p><p>two</p>`, func(in string) []Mark { return []Mark{place(in, "<p>two</p>", false, "")} },
			`[script]<p class=a>one</p><p` + attrs + `>two</p>`},
		{"a value without quotes", `<a href=x>one</a>`, func(in string) []Mark { return []Mark{place(in, in, false, "")} },
			`[script]<a href=/ASKEDmp_/http://www.pku.edu.cn/news/x` + attrs + `>one</a>`},
		{"an old text", `<p>one</p>`, func(in string) []Mark { return []Mark{place(in, in, false, `<b a="'&>旧`)} },
			`[script]<p` + attrs + ` data-infomall-old="&lt;b a=&#34;&#39;&amp;&gt;&#x65E7;">one</p>`},
		{"text", `<div>one <b>two</b> 3 < 4<hr>five</div>`, func(in string) []Mark {
			return []Mark{place(in, "one <b>two</b> 3 < 4", true, ""), place(in, "five", true, "")}
		}, `[script]<div><infomall-mark` + attrs + `>one <b>two</b> 3 < 4</infomall-mark><hr><infomall-mark` + attrs + `>five</infomall-mark></div>`},
		{"a row", `<table><tr><td>one</td><td>two</td></tr><tr><td>3</td></tr></table>`, func(in string) []Mark { return []Mark{place(in, "<tr><td>one</td><td>two</td></tr>", false, "old")} },
			`[script]<table><tr data-infomall-mark="edited"><td data-infomall-of="edited" data-infomall-label="x" data-infomall-old="old">one</td><td>two</td></tr><tr><td>3</td></tr></table>`},
		{"a row without a cell", `<table><tr></tr><tr><td>3</td></tr></table>`, func(in string) []Mark { return []Mark{place(in, "<tr></tr>", false, "")} },
			`[script]<table><tr data-infomall-mark="edited"></tr><tr><td>3</td></tr></table>`},
		{"a row and its cell", `<table><tr><td>one</td></tr></table>`, func(in string) []Mark {
			return []Mark{{Start: 7, End: 7, Kind: "block", Label: "y"}, place(in, "<td>one</td>", false, "")}
		}, `[script]<table><tr data-infomall-mark="block"><td` + attrs + `>one</td></tr></table>`},
		{"text at the end", `<p>one</p>two`, func(in string) []Mark { return []Mark{place(in, "two", true, "")} },
			`[script]<p>one</p><infomall-mark` + attrs + `>two</infomall-mark>`},
		{"in a program", `<script>"<p>one</p>"</script><p>two</p>`, func(in string) []Mark {
			return []Mark{place(in, "<p>one</p>", false, ""), place(in, "one", true, ""), place(in, "<p>two</p>", false, "")}
		}, `[script]<script>"<p>one</p>"</script><p` + attrs + `>two</p>`},
		{"a removed element", `<meta http-equiv=set-cookie content=a><link rel=preconnect href=//e.example><p>two</p>`, func(in string) []Mark {
			return []Mark{place(in, `<link rel=preconnect href=//e.example>`, false, ""), place(in, "<p>two</p>", false, "")}
		}, `[script]<p` + attrs + `>two</p>`},
		{"frames", `<iframe src=a></iframe><iframe srcdoc="<p>x"></iframe>`, func(in string) []Mark { return []Mark{place(in, "<iframe src=a></iframe>", false, "")} },
			`[script]<iframe src=/ASKEDif_changes/http://www.pku.edu.cn/news/a` + attrs + `></iframe><iframe srcdoc="[script]&lt;p&gt;x"></iframe>`},
	} {
		p := testPage()
		p.View, p.Marks = View{Name: Changes}, c.marks(c.in)
		if got := rewritten(t, Document, c.in, p); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
	xml := `<html xmlns="http://www.w3.org/1999/xhtml"><body><img src="a"/></body></html>`
	p := testPage()
	p.View, p.Marks = View{Name: Changes}, []Mark{place(xml, `<img src="a"/>`, false, "")}
	if got := rewritten(t, XHTML, xml, p); !strings.Contains(got, `news/a"`+attrs+`/></body>`) {
		t.Errorf("XHTML: %s", got)
	}
}

// FuzzMarks shows that marks at any places only add text: without it, the page is what
// it is without marks.
func FuzzMarks(f *testing.F) {
	f.Add(`<p>one <b>two</b><script>x</script><link rel=preconnect href=//e.example>`, 3, 9, 20, 30, true)
	f.Add(`<!--<p>--><svg><style><a></style>text`, 4, 8, 12, 20, false)
	f.Fuzz(func(t *testing.T, body string, a, b, c, d int, around bool) {
		in := func(n int) int { return min(max(n, 0), len(body)) }
		a = in(a)
		b = max(a, in(b))
		c = max(b, in(c))
		d = max(c, in(d))
		marks := []Mark{{Start: a, End: b, Around: around, Kind: "k1"}, {Start: c, End: d, Around: !around, Kind: "k2"}}
		var plain, marked bytes.Buffer
		p := testPage()
		p.View = View{Name: Blocks}
		Rewrite(&plain, Document, []byte(body), p)
		p.Marks = marks
		Rewrite(&marked, Document, []byte(body), p)
		if strings.Contains(body, "infomall") {
			return
		}
		got := marked.String()
		for i := range marks {
			attrs := fmt.Sprintf(` data-infomall-mark="k%d"`, i+1)
			got = strings.Replace(got, "<infomall-mark"+attrs+">", "", 1)
			got = strings.Replace(got, attrs, "", 1)
		}
		if got = strings.ReplaceAll(got, "</infomall-mark>", ""); got != plain.String() {
			t.Errorf("%q with marks is\n%q\nand without\n%q", body, got, plain.String())
		}
	})
}

// TestParts shows which addresses of a page are its parts.
func TestParts(t *testing.T) {
	const body = `<link rel=stylesheet href=s.css><link rel=alternate href=feed><a href=x><img src=/a.gif#f><img src=a.gif><img src=/a.gif>` +
		`<style>p{background:url(b.gif)}</style><p style="cursor:url(c.cur)"><iframe src=f.htm></iframe><script src=//e.example/j.js></script><img src="data:,x"><noscript><img src=n.gif></noscript>`
	list, more := Parts(Document, []byte(body), testPage(), 100)
	var got []string
	for _, p := range list {
		got = append(got, string(p.Modifier)+" "+strings.TrimPrefix(p.URL, "http://www.pku.edu.cn/"))
	}
	const want = "cs_ news/s.css, im_ a.gif, im_ news/a.gif, im_ news/b.gif, im_ news/c.cur, if_ news/f.htm, js_ http://e.example/j.js"
	if strings.Join(got, ", ") != want || more {
		t.Errorf("got %s (more: %v), want %s", strings.Join(got, ", "), more, want)
	}
	if list, more := Parts(Document, []byte(body), testPage(), 2); len(list) != 2 || !more {
		t.Errorf("at most two parts are %v, more: %v", list, more)
	}
}
