package urlkey

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLinks resolves links of pages in any order, and compares with results
// computed without a cache.
func TestLinks(t *testing.T) {
	bases := []string{
		"http://a.cn/", "http://a.cn/x", "http://a.cn/x?q=/1", "http://a.cn/d/", "http://a.cn/d/y?z", "https://a.cn/d/y", "http://b.cn:8080/d/e/f.htm", "ftp://a.cn/d/g", "file:///C:/d/g", "file:///D:/e/g", "file:///d/g",
	}
	parts := []string{"", "a", ".", "..", "/", "//", "?", "q", "#", ":", "http:", "https:", "http://", "mailto:", "b.cn", "\\", " ", "\t", "\n", "%2f", "\u9898", "@"}
	rapid.Check(t, func(t *rapid.T) {
		var r Links
		for range 50 {
			base, link := rapid.SampledFrom(bases).Draw(t, "base"), ""
			if rapid.Bool().Draw(t, "parsed") { // a link that is not simple, so that its URL is kept
				link = rapid.SampledFrom([]string{"/", "//", "http://b.cn/", "", "./", "/\t/", "?"}).Draw(t, "begins") + "{}"
			}
			for range rapid.IntRange(0, 4).Draw(t, "parts") {
				link += rapid.SampledFrom(parts).Draw(t, "part")
			}
			want, err := Resolve(base, link)
			if err != nil {
				want = ""
			}
			for range 2 {
				r.Page(base)
				if got := string(r.Target([]byte(link))); got != want {
					t.Fatalf("%q on %s means %q, want %q", link, base, got, want)
				}
			}
		}
	})
}
