package replay

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"infomall/store/page/charset"
	"infomall/store/page/pagetest"
)

// unchanged returns body, a body in charset cs, rewritten with a linker that changes
// nothing, without the first script.
func unchanged(t testing.TB, body []byte, cs string) []byte {
	t.Helper()
	p := testPage()
	p.Charset = cs
	var out bytes.Buffer
	r := newRewriter(&out, body, p)
	r.link = func(ref []byte, m Modifier) []byte { return ref }
	r.first = true
	if err := r.document(); err != nil {
		t.Fatal(err)
	}
	s := newSource(nil, cs)
	script := s.appendASCII(nil, scriptMarkup(p, false))
	return bytes.Replace(out.Bytes(), script, nil, 1)
}

// TestBytesStay rewrites pages with a linker that changes nothing. All bytes must
// stay, but for the first script and for what a page must not have.
func TestBytesStay(t *testing.T) {
	for _, body := range pagesOf(t) {
		if want := withoutRemoved(body); !bytes.Equal(body, want) {
			continue // It has something that is removed; TestHTML has these.
		}
		for _, cs := range []string{"utf-8", "gb18030", "windows-1252", "shift_jis", "utf-16le", "utf-16be", "iso-2022-jp"} {
			if got := unchanged(t, body, cs); !bytes.Equal(got, body) {
				t.Errorf("in %s: %s", cs, firstDifference(got, body))
			}
		}
	}
}

// TestRealBytesStay does the same with pages of real sites.
func TestRealBytesStay(t *testing.T) {
	pages := 0
	for _, a := range pagetest.Articles(t) {
		if withoutRemoved(a.Body) == nil {
			continue
		}
		pages++
		if got := unchanged(t, a.Body, "utf-8"); !bytes.Equal(got, a.Body) {
			t.Errorf("%s: %s", a.Host, firstDifference(got, a.Body))
		}
	}
	t.Logf("%d pages", pages)
}

// pagesOf returns pages that are made to be slow to parse.
func pagesOf(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	for _, p := range pagetest.HostilePages {
		all = append(all, p.Page(2000))
	}
	return all
}

// withoutRemoved returns body without the names of what the rewriter removes.
func withoutRemoved(body []byte) []byte {
	lower := bytes.ToLower(body)
	for _, word := range []string{"integrity", "ping=", "preconnect", "prefetch", "prerender", "content-security-policy", "origin-trial", "_top", "_parent", "manifest=", "speculation", "srcdoc", "attributionsrc", "subresource", "compression-dictionary"} {
		if bytes.Contains(lower, []byte(word)) {
			return nil
		}
	}
	return body
}

func firstDifference(got, want []byte) string {
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	cut := func(b []byte) string { return string(b[max(0, i-40):min(len(b), i+40)]) }
	return strings.Join([]string{"got", cut(got), "want", cut(want)}, "\n")
}

// TestCharsets rewrites a page in several charsets. The text must stay in the
// charset of the page, and letters whose second byte looks like a quote, a letter
// or a backslash must not end a value.
func TestCharsets(t *testing.T) {
	const page = `<title>今天</title><style>a{background:url("誠/a.png")}</style><a href="/誠?q=今">今</a>`
	encode := map[string]func(string) []byte{
		"utf-8":   func(s string) []byte { return []byte(s) },
		"gb18030": func(s string) []byte { b, _ := simplifiedchinese.GB18030.NewEncoder().Bytes([]byte(s)); return b },
		"shift_jis": func(s string) []byte {
			b, _ := japanese.ShiftJIS.NewEncoder().Bytes([]byte(strings.ReplaceAll(s, "誠", "表")))
			return b
		},
		"iso-2022-jp": func(s string) []byte { b, _ := japanese.ISO2022JP.NewEncoder().Bytes([]byte(s)); return b },
		"utf-16le":    func(s string) []byte { return in16(s, false) },
		"utf-16be":    func(s string) []byte { return in16(s, true) },
	}
	for cs, to := range encode {
		p := testPage()
		p.Charset = cs
		var out bytes.Buffer
		if err := HTML(&out, to(page), p); err != nil {
			t.Fatal(err)
		}
		got := strings.Replace(string(charset.ToUTF8(out.Bytes(), cs)), string(scriptMarkup(p, false)), "[script]", 1)
		letter, query := "%E8%AA%A0", map[string]string{"gb18030": "%BD%F1", "shift_jis": "%8D%A1"}[cs]
		if cs == "shift_jis" {
			letter = "%E8%A1%A8"
		}
		if query == "" {
			query = "%E4%BB%8A"
		}
		want := `[script]<title>今天</title><style>a{background:url("/20080707010203im_/http://www.pku.edu.cn/news/` + letter +
			`/a.png")}</style><a href="/20080710000000mp_/http://www.pku.edu.cn/` + letter + `?q=` + query + `">今</a>`
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", cs, got, want)
		}
	}
}

// in16 returns s in UTF-16 with a byte order mark.
func in16(s string, big bool) []byte {
	var b []byte
	for _, u := range append([]uint16{0xfeff}, utf16.Encode([]rune(s))...) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

// TestUnknownCharset shows that a page in a charset that browsers do not read
// becomes UTF-8, in body and header.
func TestUnknownCharset(t *testing.T) {
	p := testPage()
	p.Charset = "ibm437"
	var out bytes.Buffer
	if err := HTML(&out, []byte("<p>\x81"), p); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(out.String(), "<p>ü") {
		t.Errorf("the body is %q", out.String())
	}
	header := Header([][2]string{{"Content-Type", "text/html; charset=ibm437"}}, Document, p)
	if got := field(header, "Content-Type"); got != "text/html; charset=utf-8" {
		t.Errorf("Content-Type: %s", got)
	}
}

// TestLinearTime rewrites pages that are made to be slow. A page of twice the size
// must not take much more than twice the work, which is counted in bytes that are
// read by the slowest loop.
func TestLinearTime(t *testing.T) {
	for _, again := range []string{"<link rel", "<link rel='", "<noscript>", "<a href ", "<script><link rel=x ", "<noscript><link a=", "<iframe srcdoc='<"} {
		for _, before := range []string{"", "<script>", "<!--", "<noscript>", "<link "} {
			body := []byte(before + strings.Repeat(again, (1<<20)/len(again)))
			r := newRewriter(io.Discard, body, testPage())
			r.first = true
			if err := r.document(); err != nil {
				t.Fatal(err)
			}
			if limit := 64<<10 + 12*len(body); r.effort > limit {
				t.Errorf("%s%s…: %d bytes read, want at most %d", before, again, r.effort, limit)
			}
		}
	}
}

// FuzzHTML rewrites any bytes. A linker that changes nothing must leave a page
// without hints as it is, and rewriting must never panic.
func FuzzHTML(f *testing.F) {
	for _, body := range pagesOf(f) {
		f.Add(body, uint8(0))
	}
	f.Add([]byte(`<svg><style><a title="</style><b title="><link rel=x>">`), uint8(1))
	charsets := []string{"utf-8", "gb18030", "shift_jis", "utf-16le", "utf-16be", "iso-2022-jp", "ibm437"}
	f.Fuzz(func(t *testing.T, body []byte, n uint8) {
		cs := charsets[int(n)%len(charsets)]
		for _, k := range []Kind{Document, XHTML, SVG, XML, Sheet, Manifest} {
			p := testPage()
			p.Charset = cs
			if err := Rewrite(io.Discard, k, body, p); err != nil {
				t.Fatal(err)
			}
		}
		if cs == "ibm437" || withoutRemoved(body) == nil || bytes.ContainsAny(body, "&\x00") {
			return // It becomes UTF-8, or may have something that is removed.
		}
		if got := unchanged(t, body, cs); !bytes.Equal(got, body) {
			t.Errorf("in %s: %s", cs, firstDifference(got, body))
		}
	})
}

// FuzzCSS rewrites any bytes as a style sheet.
func FuzzCSS(f *testing.F) {
	f.Add([]byte(`@import "a"; p { background: url(b) image-set("c" 1x type("d")) }`))
	f.Add([]byte(`url(\`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var out bytes.Buffer
		r := newRewriter(&out, body, testPage())
		r.link = func(ref []byte, m Modifier) []byte { return ref }
		r.styles(0, len(r.view), nil)
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(out.Bytes(), body) {
			t.Error(firstDifference(out.Bytes(), body))
		}
		if err := CSS(io.Discard, body, testPage()); err != nil {
			t.Fatal(err)
		}
	})
}

// BenchmarkHTML rewrites a page of a real site, with a link in each 100 bytes.
func BenchmarkHTML(b *testing.B) {
	body := bytes.Repeat([]byte(`<li class="item"><a href="../docs/page.html?x=1&amp;y=2">A link to a page</a> and some words that follow it.</li>`+"\n"), 1000)
	if file := os.Getenv("REPLAY_PAGE"); file != "" {
		var err error
		if body, err = os.ReadFile(filepath.Clean(file)); err != nil {
			b.Fatal(err)
		}
	}
	p := testPage()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if err := HTML(io.Discard, body, p); err != nil {
			b.Fatal(err)
		}
	}
}
