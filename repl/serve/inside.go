package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"infomall/repl/serve/lookup"
	"infomall/repl/serve/replay"
	"infomall/store/record"
)

// Inside answers requests for replayed pages inside the process, without a listener. The
// caller closes it.
type Inside struct {
	s       *server
	handler http.Handler
}

// insideUI and insideReplay are the addresses that the listeners of an Inside would have.
// Nothing listens there for it.
var insideUI, insideReplay = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 2}

// NewInside returns an Inside for the archive and the sessions of o.
func NewInside(o Options) (*Inside, error) {
	o.NoBar = true
	s, err := newServer(o, insideUI, insideReplay, nil)
	if err != nil {
		return nil, err
	}
	return &Inside{s: s, handler: s.replayHandler()}, nil
}

// Close frees what x has kept in memory and in files.
func (x *Inside) Close() { x.s.close() }

// Visit returns a visit of the page of a canonical URL, as it was at time t.
func (x *Inside) Visit(page string, t record.Time) *Visit {
	target := replay.Target{Time: lookup.Stamp(t), Modifier: replay.PageTop, URL: page}
	r := &http.Request{Host: insideReplay.String()}
	return &Visit{in: x, URL: x.s.origins.replayOrigin(r, page) + target.Prefix() + pathText(page), page: page}
}

// Visit is a visit of a page by a browser, and what it asks for. Several goroutines may
// send its requests.
type Visit struct {
	URL string // the address to open

	in   *Inside
	page string

	mu      sync.Mutex
	asked   map[string]bool
	missing []string
}

// Asked returns how many URLs the page asked for, besides its own. missing has those URLs that
// the archive does not have, in the order of the requests.
func (v *Visit) Asked() (parts int, missing []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.asked), slices.Clone(v.missing)
}

// ask notes that the page asked for a URL.
func (v *Visit) ask(u string, missing bool) {
	if u == v.page {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asked == nil {
		v.asked = make(map[string]bool)
	}
	v.asked[u] = true
	if missing && !slices.Contains(v.missing, u) {
		v.missing = append(v.missing, u)
	}
}

// Send answers a request of the browser. head has header lines, each ended by CR LF. Send
// returns the status line and the headers, with the empty line at the end, and the body. An
// error means that the request leaves replay, or that its URL is wrong.
func (v *Visit) Send(ctx context.Context, method, address string, head, body []byte) (answer, content []byte, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	if u.Scheme == "http" && u.Host == insideUI.String() {
		// Replay sends there who asks for no page, such as a browser for an icon.
		return []byte("HTTP/1.1 404 Not Found\r\n\r\n"), nil, nil
	}
	rest, ok := strings.CutPrefix(address, u.Scheme+"://"+u.Host)
	if !ok || u.Scheme != "http" || !v.in.s.origins.servesReplay(u.Host) || u.Port() != v.in.s.origins.replPort {
		v.ask(address, true)
		return nil, nil, fmt.Errorf("%s is not an address of replay", address)
	}
	r := (&http.Request{
		Method: method, URL: u, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: make(http.Header), Host: u.Host,
		RequestURI: rest, Body: http.NoBody, RemoteAddr: insideUI.String(),
	}).WithContext(context.WithValue(ctx, missingKey{}, func(u string) { v.ask(u, true) }))
	if body != nil {
		r.Body, r.ContentLength = readCloser{bytes.NewReader(body)}, int64(len(body))
	}
	for _, line := range strings.Split(string(head), "\r\n") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	if r.Header.Get("Sec-Fetch-Dest") == "document" { // also of a page to which a script goes
		r.Header.Set("Sec-Fetch-Dest", "iframe") // as in the frame of the bar
	}
	if t, err := replay.ParseTarget(rest); err == nil && t.Time != "" {
		v.ask(t.Captured(), false)
	}
	w := &keptAnswer{header: make(http.Header), status: http.StatusOK}
	if err := v.in.answer(w, r); err != nil {
		return nil, nil, err
	}
	return w.head(), w.body.Bytes(), nil
}

// answer answers the request r. An error says that the answer is not complete: the context of r
// has ended, or the handler has panicked, which is how a handler breaks its connection.
func (x *Inside) answer(w http.ResponseWriter, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); {
		case p == http.ErrAbortHandler:
			err = errors.New("replay broke off")
		case p != nil:
			panic(p)
		}
		if r.Context().Err() != nil {
			err = r.Context().Err()
		}
	}()
	x.handler.ServeHTTP(w, r)
	return nil
}

// readCloser is a body of a request.
type readCloser struct{ *bytes.Reader }

// Close does nothing.
func (readCloser) Close() error { return nil }

// keptAnswer is an answer in memory.
type keptAnswer struct {
	header http.Header
	status int
	sent   bool
	body   bytes.Buffer
}

// Header returns the header of the answer.
func (w *keptAnswer) Header() http.Header { return w.header }

// WriteHeader keeps the first status.
func (w *keptAnswer) WriteHeader(status int) {
	if !w.sent {
		w.status, w.sent = status, true
	}
}

// Write adds to the body.
func (w *keptAnswer) Write(b []byte) (int, error) {
	w.sent = true
	return w.body.Write(b)
}

// head returns the status line and the header as they are sent.
func (w *keptAnswer) head() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", w.status, http.StatusText(w.status))
	w.header.Del("Content-Length") // of HEAD; the receiver sees the length of the body
	w.header.Write(&b)
	b.WriteString("\r\n")
	return b.Bytes()
}

// missingKey is the key under which the context of a request has a function. Replay calls the
// function with each URL that the archive does not have.
type missingKey struct{}

// noteMissing reports u, a URL that the archive does not have, to the function that ctx has
// under missingKey, if it has one.
func noteMissing(ctx context.Context, u string) {
	if note, ok := ctx.Value(missingKey{}).(func(string)); ok {
		note(u)
	}
}
