package urlkey

import (
	"strings"
	"testing"
)

func TestOtherForms(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"http://a.cn/", "https://a.cn/ http://www.a.cn/ https://www.a.cn/"},
		{"https://www.a.cn/b/", "http://www.a.cn/b/ https://a.cn/b/ http://a.cn/b/ https://www.a.cn/b http://www.a.cn/b https://a.cn/b http://a.cn/b"},
		{"http://a.cn/b?c=1", "https://a.cn/b?c=1 http://www.a.cn/b?c=1 https://www.a.cn/b?c=1"},
	} {
		if got := strings.Join(OtherForms(c.url), " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.url, got, c.want)
		}
	}
}
