package serve

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestProxy shows that a client which uses the proxy gets captures of the time of the
// proxy as they were, and what it gets for all else.
func TestProxy(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	io.WriteString(z, "the text of the zipped page")
	z.Close()
	page := shot("http://a.example/", "20080601000000")
	page.Head = "HTTP/1.1 200 OK\r\nDate: Mon, 02 Jun 2008 00:00:00 GMT\r\nContent-Type: text/html; charset=gbk\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nConnection: close\r\nContent-Length: 7\r\nCache-Control: max-age=9999999\r\n\r\n"
	page.Body = `<a href="http://a.example/x">`
	coded := shot("http://a.example/zipped", "20080601000000")
	coded.Head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
	coded.Body = zipped.String()
	moved := shot("http://a.example/moved", "20080601000000")
	moved.Head, moved.Status, moved.Body = "HTTP/1.1 302 Found\r\nLocation: http://b.example/\r\n\r\n", 302, ""
	gone := shot("http://a.example/gone", "20080601000000")
	gone.Head, gone.Status, gone.Body = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", 404, "it is gone"
	later := shot("http://a.example/", "20090601000000")
	s, _ := testServer(t, func(o *Options) { o.ProxyAddr, o.ProxyTime = "x", "200807" }, page, later, coded, moved, gone,
		shot("https://s.example/", "20080601000000"), shot("http://a.example/form?q=1", "20080601000000"))
	h, err := s.proxyHandler()
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(h)
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at)}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	do := func(method, url, body string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(b)
	}
	for _, c := range []struct {
		method, url, body string
		status            int
		want              string
	}{
		{"GET", "http://a.example/", "", 200, page.Body},
		{"HEAD", "http://a.example/", "", 200, ""},
		{"GET", "http://a.example/zipped", "", 200, "the text of the zipped page"},
		{"GET", "http://a.example/moved", "", 302, ""},
		{"GET", "http://a.example/gone", "", 404, "it is gone"},
		{"GET", "http://s.example/", "", 200, "body of 20080601000000"},
		{"POST", "http://a.example/form", "q=1", 200, "body of 20080601000000"},
		{"GET", "http://never.example/x", "", 404, "infomall: the archive has no capture of http://never.example/x: nobody has looked at it for this archive\n"},
		{"DELETE", "http://a.example/", "", 405, "infomall: DELETE is not answered here; use GET, HEAD, POST\n"},
	} {
		if res, body := do(c.method, c.url, c.body); res.StatusCode != c.status || body != c.want {
			t.Errorf("%s %s: %d %q, want %d %q", c.method, c.url, res.StatusCode, body, c.status, c.want)
		}
	}
	res, _ := do("GET", "http://a.example/", "")
	for name, want := range map[string]string{
		"Date": "Sun, 01 Jun 2008 00:00:00 GMT", "Memento-Datetime": "Sun, 01 Jun 2008 00:00:00 GMT", "Content-Type": "text/html; charset=gbk",
		"Set-Cookie": "a=b, c=d", "Cache-Control": "max-age=9999999", "Content-Security-Policy": "",
	} {
		if got := strings.Join(res.Header.Values(name), ", "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if res, _ := do("GET", "http://a.example/moved", ""); res.Header.Get("Location") != "http://b.example/" {
		t.Errorf("Location: %s", res.Header.Get("Location"))
	}
	if _, err := client.Get("https://s.example/"); err == nil || !strings.Contains(err.Error(), "Not Implemented") {
		t.Errorf("https: %v", err)
	}
	// A request for the proxy itself, as a page of another site can make a browser
	// send by DNS rebinding, has no capture.
	direct, err := http.Get(proxy.URL + "/http://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Body.Close()
	if b, _ := io.ReadAll(direct.Body); direct.StatusCode != 400 || !strings.Contains(string(b), "curl -x http://"+at.Host) {
		t.Errorf("a request for the proxy itself: %d %s", direct.StatusCode, b)
	}
	if r := send(t, h, http.MethodConnect, "s.example:443", ""); r.StatusCode != 501 || !strings.Contains(bodyOf(t, r), "http://s.example/") {
		t.Errorf("CONNECT: %d", r.StatusCode)
	}
	s.o.ProxyTime = "20081399"
	if _, err := s.proxyHandler(); err == nil || !strings.Contains(err.Error(), "is no time") {
		t.Errorf("a wrong time: %v", err)
	}
}
