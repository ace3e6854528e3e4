package urlkey

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCDX(t *testing.T) {
	const id32 = "0123456789abcdefghijklemopqrstuv"
	for _, tt := range []struct{ url, want string }{
		{"http://www.archive.org/", "org,archive)/"},
		{"https://archive.org/", "org,archive)/"},
		{"http://archive.org/goo/", "org,archive)/goo"},
		{"http://archive.org/goo/?", "org,archive)/goo"},
		{"http://archive.org/goo/?b&a", "org,archive)/goo?a&b"},
		{"http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"},
		{"http://archive.org/?a=1&a", "org,archive)/?a&a=1"},
		{"http://archive.org/?ab=1&a=2", "org,archive)/?a=2&ab=1"},
		{"http://x.cn/?a=1&", "cn,x)/?&a=1"},
		{"http://www2.x.cn/A/B.HTM?C=D", "cn,x)/a/b.htm?c=d"},
		{"http://www2foo.com/", "com,www2foo)/"},
		{"http://www2.www2foo.com/", "com,www2foo)/"},
		{"http://u:p@www.x.cn:8080/", "cn,x:8080)/"},
		{"http://x.cn./", "cn,x)/"},
		{"http://162.105.1.2/", "2,1,105,162)/"},
		{"http://x.cn//a//b//", "cn,x)/a/b"},
		{"http://x.cn/%2525252525", "cn,x)/%25"},
		{"http://x.cn/asdf%25%32%35asd", "cn,x)/asdf%25asd"},
		{"http://x.cn/%E5%8C%97%20%b1", "cn,x)/%e5%8c%97%20%b1"},
		{"http://x.cn/a%2F..%2Fb", "cn,x)/b"},
		{"http://x.cn/a%2F%2F..%2Fb", "cn,x)/a/b"},
		{"http://x.cn/?q=%E5%8C%97%26a=1", "cn,x)/?a=1&q=%e5%8c%97"},
		{"http://archive.org/index.php?PHPSESSID=" + id32 + "&action=profile;u=4221", "org,archive)/index.php?action=profile;u=4221"},
		{"http://x.cn/?jsessionid=" + id32, "cn,x)/"},
		{"http://x.cn/?jsessionid=" + id32 + "0", "cn,x)/?jsessionid=" + id32 + "0"},
		{"http://x.cn/?one=two&jsessionid=" + id32 + "&x=y", "cn,x)/?one=two&x=y"},
		{"http://x.cn/?one=two&jsessionid=" + id32, "cn,x)/?&one=two"},
		{"http://x.cn/?sid=" + id32 + "&jsessionid=" + id32, "cn,x)/"},
		{"http://x.cn/?aspsessionidABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX&x=y", "cn,x)/?x=y"},
		{"http://x.cn/?CFID=14475712&CFTOKEN=2D89F5AF-3048&r=4687&m=f", "cn,x)/?m=f&r=4687"},
		{"http://x.cn/(S(4hqa0555fwsecu455xqckv45))/mileg.aspx", "cn,x)/mileg.aspx"},
		{"http://x.cn/(4hqa0555fwsecu455xqckv45)/mileg.aspx", "cn,x)/mileg.aspx"},
		{"http://x.cn/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45))/M.aspx?page=s", "cn,x)/m.aspx?page=s"},
		{"http://x.cn/photos/36050182@N05/", "cn,x)/photos/36050182@n05"},
		{"metadata://gnu.org/wget/", "org,gnu)/wget"},
		{"dns:archive.org", "dns:archive.org"},
		{"urn:uuid:AB", "urn:uuid:AB"},
		{"file:///a/", "file:///a/"},
	} {
		if got := CDX(tt.url); got != tt.want {
			t.Errorf("CDX(%q) = %q, want %q", tt.url, got, tt.want)
		}
	}
}

// TestCDXFiles compares with the keys that other programs wrote. Keys of POST
// requests, to which pywb appends the body, are left out.
func TestCDXFiles(t *testing.T) {
	dir := shared(t, "warc", "pywb", "sample_archive")
	compared := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".cdx") || strings.Contains(path, "non-surt") {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(path, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				return err
			}
		}
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			want, url := cdxLine(lines.Text())
			// One sample names its keys by hand.
			if url == "" || strings.Contains(want, "__wb_method") || strings.HasSuffix(strings.Split(want, ")")[0], ",arc") {
				continue
			}
			u, err := Canonical(url)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			compared++
			if got := CDX(u); got != want {
				t.Errorf("%s: CDX(%q) = %q, want %q", path, url, got, want)
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d keys", compared)
	if compared < 300 {
		t.Errorf("%d keys compared, want 300 or more", compared)
	}
}

// cdxLine returns key and URL of one line of a CDX or CDXJ file, or "".
func cdxLine(line string) (key, url string) {
	fields := strings.SplitN(line, " ", 4)
	switch {
	case len(fields) < 3 || fields[0] == "":
		return "", ""
	case strings.HasPrefix(fields[2], "{"):
		var props struct{ URL string }
		if json.Unmarshal([]byte(strings.Join(fields[2:], " ")), &props) != nil {
			return "", ""
		}
		return fields[0], props.URL
	default:
		return fields[0], fields[2]
	}
}

// FuzzCDX shows that folding a folded key changes only what a key cannot hold,
// and that keys are printable ASCII.
func FuzzCDX(f *testing.F) {
	for _, s := range []string{"http://x.cn/%2F..//", "http://x.cn/?%26", "http://%2e%2e/", "http://x.cn/(%28)/.aspx", "dom:http://x.cn/%20"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := Canonical(raw)
		if err != nil {
			return
		}
		key := CDX(u)
		if _, _, ok := authority(u); !ok {
			return
		}
		for i := range len(key) {
			if key[i] <= ' ' || key[i] >= 0x7f {
				t.Fatalf("CDX(%q) = %q: byte %#x", u, key, key[i])
			}
		}
	})
}

func BenchmarkCDX(b *testing.B) {
	for _, bb := range []struct{ name, url string }{
		{"plain", benchURL},
		{"escaped", "http://www.pku.edu.cn/news/%E5%8C%97.html?b=%26&a=2"},
		{"session", "http://www.pku.edu.cn/a.php?PHPSESSID=0123456789abcdefghijklemopqrstuv&x=y"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				CDX(bb.url)
			}
		})
	}
}

// TestUnescapeAllOnePass decodes an escape inside of thousands of others. It takes one pass over the
// text: a pass for each level allocated a new text each time.
func TestUnescapeAllOnePass(t *testing.T) {
	nested := "%" + strings.Repeat("25", 5000) + "41"
	if got := unescapeAll(nested); got != "A" {
		t.Errorf("got %.20q, want A", got)
	}
	if n := testing.AllocsPerRun(1, func() { unescapeAll(nested) }); n > 5 {
		t.Errorf("%v allocations", n)
	}
}
