package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"infomall/crawl/guard"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// Bounds of one request. A server that is slow, endless or broken then costs
// little.
const (
	headMax          = 256 << 10 // bytes of status line and headers
	connectTimeout   = 5 * time.Second
	firstByteTimeout = 30 * time.Second
	wholeTimeout     = 20 * time.Minute
	idleMax          = 15 * time.Second // time after which an unused connection is closed
	idleMany         = 1000             // maximum number of unused connections
	readerBytes      = 32 << 10         // size of a connection's read buffer
	interimMax       = 10               // 1XX responses before the final one
)

// Options are the settings of a Client. The zero value means defaults.
type Options struct {
	Agent    string          // value of User-Agent
	BodyMax  int64           // bytes of a body after which it is cut; 0 is 64 MB
	Requests record.Requests // what the captures keep of the heads of requests
	Rate     int64           // bytes a second that all requests receive together; 0 is no bound
	Private  bool            // also connect to addresses that are not public
	Proxy    string          // URL of an HTTP proxy, http://host:port; "" is none
	Netrc    string          // path of a file of passwords; "" is none

	// May reports whether requests may be sent at this moment. The client calls it right
	// before it sends a request, in the goroutine of the request. Nil means that they may.
	May func() bool

	// The network and the clock that the client uses. If a field is nil, the client
	// uses the Internet or the clock of the machine.
	Dial   func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Now    func() time.Time
}

// Client sends requests of HTTP/1.1. It may be used from many goroutines.
type Client struct {
	dial     func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	names    names
	agent    string
	bodyMax  int64
	requests record.Requests
	guard    guard.Guard
	proxy    proxy
	rate     *rate
	quota    *quota
	may      func() bool
	now      func() time.Time

	passwords passwords
	cookies   *cookies

	mu   sync.Mutex
	idle map[string]*conn // unused connections, by scheme, host and port

	readers sync.Pool // *bufio.Readers that no connection uses now
}

// New returns a client with the settings o. It returns an error if the
// proxy's URL is wrong, or the file of passwords cannot be read. The caller
// closes the client.
func New(o Options) (*Client, error) {
	c := &Client{
		agent: o.Agent, bodyMax: o.BodyMax, requests: o.Requests, may: o.May, now: o.Now, idle: make(map[string]*conn),
		dial: o.Dial, guard: guard.Guard{Private: o.Private}, cookies: newCookies(),
	}
	var err error
	if c.passwords, err = readNetrc(o.Netrc); err != nil {
		return nil, err
	}
	if c.proxy, err = newProxy(o.Proxy, c.passwords); err != nil {
		return nil, err
	}
	if c.now == nil {
		c.now = time.Now
	}
	c.names, c.rate = names{lookup: o.Lookup, now: c.now}, newRate(o.Rate, c.now)
	if c.bodyMax == 0 {
		c.bodyMax = bodyMaxDefault
	}
	if c.dial == nil {
		var d net.Dialer
		c.dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
			return d.DialContext(ctx, "tcp", addr.String())
		}
	}
	if c.names.lookup == nil {
		c.names.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	return c, nil
}

// BodyMax returns the number of bytes after which a body is cut.
func (c *Client) BodyMax() int64 { return c.bodyMax }

// ViaProxy reports whether requests go to a proxy. Resolve then returns the
// address of the proxy for every URL.
func (c *Client) ViaProxy() bool { return !c.proxy.direct }

// SetQuota bounds the bytes of bodies that all requests together receive: to
// max, of which received bytes came before; 0 means no bound. Responses that
// are being received when the quota is reached are received whole if they
// are not large. Call SetQuota before the first request.
func (c *Client) SetQuota(max, received int64) { c.quota = newQuota(max, received) }

// QuotaSpent reports whether the quota that SetQuota set is reached. Without
// a quota it returns false.
func (c *Client) QuotaSpent() bool { return c.quota.spent() }

// conn is a connection to a server.
type conn struct {
	net.Conn
	r    *bufio.Reader // nil while the connection is unused
	addr netip.Addr
	used time.Time // end of the last request
	old  bool      // whether it has served a request; the server may have closed it since
}

// setDeadline sets the deadline of reads and writes. It returns
// [os.ErrDeadlineExceeded] if ctx has ended. When ctx ends, another
// goroutine sets a deadline in the past (see [Client.exchange]). setDeadline
// checks ctx after it has set the new deadline, so the new deadline cannot
// replace the one in the past unnoticed.
func (cn *conn) setDeadline(ctx context.Context, t time.Time) error {
	if err := cn.SetDeadline(t); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// ParseURL parses a canonical URL for a request. The URL may have a percent sign that begins no
// escape, such as http://a.example/100%, which url.Parse refuses in a path.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil {
		return u, nil
	}
	if u, err2 := url.Parse(urlkey.EscapePercent(text)); err2 == nil {
		u.RawPath = urlkey.RawPath(text)
		return u, nil
	}
	return nil, err
}

// target returns the path and the query of u for the first line of a request. It leaves the path
// as the URL has it, like a browser: RequestURI of package url would escape more.
func target(u *url.URL) string {
	if u.RawPath == "" {
		return u.RequestURI()
	}
	if u.RawQuery == "" && !u.ForceQuery {
		return u.RawPath
	}
	return u.RawPath + "?" + u.RawQuery
}

// Request describes one request.
type Request struct {
	URL     *url.URL
	Addr    netip.AddrPort // address to connect to, as Resolve returns it
	Method  string         // "" means GET
	Referer string         // value of the header Referer; "" for none
	Header  string         // further header lines, each ended by CR LF
	Body    []byte         // nil for none; Header then names its media type
	// Browser says that a browser made the request. Header then has all header lines
	// but Host, User-Agent, Connection and Content-Length, and the client adds none and
	// keeps no cookies.
	Browser bool
	// Socket says that the request begins a WebSocket. If the server agrees, the
	// response has status 101 and no body, and the connection is closed.
	Socket bool
}

// Response is the result of a request, with or without an answer of the
// server.
type Response struct {
	Capture       *record.Capture // what was received; nil without a response. The caller closes it
	Outcome       report.Outcome
	Reason        string        // why the request ended so, if Outcome alone does not say it
	Elapsed       time.Duration // duration of the whole request
	Unsent        bool          // nothing was sent, because Options.May forbade it
	Ended         bool          // whether the quota, or the end of ctx with an EndedError, ended the request
	NewCookie     bool          // whether the response set a cookie that the client did not have
	ChangedCookie bool          // whether the response gave a cookie another value
	addr          netip.Addr    // address that was connected to
}

// EndedError says that a request ended early because a limit of the crawl is
// reached or the crawl is stopped. To end its requests, the crawl cancels
// their context with an EndedError as the cause.
type EndedError struct{ Why string }

func (e *EndedError) Error() string { return e.Why }

// endWith changes r if ctx ended the request before it was complete: it sets
// Reason to the cause and, if the cause is an EndedError, sets Ended.
func (r *Response) endWith(ctx context.Context) {
	err := context.Cause(ctx)
	switch {
	case err == nil:
	case r.Outcome == report.OutcomeIncomplete, r.Outcome == report.OutcomeTLSError, Transient(r.Outcome):
		r.Reason = err.Error()
		if r.Ended = errors.As(err, new(*EndedError)); r.Ended && r.Capture != nil {
			r.Outcome = report.OutcomeTruncated
		}
	}
}

// Transient reports whether the outcome o may be temporary, so that another
// attempt may succeed.
func Transient(o report.Outcome) bool {
	return o == report.OutcomeTimeout || o == report.OutcomeUnreachable || o == report.OutcomeDNSFailed
}

// fault is an error of a request, together with the outcome that the request
// then has.
type fault struct {
	outcome report.Outcome
	err     error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// faultOf returns err as a fault. An error that is not a fault comes from
// the connection: its outcome is OutcomeTimeout after a deadline, otherwise
// OutcomeUnreachable.
func faultOf(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault{report.OutcomeTimeout, err}
	}
	return &fault{report.OutcomeUnreachable, err}
}

// Failed returns the response of a request that was not sent because Resolve
// returned err.
func Failed(ctx context.Context, err error) Response {
	f := faultOf(err)
	r := Response{Outcome: f.outcome, Reason: f.Error()}
	r.endWith(ctx)
	return r
}

// Do sends a request and receives the response. It returns no error: Outcome and
// Reason of the response say what went wrong.
func (c *Client) Do(ctx context.Context, r Request) Response {
	begun := c.now()
	res := c.try(ctx, r)
	res.endWith(ctx)
	res.Elapsed = c.now().Sub(begun)
	if res.Capture != nil {
		if !r.Browser {
			res.NewCookie, res.ChangedCookie = c.cookies.set(r.URL, res.Capture.Head, c.now())
		}
		res.Capture.Time = record.At(begun)
		res.Capture.AskedURL = r.URL.String()
		if res.addr.IsValid() {
			res.Capture.IP = res.addr.String()
		}
	}
	return res
}

// try sends a request and returns the response. If it used an old connection
// that the server had closed, it sends the request again over another one.
func (c *Client) try(ctx context.Context, r Request) Response {
	for {
		cn, err := c.connect(ctx, r)
		if err != nil {
			f := faultOf(err)
			return Response{Outcome: f.outcome, Reason: f.Error()}
		}
		if res, stale := c.exchange(ctx, cn, r); !stale {
			return res
		}
	}
}

// Resolve returns the address to connect to for the URL u: the first address
// of its host, or that of the proxy if there is one. Without a port in u,
// the port is that of the scheme.
func (c *Client) Resolve(ctx context.Context, u *url.URL) (netip.AddrPort, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, &fault{report.OutcomeInternal, fmt.Errorf("port %q", port)}
	}
	if !c.proxy.direct && u.Host != c.proxy.host {
		return c.Resolve(ctx, c.proxy.url())
	}
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(a.Unmap(), uint16(n)), nil
	}
	list, err := c.names.addrsOf(ctx, host)
	if err != nil {
		return netip.AddrPort{}, &fault{report.OutcomeDNSFailed, err}
	}
	return netip.AddrPortFrom(list[0].Unmap(), uint16(n)), nil
}

// connect returns a connection for r: the unused connection to the host if
// there is one, otherwise a new one. A request that may change something on the
// server gets a new one, because it must not be sent twice. connect refuses an
// address that the guard does not allow.
func (c *Client) connect(ctx context.Context, r Request) (*conn, error) {
	key := r.URL.Scheme + r.URL.Host
	var cn *conn
	if (r.Method == "" || r.Method == "GET" || r.Method == "HEAD") && !r.Socket {
		c.mu.Lock()
		cn = c.idle[key]
		delete(c.idle, key)
		c.mu.Unlock()
	}
	if cn != nil {
		if cn.addr == r.Addr.Addr() && c.now().Sub(cn.used) < idleMax {
			cn.r = c.reader(cn)
			return cn, nil
		}
		cn.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if c.proxy.direct {
		if err := c.guard.Check(r.Addr.Addr()); err != nil {
			return nil, &fault{report.OutcomeFiltered, err}
		}
	} else if err := c.checkTarget(r.URL); err != nil {
		return nil, err
	}
	nc, err := c.dial(ctx, r.Addr)
	if err != nil {
		return nil, err
	}
	if r.URL.Scheme == "https" {
		if !c.proxy.direct {
			if err := c.tunnel(ctx, nc, r.URL); err != nil {
				nc.Close()
				return nil, err
			}
		}
		secure := tls.Client(nc, &tls.Config{NextProtos: []string{"http/1.1"}, ServerName: r.URL.Hostname()})
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, &fault{report.OutcomeTLSError, err}
		}
		nc = secure
	}
	cn = &conn{Conn: nc, addr: r.Addr.Addr()}
	cn.r = c.reader(cn)
	return cn, nil
}

// reader returns a buffered reader of cn. It reuses the memory of a reader
// that takeReader took from another connection.
func (c *Client) reader(cn *conn) *bufio.Reader {
	if r, ok := c.readers.Get().(*bufio.Reader); ok {
		r.Reset(cn.Conn)
		return r
	}
	return bufio.NewReaderSize(cn.Conn, readerBytes)
}

// takeReader takes the buffered reader away from cn, because an unused
// connection needs none. empty reports whether the reader had no bytes left.
func (c *Client) takeReader(cn *conn) (empty bool) {
	empty = cn.r.Buffered() == 0
	cn.r.Reset(nil)
	c.readers.Put(cn.r)
	cn.r = nil
	return empty
}

// keep keeps cn for the next request to the host of r, in place of a connection that was
// kept for it before. If idleMany connections are unused already, keep closes one of them.
func (c *Client) keep(cn *conn, r Request) {
	cn.used, cn.old = c.now(), true
	key := r.URL.Scheme + r.URL.Host
	c.mu.Lock()
	before := c.idle[key]
	if before == nil && len(c.idle) >= idleMany {
		for other, unused := range c.idle {
			before = unused // any
			delete(c.idle, other)
			break
		}
	}
	c.idle[key] = cn
	c.mu.Unlock()
	if before != nil {
		before.Close()
	}
}

// CloseUnused closes the connections that were not used for idleMax. The
// caller calls it from time to time.
func (c *Client) CloseUnused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, cn := range c.idle {
		if c.now().Sub(cn.used) >= idleMax {
			cn.Close()
			delete(c.idle, key)
		}
	}
}

// Close closes all unused connections. Call it after the last request.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cn := range c.idle {
		cn.Close()
	}
	clear(c.idle)
}

// exchange sends a request over cn and reads the response. Then it keeps cn
// for another request, or closes it. stale reports that the server had
// closed cn, which an earlier request used, so the request was not answered
// and must be sent over another connection.
func (c *Client) exchange(ctx context.Context, cn *conn, r Request) (res Response, stale bool) {
	stop := context.AfterFunc(ctx, func() { cn.SetDeadline(time.Unix(1, 0)) })
	res, keep := c.roundTrip(ctx, cn, r)
	stale = cn.old && !res.Unsent && res.Capture == nil && res.Outcome == report.OutcomeUnreachable && ctx.Err() == nil
	if empty := c.takeReader(cn); stop() && keep && empty {
		c.keep(cn, r)
	} else {
		cn.Close()
	}
	return res, stale
}

// errUnsent is the reason of a response if Options.May forbade the request.
var errUnsent = errors.New("the request may not be sent now")

// roundTrip sends a request over cn and reads the response. keep reports whether
// cn can be used for another request.
func (c *Client) roundTrip(ctx context.Context, cn *conn, r Request) (res Response, keep bool) {
	res.addr = cn.addr
	fail := func(err error) (Response, bool) {
		f := faultOf(err)
		res.Outcome, res.Reason = f.outcome, f.Error()
		return res, false
	}
	end := c.now().Add(wholeTimeout)
	if err := cn.setDeadline(ctx, c.now().Add(firstByteTimeout)); err != nil {
		return fail(err)
	}
	sent := c.message(r)
	if c.may != nil && !c.may() {
		res.Unsent = true
		return fail(errUnsent)
	}
	if _, err := cn.Write(sent); err != nil {
		return fail(err)
	}
	var head []byte
	for i := 0; ; i++ {
		var err error
		if head, err = readHead(cn.r, head[:0]); err != nil {
			return fail(err)
		}
		status := message.Status(head)
		if status < 100 || status > 199 || i == interimMax || status == 101 && r.Socket {
			break
		}
	}
	b := &body{ctx: ctx, c: c, cn: cn, end: end, max: c.bodyMax, data: head, head: len(head), none: r.Method == "HEAD" || message.Status(head) == 101}
	defer b.close()
	keep, err := b.read()
	if err != nil {
		return fail(err)
	}
	keep = keep && !r.Socket
	if res.Capture, err = b.capture(); err != nil {
		return fail(&fault{report.OutcomeInternal, err})
	}
	res.Capture.Request = c.requests.Head(sent[:len(sent)-len(r.Body)])
	res.Outcome, res.Reason, res.Ended = b.outcome, b.reason, b.ended
	if res.Outcome == report.OutcomeOK {
		res.Outcome = OutcomeOf(res.Capture)
	}
	return res, keep
}

// OutcomeOf returns the outcome of the whole response c, by its status.
func OutcomeOf(c *record.Capture) report.Outcome {
	switch {
	case c.Status == 304:
		return report.OutcomeNotModified
	case c.Status >= 300 && c.Status < 400:
		return report.OutcomeRedirect
	case c.Status >= 200 && c.Status < 300, c.Status == 101: // 101 begins a WebSocket
		return report.OutcomeOK
	}
	return report.OutcomeHTTPError
}

// message returns the bytes of a request.
func (c *Client) message(r Request) []byte {
	b := make([]byte, 0, 512)
	b = append(append(b, cmp.Or(r.Method, "GET")...), ' ')
	plain := !c.proxy.direct && r.URL.Scheme == "http"
	if plain {
		b = append(append(b, "http://"...), r.URL.Host...)
	}
	b = append(b, target(r.URL)...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, r.URL.Host...)
	b = append(b, "\r\nUser-Agent: "...)
	b = append(b, c.agent...)
	b = append(b, "\r\n"...)
	if !r.Browser {
		b = append(b, "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"...)
	}
	if r.Referer != "" {
		b = append(append(append(b, "Referer: "...), r.Referer...), "\r\n"...)
	}
	if plain {
		b = append(b, c.proxyAuth()...)
	}
	if p := c.passwords[strings.ToLower(r.URL.Hostname())]; p != "" {
		b = append(append(append(b, "Authorization: "...), p...), "\r\n"...)
	}
	if !r.Browser {
		b = append(b, c.cookies.header(r.URL)...)
	}
	b = append(b, r.Header...)
	if r.Body != nil {
		b = fmt.Appendf(b, "Content-Length: %d\r\n", len(r.Body))
	}
	if r.Socket {
		b = append(b, "Connection: Upgrade\r\n\r\n"...)
	} else {
		b = append(b, "Connection: keep-alive\r\n\r\n"...)
	}
	return append(b, r.Body...)
}

// readHead reads the status line and the headers of a response, and the
// empty line after them, and appends them to b. A server that speaks
// HTTP/0.9 sends the page without a head; readHead then appends nothing.
func readHead(r *bufio.Reader, b []byte) ([]byte, error) {
	if start, err := r.Peek(5); err != nil && (len(start) == 0 || !errors.Is(err, io.EOF)) {
		return nil, noAnswer(err)
	} else if !bytes.HasPrefix(start, []byte("HTTP/")) {
		return b, nil
	}
	for {
		line, err := r.ReadSlice('\n')
		b = append(b, line...)
		switch {
		case len(b) > headMax:
			return nil, &fault{report.OutcomeUnreachable, fmt.Errorf("the headers are longer than %d KB", headMax>>10)}
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, noAnswer(err)
		case len(line) == 1 || len(line) == 2 && line[0] == '\r':
			return b, nil
		}
	}
}

// noAnswer returns err, which readHead met, or an error with a clearer text
// if the server closed the connection.
func noAnswer(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault{report.OutcomeUnreachable, errors.New("the server closed the connection without an answer")}
	}
	return err
}
