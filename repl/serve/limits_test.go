package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/record"
)

// TestCDXLargeNumbers shows that numbers whose sum or product exceeds 64 bits count as large numbers.
func TestCDXLargeNumbers(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	const most = "9223372036854775807"
	for _, c := range []struct {
		query, like string // a query and one with the same answer
	}{
		{"offset=1&limit=" + most, "offset=1"},
		{"offset=" + most, "offset=1000000"},
		{"offset=" + most + "&limit=" + most, "offset=1000000"},
		{"sort=reverse&offset=1&limit=" + most, "sort=reverse&offset=1"},
		{"sort=closest&closest=2009&offset=1&limit=" + most, "sort=closest&closest=2009&offset=1"},
		{"page=6148914691236517206", "page=1000"},
		{"page=" + most + "&pageSize=1000", "page=1000"},
	} {
		got, want := get(t, s.interfaceHandler(), "/cdx?url=a.example&"+c.query), get(t, s.interfaceHandler(), "/cdx?url=a.example&"+c.like)
		if got.StatusCode != want.StatusCode {
			t.Errorf("%s: status %d, want %d", c.query, got.StatusCode, want.StatusCode)
		}
		if a, b := bodyOf(t, got), bodyOf(t, want); got.StatusCode == http.StatusOK && a != b {
			t.Errorf("%s:\n%s\nwant\n%s", c.query, a, b)
		}
	}
}

// TestOpenWaybackLimit shows that a request of OpenWayback gets no more captures than the
// server holds in memory for it.
func TestOpenWaybackLimit(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for limit, want := range map[string]string{"": "10000", "+limit%3A5": "5", "+limit%3A99999999": "10000", "+limit%3A0": "10000"} {
		xml := bodyOf(t, get(t, s.interfaceHandler(), "/cdx?q=type%3Aurlquery+url%3Aa.example"+limit))
		if !strings.Contains(xml, "<resultsrequested>"+want+"</resultsrequested>") {
			t.Errorf("%q: want a limit of %s: %s", limit, want, xml)
		}
	}
}

// TestNoPath shows that requests whose target has no path are answered too.
func TestNoPath(t *testing.T) {
	s, _ := testServer(t, nil, shot("http://a.example/", "20080601000000"))
	for name, h := range map[string]http.Handler{"interface": s.interfaceHandler(), "replay": s.replayHandler()} {
		server := httptest.NewServer(h)
		host := server.Listener.Addr().String()
		for _, line := range []string{"GET http://" + host, "CONNECT " + host, "OPTIONS *"} {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", line, host)
			answer, err := io.ReadAll(c)
			if err != nil || !bytes.HasPrefix(answer, []byte("HTTP/1.1 4")) && !bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) {
				t.Errorf("%s: %s is answered with %.40q, %v", name, line, answer, err)
			}
			c.Close()
		}
		server.Close()
	}
}

// slowConn is a connection whose client sends request and then nothing more.
type slowConn struct {
	net.Conn
	request *strings.Reader

	mu      sync.Mutex
	until   time.Time  // the deadline of reads
	endless chan error // gets a value if the server would wait for the client without end
	closed  chan struct{}
}

// Read returns the rest of the request. After it, Read fails as if the deadline had passed.
func (c *slowConn) Read(b []byte) (int, error) {
	if n, err := c.request.Read(b); err == nil {
		return n, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until.IsZero() {
		c.endless <- fmt.Errorf("the server waits for the client without a deadline")
		return 0, io.EOF
	}
	return 0, os.ErrDeadlineExceeded
}

func (c *slowConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	return nil
}

func (c *slowConn) Write(b []byte) (int, error)        { return len(b), nil }
func (c *slowConn) SetDeadline(t time.Time) error      { return c.SetReadDeadline(t) }
func (c *slowConn) SetWriteDeadline(t time.Time) error { return nil }
func (c *slowConn) LocalAddr() net.Addr                { return insideUI }
func (c *slowConn) RemoteAddr() net.Addr               { return insideUI }

func (c *slowConn) Close() error {
	close(c.closed)
	return nil
}

// oneListener is a listener with one connection.
type oneListener struct{ conns chan net.Conn }

func (l oneListener) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (l oneListener) Close() error   { return nil }
func (l oneListener) Addr() net.Addr { return insideUI }

// TestUnreadBody shows that the server does not wait without end for the rest of a body that
// nobody reads: it reads what is left of a body before it answers.
func TestUnreadBody(t *testing.T) {
	s, _ := testServer(t, nil, shot("http://a.example/", "20080601000000"))
	for _, request := range []string{
		"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nabc",
		"POST /20080601/http://a.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n",
		"POST /api/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nabc",
	} {
		c := &slowConn{request: strings.NewReader(request), endless: make(chan error, 9), closed: make(chan struct{})}
		l := oneListener{make(chan net.Conn, 1)}
		l.conns <- c
		close(l.conns)
		server := s.httpServer(s.interfaceHandler())
		server.Serve(l)
		<-c.closed
		select {
		case err := <-c.endless:
			t.Errorf("%q: %v", request, err)
		default:
		}
	}
}

// deadlineWriter is a ResponseWriter that notes the largest write after each new deadline.
type deadlineWriter struct {
	http.ResponseWriter
	since, largest int
}

func (w *deadlineWriter) SetWriteDeadline(time.Time) error {
	w.since = 0
	return nil
}

func (w *deadlineWriter) Write(b []byte) (int, error) {
	w.since += len(b)
	w.largest = max(w.largest, w.since)
	return w.ResponseWriter.Write(b)
}

// TestSlowReader shows that a client has clientTimeout for each piece of a large body, and not for
// the whole body.
func TestSlowReader(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 500_000)
	answered := httptest.NewRecorder()
	w := &deadlineWriter{ResponseWriter: answered}
	rec := &recorder{ResponseWriter: w, deadline: http.NewResponseController(w)}
	if n, err := rec.Write(body); n != len(body) || err != nil || rec.bytes != int64(len(body)) {
		t.Errorf("wrote %d bytes and counted %d, %v", n, rec.bytes, err)
	}
	if !bytes.Equal(answered.Body.Bytes(), body) {
		t.Error("the body has changed")
	}
	if w.largest > pieceMax {
		t.Errorf("%d bytes must be accepted within one deadline, want at most %d", w.largest, pieceMax)
	}
}

// TestParquetDownload shows that a Parquet file, like the other formats, is downloaded under a name
// of its own.
func TestParquetDownload(t *testing.T) {
	s, _ := testServer(t, nil, cdxCaptures()...)
	for _, f := range []string{"csv", "parquet"} {
		r := get(t, s.interfaceHandler(), asking("SELECT url FROM captures", "format", f, "download", "1"))
		if got, want := r.Header.Get("Content-Disposition"), `attachment; filename="infomall.`+f+`"`; got != want {
			t.Errorf("Content-Disposition %q, want %q", got, want)
		}
	}
}

// TestRedirectToItself shows that a page of which the archive has only a redirect to another form
// of its own address is no redirect without end.
func TestRedirectToItself(t *testing.T) {
	moved := shot("http://a.example/", "20080601000000")
	moved.Head, moved.Status, moved.Body = "HTTP/1.1 301 Moved\r\nLocation: https://www.a.example/\r\n\r\n", 301, ""
	s, _ := testServer(t, nil, moved)
	target := "/20080601000000mp_/http://a.example/"
	for range 5 {
		r := get(t, s.replayHandler(), target)
		if r.StatusCode < 300 || r.StatusCode > 399 {
			return
		}
		target = r.Header.Get("Location")
	}
	t.Errorf("the redirects do not end: %s", target)
}

// TestLargeHeader shows that a body which is too large for memory is sent with its content
// coding, if it still has it, and with the type that its first bytes suggest, if the response has none.
func TestLargeHeader(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	for i := range 9000 {
		fmt.Fprintf(z, "line %d\n", i*i)
	}
	z.Close()
	const gzipHead, bareHead = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"
	const source = "text/plain; charset=utf-8" // a page of this size is not rewritten, so replay shows its source
	for _, c := range []struct{ head, body, replayed, proxied, coding string }{
		{gzipHead, zipped.String(), source, "text/html", "gzip"},
		{gzipHead, "<p>an importer has decoded it", source, "text/html", ""},
		{bareHead, "%PDF-1.4 and so on", "application/pdf", "application/pdf", ""},
	} {
		p := &record.Payload{Head: []byte(c.head), Size: int64(len(c.body)), Large: func(yield func([]byte, error) bool) {
			for from := 0; from < len(c.body) && yield([]byte(c.body[from:min(from+10_000, len(c.body))]), nil); from += 10_000 {
			}
		}}
		a, err := captureAnswer(http.Header{}, httptest.NewRequest("GET", "/", nil), replay.PageTop, &replay.Page{URL: "http://a.example/"}, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		proxied := http.Header{}
		proxyHeader(proxied, &lookup.Capture{URL: "http://a.example/"}, p)
		got := [4]string{a.header.Get("Content-Type"), a.header.Get("Content-Encoding"), proxied.Get("Content-Type"), proxied.Get("Content-Encoding")}
		if want := [4]string{c.replayed, c.coding, c.proxied, c.coding}; got != want {
			t.Errorf("%.20q: type and coding at replay and at the proxy are %q, want %q", c.body, got, want)
		}
	}
}

// TestAcceptsGzip shows that an answer is compressed only for a client that accepts gzip.
func TestAcceptsGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "deflate, GZIP;q=0.5, br": true, "identity;q=1, *;q=0": false, "gzip;q=0": false, "gzip; q=0.000, br": false, "x-gzip2": false,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", accept)
		if got := acceptsGzip(r); got != want {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
}

// TestSearchPages shows that a number of a page beyond the last one shows no findings, however large
// it is.
func TestSearchPages(t *testing.T) {
	s, _ := testServer(t, nil, shot("http://a.example/", "20080601000000"))
	for _, n := range []string{"2", "600000000000000000", "99999999999999999999", "-5", "x"} {
		if r := get(t, s.interfaceHandler(), "/search?q=body&page="+n); r.StatusCode != http.StatusOK {
			t.Errorf("page %s: status %d", n, r.StatusCode)
		}
	}
}
