package urlkey

import (
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	const base = "http://www.pku.edu.cn/news/index.htm?x=1"
	tests := []struct{ base, ref, want string }{
		{base, "../../../../c.htm", "http://www.pku.edu.cn/c.htm"},
		{base, "./../x/./y", "http://www.pku.edu.cn/x/y"},
		{base, "..", "http://www.pku.edu.cn/"},
		{base, "../", "http://www.pku.edu.cn/"},
		{base, "a/b:c", "http://www.pku.edu.cn/news/a/b:c"},
		{base, "?a=b#c", "http://www.pku.edu.cn/news/index.htm?a=b"},
		{"https://x.cn/a//b/c", "../d", "https://x.cn/a//d"},
		{"https://x.cn/a//b/c", "../../d", "https://x.cn/a/d"},
		{"https://x.cn/?a=/b/", "c", "https://x.cn/c"},
		{"https://u:p@x.cn:81/a", "/c", "https://u:p@x.cn:81/c"},
		{base, "a.htm", "http://www.pku.edu.cn/news/a.htm"},
		{base, "/", "http://www.pku.edu.cn/"},
		{base, "../b/./c.htm#part", "http://www.pku.edu.cn/b/c.htm"},
		{base, "?y=2", "http://www.pku.edu.cn/news/index.htm?y=2"},
		{base, "#part", base},
		{base, "", base},
		{base, "//other.cn/x", "http://other.cn/x"},
		{base, "HTTPS://Other.CN:443/x", "https://other.cn/x"},
		{base, " a b.htm\n", "http://www.pku.edu.cn/news/a%20b.htm"},
		{base, "a%zz.htm", "http://www.pku.edu.cn/news/a%zz.htm"},
		{base, "\\old\\x.htm", "http://www.pku.edu.cn/old/x.htm"},
		{"dom:" + base, "a.htm", "http://www.pku.edu.cn/news/a.htm"},
		{"dom:" + base, "?y", "http://www.pku.edu.cn/news/index.htm?y"},
		{"dom:" + base, "a b", "http://www.pku.edu.cn/news/a%20b"},
		{"dom:" + base, "#part", base},
		{base, "DOM:HTTP://X.cn/../a#b", "dom:http://x.cn/a"},
		{base, "mailto:a@b.cn", "mailto:a@b.cn"},
		{base, "javascript:go(1)", "javascript:go(1)"},
		{base, "http://", ""},
		{base, "/" + strings.Repeat("x", urlBytesMax), ""},
		{"mailto:a@b.cn", "x", ""},
	}
	for _, tt := range tests {
		got, err := Resolve(tt.base, tt.ref)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("Resolve(%q, %.40q): got %q, error %v; want %q", tt.base, tt.ref, got, err, tt.want)
		}
	}
}

// FuzzResolve shows that the result is canonical for any input, and that the
// fast path and the full path give the same result.
func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"a.htm", "../x?y#z", "//h", "http:a", "\\\\h\\x", "javascript:x ", "%", "\x80"} {
		f.Add("http://www.pku.edu.cn/news/", ref)
	}
	for _, base := range []string{"https://x.cn:81/a//b?c=/d", "http://u:p@x.cn/..a/b", "http://[::1]/a/", "dom:https://x.cn/a/b?c"} {
		for _, ref := range []string{"", "#", "?x/../y", "./../../z", "//y.cn/./x", "..", ".../x", "../%2e%2E/x", "HTTP:x", "x:/y", "/../x"} {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, base, ref string) {
		base, err := Canonical(base)
		if err != nil {
			return
		}
		u, err := Resolve(base, ref)
		var r Resolver
		r.Page(base)
		plain := r.Plain([]byte(ref))
		if long, longErr := resolve(base, ref); u != long || plain != nil && string(plain) != long || (err == nil) != (longErr == nil) {
			t.Errorf("Resolve(%q, %q) is %q, without memory %q, and the long way %q, error %v", base, ref, u, plain, long, longErr)
		}
		if err != nil || !strings.HasPrefix(u, "http://") && !strings.HasPrefix(u, "https://") {
			return
		}
		if again, err := Canonical(u); again != u || err != nil {
			t.Errorf("Resolve(%q, %q) is %q, and canonical %q, error %v", base, ref, u, again, err)
		}
	})
}

func BenchmarkResolve(b *testing.B) {
	for b.Loop() {
		for _, ref := range []string{"a.htm", "/news/2008/b.htm?id=7", "../c/d.htm#e", "http://x.cn/"} {
			if _, err := Resolve("http://www.pku.edu.cn/news/index.htm?x=1", ref); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkResolver resolves the same references with a Resolver, which
// allocates nothing for each.
func BenchmarkResolver(b *testing.B) {
	b.ReportAllocs()
	refs := [][]byte{[]byte("a.htm"), []byte("/news/2008/b.htm?id=7"), []byte("../c/d.htm#e"), []byte("http://x.cn/")}
	var r Resolver
	r.Page("http://www.pku.edu.cn/news/index.htm?x=1")
	for b.Loop() {
		for _, ref := range refs {
			if r.Plain(ref) == nil {
				b.Fatalf("%s is not plain", ref)
			}
		}
	}
}
