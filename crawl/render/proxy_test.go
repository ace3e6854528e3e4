package render

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// startProxy starts a proxy for page and returns it with a client that goes through it.
func startProxy(t *testing.T, page *Page, limits Limits) (*proxy, *http.Client) {
	t.Helper()
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newRefuser()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.close)
	p, err := newProxy(t.Context(), a, f, page, limits.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	roots := x509.NewCertPool()
	roots.AddCert(a.root)
	tr := &http.Transport{
		Proxy:              http.ProxyURL(&url.URL{Scheme: "http", Host: p.addr()}),
		TLSClientConfig:    &tls.Config{RootCAs: roots},
		DisableCompression: true,
	}
	t.Cleanup(tr.CloseIdleConnections)
	return p, &http.Client{Transport: tr, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get requests an address as a page does, and returns the response and its body.
func get(t *testing.T, c *http.Client, method, address, body string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Cookie", "a=b")
	s, err := c.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer s.Body.Close()
	b, err := io.ReadAll(s.Body)
	return s, string(b), err
}

// TestProxy sends requests of HTTP and HTTPS, of names and addresses, through a proxy.
// Each must come to Send once, as it was sent, and its answer must come back.
func TestProxy(t *testing.T) {
	var mu sync.Mutex
	seen := make(map[string]*Request)
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		mu.Lock()
		seen[r.URL] = r
		mu.Unlock()
		switch {
		case strings.HasSuffix(r.URL, "/refused"):
			return nil, errors.New("robots")
		case strings.HasSuffix(r.URL, "/moved"):
			return &Response{Head: []byte("HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n")}, nil
		case strings.HasSuffix(r.URL, "/old"):
			return &Response{Body: []byte("no head")}, nil
		}
		return &Response{Head: []byte("HTTP/1.0 203 Fine\r\nX-A: one\r\n two\r\nno header\r\nX-A: three\r\nTransfer-Encoding: chunked\r\nContent-Length: 99\r\nAlt-Svc: h3\r\nWWW-Authenticate: Basic\r\nContent-Encoding: gzip\r\n\r\n"), Body: []byte(r.Method + string(r.Body))}, nil
	}}
	p, c := startProxy(t, page, Limits{})
	for _, address := range []string{"http://a.test/moved", "http://a.test/x?y=%20", "https://a.test/", "https://a.test:8443/x", "https://192.0.2.1/x", "http://a.test:81/", "https://[2001:db8::1]/"} {
		s, body, err := get(t, c, "POST", address, "body")
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		r := seen[address]
		if r == nil {
			t.Errorf("%s did not come to Send: %v", address, seen)
			continue
		}
		head := string(r.Head)
		if r.Method != "POST" || string(r.Body) != "body" || !strings.Contains(head, "Cookie: a=b\r\n") || strings.Contains(head, "Host:") || strings.Contains(head, "Content-Length") {
			t.Errorf("%s came as %+v with the headers %q", address, r, head)
		}
		if strings.HasSuffix(address, "moved") {
			if s.StatusCode != 302 || s.Header.Get("Location") != "/there" || !r.Main {
				t.Errorf("%s: %v, main %v", address, s, r.Main)
			}
			continue
		}
		if r.Main != (address == "http://a.test/x?y=%20") {
			t.Errorf("%s: main %v", address, r.Main)
		}
		if s.StatusCode != 203 || body != "POSTbody" || s.Header["X-A"][0] != "one two" || s.Header["X-A"][1] != "three" || s.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %v, %q", address, s, body)
		}
		for _, name := range []string{"Alt-Svc", "Www-Authenticate"} {
			if s.Header.Get(name) != "" {
				t.Errorf("%s: the browser gets %s", address, name)
			}
		}
	}
	if _, body, err := get(t, c, "HEAD", "https://a.test/", ""); err != nil || body != "" {
		t.Errorf("HEAD: %q, %v", body, err)
	}
	if s, body, err := get(t, c, "GET", "https://a.test/old", ""); err != nil || body != "no head" || s.StatusCode != 200 {
		t.Errorf("a response without a head: %q, %v", body, err)
	}
	if _, _, err := get(t, c, "GET", "https://a.test/refused", ""); err == nil {
		t.Error("a refused request got a response")
	}
	if p.failed() != nil {
		t.Errorf("a part that was refused is taken for the page: %v", p.failed())
	}
	// A request that the browser makes for itself.
	r, _ := http.NewRequest("GET", "https://update.test/", nil)
	r.Header.Set("Sec-Fetch-Site", "none")
	r.Header.Set("Sec-Fetch-Dest", "empty")
	if s, err := c.Do(r); err == nil {
		s.Body.Close()
		t.Error("a request of the browser itself got a response")
	}
	if seen["https://update.test/"] != nil || p.refuser.count() != 1 {
		t.Errorf("a request of the browser itself came to Send, or was not counted: %d", p.refuser.count())
	}
}

// TestProxyBadRequests sends what is no request. The proxy must answer or close, and
// must not pass anything on.
func TestProxyBadRequests(t *testing.T) {
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		t.Errorf("%s %s came to Send", r.Method, r.URL)
		return nil, errors.New("no")
	}}
	p, _ := startProxy(t, page, Limits{})
	for _, text := range []string{
		"", "\r\n", "x", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET file:///etc/passwd HTTP/1.1\r\n\r\n", "GET https://a.test/ HTTP/1.1\r\n\r\n",
		"GET ftp://a.test/ HTTP/1.1\r\n\r\n", "CONNECT a.test HTTP/1.1\r\n\r\n", "CONNECT a.test:80 HTTP/1.1\r\n\r\nGET http://b.test/ HTTP/1.1\r\n\r\n",
		"CONNECT a.test:80 HTTP/1.1\r\n\r\nCONNECT b.test:80 HTTP/1.1\r\n\r\n", "CONNECT a.test:443 HTTP/1.1\r\n\r\n\x16\x03\x01rubbish",
		"POST http://a.test/ HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "POST http://a.test/ HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n",
		"POST http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "POST http://a.test/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc",
		"GET http://a.test/ HTTP/1.1\r\nX: " + strings.Repeat("x", requestHeadMax) + "\r\n\r\n",
	} {
		c, err := net.Dial("tcp", p.addr())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, text)
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c) // ends when the proxy closes
		c.Close()
	}
}

// TestProxyBounds shows that no more than parallel requests to a host wait at once, that
// limits refuse what comes after them, and that close ends requests that wait.
func TestProxyBounds(t *testing.T) {
	var mu sync.Mutex
	now, most, calls, all := 0, 0, 0, make(chan struct{})
	release := make(chan struct{})
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		mu.Lock()
		now++
		most = max(most, now)
		if calls++; calls == parallel {
			close(all)
		}
		mu.Unlock()
		defer func() { mu.Lock(); now--; mu.Unlock() }()
		select {
		case <-release:
			return &Response{Head: []byte("HTTP/1.1 200 OK\r\n\r\n"), Body: []byte("12345")}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}}
	p, c := startProxy(t, page, Limits{Requests: 12})
	var running sync.WaitGroup
	for i := range 10 {
		running.Go(func() {
			if _, _, err := get(t, c, "GET", fmt.Sprintf("http://a.test/%d", i), ""); err != nil {
				t.Error(err)
			}
		})
	}
	<-all
	if p.quiet(expired(t), time.Nanosecond) == nil {
		t.Error("the proxy is quiet while requests wait")
	}
	close(release)
	running.Wait()
	if most != parallel {
		t.Errorf("%d requests to a host at once, want %d", most, parallel)
	}
	if err := p.quiet(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	for i, fails := range []bool{false, false, true} {
		if _, _, err := get(t, c, "GET", fmt.Sprintf("http://b.test/%d", i), ""); (err != nil) != fails {
			t.Errorf("request %d after ten: %v", i+1, err)
		}
	}
	if p.limit("done") != "requests" {
		t.Errorf("the limit is %q", p.limit("done"))
	}

	release, calls, all = make(chan struct{}), 0, make(chan struct{})
	q, c := startProxy(t, page, Limits{})
	for i := range parallel {
		running.Go(func() {
			if _, _, err := get(t, c, "GET", fmt.Sprintf("http://c.test/%d", i), ""); err == nil {
				t.Error("a request got a response after close")
			}
		})
	}
	<-all
	q.close()
	running.Wait()
}

// TestProxyBodies shows that the bodies of requests count for the limit of bytes, before they are read.
func TestProxyBodies(t *testing.T) {
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		return &Response{Head: []byte("HTTP/1.1 200 OK\r\n\r\n")}, nil
	}}
	p, c := startProxy(t, page, Limits{Bytes: 1000})
	for i, fails := range []bool{false, true} {
		if _, _, err := get(t, c, "POST", "http://a.test/", strings.Repeat("x", 600)); (err != nil) != fails {
			t.Errorf("body %d: %v, want an error: %v", i+1, err, fails)
		}
	}
	if p.limit("done") != "bytes" {
		t.Errorf("the limit is %q, want bytes", p.limit("done"))
	}
}

// TestReadHead shows that a line that fills the buffer of the reader is not taken for the end of the head.
func TestReadHead(t *testing.T) {
	for n := 4080; n < 4100; n++ {
		text := "GET http://a.test/ HTTP/1.1\r\nX: " + strings.Repeat("x", n) + "\r\nY: z\r\n\r\n"
		q, err := readRequest(bufio.NewReader(strings.NewReader(text)), nil)
		if err != nil || !strings.HasSuffix(string(q.head), "\r\nY: z\r\n") {
			t.Errorf("%d: %v, %+v", n, err, q)
		}
	}
}

// TestFieldsJoined shows that a header of many lines is not copied for each of them.
func TestFieldsJoined(t *testing.T) {
	head := []byte("A: b\r\n" + strings.Repeat(" c\r\n", 1<<14))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for _, line := range fields(head) {
		n += len(line)
	}
	runtime.ReadMemStats(&after)
	if n != 4+2<<14 {
		t.Errorf("%d bytes", n)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 10<<20 {
		t.Errorf("it took %d bytes of memory, want less than 1 MB", took)
	}
}

// failing is a listener whose Accept returns an error the first time.
type failing struct {
	net.Listener
	failed bool
}

func (f *failing) Accept() (net.Conn, error) {
	if !f.failed {
		f.failed = true
		return nil, syscall.EMFILE
	}
	return f.Listener.Accept()
}

// TestAccept shows that a listener goes on after an error that passes, and ends when it is closed.
func TestAccept(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f := &failing{Listener: l}
	got := accept(f)
	if got == nil {
		t.Fatal("no connection")
	}
	got.Close()
	l.Close()
	if accept(f) != nil {
		t.Error("a connection of a listener that is closed")
	}
}

// expired returns a context that has ended.
func expired(t *testing.T) context.Context {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	return ctx
}

// TestProxySocket opens a WebSocket. The handshake must come to Send, the answer must
// fit the key, and the connection must stay open without counting as a request that
// waits.
func TestProxySocket(t *testing.T) {
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		if !r.Socket || r.URL != "http://a.test/ws" || !strings.Contains(string(r.Head), "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==") {
			t.Errorf("the handshake came as %+v %q", r, r.Head)
		}
		return &Response{Head: []byte("HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: of another key\r\n\r\n")}, nil
	}}
	p, _ := startProxy(t, page, Limits{})
	c, err := net.Dial("tcp", p.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "CONNECT a.test:80 HTTP/1.1\r\n\r\nGET /ws HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	r := bufio.NewReader(c)
	if head, err := readHead(r); err != nil || !strings.Contains(string(head), "200") {
		t.Fatalf("%q, %v", head, err)
	}
	head, err := readHead(r)
	if err != nil || !strings.Contains(string(head), "101") || strings.Count(string(head), "Sec-WebSocket-Accept") != 1 ||
		!strings.Contains(string(head), "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n") {
		t.Fatalf("%q, %v", head, err)
	}
	if err := p.quiet(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	if got := p.opened(); len(got) != 1 || got[0] != "ws://a.test/ws" {
		t.Errorf("sockets %q", got)
	}
}

// TestProxyStream shows that a page is quiet while it only waits for events of a stream.
func TestProxyStream(t *testing.T) {
	begun := make(chan struct{})
	page := &Page{Send: func(ctx context.Context, r *Request) (*Response, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	p, c := startProxy(t, page, Limits{})
	var running sync.WaitGroup
	running.Go(func() {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://a.test/events", nil)
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Accept", "text/event-stream")
		if s, err := c.Do(r); err == nil {
			s.Body.Close()
			t.Error("the stream got a response")
		}
	})
	<-begun
	if err := p.quiet(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	p.close()
	running.Wait()
}

// TestRefuser shows that the browser's own proxy answers nothing and counts.
func TestRefuser(t *testing.T) {
	f, err := newRefuser()
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	for _, text := range []string{"CONNECT update.test:443 HTTP/1.1\r\n\r\n", "GET http://update.test/ HTTP/1.1\r\n\r\n"} {
		c, err := net.Dial("tcp", f.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, text)
		if b, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 403 ") {
			t.Errorf("%q, %v", b, err)
		}
		c.Close()
	}
	if f.count() != 2 {
		t.Errorf("%d requests were refused, want 2", f.count())
	}
}

// TestAuthority checks the certificates, and that their number is bounded.
func TestAuthority(t *testing.T) {
	a, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.root)
	for _, host := range []string{"a.test", "A.test", "192.0.2.1", "2001:db8::1"} {
		c, err := a.leaf(host)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	first, _ := a.leaf("a.test")
	if again, _ := a.leaf("a.TEST"); again != first || len(a.leaves) != 3 {
		t.Errorf("%d certificates are kept, want 3; the same one: %v", len(a.leaves), again == first)
	}
	for i := range leavesMax {
		if _, err := a.leaf(fmt.Sprintf("h%d.test", i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.leaves) > leavesMax {
		t.Errorf("%d certificates are kept", len(a.leaves))
	}
}
