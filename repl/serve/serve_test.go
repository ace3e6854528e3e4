package serve

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"infomall/exec"
	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/exec/session"
	"infomall/store/record"
)

// memory is an archive in memory for the server.
type memory struct {
	*relationtest.Archive
	state string // of the next snapshots; "" is that of the archive
}

// Snapshot returns the archive, with its state.
func (m *memory) Snapshot(context.Context) (relation.Snapshot, error) {
	return stated{m.Archive, m.state}, nil
}

// stated is a snapshot whose state a test sets.
type stated struct {
	*relationtest.Archive
	state string
}

// State returns the state that the test has set.
func (s stated) State() string { return "test-" + s.state }

// at returns a time given as 14 digits.
func at(digits string) record.Time {
	t, err := time.Parse("20060102150405", digits)
	if err != nil {
		panic(err)
	}
	return record.At(t)
}

// shot is a capture of a web page with status 200 and the body "body".
func shot(url, digits string) relationtest.Capture {
	return relationtest.Capture{URL: url, Time: at(digits), Status: 200, Mime: "text/html", Body: "body of " + digits, Head: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"}
}

// testServer returns a server of these captures. change, if not nil, changes its
// options before.
func testServer(t *testing.T, change func(*Options), captures ...relationtest.Capture) (*server, *memory) {
	t.Helper()
	m := &memory{Archive: relationtest.New(captures...)}
	o := Options{
		Archive: m,
		Session: func() *session.Session {
			return exec.New(session.Options{Archive: m, Settings: session.DefaultSettings(), ReadOnly: true, NoFiles: true})
		},
		Now: func() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) },
	}
	if change != nil {
		change(&o)
	}
	s, err := newServer(o, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8081}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return s, m
}

// get sends a request to the handler h and returns the answer. target is the path
// with its query, sent as it is. header has lines "Name: value"; Host sets the host.
func get(t *testing.T, h http.Handler, target string, header ...string) *http.Response {
	t.Helper()
	return send(t, h, http.MethodGet, target, "", header...)
}

// send is like get with a method and a body.
func send(t *testing.T, h http.Handler, method, target, body string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	r.RequestURI = target
	path, query, _ := strings.Cut(target, "?")
	r.URL.Path, r.URL.RawPath, r.URL.RawQuery = path, path, query
	r.Host = "127.0.0.1:8080"
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// bodyOf returns the body of an answer.
func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostCheck shows that both listeners answer only requests for hosts that
// nobody else can make lead here.
func TestHostCheck(t *testing.T) {
	for _, c := range []struct {
		origin, replay string // --serve-origin and --replay-origin
		host           string
		ui, repl       bool // whether the listener answers
	}{
		{"", "", "127.0.0.1:8080", true, true},
		{"", "", "localhost:8080", true, true},
		{"", "", "[::1]:8080", true, true},
		{"", "", "evil.example", false, false},
		{"", "", "127.0.0.1.evil.example:8080", false, false},
		{"", "", "192.168.1.7:8080", false, false},
		{"", "", "sx-replay.localhost:8081", false, true},
		{"", "", "sx-replay.localhost.evil.example", false, false},
		{"https://archive.example", "https://*.replay.example", "archive.example", true, false},
		{"https://archive.example", "https://*.replay.example", "sx.replay.example", false, true},
		{"https://archive.example", "https://*.replay.example", "other.example", false, false},
	} {
		s, _ := testServer(t, func(o *Options) { o.Origin, o.ReplayOrigin = c.origin, c.replay }, shot("http://a.example/", "20080601000000"))
		for _, l := range []struct {
			name string
			h    http.Handler
			want bool
		}{{"interface", s.interfaceHandler(), c.ui}, {"replay", s.replayHandler(), c.repl}} {
			target := "/healthz"
			if l.name == "replay" {
				target = "/2008id_/http://a.example/"
			}
			got := get(t, l.h, target, "Host: "+c.host).StatusCode
			if want := map[bool]int{true: 200, false: 421}[l.want]; got != want {
				t.Errorf("%s with host %s (origins %q %q): status %d, want %d", l.name, c.host, c.origin, c.replay, got, want)
			}
		}
	}
}

// TestWhoMayCall shows that a page of another origin cannot use the APIs, unless
// --cors names it.
func TestWhoMayCall(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.CORS = []string{"https://friend.example"} }, shot("http://a.example/", "20080601000000"))
	for _, c := range []struct {
		header []string
		want   int
	}{
		{nil, 200},
		{[]string{"Sec-Fetch-Site: same-origin"}, 200},
		{[]string{"Sec-Fetch-Site: none"}, 200},
		{[]string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"}, 403},
		{[]string{"Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors", "Origin: http://127.0.0.1:8081"}, 403},
		{[]string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"}, 200},
		{[]string{"Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"}, 403},
		{[]string{"Sec-Fetch-Site: cross-site", "Origin: https://friend.example"}, 200},
		{[]string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, 403},
		{[]string{"Origin: https://evil.example"}, 403},
		{[]string{"Origin: http://127.0.0.1:8080"}, 200},
	} {
		r := get(t, s.interfaceHandler(), "/api/relations", c.header...)
		if r.StatusCode != c.want {
			t.Errorf("with %q: status %d, want %d", c.header, r.StatusCode, c.want)
		}
		allowed := r.Header.Get("Access-Control-Allow-Origin")
		if friend := strings.Contains(strings.Join(c.header, " "), "friend"); (allowed != "") != friend {
			t.Errorf("with %q: Access-Control-Allow-Origin %q", c.header, allowed)
		}
	}
}

// TestWhoMayAsk shows that a page of another origin can only link to the pages, and
// cannot make the server work by images and frames.
func TestWhoMayAsk(t *testing.T) {
	s, _ := testServer(t, nil, shot("http://a.example/", "20080601000000"))
	for _, target := range []string{"/", "/search?q=a", "/query?q=SELECT+1", "/2008/http://a.example/", "/*/http://a.example/"} {
		for _, c := range []struct {
			site, mode, dest string
			want             int
		}{
			{"none", "navigate", "document", 200},
			{"same-origin", "navigate", "document", 200},
			{"cross-site", "navigate", "document", 200},
			{"cross-site", "navigate", "iframe", 403},
			{"cross-site", "no-cors", "image", 403},
			{"same-site", "no-cors", "script", 403},
		} {
			if got := get(t, s.interfaceHandler(), target, "Sec-Fetch-Site: "+c.site, "Sec-Fetch-Mode: "+c.mode, "Sec-Fetch-Dest: "+c.dest).StatusCode; got != c.want {
				t.Errorf("%s asked by %+v: status %d", target, c, got)
			}
		}
	}
}

// TestRunDrains shows that Run serves until its context ends, and that a request
// that has begun is still answered.
func TestRunDrains(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	began, goOn := make(chan struct{}), make(chan struct{})
	m := &memory{Archive: relationtest.New(shot("http://a.example/", "20080601000000"))}
	addresses := make(chan net.Addr, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Options{
			Addr: "127.0.0.1:0", Archive: m,
			Session: func() *session.Session {
				close(began)
				<-goOn
				return exec.New(session.Options{Archive: m, Settings: session.DefaultSettings(), ReadOnly: true})
			},
			Ready: func(addrs ...net.Addr) { addresses <- addrs[0] },
		})
	}()
	address := <-addresses
	status := make(chan int, 1)
	go func() {
		r, err := http.Get("http://" + address.String() + "/healthz")
		if err != nil {
			status <- 0
			return
		}
		r.Body.Close()
		status <- r.StatusCode
	}()
	<-began
	stop()
	// The listener is closed before the request is answered.
	for {
		c, err := net.Dial("tcp", address.String())
		if err != nil {
			break
		}
		c.Close()
	}
	close(goOn)
	if got := <-status; got != 200 {
		t.Errorf("the request that had begun got status %d, want 200", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Run returned %v", err)
	}
}

// TestAccessLog shows the line of a request: the Common Log Format, and the duration
// in milliseconds.
func TestAccessLog(t *testing.T) {
	var log bytes.Buffer
	s, _ := testServer(t, func(o *Options) { o.AccessLog = &log }, shot("http://a.example/", "20080601000000"))
	get(t, s.interfaceHandler(), "/healthz")
	get(t, s.interfaceHandler(), "/\"\n\x1b")
	want := "192.0.2.1 - - [01/Jan/2020:00:00:00 +0000] \"GET /healthz HTTP/1.1\" 200 9 0\n"
	got := log.String()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q first", got, want)
	}
	if strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\x1b") {
		t.Errorf("a hostile target breaks the log: %q", got)
	}
}
