package relation

import (
	"maps"
	"testing"

	"infomall/store/urlkey"
)

// TestLastSegments shows that the last segments of targets are known only if each target is one
// URL of the web.
func TestLastSegments(t *testing.T) {
	one := func(url string) urlkey.Range {
		key := urlkey.Key(url)
		return urlkey.Range{From: key, To: key + "\x00"}
	}
	page, query, host, file := one("http://a.cn/x/y.htm"), one("http://a.cn/x?q=/z"), one("http://a.cn/"), one("file:///d/g")
	many := urlkey.Range{From: page.From, To: "cn,b)"}
	for _, c := range []struct {
		name    string
		targets []urlkey.Range
		want    map[string]bool
	}{
		{"all targets", nil, nil},
		{"two URLs", []urlkey.Range{page, query}, map[string]bool{"y.htm": true, "x": true}},
		{"a host's first page", []urlkey.Range{host}, map[string]bool{"": true}},
		{"a file", []urlkey.Range{page, file}, nil},
		{"URLs from one on", []urlkey.Range{many}, nil},
	} {
		if got := lastSegments(c.targets); !maps.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
