package cells

import (
	"strings"
	"testing"
)

func TestClipMiddle(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"http://a.cn/b.htm", 17, "http://a.cn/b.htm"},
		{"http://a.cn/b.htm", 16, "http:…a.cn/b.htm"},
		{"http://www.a.cn/news/20080605.htm", 22, "http://…s/20080605.htm"},
		{"/新闻/校园/图书馆.htm", 12, "/新…书馆.htm"},
		{"abcdef", 3, "ab…"},
		{strings.Repeat("x", 100_000) + "end", 10, "xxx…xxxend"},
	} {
		got, clipped := ClipMiddle(c.text, c.width)
		if got != c.want || clipped != (got != c.text) {
			t.Errorf("ClipMiddle(%.40q, %d) = %q, %t, want %q", c.text, c.width, got, clipped, c.want)
		}
		if Width(got) > c.width {
			t.Errorf("%q is %d cells wide, more than %d", got, Width(got), c.width)
		}
	}
}
