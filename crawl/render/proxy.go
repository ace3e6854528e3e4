package render

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"infomall/store/record/message"
)

// proxy serves the requests of one page. It listens on an address of its own on
// loopback, so each request is known to belong to the page. It hands requests to
// Page.Send and never opens a connection. The caller closes it.
type proxy struct {
	authority *authority
	refuser   *refuser // counts the requests that are not those of the page
	page      *Page
	limits    Limits
	ctx       context.Context // of all requests; close ends it
	stop      context.CancelFunc
	listener  net.Listener
	running   sync.WaitGroup

	mu       sync.Mutex
	conns    map[net.Conn]bool        // open connections
	hosts    map[string]chan struct{} // tokens of the requests to a host, at most parallel
	changed  chan struct{}            // closed at the next activity
	notes    int                      // number of activities
	pending  int                      // requests without a complete answer
	requests int
	bytes    int64
	ended    string // limit that is reached: requests or bytes; "" if none
	main     error  // why the page itself was not received
	arrived  bool   // the page itself was answered, after redirects
	sockets  []string
	prepare  func(ctx context.Context, address string) error // see beforeFrame; may be nil
}

// newProxy starts a proxy for page. Requests end when ctx ends.
func newProxy(ctx context.Context, a *authority, f *refuser, page *Page, limits Limits) (*proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for a page of the browser: %w", err)
	}
	p := &proxy{authority: a, refuser: f, page: page, limits: limits, listener: l,
		conns: make(map[net.Conn]bool), hosts: make(map[string]chan struct{}), changed: make(chan struct{})}
	p.ctx, p.stop = context.WithCancel(ctx)
	p.running.Go(p.accept)
	return p, nil
}

// addr returns the address of p, such as 127.0.0.1:4711.
func (p *proxy) addr() string { return p.listener.Addr().String() }

// beforeFrame has f called with the URL of each request for the document of a frame, before
// the request is handed on. An error of f fails the request. f may be called from several
// goroutines at once.
func (p *proxy) beforeFrame(f func(ctx context.Context, address string) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.prepare = f
}

// close ends all requests and connections and waits until they have ended.
func (p *proxy) close() {
	p.stop()
	p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		c.Close()
	}
	p.conns = nil
	p.mu.Unlock()
	p.running.Wait()
}

func (p *proxy) accept() {
	for {
		c := accept(p.listener)
		if c == nil {
			return
		}
		p.mu.Lock()
		open := p.conns != nil
		if open {
			p.conns[c] = true
		}
		p.mu.Unlock()
		if !open {
			c.Close()
			return
		}
		p.running.Go(func() {
			p.serve(c, bufio.NewReader(c), "", "")
			c.Close()
			p.mu.Lock()
			delete(p.conns, c)
			p.mu.Unlock()
		})
	}
}

// acceptPause is how long accept waits before it tries again.
const acceptPause = 10 * time.Millisecond

// accept returns the next connection of l, or nil if l is closed. Other errors pass, such as that
// the process has too many open files.
func accept(l net.Listener) net.Conn {
	for {
		c, err := l.Accept()
		if err == nil {
			return c
		}
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		time.Sleep(acceptPause)
	}
}

// serve answers the requests of a connection. Inside a tunnel, scheme and host are those of the
// server to which the tunnel leads; otherwise they are "".
func (p *proxy) serve(c net.Conn, r *bufio.Reader, scheme, host string) {
	for {
		q, err := readRequest(r, p.admit)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				io.WriteString(c, failure)
			}
			return
		}
		switch {
		case q.method == "CONNECT" && scheme == "":
			p.tunnel(c, r, q.target)
			return
		case scheme != "" && strings.HasPrefix(q.target, "/"):
			q.target = scheme + "://" + host + q.target
		case scheme != "" || !strings.HasPrefix(q.target, "http://"):
			io.WriteString(c, failure)
			return
		}
		if !q.ofPage() {
			p.refuser.add()
			io.WriteString(c, failure)
			return
		}
		if !p.answer(c, r, q) {
			return
		}
	}
}

// tunnel answers the requests that come through a tunnel to target, a host and a port.
func (p *proxy) tunnel(c net.Conn, r *bufio.Reader, target string) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		io.WriteString(c, failure)
		return
	}
	if _, err := io.WriteString(c, "HTTP/1.1 200 Connected\r\n\r\n"); err != nil {
		return
	}
	p.note(0)
	first, err := r.Peek(1)
	if err != nil {
		return
	}
	const handshakeRecord = 22 // type of the first record of TLS
	if first[0] != handshakeRecord {
		p.serve(c, r, "http", strings.TrimSuffix(target, ":80"))
		return
	}
	if port == "443" {
		target = strings.TrimSuffix(target, ":443")
	}
	t := tls.Server(&peeked{c, r}, p.authority.config(host))
	p.serve(t, bufio.NewReader(t), "https", target)
}

// peeked is a connection of which some bytes were already read into r. Read returns them first.
type peeked struct {
	net.Conn
	r *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.r.Read(b) }

// answer answers one request and reports whether the connection can be used for
// another one.
func (p *proxy) answer(c net.Conn, r *bufio.Reader, q *request) (keep bool) {
	main, err := p.begin(q)
	defer p.note(-1)
	var s *Response
	if err == nil {
		if q.stream { // the page does not wait for its end
			p.note(-1)
		}
		s, err = p.send(q, main)
		if q.stream {
			p.note(1)
		}
	}
	p.end(main, s, err)
	if err != nil {
		io.WriteString(c, failure)
		return false
	}
	if !q.socket {
		return writeResponse(c, q.method, s) == nil
	}
	if message.Status(s.Head) != 101 {
		writeResponse(c, q.method, s)
		return false
	}
	// The archive keeps no messages, so nothing comes over the socket. It stays open, because a
	// page whose socket is closed tries to open it again and again.
	if _, err := c.Write(handshake(s, q.key)); err == nil {
		p.note(-1)
		defer p.note(1)
		io.Copy(io.Discard, r)
	}
	return false
}

// admit counts the body of a request, which has this length. It returns an error if a limit forbids
// the body, so that a page cannot fill the memory with bodies.
func (p *proxy) admit(length int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes+int64(length) > p.limits.Bytes {
		p.ended = "bytes"
		return fmt.Errorf("the page has reached its limit of bytes, %d", p.limits.Bytes)
	}
	p.bytes += int64(length)
	return nil
}

// begin counts a request. It returns whether the request is for the page itself, and
// an error if a limit forbids the request.
func (p *proxy) begin(q *request) (main bool, err error) {
	p.note(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.socket && len(p.sockets) < p.limits.Requests {
		p.sockets = append(p.sockets, "ws"+strings.TrimPrefix(q.target, "http"))
	}
	switch {
	case p.requests >= p.limits.Requests:
		p.ended = "requests"
		return false, fmt.Errorf("the page has reached its limit of requests, %d", p.limits.Requests)
	case p.bytes >= p.limits.Bytes:
		p.ended = "bytes"
		return false, fmt.Errorf("the page has reached its limit of bytes, %d", p.limits.Bytes)
	}
	p.requests++
	return !p.arrived, nil
}

// send hands a request to Page.Send. It first waits until fewer than parallel requests to the
// same host wait for an answer.
func (p *proxy) send(q *request, main bool) (*Response, error) {
	host := q.target
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host, _, _ = strings.Cut(rest, "/")
	}
	p.mu.Lock()
	tokens := p.hosts[host]
	if tokens == nil {
		tokens = make(chan struct{}, parallel)
		p.hosts[host] = tokens
	}
	p.mu.Unlock()
	select {
	case tokens <- struct{}{}:
		defer func() { <-tokens }()
	case <-p.ctx.Done():
		return nil, p.ctx.Err()
	}
	p.mu.Lock()
	prepare := p.prepare
	p.mu.Unlock()
	if prepare != nil && q.ofFrame() {
		if err := prepare(p.ctx, q.target); err != nil {
			return nil, err
		}
	}
	return p.page.Send(p.ctx, &Request{Method: q.method, URL: q.target, Head: q.head, Body: q.body, Main: main, Socket: q.socket})
}

// end counts what Send returned for a request.
func (p *proxy) end(main bool, s *Response, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s != nil {
		p.bytes += int64(len(s.Head) + len(s.Body))
	}
	switch {
	case !main:
	case err != nil:
		p.main, p.arrived = err, true
	case isRedirect(message.Status(s.Head)) && message.Header(s.Head, "Location") != "":
	default:
		p.arrived = true
	}
}

// failed returns why the page itself was not received, or nil.
func (p *proxy) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.main
}

// opened returns the URLs of the WebSockets that the page opened.
func (p *proxy) opened() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sockets)
}

// limit returns the limit that the page reached, "requests" or "bytes". If the page reached no
// limit, it returns the parameter none.
func (p *proxy) limit(none string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.ended, none)
}

// isRedirect reports whether the browser follows a response with this status.
func isRedirect(status int) bool {
	switch status {
	case 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// note adds n to the number of requests that wait for an answer, and wakes each goroutine that
// waits for a change.
func (p *proxy) note(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending += n
	p.notes++
	close(p.changed)
	p.changed = make(chan struct{})
}

// activity returns a number that grows with each request and each answer.
func (p *proxy) activity() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.notes
}

// quiet waits until no request has been made or answered for d. It returns an error if
// ctx ends before.
func (p *proxy) quiet(ctx context.Context, d time.Duration) error {
	for {
		p.mu.Lock()
		pending, changed := p.pending, p.changed
		p.mu.Unlock()
		var passed <-chan time.Time
		if pending == 0 {
			t := time.NewTimer(d)
			defer t.Stop()
			passed = t.C
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-passed:
			return nil
		case <-changed:
		}
	}
}

// refuser is the proxy of the browser itself, and of everything that belongs to no
// page. It answers nothing and counts. The caller closes it.
type refuser struct {
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	conns   map[net.Conn]bool
	refused int64
	closed  bool
}

// refuseTime bounds the time that the browser has to send its request.
const refuseTime = 10 * time.Second

// newRefuser starts a refuser.
func newRefuser() (*refuser, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	f := &refuser{listener: l, conns: make(map[net.Conn]bool)}
	f.running.Go(func() {
		for {
			c := accept(l)
			if c == nil {
				return
			}
			f.mu.Lock()
			f.conns[c] = true
			if f.closed {
				c.Close()
			}
			f.mu.Unlock()
			f.running.Go(func() { f.refuse(c) })
		}
	})
	return f, nil
}

// refuse answers the first request of c with status 403.
func (f *refuser) refuse(c net.Conn) {
	c.SetDeadline(time.Now().Add(refuseTime))
	if _, err := readRequest(bufio.NewReader(c), func(int) error { return nil }); err == nil {
		f.add()
		io.WriteString(c, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
	c.Close()
	f.mu.Lock()
	delete(f.conns, c)
	f.mu.Unlock()
}

// add counts a request that was refused.
func (f *refuser) add() {
	f.mu.Lock()
	f.refused++
	f.mu.Unlock()
}

// count returns the number of requests that were refused.
func (f *refuser) count() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.refused
}

// close ends all connections and waits until they have ended.
func (f *refuser) close() {
	f.listener.Close()
	f.mu.Lock()
	f.closed = true
	for c := range f.conns {
		c.Close()
	}
	f.mu.Unlock()
	f.running.Wait()
}
