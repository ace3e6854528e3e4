package replay

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// TestParseTarget shows which addresses are understood.
func TestParseTarget(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Target
	}{
		{"/20080710/http://www.pku.edu.cn/", Target{Time: "20080710", URL: "http://www.pku.edu.cn/"}},
		{"/20080710120000im_/http://www.pku.edu.cn/a.gif?x=http://b/", Target{Time: "20080710120000", Modifier: Image, URL: "http://www.pku.edu.cn/a.gif?x=http://b/"}},
		{"/2008/http://www.pku.edu.cn//a//b/%B1?q=%b1", Target{Time: "2008", URL: "http://www.pku.edu.cn//a//b/%B1?q=%B1"}},
		{"/http://www.pku.edu.cn/", Target{URL: "http://www.pku.edu.cn/"}},
		{"/mp_/http://www.pku.edu.cn/", Target{Modifier: PageTop, URL: "http://www.pku.edu.cn/"}},
		{"/www.pku.edu.cn/a", Target{URL: "http://www.pku.edu.cn/a"}},
		{"/2008/www.pku.edu.cn", Target{Time: "2008", URL: "http://www.pku.edu.cn/"}},
		{"/2008/http:/www.pku.edu.cn/a", Target{Time: "2008", URL: "http://www.pku.edu.cn/a"}},
		{"/2008/http%3A%2F%2Fwww.pku.edu.cn%2Fa%3Fb", Target{Time: "2008", URL: "http://www.pku.edu.cn/a?b"}},
		{"/web/2008id_/http://www.pku.edu.cn/", Target{Time: "2008", Modifier: Raw, URL: "http://www.pku.edu.cn/"}},
		{"/2008dom_/http://www.pku.edu.cn/", Target{Time: "2008", Modifier: AfterLoad, URL: "http://www.pku.edu.cn/"}},
		{"/2008/dom:http://www.pku.edu.cn/", Target{Time: "2008", Modifier: AfterLoad, URL: "http://www.pku.edu.cn/"}},
		{"/2008id_/dom:http://www.pku.edu.cn/", Target{Time: "2008", Modifier: Raw, URL: "dom:http://www.pku.edu.cn/"}},
		{"/2008*/dom:http://www.pku.edu.cn/", Target{Time: "2008", Calendar: true, URL: "dom:http://www.pku.edu.cn/"}},
		{"/2008/screenshot:http://www.pku.edu.cn/", Target{Time: "2008", URL: "screenshot:http://www.pku.edu.cn/"}},
		{"/*/http://www.pku.edu.cn/", Target{Calendar: true, URL: "http://www.pku.edu.cn/"}},
		{"/2008*/http://www.pku.edu.cn/", Target{Time: "2008", Calendar: true, URL: "http://www.pku.edu.cn/"}},
	} {
		got, err := ParseTarget(c.in)
		if err != nil || got != c.want {
			t.Errorf("ParseTarget(%q) = %+v, %v, want %+v", c.in, got, err, c.want)
		}
	}
	for _, in := range []string{"", "/", "x", "/20080710/", "/2008xx_/", "/*/", "/mp_/", "/2008dom_blocks/", "*", "/123/http", "/" + strings.Repeat("a.", 20000)} {
		if got, err := ParseTarget(in); !errors.Is(err, errTarget) {
			t.Errorf("ParseTarget(%.40q) = %+v, %v, want an error", in, got, err)
		}
	}
}

// TestAddressParses shows that an address is parsed to what it was made of.
func TestAddressParses(t *testing.T) {
	p := testPage()
	for _, m := range append([]Modifier{Interface}, modifiers...) {
		address := p.Address("http://www.pku.edu.cn/a?b", m)
		got, err := ParseTarget(address)
		if err != nil || got.Modifier != m || got.URL != "http://www.pku.edu.cn/a?b" || got.Time == "" {
			t.Errorf("%s: %+v, %v", address, got, err)
		}
	}
}

// FuzzParseTarget parses any request. What is parsed must be parsed again, from its
// address, to the same.
func FuzzParseTarget(f *testing.F) {
	for _, in := range []string{"/2008/http://a/", "/*/a.b", "/http%3a//x", "/2008im_/http:/x", "//", "/web/web/a.b"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := ParseTarget(in)
		if err != nil {
			return
		}
		star := ""
		if got.Calendar {
			star = "*"
		}
		first := "/" + got.Time + star + string(got.Modifier)
		if first == "/" {
			first = ""
		}
		again, err := ParseTarget(first + "/" + got.URL)
		if err != nil || again != got && !strings.HasPrefix(got.URL, "http%3") {
			t.Errorf("%q is %+v, and its address %q is %+v, %v", in, got, first+"/"+got.URL, again, err)
		}
	})
}

// field returns the values of the fields with this name, joined.
func field(header [][2]string, name string) string {
	var values []string
	for _, f := range header {
		if strings.EqualFold(f[0], name) {
			values = append(values, f[1])
		}
	}
	return strings.Join(values, " | ")
}

// TestHeader shows what becomes of the stored header.
func TestHeader(t *testing.T) {
	stored := [][2]string{
		{"Content-Type", "text/html; charset=gb2312"}, {"Set-Cookie", "a=b"}, {"Refresh", "0; url=http://e.example/"}, {"Link", "<x>; rel=preload"},
		{"Content-Security-Policy", "img-src *"}, {"Last-Modified", "Mon, 07 Jul 2008 00:00:00 GMT"}, {"Content-Type", "text/plain"},
		{"Bad Name", "x"}, {"X-Evil", "a\r\nSet-Cookie: c=d"}, {"Content-Encoding", "gzip"}, {"Content-Length", "5"},
	}
	p := testPage()
	p.Charset = "gb18030"
	got := Header(stored, Document, p)
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=gb18030", "Last-Modified": "Mon, 07 Jul 2008 00:00:00 GMT", "Set-Cookie": "", "Refresh": "", "Link": "",
		"X-Archive-Orig-Refresh": "0; url=http://e.example/", "X-Archive-Orig-X-Evil": "a  Set-Cookie: c=d", "Content-Length": "", "Content-Encoding": "",
		"Content-Security-Policy": Policy(p.InterfaceOrigin, Document), "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
	} {
		if value := field(got, name); value != want {
			t.Errorf("%s: %q, want %q", name, value, want)
		}
	}
	if slices.ContainsFunc(got, func(f [2]string) bool { return strings.Contains(f[0], " ") }) {
		t.Error("a field's name has a blank")
	}
}

// TestKinds shows that a body that can run scripts always has the first script, and
// that a body of any other kind may run none.
func TestKinds(t *testing.T) {
	types := []string{"text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/rss+xml", "text/plain", "application/pdf", "image/gif", "multipart/x-mixed-replace", "", "TEXT/HTML; charset=x"}
	for _, contentType := range types {
		for _, m := range append([]Modifier{Interface}, modifiers...) {
			for _, dest := range []string{"", "iframe", "empty", "object"} {
				checkKind(t, contentType, m, dest)
			}
		}
	}
}

func checkKind(t *testing.T, contentType string, m Modifier, dest string) {
	t.Helper()
	k := Rewrites(contentType, m, dest)
	p := testPage()
	sent := mediaType(field(Header([][2]string{{"Content-Type", contentType}}, k, p), "Content-Type"))
	policy := Policy(p.InterfaceOrigin, k)
	runs := !strings.Contains(policy, "script-src 'none'") && !strings.Contains(policy, "default-src 'none'")
	document := sent == "text/html" || strings.HasSuffix(sent, "xml")
	rewritten := k == Document || k == XHTML || k == SVG || k == XML || k == Still
	if document && runs && (!rewritten || k == XML || k == Still) {
		t.Errorf("%q with %q for %q is of kind %d, is sent as %q, and runs scripts", contentType, m, dest, k, sent)
	}
	if document && !rewritten && shows[dest] {
		t.Errorf("%q with %q for %q is of kind %d, and is shown with its hints", contentType, m, dest, k)
	}
}
