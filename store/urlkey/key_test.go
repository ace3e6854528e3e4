package urlkey

import (
	"slices"
	"testing"
)

var keyTests = []struct{ url, key string }{
	{"http://www.pku.edu.cn/", "cn,edu,pku,www,)/ http"},
	{"https://www.pku.edu.cn/news/a.htm?x=1", "cn,edu,pku,www,)/news/a.htm?x=1 https"},
	{"http://pku.edu.cn:8080/", "cn,edu,pku,:8080)/ http"},
	{"https://pku.edu.cn:80/a", "cn,edu,pku,:80)/a https"},
	{"ftp://pku.edu.cn/pub/", "cn,edu,pku,)/pub/ ftp"},
	{"http://u:p@pku.edu.cn:81/", "cn,edu,pku,:81)/ http u:p"},
	{"http://u@pku.edu.cn/?a@b:c", "cn,edu,pku,)/?a@b:c http u"},
	{"http://localhost/", "localhost,)/ http"},
	{"http://162.105.1.1/a", "162.105.1.1,)/a http"},
	{"http://162.105.1.1:8080/a", "162.105.1.1,:8080)/a http"},
	{"http://[2001:db8::1]/", "[2001:db8::1],)/ http"},
	{"http://[2001:db8::1]:8080/", "[2001:db8::1],:8080)/ http"},
	{"http://x.cn./", ",cn,x,)/ http"},
	{"http://a..cn/", "cn,,a,)/ http"},
	{"http://a,b.)c.cn/,)", "cn,%29c,a%2Cb,)/,) http"},
	{"http://1.cn/", "cn,1,)/ http"},
	{"dom:https://www.pku.edu.cn/news?x=1", "cn,edu,pku,www,)/news?x=1 dom:https"},
	{"dom:http://u:p@pku.edu.cn:81/", "cn,edu,pku,:81)/ dom:http u:p"},
	{"screenshot:http://[::1]/a", "[::1],)/a screenshot:http"},
	// Keys of their own.
	{"dom:ftp://x.cn/", "dom:ftp://x.cn/"},
	{"dom:dom:http://x,y.cn/", "dom:dom:http://x,y.cn/"},
	{"screenshot:x", "screenshot:x"},
	{"dns:www.pku.edu.cn", "dns:www.pku.edu.cn"},
	{"data:,a)b c", "data:,a)b c"},
	{"metadata://gnu.org/software/,)", "metadata://gnu.org/software/,)"},
	{"file:///C:/a", "file:///C:/a"},
	{"ws://x.cn/", "ws://x.cn/"},
}

func TestKey(t *testing.T) {
	for _, tt := range keyTests {
		if got := Key(tt.url); got != tt.key {
			t.Errorf("Key(%q) = %q, want %q", tt.url, got, tt.key)
		}
		if got := URL(tt.key); got != tt.url {
			t.Errorf("URL(%q) = %q, want %q", tt.key, got, tt.url)
		}
		if again, err := Canonical(tt.url); err != nil || again != tt.url {
			t.Errorf("Canonical(%q) = %q, %v; the test needs canonical URLs", tt.url, again, err)
		}
	}
}

// TestKeyOrder shows the order in which a query's rows come.
func TestKeyOrder(t *testing.T) {
	want := []string{
		"http://cn/",
		"http://edu.cn/",
		"dom:https://pku.edu.cn/",
		"http://pku.edu.cn/",
		"https://pku.edu.cn/",
		"screenshot:https://pku.edu.cn/",
		"http://pku.edu.cn/a",
		"http://pku.edu.cn/a/",
		"http://pku.edu.cn/a?x=1",
		"http://pku.edu.cn:8080/",
		"http://bbs.pku.edu.cn/",
		"http://www.pku.edu.cn/",
		"http://pku2.edu.cn/",
		"http://pku.com/",
	}
	got := slices.Clone(want)
	slices.SortFunc(got, func(a, b string) int {
		if Key(a) < Key(b) {
			return -1
		}
		return 1
	})
	if !slices.Equal(got, want) {
		t.Errorf("sorted by key:\n%q, want\n%q", got, want)
	}
}

// TestURLOfNoKey shows that URL takes whatever comes.
func TestURLOfNoKey(t *testing.T) {
	for _, s := range []string{"", ",", ")", "cn,x", "cn,x,", "cn,x,)", ":", "[", "[,", "%", "pku.edu.cn"} {
		if got := URL(s); got != s {
			t.Errorf("URL(%q) = %q, want it unchanged", s, got)
		}
	}
}

// FuzzURL shows that no key brings URL to panic.
func FuzzURL(f *testing.F) {
	for _, tt := range keyTests {
		f.Add(tt.key)
	}
	f.Add("cn,%4,%)/ http")
	f.Add("cn,a,)/ dom:")
	f.Fuzz(func(t *testing.T, key string) { URL(key) })
}

// FuzzKeyDistinct shows that two URLs have two keys, and that a prefix range of
// one host holds no other's.
func FuzzKeyDistinct(f *testing.F) {
	f.Add("http://a,b.cn/", "http://b.a.cn/")
	f.Add("http://a.cn/)", "http://a.cn)/")
	f.Add("http://a.cn/", "https://a.cn/")
	f.Add("http://a.cn/ https", "http://https@a.cn/")
	f.Add("cn,a:x", "http://a.cn/")
	f.Add("dom:http://a.cn/", "http://a.cn/ dom:http")
	f.Add("dom:http://a.cn/", "screenshot:http://a.cn/")
	f.Fuzz(func(t *testing.T, a, b string) {
		a, errA := Canonical(a)
		b, errB := Canonical(b)
		if errA == nil && errB == nil && a != b && Key(a) == Key(b) {
			t.Fatalf("%q and %q have the same key %q", a, b, Key(a))
		}
	})
}

const benchURL = "http://www.pku.edu.cn/news/2008/06/index.html?id=4711&page=2"

func BenchmarkKey(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Key(benchURL)
	}
}

func BenchmarkURL(b *testing.B) {
	key := Key(benchURL)
	b.ReportAllocs()
	for b.Loop() {
		URL(key)
	}
}

// TestHostPrefix shows which part of a key holds the host: URLs that agree in
// it have the same host.
func TestHostPrefix(t *testing.T) {
	for _, tt := range keyTests {
		n := HostPrefix(tt.key)
		if n == 0 {
			if split, ok := split(tt.url); ok {
				t.Errorf("HostPrefix(%q) = 0, but the host is %q", tt.key, split.host)
			}
			continue
		}
		other := URL(tt.key[:n] + "/else https")
		if Host(other) != Host(tt.url) {
			t.Errorf("HostPrefix(%q) = %d, but %q has another host", tt.key, n, other)
		}
	}
}

// TestAppendURLs passes keys in orders in which hosts, ports, schemes and users
// change, and texts that are not keys.
func TestAppendURLs(t *testing.T) {
	keys := []string{"", "a", "cn,a,)/x", "cn,a,)/x http", "cn,a,)/y http", "cn,a,)/y http", "cn,a,)/y https", "cn,a,)/z http u", "cn,a,)/ http u", "cn,a,:81)/ http", "cn,a,b,)/ http"}
	for _, tt := range keyTests {
		keys = append(keys, tt.key)
	}
	for i, k := range keys {
		list := append(append(slices.Clone(keys[i:]), keys...), k)
		got := AppendURLs([]string{"before"}, list)[1:]
		for j, key := range list {
			if want := URL(key); got[j] != want {
				t.Errorf("of %q behind %q: got %q, want %q", key, list[:j], got[j], want)
			}
		}
	}
}
