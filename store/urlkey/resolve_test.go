package urlkey

import (
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	const base = "http://www.pku.edu.cn/news/index.htm?x=1"
	tests := []struct{ base, ref, want string }{
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

// FuzzResolve shows that what comes out is canonical, whatever goes in.
func FuzzResolve(f *testing.F) {
	for _, ref := range []string{"a.htm", "../x?y#z", "//h", "http:a", "\\\\h\\x", "javascript:x ", "%", "\x80"} {
		f.Add(ref)
	}
	f.Fuzz(func(t *testing.T, ref string) {
		u, err := Resolve("http://www.pku.edu.cn/news/", ref)
		if err != nil {
			return
		}
		if again, err := Canonical(u); again != u || err != nil {
			t.Errorf("Resolve(%q) is %q, and canonical %q, error %v", ref, u, again, err)
		}
	})
}
