package urlkey

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParseScope(t *testing.T) {
	for _, tt := range []struct {
		scope   string
		ranges  []Range
		exact   bool
		in, out string // URLs parted by blanks
	}{
		{"pku.edu.cn", []Range{{"cn,edu,pku,", "cn,edu,pku-"}}, true,
			"http://pku.edu.cn/ https://www.pku.edu.cn/a http://pku.edu.cn:8080/ ftp://a.b.pku.edu.cn/",
			"http://notpku.edu.cn/ http://edu.cn/ http://pku.edu.cn./ http://pku2.edu.cn/ dns:pku.edu.cn"},
		{"PKU.edu.CN", []Range{{"cn,edu,pku,", "cn,edu,pku-"}}, true, "", ""},
		{"*.pku.edu.cn", []Range{{"cn,edu,pku,", "cn,edu,pku-"}}, true, "http://pku.edu.cn/", ""},
		{"http://*.pku.edu.cn/*", []Range{{"cn,edu,pku,", "cn,edu,pku-"}}, true, "https://pku.edu.cn/", ""},
		{"pku.edu.cn:8080", []Range{{"cn,edu,pku,", "cn,edu,pku-"}}, false,
			"http://www.pku.edu.cn:8080/ https://pku.edu.cn:8080/a", "http://www.pku.edu.cn/ http://pku.edu.cn:80801/"},
		{"cn", []Range{{"cn,", "cn-"}}, true, "http://pku.edu.cn/ http://cn/", "http://x.cnn/"},
		{"北京大学.cn", []Range{{"cn,xn--1lq90ic7fzpc,", "cn,xn--1lq90ic7fzpc-"}}, true, "", ""},
		{"162.105.1.1", []Range{{"162.105.1.1,", "162.105.1.1-"}}, true, "http://162.105.1.1:81/", "http://162.105.1.11/"},
		{"[::1]", []Range{{"[::1],", "[::1]-"}}, true, "http://[::1]:81/", "http://[::11]/"},
		{"localhost:81", []Range{{"localhost,", "localhost-"}}, false, "http://localhost:81/", "http://localhost/"},
		{"=pku.edu.cn", []Range{{"cn,edu,pku,)", "cn,edu,pku,*"}, {"cn,edu,pku,:", "cn,edu,pku,;"}}, true,
			"http://pku.edu.cn/a https://pku.edu.cn:8080/", "http://www.pku.edu.cn/ http://1.pku.edu.cn/"},
		{"=pku.edu.cn:8080", []Range{{"cn,edu,pku,:8080)", "cn,edu,pku,:8080*"}}, true,
			"http://pku.edu.cn:8080/", "http://pku.edu.cn:80801/ http://pku.edu.cn/"},
		{"=pku.edu.cn:08080", []Range{{"cn,edu,pku,:8080)", "cn,edu,pku,:8080*"}}, true, "", ""},
		{"=pku.edu.cn:80", []Range{{"cn,edu,pku,)", "cn,edu,pku,*"}, {"cn,edu,pku,:80)", "cn,edu,pku,:80*"}}, false,
			"http://pku.edu.cn/ https://pku.edu.cn:80/", "https://pku.edu.cn/ http://pku.edu.cn:443/ ftp://pku.edu.cn/"},
		{"=pku.edu.cn:443", []Range{{"cn,edu,pku,)", "cn,edu,pku,*"}, {"cn,edu,pku,:443)", "cn,edu,pku,:443*"}}, false,
			"https://pku.edu.cn/ http://pku.edu.cn:443/", "http://pku.edu.cn/"},
		{"www.pku.edu.cn/news", []Range{{"cn,edu,pku,www,)/news", "cn,edu,pku,www,)/newt"}}, true,
			"http://www.pku.edu.cn/news https://www.pku.edu.cn/newspaper http://u@www.pku.edu.cn/news/?a",
			"http://www.pku.edu.cn:8080/news http://a.www.pku.edu.cn/news http://www.pku.edu.cn/new"},
		{"pku.edu.cn/", []Range{{"cn,edu,pku,)/", "cn,edu,pku,)0"}}, true, "http://pku.edu.cn/", "http://www.pku.edu.cn/"},
		{"http://x.cn/a/*", []Range{{"cn,x,)/a/", "cn,x,)/a0"}}, true, "https://x.cn/a/b", "http://x.cn/a"},
		{"x.cn/a/*", []Range{{"cn,x,)/a/", "cn,x,)/a0"}}, true, "", ""},
		{"http://x.cn/*", []Range{{"cn,x,)/", "cn,x,)0"}}, true, "", "http://a.x.cn/"},
		{"http://x.cn*", nil, true, "", ""},
		{"x.cn?id=", []Range{{"cn,x,)/?id=", "cn,x,)/?id>"}}, true, "http://x.cn/?id=1", "http://x.cn/"},
		{"x.cn/新", []Range{{"cn,x,)/%E6%96%B0", "cn,x,)/%E6%96%B1"}}, true, "http://x.cn/%E6%96%B0%E9%97%BB", ""},
		{"x.cn/a/.", []Range{{"cn,x,)/a/.", "cn,x,)/a//"}}, true, "http://x.cn/a/.htaccess", "http://x.cn/a/"},
		{"x.cn/a/../b", []Range{{"cn,x,)/b", "cn,x,)/c"}}, true, "", ""},
		{"x.cn:8080/a", []Range{{"cn,x,:8080)/a", "cn,x,:8080)/b"}}, true, "http://x.cn:8080/a", "http://x.cn/a"},
		{"x.cn:80/a", []Range{{"cn,x,)/a", "cn,x,)/b"}, {"cn,x,:80)/a", "cn,x,:80)/b"}}, false,
			"http://x.cn/ab https://x.cn:80/a", "https://x.cn/a http://x.cn/b"},
		{"http://x.cn/a.htm", []Range{{"cn,x,)/a.htm http", "cn,x,)/a.htm http\x00"}}, true,
			"http://x.cn/a.htm", "https://x.cn/a.htm http://x.cn/a.html http://u@x.cn/a.htm"},
		{"http://X.cn:80/b/../a#c", []Range{{"cn,x,)/a http", "cn,x,)/a http\x00"}}, true, "", ""},
		{"http://x.cn/*/b", []Range{{"cn,x,)/*/b http", "cn,x,)/*/b http\x00"}}, true, "http://x.cn/*/b", "http://x.cn/a/b"},
		{"dom:http://x.cn/a", []Range{{"cn,x,)/a dom:http", "cn,x,)/a dom:http\x00"}}, true, "dom:http://x.cn/a", "http://x.cn/a dom:https://x.cn/a"},
		{"x.cn/a", []Range{{"cn,x,)/a", "cn,x,)/b"}}, true, "dom:http://x.cn/a screenshot:https://x.cn/ab", "dom:http://x.cn/"},
		{"=x.cn:443", []Range{{"cn,x,)", "cn,x,*"}, {"cn,x,:443)", "cn,x,:443*"}}, false, "dom:https://x.cn/ screenshot:http://x.cn:443/", "dom:http://x.cn/"},
		{"dns:x.cn", []Range{{"dns:x.cn", "dns:x.cn\x00"}}, true, "dns:x.cn", "dns:x.cnn"},
		{"*", []Range{{}}, true, "http://x.cn/ dns:x", ""},
		{" <http://x.cn/> ", []Range{{"cn,x,)/ http", "cn,x,)/ http\x00"}}, true, "", ""},
	} {
		got, err := ParseScope(tt.scope)
		if tt.ranges == nil {
			if err == nil {
				t.Errorf("ParseScope(%q) = %q, want an error", tt.scope, got.Ranges())
			}
			continue
		}
		if err != nil || !slices.Equal(got.Ranges(), tt.ranges) || got.Exact() != tt.exact {
			t.Errorf("ParseScope(%q) = %q, exact %v, %v; want %q, exact %v", tt.scope, got.Ranges(), got.Exact(), err, tt.ranges, tt.exact)
		}
		for _, u := range strings.Fields(tt.in) {
			if !got.Contains(Key(u)) {
				t.Errorf("%q does not contain %q", tt.scope, u)
			}
		}
		for _, u := range strings.Fields(tt.out) {
			if got.Contains(Key(u)) {
				t.Errorf("%q contains %q", tt.scope, u)
			}
		}
	}
}

func TestParseScopeRefuses(t *testing.T) {
	for _, tt := range []struct{ scope, want string }{
		{"", "'*' for everything"},
		{"=", "has no host"},
		{".", "has no host"},
		{".edu.cn", "write 'edu.cn'"},
		{"pku edu", "is no host"},
		{"a*.cn", "hosts below"},
		{"x.cn/a*b", "only end a scope"},
		{"=x.cn/news", "write 'x.cn/news'"},
		{"*.edu.cn/news", "write 'edu.cn/news'"},
		{"x.cn#a", "fragment"},
		{"x.cn/#a", "fragment"},
		{"u@x.cn/", "user"},
		{"x.cn:80a", "no port"},
		{"x.cn:999999", "no port"},
		{"x:999999", "no port"},
		{"162.105", "no whole IP address"},
		{"mailto:*", "whole URL"},
		{"dom:http://x.cn/a*", "takes no *"},
		{"http://x y.cn/", "no URL"},
		{"x.cn/" + strings.Repeat("a", urlBytesMax), "longer than"},
	} {
		_, err := ParseScope(tt.scope)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("ParseScope(%.60q): %v; want an error with %q", tt.scope, err, tt.want)
		}
	}
}

func TestParseScopeRange(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		want     Range
		err      string
	}{
		{"a.cn/", "m.cn/", Range{"cn,a,)/", "cn,m,)/"}, ""},
		{"a.cn", "m.cn", Range{"cn,a,", "cn,m,"}, ""},
		{"=a.cn", "http://a.cn/x", Range{"cn,a,)", "cn,a,)/x http"}, ""},
		{"m.cn/", "a.cn/", Range{}, "is empty"},
		{"a.cn/", "a.cn/", Range{}, "is empty"},
		{"*", "a.cn/", Range{}, "cannot bound"},
		{"a.cn/", "a.cn/b*", Range{}, "cannot bound"},
		{"", "a.cn/", Range{}, "is empty; write"},
		{"a.cn/", "a cn", Range{}, "is no host"},
	} {
		got, err := ParseScopeRange(tt.from, tt.to)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q .. %q: %v; want an error with %q", tt.from, tt.to, err, tt.err)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Ranges(), []Range{tt.want}) || !got.Exact() {
			t.Errorf("%q .. %q = %q, %v; want %q", tt.from, tt.to, got.Ranges(), err, tt.want)
		}
	}
}

func TestUnion(t *testing.T) {
	scope := func(s string) Scope {
		sc, err := ParseScope(s)
		if err != nil {
			t.Fatal(err)
		}
		return sc
	}
	for _, tt := range []struct {
		scopes string
		want   []Range
	}{
		{"", nil},
		{"b.cn a.cn", []Range{{"cn,a,", "cn,a-"}, {"cn,b,", "cn,b-"}}},
		{"a.cn cn", []Range{{"cn,", "cn-"}}},
		{"a.cn a.cn/x =a.cn", []Range{{"cn,a,", "cn,a-"}}},
		{"=a.cn x.a.cn", []Range{{"cn,a,)", "cn,a,*"}, {"cn,a,:", "cn,a,;"}, {"cn,a,x,", "cn,a,x-"}}},
		{"a.cn *", []Range{{}}},
		{"* a.cn", []Range{{}}},
	} {
		var scopes []Scope
		for _, s := range strings.Fields(tt.scopes) {
			scopes = append(scopes, scope(s))
		}
		if got := Union(scopes...); !slices.Equal(got, tt.want) {
			t.Errorf("Union(%s) = %q, want %q", tt.scopes, got, tt.want)
		}
	}
	if Union() == nil {
		t.Error("Union of no scope is nil, which a scan takes for everything")
	}
}

// TestScopeModel asks random scopes about random URLs, and compares the answers
// with a model that follows the manual word by word.
func TestScopeModel(t *testing.T) {
	hosts := []string{"cn", "a.cn", "b.a.cn", "ba.cn", "a-.cn", "a.cn.", "1.2.3.4", "[::1]", "x,y.cn"}
	ports := []string{"", ":80", ":443", ":8080"}
	paths := []string{"/", "/a", "/a/", "/ab", "/a?x", "/?x"}
	rapid.Check(t, func(t *rapid.T) {
		schemes := []string{"http", "https"}
		scheme := rapid.SampledFrom(schemes).Draw(t, "scheme")
		host := rapid.SampledFrom(hosts).Draw(t, "host")
		port := rapid.SampledFrom(ports).Draw(t, "port")
		path := rapid.SampledFrom(paths).Draw(t, "path")
		url, err := Canonical(scheme + "://" + host + port + path)
		if err != nil {
			t.Fatal(err)
		}
		if port == "" {
			port = ":" + defaultPort(scheme)
		}

		scopeHost := rapid.SampledFrom(hosts).Draw(t, "scope host")
		scopePort := rapid.SampledFrom(ports).Draw(t, "scope port")
		scopePath := rapid.SampledFrom(paths).Draw(t, "scope path")
		portFits := scopePort == "" || scopePort == port
		below := strings.HasSuffix(host, "."+scopeHost) && !isIP(host)
		var text string
		var want bool
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			text = scopeHost + scopePort
			want = portFits && (host == scopeHost || below)
		case 1:
			text = "=" + scopeHost + scopePort
			want = portFits && host == scopeHost
		case 2:
			text = scopeHost + scopePort + scopePath
			own := port == ":"+defaultPort(scheme)
			want = host == scopeHost && strings.HasPrefix(path, scopePath) && portFits && (scopePort != "" || own)
		case 3:
			scopeScheme := rapid.SampledFrom(schemes).Draw(t, "scope scheme")
			text = scopeScheme + "://" + scopeHost + scopePort + scopePath
			if scopePort == "" {
				scopePort = ":" + defaultPort(scopeScheme)
			}
			want = scopeScheme == scheme && host == scopeHost && port == scopePort && path == scopePath
		}
		scope, err := ParseScope(text)
		if err != nil {
			t.Fatal(err)
		}
		key := Key(url)
		if got := scope.Contains(key); got != want {
			t.Fatalf("scope %q contains %q: %v, want %v", text, url, got, want)
		}
		inRange := slices.ContainsFunc(scope.Ranges(), func(r Range) bool { return r.Contains(key) })
		if want && !inRange || scope.Exact() && inRange != want {
			t.Fatalf("scope %q: ranges %q have %q: %v, contained %v, exact %v", text, scope.Ranges(), key, inRange, want, scope.Exact())
		}
	})
}

// FuzzParseScope shows that no text brings the parser to panic, and that ranges
// are sorted, disjoint and not empty.
func FuzzParseScope(f *testing.F) {
	for _, s := range []string{"pku.edu.cn", "=x.cn:80", "*.cn", "http://x.cn/*", "x.cn/%", "x.cn:0/", "[::1]:80/a", "a,b/", "\xff.cn/\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		scope, err := ParseScope(s)
		if err != nil {
			return
		}
		end := ""
		for i, r := range scope.Ranges() {
			if r.To != "" && r.From >= r.To || i > 0 && r.From < end {
				t.Fatalf("ParseScope(%q) = %q", s, scope.Ranges())
			}
			end = r.To
		}
		if !slices.Equal(Union(scope), scope.Ranges()) {
			t.Fatalf("Union of %q = %q, want %q", s, Union(scope), scope.Ranges())
		}
	})
}

// TestPrefixRange cuts canonical URLs at every place. The range of the rest
// must hold the URL's own key, or there is no range; there is none for a rest
// that is not a URL any more.
func TestPrefixRange(t *testing.T) {
	for _, url := range []string{
		"http://www.pku.edu.cn/news/a.htm?x=1", "https://pku.edu.cn/", "http://pku.edu.cn:8080/a", "ftp://u:p@162.105.1.1/d/",
		"http://[2001:db8::1]/x", "dns:www.pku.edu.cn", "http://a,b.cn/x", "http://a.cn/%E5%8C%97", "http://a.cn/x~~",
	} {
		path := strings.Index(url, "//") + 2
		path += max(0, strings.IndexByte(url[path:], '/'))
		for n := range len(url) + 1 {
			r, ok := PrefixRange(url[:n])
			if want := !strings.HasPrefix(url, "dns:") && n > path; ok != want {
				t.Errorf("%q: got a range %v, want %v", url[:n], ok, want)
			}
			if ok && !r.Contains(Key(url)) {
				t.Errorf("%q: the range %q lacks %q", url[:n], r, Key(url))
			}
		}
	}
	r, ok := PrefixRange("http://pku.edu.cn/b")
	for _, other := range []string{"http://pku.edu.cn/a", "http://pku.edu.cn/c", "http://www.pku.edu.cn/b", "http://pku.edu.cn:80801/b"} {
		if !ok || r.Contains(Key(other)) {
			t.Errorf("the range %q has %s", r, other)
		}
	}
}
