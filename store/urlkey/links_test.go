package urlkey

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLinks resolves links of pages in any order, and compares with results
// computed without a cache. It also looks at the last segments of links.
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
			if segment, ok := LastSegment([]byte(link)); ok && err == nil && strings.HasPrefix(base, "http") {
				path, _, _ := strings.Cut(want, "?")
				if got := path[strings.LastIndexByte(path, '/')+1:]; got != string(segment) {
					t.Fatalf("LastSegment(%q) is %q, on %s the link means %q", link, segment, base, want)
				}
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

// TestReachOf has links with two slashes after a colon that begin with no scheme.
func TestReachOf(t *testing.T) {
	for link, want := range map[string]Reach{
		"http://b.cn/": FromSite, "/x": FromSite, "x": FromFolder, "..@http://": FromFolder, "x@http://b.cn/": FromFolder, "?q": FromPage, "#": ToItself,
	} {
		if got := ReachOf([]byte(link)); got != want {
			t.Errorf("the reach of %q is %d, want %d", link, got, want)
		}
	}
}
