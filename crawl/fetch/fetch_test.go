package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// TestGet asks a server through the zero Options but for the address: the capture
// has every byte that the server sent, and the second request uses the connection
// of the first.
func TestGet(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "x-unknown")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: r.URL.Path[1:]})
		io.WriteString(w, "as it "+r.UserAgent())
		w.(http.Flusher).Flush() // the body is chunked
		io.WriteString(w, " came")
	}))
	defer s.Close()
	dials := 0
	c := countingClient(t, &dials)
	for i, cookie := range [][2]bool{{true, false}, {false, true}, {false, false}} {
		u, err := url.Parse(s.URL + "/" + []string{"1", "2", "2"}[i])
		if err != nil {
			t.Fatal(err)
		}
		res := fetchOf(t, c, u)
		if res.Capture == nil || res.Outcome != report.OutcomeOK || string(res.Capture.Body) != "as it me came" || res.Capture.IP != "127.0.0.1" {
			t.Fatalf("got %+v", res)
		}
		if head := string(res.Capture.Head); !strings.Contains(head, "Content-Encoding: x-unknown\r\n") || !strings.Contains(head, "Transfer-Encoding: chunked\r\n") {
			t.Errorf("got head %q", head)
		}
		if got := [2]bool{res.NewCookie, res.ChangedCookie}; got != cookie {
			t.Errorf("request %d: cookie new, changed: %v, want %v", i, got, cookie)
		}
		res.Capture.Close()
	}
	if dials != 1 {
		t.Errorf("%d connections, want 1", dials)
	}
}

// TestTarget shows that the first line of a request has the path and the query of the URL as a
// browser sends them, also if the URL is none for the package url.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ url, want, path string }{
		{"http://a.example/", "/", "/"},
		{"http://a.example/x?", "/x?", "/x"},
		{"http://a.example/%E4%B8%AD?q=%u4e2d", "/%E4%B8%AD?q=%u4e2d", "/\u4e2d"},
		{"http://a.example/a|b?c|d", "/a|b?c|d", "/a|b"},
		{"http://a.example/100%", "/100%", "/100%"},
		{"http://a.example/%u4e2d/%20?q=50%", "/%u4e2d/%20?q=50%", "/%u4e2d/ "},
		{"http://a.example/%zz?", "/%zz?", "/%zz"},
	} {
		u, err := ParseURL(c.url)
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		if got := target(u); got != c.want || u.Path != c.path || u.Host != "a.example" {
			t.Errorf("%s: got %s, path %s at %s, want %s, path %s", c.url, got, u.Path, u.Host, c.want, c.path)
		}
	}
	if u, err := ParseURL("http://a.example:port/%"); err == nil {
		t.Errorf("got %v for a URL with a wrong port", u)
	}
}

// fetchOf fetches u with c.
func fetchOf(t *testing.T, c *Client, u *url.URL) Response {
	t.Helper()
	addr, err := c.Resolve(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(t.Context(), Request{URL: u, Addr: addr})
}

// countingClient returns a client that counts its connections in dials. It is closed at the
// end of the test.
func countingClient(t *testing.T, dials *int) *Client {
	t.Helper()
	c, err := New(Options{Agent: "me", Private: true, Dial: func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
		*dials++
		return new(net.Dialer).DialContext(ctx, "tcp", addr.String())
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestDo sends requests other than a plain GET: a POST is sent with its body over a new
// connection, the response to HEAD has no body, and for the request of a browser the
// client adds no header lines and keeps no cookies.
func TestDo(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, "%s %s type=%s cookie=%s accept=%s", r.Method, body, r.Header.Get("Content-Type"), r.Header.Get("Cookie"), r.Header.Get("Accept"))
	}))
	defer s.Close()
	dials := 0
	c := countingClient(t, &dials)
	u, err := url.Parse(s.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	addr, err := c.Resolve(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		r     Request
		want  string
		dials int
	}{
		{Request{Browser: true, Header: "Accept: a\r\n"}, "GET  type= cookie= accept=a", 1},
		{Request{Browser: true, Header: "Accept: a\r\nCookie: b=2\r\n"}, "GET  type= cookie=b=2 accept=a", 1},
		{Request{Method: "HEAD"}, "", 1},
		{Request{Method: "POST", Browser: true, Header: "Content-Type: t\r\n", Body: []byte("x=1")}, "POST x=1 type=t cookie= accept=", 2},
		{Request{Method: "POST", Browser: true, Body: []byte{}}, "POST  type= cookie= accept=", 3},
	} {
		x.r.URL, x.r.Addr = u, addr
		res := c.Do(t.Context(), x.r)
		if res.Capture == nil || res.Outcome != report.OutcomeOK || string(res.Capture.Body) != x.want || dials != x.dials {
			t.Errorf("%+v: got %+v over %d connections, want %q over %d", x.r, res, dials, x.want, x.dials)
		}
		if x.r.Browser && (res.NewCookie || c.cookies.header(u) != "" && x.r.Method == "") {
			t.Errorf("%+v: the client kept a cookie", x.r)
		}
	}
}

// TestCutAtChunk shows that a chunked body is cut as too long wherever its framing crosses the bound.
func TestCutAtChunk(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n00000005\r\n12345\r\n0\r\n\r\n")
			c.Close()
		}
	}()
	u := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	for max := int64(1); max < 27; max++ {
		c, err := New(Options{Private: true, BodyMax: max})
		if err != nil {
			t.Fatal(err)
		}
		res := fetchOf(t, c, u)
		if want := report.OutcomeTruncated; res.Capture == nil || res.Outcome != want {
			t.Errorf("a body of at most %d bytes: %v (%s), want %v", max, res.Outcome, res.Reason, want)
		}
		c.Close()
	}
}

// TestChunkLines shows that the lines of a chunked body may end in LF alone, as browsers accept it.
func TestChunkLines(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	bodies := []string{
		"5\n12345\n6;x=y\nabcdef\n0\nA: b\n\n", "5\r\n12345\n6\nabcdef\r\n0\r\n\n", "5\r\n12345\r\n6\r\nabcdef\r\n0\r\n\r\n",
	}
	go func() {
		for _, text := range bodies {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"+text)
			c.Close()
		}
	}()
	u := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	for _, text := range bodies {
		c, err := New(Options{Private: true})
		if err != nil {
			t.Fatal(err)
		}
		res := fetchOf(t, c, u)
		if res.Capture == nil || res.Outcome != report.OutcomeOK || string(res.Capture.Body) != "12345abcdef" {
			t.Errorf("%q: %v (%s), %+v; want the body 12345abcdef", text, res.Outcome, res.Reason, res.Capture)
		}
		c.Close()
	}
}

// TestOutcomeOf gives the outcome of whole responses by their status. The handshake of a
// WebSocket is no error.
func TestOutcomeOf(t *testing.T) {
	for status, want := range map[int]report.Outcome{
		101: report.OutcomeOK, 200: report.OutcomeOK, 204: report.OutcomeOK, 301: report.OutcomeRedirect,
		304: report.OutcomeNotModified, 404: report.OutcomeHTTPError, 500: report.OutcomeHTTPError,
	} {
		if got := OutcomeOf(&record.Capture{Status: status}); got != want {
			t.Errorf("status %d is %s, want %s", status, got, want)
		}
	}
}

// TestGuard shows that without Private a client does not connect to the machine
// itself.
func TestGuard(t *testing.T) {
	c, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	res := c.Do(t.Context(), Request{URL: &url.URL{Scheme: "http", Host: "127.0.0.1"}, Addr: netip.MustParseAddrPort("127.0.0.1:80")})
	if res.Capture != nil || res.Outcome != report.OutcomeFiltered {
		t.Errorf("got %+v", res)
	}
}

// TestNetrc shows that a file of passwords that cannot be read whole is refused
// with an error that names the file and none of its words.
func TestNetrc(t *testing.T) {
	path := filepath.Join(t.TempDir(), "netrc")
	for _, text := range []string{"machine", "machine a login b password", "macdef x", "machine a secret b"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{Netrc: path}); err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRetryAfter reads the header as seconds and as a date, and bounds both.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2008, 6, 1, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		status int
		value  string
		want   time.Duration
	}{
		{503, "120", 2 * time.Minute}, {429, "Sun, 01 Jun 2008 08:01:00 GMT", time.Minute}, {503, "Sun, 01 Jun 2008 07:00:00 GMT", 0},
		{200, "120", 0}, {503, "soon", 0}, {503, "-1", 0}, {503, "999999999999", 24 * time.Hour}, {503, "Sun, 01 Jun 2018 07:00:00 GMT", 24 * time.Hour},
		{503, strings.Repeat("9", 400), 24 * time.Hour}, {503, "1.5", 2 * time.Second}, {503, "NaN", 0}, {503, "0", 0},
		{503, "Sunday, 01-Jun-08 08:01:00 GMT", time.Minute}, {503, "Sun Jun  1 08:01:00 2008", time.Minute}, {503, "Sun, 01 Jun 2008 08:01:00 UTC", time.Minute},
		{503, "Sun, 01 Jun 2008 10:01:00 +0200", time.Minute}, {503, "2008-06-01T08:01:00Z", time.Minute},
	} {
		head := fmt.Sprintf("HTTP/1.1 %d X\r\nRetry-After: %s\r\n\r\n", c.status, c.value)
		if got := RetryAfter(&record.Capture{Status: c.status, Head: []byte(head)}, now); got != c.want {
			t.Errorf("%d with %q: %v, want %v", c.status, c.value, got, c.want)
		}
	}
}

// TestCookiesMax shows that a site can have only so many cookies remembered.
func TestCookiesMax(t *testing.T) {
	c := newCookies()
	u := &url.URL{Scheme: "http", Host: "a.example", Path: "/"}
	for i := range 1000 {
		c.set(u, fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nSet-Cookie: c%d=%d\r\n\r\n", i, i), time.Now())
	}
	if n := len(c.jar.Cookies(u)); n != cookiesMax {
		t.Errorf("%d cookies are remembered, want %d", n, cookiesMax)
	}
}

// TestRate shows that the client reads no faster than its rate. The test controls
// the clock.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRate(1000, time.Now)
		begun := time.Now()
		for range 10 {
			if _, err := r.spend(t.Context(), 500); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("5,000 bytes at 1,000 a second took %v", took)
		}
	})
}

// TestNames shows that a name is looked up once at a time and kept for a while,
// and that one without an address is left alone for longer and longer.
func TestNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, fail := 0, false
		n := &names{now: time.Now, lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			asked++
			time.Sleep(time.Second)
			if fail {
				return nil, errors.New("no such host")
			}
			return []netip.Addr{netip.MustParseAddr("192.0.2.1")}, nil
		}}
		for range 10 {
			go n.addrsOf(t.Context(), "a.example")
		}
		synctest.Wait()
		time.Sleep(2 * time.Second)
		if _, err := n.addrsOf(t.Context(), "a.example"); err != nil || asked != 1 {
			t.Errorf("%v; looked up %d times, want once", err, asked)
		}
		time.Sleep(addrLifetime)
		fail, asked = true, 0
		for range 600 {
			if _, err := n.addrsOf(t.Context(), "a.example"); err == nil {
				t.Fatal("no error")
			}
			time.Sleep(time.Second)
		}
		if asked < 8 || asked > 16 {
			t.Errorf("looked up %d times in ten minutes, want it after 1, 2, 4 … 64, 90, 90 … s", asked)
		}
	})
}

// TestCookieDomains shows whose cookies a host may set, and that others take no room.
func TestCookieDomains(t *testing.T) {
	for _, c := range []struct {
		host, domain, want string
		ok                 bool
	}{
		{"www.a.example", "", "www.a.example", true}, {"www.a.example", "a.example", "a.example", true}, {"www.a.example", ".A.example", "a.example", true},
		{"www.a.example", "b.example", "b.example", false}, {"www.pku.edu.cn", "edu.cn", "edu.cn", false}, {"10.0.0.1", "10.0.0.1", "10.0.0.1", true},
		{"wa.example", "a.example", "a.example", false},
	} {
		if got, ok := cookieDomain(c.host, &http.Cookie{Domain: c.domain}); got != c.want || ok != c.ok {
			t.Errorf("%s sets a cookie for %q: %q, %v; want %q, %v", c.host, c.domain, got, ok, c.want, c.ok)
		}
	}
}
