package markup

import (
	"slices"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"inline", `a <b>b</b>c <i> d</i>`, "a bc d"},
		{"blocks", `<p>a<p>b<div>c</div>d`, "a\nb\nc\nd"},
		{"breaks", "a<br>b\n c", "a\nb c"},
		{"cells", `<table><tr><td>a<td>b<tr><td>c</table>d`, "a\tb\nc\nd"},
		{"hidden", `<head><title>x</title></head><script>y</script>a<style>z</style><noscript>w</noscript>b`, "ab"},
		{"open elements in noscript", `<div>a<noscript><div id=n><p>w</noscript>b</div>c`, "ab\nc"},
		{"references", `&lt;b&gt; &amp;amp; &nbsp;&#20013;&eacute;`, "<b> &amp; 中é"},
		{"no references in raw text", `<xmp>&lt;</xmp>`, "&lt;"},
		{"preformatted", "<pre>a\n  b</pre>c\nd", "a\nb\nc d"},
		{"preformatted in preformatted", "<pre>a\n<div><pre>b\nc</pre></div>d\ne</pre>f\ng", "a\nb\nc\nd\ne\nf g"},
		{"form", `<select><option>a<option>b</select><button>c</button><textarea>d</textarea>`, "a bcd"},
		{"space of other scripts", "a\u3000b\u200bc", "a bc"},
	}
	for _, tt := range tests {
		if got := NewTree([]byte(tt.in)).Text("utf-8"); got != tt.want {
			t.Errorf("%s: text of %q = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
	if got, want := NewPlainTree([]byte("a <b>\nc & d")).Text("utf-8"), "a <b>\nc & d"; got != want {
		t.Errorf("plain text = %q, want %q", got, want)
	}
	if got, want := NewTree([]byte("<p>\xd6\xd0\xb9\xfa<p>\xb1\xb1")).Text("gb18030"), "中国\n北"; got != want {
		t.Errorf("text of GBK = %q, want %q", got, want)
	}
}

func TestTextRange(t *testing.T) {
	body := "<div><p>one two</p><p>three</p></div>four"
	tree := NewTree([]byte(body))
	for start := range len(body) {
		for end := start; end <= len(body); end++ {
			tree.TextRange(start, end, "utf-8") // Any range will do.
			tree.Links(start, end, "utf-8")
		}
	}
	for _, tt := range []struct {
		start, end int
		want       string
	}{{5, 19, "one two"}, {12, 25, "two\nthr"}, {37, 41, "four"}, {9, 9, ""}} {
		if got := tree.TextRange(tt.start, tt.end, "utf-8"); got != tt.want {
			t.Errorf("TextRange(%d, %d) = %q, want %q", tt.start, tt.end, got, tt.want)
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"a": "a", "?a=1&amp;b=2": "?a=1&b=2", "?a=1&copy=2": "?a=1&copy=2", "&copy": "©", "&copyx": "&copyx",
		"&#38;&#x26": "&&", "&": "&", "&&amp;": "&&", "&nosuch;": "&nosuch;",
	} {
		if got := Unescape(in); got != want {
			t.Errorf("Unescape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	in := `<link rel="StyleSheet" href="s.css"><link rel=icon href=i.ico><meta http-equiv=refresh content="5; URL='next.htm'">` +
		`<body background=bg.gif>jaguar cars <a href="/a?x=1&amp;y=2" rel="external NoFollow">the  <b>jaguar</b></a> dealer jaguar` +
		`<a href=b><img src=c.png alt="a picture"></a><a name=here>no link</a><area href=d alt=e><form action=f></form><iframe src=g></iframe><script src=h></script><a>`
	want := []Link{
		{Kind: LinkCSS, Target: "s.css", Rel: "StyleSheet", After: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkLink, Target: "i.ico", Rel: "icon", After: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkRefresh, Target: "next.htm", After: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkImg, Target: "bg.gif", After: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkA, Target: "/a?x=1&y=2", Anchor: "the jaguar", Rel: "external NoFollow", NoFollow: true, Before: "jaguar cars", After: "dealer jaguar no link"},
		{Kind: LinkA, Target: "b", Anchor: "a picture", Before: "jaguar cars the jaguar dealer jaguar", After: "no link"},
		{Kind: LinkImg, Target: "c.png", Anchor: "a picture", Before: "jaguar cars the jaguar dealer jaguar", After: "no link"},
		{Kind: LinkArea, Target: "d", Anchor: "e", Before: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkForm, Target: "f", Before: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkIframe, Target: "g", Before: "jaguar cars the jaguar dealer jaguar no link"},
		{Kind: LinkScript, Target: "h", Before: "jaguar cars the jaguar dealer jaguar no link"},
	}
	got := NewTree([]byte(in)).Links(0, len(in), "utf-8")
	for i := range got {
		if got[i].Offset == 0 && i > 0 {
			t.Errorf("link %d has no offset", i)
		}
		got[i].Offset = 0
	}
	if len(got) != len(want) {
		t.Fatalf("got %d links, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("link %d\n got %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

// TestNestedLinks shows that the text of a link ends where a link inside it begins. Without that
// rule, the texts of n links, one inside the other, have n*n/2 words.
func TestNestedLinks(t *testing.T) {
	page := `<a href=1>one<div>two <a href=2>three<table><td>four <a href=3><img src=i alt=five></a> six</table></a> seven</div></a> eight<a href=4>nine</a>`
	var got []string
	for _, l := range NewTree([]byte(page)).Links(0, len(page), "utf-8") {
		if l.Kind == LinkA {
			got = append(got, l.Target+": "+l.Anchor)
		}
	}
	if want := []string{"1: one\ntwo", "2: three\nfour", "3: five", "4: nine"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	size := func(n int) (sum int) {
		page := strings.Repeat("<a href=x><div>word ", n)
		for _, l := range NewTree([]byte(page)).Links(0, len(page), "utf-8") {
			sum += len(l.Anchor)
		}
		return sum
	}
	if once, more := size(100), size(1000); more > 11*once {
		t.Errorf("the texts of 100 nested links have %d bytes, those of 1000 have %d", once, more)
	}
}

func TestLinkContextIsBounded(t *testing.T) {
	in := "<p>一二三四五六七八九十一二三四五六七八九十<a href=x>y</a>一二三四五六七八九十一二三四五六七八九十"
	l := NewTree([]byte(in)).Links(0, len(in), "utf-8")[0]
	if want := "五六七八九十一二三四五六七八九十"; l.Before != want {
		t.Errorf("before = %q, want %q", l.Before, want)
	}
	if want := "一二三四五六七八九十一二三四五六"; l.After != want {
		t.Errorf("after = %q, want %q", l.After, want)
	}
}

func TestMeta(t *testing.T) {
	in := `<html lang="ZH-cn"><head><title> a&amp;b
 c </title><base href=http://x/><meta name=Description content=d><meta name=keywords content="k, l"><meta name=author content=e>` +
		`<meta name=robots content="NOARCHIVE,nofollow"><meta property=og:title content=o><title>second</title><svg><title>third</title></svg>`
	want := Meta{Title: "a&b c", Description: "d", Keywords: "k, l", Author: "e", Base: "http://x/", Lang: "zh-cn", NoArchive: true, NoFollow: true}
	if got := NewTree([]byte(in)).Meta("utf-8"); got != want {
		t.Errorf("Meta = %+v\nwant %+v", got, want)
	}
	if got := NewTree([]byte(`<svg><svg></svg><title>of the picture</title></svg><title>of the page</title>`)).Meta("utf-8"); got.Title != "of the page" {
		t.Errorf("title = %q, want that outside of the nested svg", got.Title)
	}
	if got := NewTree([]byte(`<meta property=og:title content=o>`)).Meta("utf-8"); got.Title != "o" {
		t.Errorf("title = %q, want that of og:title", got.Title)
	}
	if got := NewTree([]byte(`<meta property=og:title content=" a &amp;amp;  &quot;b">`)).Meta("utf-8"); got.Title != `a &amp; "b` {
		t.Errorf("title = %q, want references resolved once", got.Title)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(`<title>a</title><a href=b>c<img src=d alt=e></a>&lt;<pre>f</pre><meta http-equiv=refresh content="0;url=x">`), "gb18030", 3, 20)
	f.Fuzz(func(t *testing.T, body []byte, charset string, start, end int) {
		start, end = max(0, min(start, len(body))), max(0, min(end, len(body)))
		tree := NewTree(body)
		tree.Text(charset)
		tree.TextRange(start, max(start, end), charset)
		tree.Meta(charset)
		tree.Links(start, end, charset)
	})
}

func BenchmarkText(b *testing.B) {
	for _, s := range samples(b) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(s.bytes())
			for b.Loop() {
				for _, body := range s.bodies {
					NewTree(body).Text("utf-8")
				}
			}
		})
	}
}

func BenchmarkLinks(b *testing.B) {
	for _, s := range samples(b) {
		b.Run(s.name, func(b *testing.B) {
			b.SetBytes(s.bytes())
			for b.Loop() {
				for _, body := range s.bodies {
					NewTree(body).Links(0, len(body), "utf-8")
				}
			}
		})
	}
}
