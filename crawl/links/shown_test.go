package links

import (
	"slices"
	"testing"
)

// TestShown shows that the links which a browser found are added to those of the page,
// unless the page asks robots not to follow them.
func TestShown(t *testing.T) {
	shown := []string{"http://a.cn/x", "http://a.cn/no", "http://a.cn/y", "mailto:a@a.cn"}
	for _, c := range []struct {
		body string
		want []string
	}{
		{`<a href=/x>x</a><a rel="me nofollow" href="/no">no</a>`, []string{"http://a.cn/x", "http://a.cn/y"}},
		{`<meta name=robots content=nofollow><a href=/x>x</a>`, nil},
	} {
		var got []string
		for _, l := range Find(Document{URL: "http://a.cn/", ContentType: "text/html", Body: []byte(c.body), Shown: shown}).Links {
			got = append(got, l.URL)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.body, got, c.want)
		}
	}
}
