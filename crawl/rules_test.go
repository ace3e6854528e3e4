package crawl

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/urlkey"
)

// TestScopes shows that many scopes hold what one of them holds.
func TestScopes(t *testing.T) {
	names := []string{"x.cn", "www.x.cn", "a.x.cn", "xy.cn", "cn", "x.cn/a", "x.cn/a/b", "x.cn:81", "10.0.0.1", "10.0.0.1:80/a", "*.x.cn"}
	var all []urlkey.Scope
	for _, name := range names {
		s, err := urlkey.ParseScope(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, s)
	}
	urls := []string{"http://x.cn/", "http://www.x.cn/a", "https://x.cn/a/b/c", "http://x.cn:81/", "http://b.x.cn:81/a", "http://xy.cn/", "http://y.cn/", "http://y.com/", "http://10.0.0.1/", "http://10.0.0.1/a/b", "http://10.0.0.1:81/", "http://www.y.com/"}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.SampledFrom(all), 0, 5).Draw(t, "scopes")
		s := newScopes(list)
		for _, u := range urls {
			key := urlkey.Key(u)
			want := slices.ContainsFunc(list, func(x urlkey.Scope) bool { return x.Contains(key) })
			if got := s.contain(key); got != want {
				t.Errorf("%s: %v, want %v", u, got, want)
			}
		}
	})
}

// TestHostOf shows in which queue a canonical URL stands: that of its host and
// port, whatever its path is.
func TestHostOf(t *testing.T) {
	for u, want := range map[string]string{
		"http://a.cn/":                 "a.cn",
		"http://a.cn":                  "a.cn",
		"http://a.cn:8080/x:y@z":       "a.cn:8080",
		"http://a.cn?http://b.cn/":     "a.cn",
		"https://a.cn/":                "a.cn:443",
		"https://a.cn:8443/":           "a.cn:8443",
		"https://me:secret@a.cn/":      "a.cn:443",
		"https://[::1]/":               "[::1]:443",
		"https://[::1]:8443/":          "[::1]:8443",
		"http://a.cn:8080/100%":        "a.cn:8080",
		"https://a.cn/100%25/?q=%zz":   "a.cn:443",
		"https://a.cn/100%/":           "a.cn:443",
		"file:///home/me/pages/a.html": "",
		"urn:isbn:9787302147510":       "",
	} {
		if got := hostOf(u); got != want {
			t.Errorf("%s: %q, want %q", u, got, want)
		}
	}
}

// BenchmarkHostOf measures the host of a URL, which a crawl needs for each link.
func BenchmarkHostOf(b *testing.B) {
	for b.Loop() {
		hostOf("http://www.a.cn:8080/section-3/article-223.html?page=2")
	}
}

// TestMalformed shows which URLs a crawl leaves out because of their form. An @ behind the host is
// no name and password.
func TestMalformed(t *testing.T) {
	for u, want := range map[string]string{
		"http://a.example/":                   "",
		"http://a.example/x?mail=b@c.example": "",
		"http://a.example/@b/":                "",
		"http://b@a.example/x?q":              "it has a name or password in it",
		"http://b:c@a.example:8080/":          "it has a name or password in it",
		"ftp://a.example/":                    "neither http nor https",
	} {
		if got := malformed(u); got != want {
			t.Errorf("%s: got %q, want %q", u, got, want)
		}
	}
}
