package urlkey

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// shared returns the path of a file of test data outside the repository. It
// skips the test if the file does not exist.
func shared(t testing.TB, name ...string) string {
	t.Helper()
	dir := os.Getenv("INFOMALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir, "data"}, name...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no test data: %v (INFOMALL_SHARED names its folder)", err)
	}
	return path
}

var canonicalTests = []struct{ raw, want string }{
	// As most are.
	{"http://www.pku.edu.cn/", "http://www.pku.edu.cn/"},
	{"https://www.pku.edu.cn/news/a.htm?x=1", "https://www.pku.edu.cn/news/a.htm?x=1"},
	{"http://www.pku.edu.cn", "http://www.pku.edu.cn/"},
	{"http://www.pku.edu.cn?a=b", "http://www.pku.edu.cn/?a=b"},
	{"HTTP://WWW.PKU.EDU.CN/News/Index.HTM", "http://www.pku.edu.cn/News/Index.HTM"},
	{"http://pku.edu.cn:80/", "http://pku.edu.cn/"},
	{"https://pku.edu.cn:443/", "https://pku.edu.cn/"},
	{"http://pku.edu.cn:443/", "http://pku.edu.cn:443/"},
	{"http://pku.edu.cn:08080/", "http://pku.edu.cn:8080/"},
	{"ftp://pku.edu.cn:21/pub", "ftp://pku.edu.cn/pub"},
	{"http://pku.edu.cn:/", "http://pku.edu.cn/"},
	{"DOM:HTTPS://PKU.edu.cn:443/a/../b#c", "dom:https://pku.edu.cn/b"},
	{"screenshot:http://x.cn?a b", "screenshot:http://x.cn/?a%20b"},
	{"dom:x.cn/A", "dom:x.cn/A"},
	// What is kept.
	{"http://x.cn/a/", "http://x.cn/a/"},
	{"http://x.cn/a?", "http://x.cn/a?"},
	{"http://x.cn/a?b=2&a=1&PHPSESSID=0", "http://x.cn/a?b=2&a=1&PHPSESSID=0"},
	{"http://x.cn//a//b", "http://x.cn//a//b"},
	{"http://x.cn/%7Ea/%e4%bd", "http://x.cn/~a/%E4%BD"},
	{"http://u:p@x.cn/", "http://u:p@x.cn/"},
	{"http://x.cn./", "http://x.cn./"},
	{"http://a_b.x.cn/", "http://a_b.x.cn/"},
	// What goes.
	{"http://x.cn/a#b", "http://x.cn/a"},
	{"http://x.cn/#", "http://x.cn/"},
	{"http://x.cn/a/./b/../c", "http://x.cn/a/c"},
	{"http://x.cn/%2e%2E/a", "http://x.cn/a"},
	{"http://x.cn/../../a", "http://x.cn/a"},
	{`http:\\x.cn\a\b`, "http://x.cn/a/b"},
	{"http:x.cn/a", "http://x.cn/a"},
	{"http://x.cn/a b", "http://x.cn/a%20b"},
	{"http://x.cn/新闻?词=北", "http://x.cn/%E6%96%B0%E9%97%BB?%E8%AF%8D=%E5%8C%97"},
	{"http://北京大学.cn/", "http://xn--1lq90ic7fzpc.cn/"},
	{"http://x。cn/", "http://x.cn/"},
	// As files write it.
	{" http://x.cn/ \r\n", "http://x.cn/"},
	{"<http://x.cn/a>", "http://x.cn/a"},
	{" < http://x.cn/a >", "http://x.cn/a"},
	{"http://x.cn/a\n\tb", "http://x.cn/ab"},
	{"www.x.cn/", "http://www.x.cn/"},
	{"www.x.cn", "http://www.x.cn/"},
	{"www.x.cn:8080/a", "http://www.x.cn:8080/a"},
	{"www.x.cn:80", "http://www.x.cn/"},
	{"localhost:8080", "http://localhost:8080/"},
	{"//www.x.cn/a", "http://www.x.cn/a"},
	{"162.105.1.1/a", "http://162.105.1.1/a"},
	{"[::1]:8080/a", "http://[::1]:8080/a"},
	{"www.x.cn/?u=http://y.cn/", "http://www.x.cn/?u=http://y.cn/"},
	// Bytes that are no UTF-8: GBK of 北大 is B1 B1 B4 F3, of 诚 D5 5C.
	{"http://x.cn/\xb1\xb1\xb4\xf3.htm", "http://x.cn/%B1%B1%B4%F3.htm"},
	{"http://x.cn/?q=\xb1\xb1", "http://x.cn/?q=%B1%B1"},
	{"http://x.cn/\xd5\\/a", "http://x.cn/%D5%5C/a"},
	{"http://x.cn/\xb1\xb1#\xb1\xb1", "http://x.cn/%B1%B1"},
	{"x.cn/\xb1\xb1", "http://x.cn/%B1%B1"},
	{"http://\xb1\xb1\xb4\xf3.cn/\xb1", "http://xn--djry4l.cn/%B1"},
	// Addresses.
	{"http://162.105.1.1/", "http://162.105.1.1/"},
	{"http://0x7f.1/", "http://127.0.0.1/"},
	{"http://3279880203/", "http://195.127.0.11/"},
	{"http://[2001:DB8:0::1]:80/", "http://[2001:db8::1]/"},
	// Other schemes.
	{"dns:www.x.cn", "dns:www.x.cn"},
	{"urn:uuid:AB", "urn:uuid:AB"},
	{"metadata://gnu.org/software/wget/", "metadata://gnu.org/software/wget/"},
	{"mailto:a@x.cn", "mailto:a@x.cn"},
	{"data:a #b", "data:a"},
	{"about:blank", "about:blank"},
}

func TestCanonical(t *testing.T) {
	for _, tt := range canonicalTests {
		got, err := Canonical(tt.raw)
		if err != nil || got != tt.want {
			t.Errorf("Canonical(%q) = %q, %v; want %q", tt.raw, got, err, tt.want)
			continue
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Errorf("Canonical(%q) = %q, %v; want it unchanged", got, again, err)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"", "empty"},
		{" \t<>", "empty"},
		{"foo", "no URL: it has neither a scheme"},
		{"/news/a.htm", "no URL: it has neither a scheme"},
		{"random!!garbage", "no URL: it has neither a scheme"},
		{"http://", "no URL"},
		{"http://x y.cn/", "no URL"},
		{"http://x.cn:99999/", "no URL"},
		{"http://x.cn:80a/", "no URL"},
		{"http://1.2.3.4.5/", "no URL"},
		{"http://[::1/", "no URL"},
		{"http://x.cn/" + strings.Repeat("a", urlBytesMax), "longer than"},
		{"http://" + strings.Repeat("@", 2000) + "x.cn/", "user and host"},
		{"http:" + strings.Repeat("a", 2000), "user and host"},
		{"http://" + strings.Repeat("a", 1020) + ".cn:8080/", "user and host"},
		{"http://" + strings.Repeat("北", 300) + "@x.cn/", "user and host"},
		{"foo://" + strings.Repeat("a", 2000), "user and host"},
		{"http://x.cn/" + strings.Repeat("北", urlBytesMax/4), "longer than"},
	} {
		got, err := Canonical(tt.raw)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Canonical(%.80q) = %.80q, %v; want an error with %q", tt.raw, got, err, tt.want)
		}
	}
}

// TestCanonicalSuite runs the cases of the WHATWG URL test suite that have no
// base: http and https must all pass.
func TestCanonicalSuite(t *testing.T) {
	ran := 0
	for _, c := range loadSuite(t) {
		if c.Base != nil && *c.Base != "about:blank" {
			continue // see TestResolveSuite
		}
		scheme := strings.ToLower(strings.TrimLeft(c.Input, " \t\n"))
		if !strings.HasPrefix(scheme, "http:") && !strings.HasPrefix(scheme, "https:") {
			continue
		}
		ran++
		want, _, _ := strings.Cut(c.Href, "#")
		want = uniform(want) // the standard does not change escapes
		got, err := Canonical(c.Input)
		if c.Failure != (err != nil) || got != want {
			t.Errorf("Canonical(%q) = %q, %v; want %q, failure %v", c.Input, got, err, want, c.Failure)
		}
	}
	t.Logf("%d cases", ran)
	if ran < 200 {
		t.Errorf("%d cases ran; want 200 or more", ran)
	}
}

// TestCanonicalHosts runs the ToASCII cases of the suite.
func TestCanonicalHosts(t *testing.T) {
	data, err := os.ReadFile(shared(t, "suites", "whatwg-url", "toascii.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, raw := range cases {
		var c struct {
			Input  string
			Output *string
		}
		if json.Unmarshal(raw, &c) != nil || c.Input == "" {
			continue
		}
		got, err := Canonical("http://" + c.Input + "/")
		if c.Output == nil {
			if err == nil {
				t.Errorf("Canonical(http://%q/) = %q; want an error", c.Input, got)
			}
		} else if want := "http://" + *c.Output + "/"; got != want {
			t.Errorf("Canonical(http://%q/) = %q, %v; want %q", c.Input, got, err, want)
		}
	}
}

// TestCanonicalIDNA runs the suite's cases of international hosts. Signs that
// would end a host are escaped there, as the suite asks.
func TestCanonicalIDNA(t *testing.T) {
	data, err := os.ReadFile(shared(t, "suites", "whatwg-url", "IdnaTestV2.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	ends := strings.NewReplacer(":", "%3A", "/", "%2F", "?", "%3F", "#", "%23", `\`, "%5C")
	ran := 0
	for _, raw := range cases {
		var c struct {
			Input  string
			Output *string
		}
		if json.Unmarshal(raw, &c) != nil || c.Input == "" {
			continue
		}
		ran++
		got, err := Canonical("https://" + ends.Replace(c.Input) + "/x")
		if c.Output == nil {
			if err == nil {
				t.Errorf("Canonical of host %q = %q; want an error", c.Input, got)
			}
		} else if want := "https://" + *c.Output + "/x"; got != want {
			t.Errorf("Canonical of host %q = %q, %v; want %q", c.Input, got, err, want)
		}
	}
	t.Logf("%d cases", ran)
}

// TestCanonicalURLCanon runs urlcanon's cases of dot segments and of unusual
// IPv4 addresses, except the cases in which urlcanon is older than the
// standard.
func TestCanonicalURLCanon(t *testing.T) {
	load := func(file string, into any) {
		data, err := os.ReadFile(shared(t, "suites", "urlcanon", "testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	var dots map[string]map[string]string
	load("path_dots.json", &dots)
	for path, want := range dots["special"] {
		if strings.Contains(path, `\`) {
			continue // which it does not take for a slash
		}
		if got, err := Canonical("http://h" + path); got != "http://h"+want {
			t.Errorf("Canonical(http://h%s) = %q, %v; want http://h%s", path, got, err, want)
		}
	}
	var addresses map[string]*string
	load("funky_ipv4.json", &addresses)
	for host, address := range addresses {
		if host == "0000xa" {
			continue // a name, as its label is no number
		}
		want := ""
		if address != nil {
			want = "http://" + *address + "/"
		}
		if got, err := Canonical("http://" + host + "/"); got != want {
			t.Errorf("Canonical(http://%s/) = %q, %v; want %q", host, got, err, want)
		}
	}
}

// FuzzCanonical shows that the short cut agrees with the parser, that nothing
// changes a canonical URL, and that one with a host holds neither blank nor
// byte beyond ASCII.
func FuzzCanonical(f *testing.F) {
	for _, tt := range canonicalTests {
		f.Add(tt.raw)
	}
	for _, s := range []string{
		"http://a.cn/%2", "http://a.cn/%2e", "http://a.cn/a/.b", "http://a.cn:65536/", "http://a.cn:0/",
		"http://1.2.3/", "http://1.2.3.04/", "http://1.2.3.256/", "http://1.2.3.4.5/", "http://a.1.2.3.4/", "http://0.10.199.255:8080/a", "http://1.2.3.4_/",
		"http://xn--a/", "http://a.0x/", "http://a..b/", "http://-a-/", "http://a/?'", "http://a/?`{}|^\\",
		"http://a,b)c%25.cn/", "foo://x/ y", "web+demo:/.//not-a-host/", "file:///C|/a/../..", "blob:http://a/", "//[:::]/",
		"dom:http://a/%2e/b", "SCREENSHOT:HTTPS:a\\b", "dom: http://a/", "dom:dom:http://a/ b", "dom:http://a b/", "dom://http://a/", "dom:\x80http://a/", "dom:http://a/%2e/b", "SCREENSHOT:HTTPS:a\\b", "dom: http://a/", "dom:dom:http://a/ b", "dom:http://a b/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Canonical(raw)
		if slow, slowErr := canonicalize(raw); slow != got || (slowErr != nil) != (err != nil) {
			t.Fatalf("Canonical(%q) = %q, %v; without short cut %q, %v", raw, got, err, slow, slowErr)
		}
		if err != nil {
			return
		}
		if again, err := Canonical(got); err != nil || again != got {
			t.Fatalf("Canonical(%q) = %q; again %q, %v", raw, got, again, err)
		}
		for i := range len(got) {
			if got[i] >= utf8.RuneSelf {
				t.Fatalf("Canonical(%q) = %q: not ASCII", raw, got)
			}
		}
		if _, ok := split(got); ok && strings.Contains(got, " ") {
			t.Fatalf("Canonical(%q) = %q: has a blank", raw, got)
		}
		if back := URL(Key(got)); back != got {
			t.Fatalf("URL(Key(%q)) = %q, by key %q", got, back, Key(got))
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	for _, bb := range []struct{ name, url string }{
		{"plain", "http://www.pku.edu.cn/news/2008/06/index.html?id=4711&page=2"},
		{"address", "http://162.105.1.1:8080/news/2008/06/index.html?id=4711&page=2"},
		{"parsed", "http://WWW.pku.edu.cn/news/2008/06/index.html?id=4711&page=2"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Canonical(bb.url); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
