package urlkey

import (
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	for _, tt := range []struct {
		url, host, domain, rawPath, path string
		depth                            int
	}{
		{"http://www.pku.edu.cn/", "www.pku.edu.cn", "pku.edu.cn", "/", "/", 0},
		{"http://pku.edu.cn/a", "pku.edu.cn", "pku.edu.cn", "/a", "/a", 1},
		{"http://edu.cn/a/", "edu.cn", "edu.cn", "/a/", "/a/", 1},
		{"http://localhost:8080/a/b.htm?c/d", "localhost", "localhost", "/a/b.htm", "/a/b.htm", 2},
		{"https://u:p@a.bbc.co.uk:81//a//b/", "a.bbc.co.uk", "bbc.co.uk", "//a//b/", "//a//b/", 2},
		{"http://162.105.1.1/", "162.105.1.1", "162.105.1.1", "/", "/", 0},
		{"http://[::1]:80/", "[::1]", "[::1]", "/", "/", 0},
		{"http://[::1]/", "[::1]", "[::1]", "/", "/", 0},
		{"http://x.cn./", "x.cn.", "x.cn.", "/", "/", 0},
		{"http://x.cn/%E5%8C%97%20%", "x.cn", "x.cn", "/%E5%8C%97%20%", "/北 %", 1},
		{"http://x.cn/%B1%B1%B4%F3/a", "x.cn", "x.cn", "/%B1%B1%B4%F3/a", "/北大/a", 2},
		{"http://x.cn/%FF", "x.cn", "x.cn", "/%FF", "/\uFFFD", 1},
		{"http://x.cn/%2", "x.cn", "x.cn", "/%2", "/%2", 1},
		{"foo://x.cn?a/b", "x.cn", "x.cn", "", "", 0},
		{"file:///a/b", "", "", "/a/b", "/a/b", 2},
		{"dom:https://u@www.x.cn:81/a/b?c", "www.x.cn", "x.cn", "/a/b", "/a/b", 2},
		{"screenshot:http://x.cn/%20", "x.cn", "x.cn", "/%20", "/ ", 1},
		{"dom:x/y", "", "", "x/y", "x/y", 2},
		{"dns:www.x.cn", "", "", "www.x.cn", "www.x.cn", 1},
		{"data:a/b?c", "", "", "a/b", "a/b", 2},
		{"", "", "", "", "", 0},
		{"no URL", "", "", "no URL", "no URL", 1},
	} {
		if got := Host(tt.url); got != tt.host {
			t.Errorf("Host(%q) = %q, want %q", tt.url, got, tt.host)
		}
		if got := Domain(tt.url); got != tt.domain {
			t.Errorf("Domain(%q) = %q, want %q", tt.url, got, tt.domain)
		}
		if got := RawPath(tt.url); got != tt.rawPath {
			t.Errorf("RawPath(%q) = %q, want %q", tt.url, got, tt.rawPath)
		}
		if got := Path(tt.url); got != tt.path {
			t.Errorf("Path(%q) = %q, want %q", tt.url, got, tt.path)
		}
		if got := Depth(tt.url); got != tt.depth {
			t.Errorf("Depth(%q) = %d, want %d", tt.url, got, tt.depth)
		}
	}
}

func BenchmarkDomain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Domain(benchURL)
	}
}

func TestForm(t *testing.T) {
	for _, c := range [][2]string{
		{"http://www.pku.edu.cn/a?b", "pku.edu.cn/a?b"},
		{"https://pku.edu.cn/a?b", "pku.edu.cn/a?b"},
		{"http://www.cn/", "www.cn/"},
		{"http://www.pku.edu.cn:8080/", "pku.edu.cn:8080/"},
		{"http://www2.pku.edu.cn/", "www2.pku.edu.cn/"},
		{"ftp://www.pku.edu.cn/", "ftp://www.pku.edu.cn/"},
		{"dns:www.pku.edu.cn", "dns:www.pku.edu.cn"},
	} {
		if got := Form(c[0]); got != c[1] {
			t.Errorf("%s is a form of %s, want %s", c[0], got, c[1])
		}
		forms := Forms(c[0])
		if !slices.Contains(forms, c[0]) || slices.ContainsFunc(forms, func(url string) bool { return Form(url) != c[1] }) {
			t.Errorf("the forms of %s are %s", c[0], forms)
		}
		if strings.HasPrefix(c[0], "http") != (len(forms) == 4) {
			t.Errorf("the forms of %s are %s, want four if it is http", c[0], forms)
		}
	}
}
