package crawl

import (
	"bufio"
	"bytes"
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
	"infomall/store/record"
)

// Bounds of one request, each so that a server that is slow, endless or broken
// costs a fetcher little.
const (
	headMax          = 256 << 10 // bytes of status line and headers
	lineMax          = 16 << 10  // bytes of a chunk's size line
	trailersMax      = 64 << 10
	connectTimeout   = 5 * time.Second
	firstByteTimeout = 30 * time.Second
	wholeTimeout     = 20 * time.Minute
	rateWindow       = 15 * time.Second // in which some bytes of a body must come: see [body.hurry]
	rateMin          = 1 << 10          // so many in the first window, and as many more in each further one
	rateMinMax       = 16 << 10         // up to so many
	idleMax          = 15 * time.Second // after which an unused connection is closed
	idleMany         = 1000             // unused connections that are kept
	readerBytes      = 32 << 10         // of the buffer of a connection that is used
	interimMax       = 10               // 1XX responses before the real one
	memoryMax        = 8 << 20          // bytes of a response kept in memory
	bodyMaxDefault   = 64 << 20
)

// client makes requests of HTTP/1.1. It keeps what was received exactly, and a
// connection a host for the next request. It may be used from many goroutines.
type client struct {
	dial    func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	names   names
	agent   string
	bodyMax int64
	tls     *tls.Config
	guard   guard.Guard
	proxy   proxy
	rate    *rate
	quota   *quota
	now     func() time.Time

	passwords passwords
	cookies   *cookies

	mu   sync.Mutex
	idle map[string]*conn // by scheme, host and port

	readers sync.Pool // of *bufio.Reader, which unused connections need not have
}

// conn is a connection to a server.
type conn struct {
	net.Conn
	r    *bufio.Reader // nil while it is unused
	addr netip.Addr
	used time.Time
	old  bool // it has served a request: an end at once says that it was closed meanwhile
}

// setDeadline sets the deadline of reads and writes. It fails with
// [os.ErrDeadlineExceeded] if ctx has ended. The end of ctx sets a deadline in the
// past, see [client.exchange]: ctx is looked at after the new deadline is set, so
// that the new one never replaces the one in the past unnoticed.
func (cn *conn) setDeadline(ctx context.Context, t time.Time) error {
	if err := cn.SetDeadline(t); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// request is what to ask for.
type request struct {
	url     *url.URL
	addr    netip.AddrPort // of the host
	referer string
	headers string // further ones, whole lines that end in CR LF
}

// response is what came. The receiver owns capture.
type response struct {
	capture *record.Capture // nil without an answer
	outcome record.Outcome
	reason  string
	addr    netip.Addr
	elapsed time.Duration
	entered netip.Addr // whose manners are to be left
	ended   bool       // a limit of the crawl, or STOP, ended it
	cookies cookieNews // what it set
}

// endedError is why a request ends before its time: a limit of the crawl was
// reached, or the crawl was stopped. It is the cause of the context of such a
// request.
type endedError struct{ why string }

func (e *endedError) Error() string { return e.why }

// endWith notes that ctx ended the request, if it did and the request did not come
// to its end.
func (r *response) endWith(ctx context.Context) {
	err := context.Cause(ctx)
	switch {
	case err == nil:
	case r.outcome == record.OutcomeIncomplete, r.outcome == record.OutcomeTLSError, transient(r.outcome):
		r.reason = err.Error()
		if r.ended = errors.As(err, new(*endedError)); r.ended && r.capture != nil {
			r.outcome = record.OutcomeTruncated
		}
	}
}

// fault is an error with the outcome that it means.
type fault struct {
	outcome record.Outcome
	err     error
}

func (f *fault) Error() string { return f.err.Error() }
func (f *fault) Unwrap() error { return f.err }

// faultOf gives the outcome of an error of a connection.
func faultOf(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &fault{record.OutcomeTimeout, err}
	}
	return &fault{record.OutcomeUnreachable, err}
}

// get makes a request. It does not fail: what went wrong is the outcome.
func (c *client) get(ctx context.Context, r request) response {
	begun := c.now()
	res := c.try(ctx, r)
	res.endWith(ctx)
	res.elapsed = c.now().Sub(begun)
	if res.capture != nil {
		res.cookies = c.cookies.set(r.url, res.capture.Head, c.now())
		res.capture.Time = record.At(begun)
		res.capture.AskedURL = r.url.String()
		if res.addr.IsValid() {
			res.capture.IP = res.addr.String()
		}
	}
	return res
}

func (c *client) try(ctx context.Context, r request) response {
	for {
		cn, err := c.connect(ctx, r)
		if err != nil {
			f := faultOf(err)
			return response{outcome: f.outcome, reason: f.Error()}
		}
		res, stale := c.exchange(ctx, cn, r)
		if stale {
			continue // the server had closed the connection: a new one
		}
		return res
	}
}

// connect gives the connection that the last request to the host left, or a
// new one.
func (c *client) connect(ctx context.Context, r request) (*conn, error) {
	key := r.url.Scheme + r.url.Host
	c.mu.Lock()
	cn := c.idle[key]
	delete(c.idle, key)
	c.mu.Unlock()
	if cn != nil {
		if cn.addr == r.addr.Addr() && c.now().Sub(cn.used) < idleMax {
			cn.r = c.reader(cn)
			return cn, nil
		}
		cn.Close()
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if c.proxy.direct {
		if err := c.guard.Check(r.addr.Addr()); err != nil {
			return nil, &fault{record.OutcomeFiltered, err}
		}
	} else if err := c.allows(r.url); err != nil {
		return nil, err
	}
	nc, err := c.dial(ctx, r.addr)
	if err != nil {
		return nil, err
	}
	if r.url.Scheme == "https" {
		if !c.proxy.direct {
			if err := c.tunnel(ctx, nc, r.url); err != nil {
				nc.Close()
				return nil, err
			}
		}
		config := c.tls.Clone()
		config.ServerName = r.url.Hostname()
		secure := tls.Client(nc, config)
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, &fault{record.OutcomeTLSError, err}
		}
		nc = secure
	}
	cn = &conn{Conn: nc, addr: r.addr.Addr()}
	cn.r = c.reader(cn)
	return cn, nil
}

// reader gives what reads from a connection.
func (c *client) reader(cn *conn) *bufio.Reader {
	if r, ok := c.readers.Get().(*bufio.Reader); ok {
		r.Reset(cn.Conn)
		return r
	}
	return bufio.NewReaderSize(cn.Conn, readerBytes)
}

// leave takes the reader of a connection, which is not used again before it has
// another, and tells whether nothing was left in it.
func (c *client) leave(cn *conn) (empty bool) {
	empty = cn.r.Buffered() == 0
	cn.r.Reset(nil)
	c.readers.Put(cn.r)
	cn.r = nil
	return empty
}

// keep keeps a connection for the next request to the host, in the place of
// another if there are many.
func (c *client) keep(cn *conn, r request) {
	cn.used, cn.old = c.now(), true
	key := r.url.Scheme + r.url.Host
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

// expire closes connections that were not used for long.
func (c *client) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, cn := range c.idle {
		if c.now().Sub(cn.used) >= idleMax {
			cn.Close()
			delete(c.idle, key)
		}
	}
}

// close closes all connections that nobody uses.
func (c *client) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cn := range c.idle {
		cn.Close()
	}
	clear(c.idle)
}

// exchange sends a request and reads the answer. Stale says that the connection
// was no good any more when it was used again.
func (c *client) exchange(ctx context.Context, cn *conn, r request) (res response, stale bool) {
	stop := context.AfterFunc(ctx, func() { cn.SetDeadline(time.Unix(1, 0)) })
	res, keep := c.speak(ctx, cn, r)
	stale = cn.old && res.capture == nil && res.outcome == record.OutcomeUnreachable && ctx.Err() == nil
	if empty := c.leave(cn); stop() && keep && empty {
		c.keep(cn, r)
	} else {
		cn.Close()
	}
	return res, stale
}

// speak sends a request and reads the answer. Keep says that the connection may
// be used again.
func (c *client) speak(ctx context.Context, cn *conn, r request) (res response, keep bool) {
	res.addr = cn.addr
	fail := func(err error) (response, bool) {
		f := faultOf(err)
		res.outcome, res.reason = f.outcome, f.Error()
		return res, false
	}
	end := c.now().Add(wholeTimeout)
	if err := cn.setDeadline(ctx, c.now().Add(firstByteTimeout)); err != nil {
		return fail(err)
	}
	if _, err := cn.Write(c.message(r)); err != nil {
		return fail(err)
	}
	var head []byte
	for i := 0; ; i++ {
		var err error
		if head, err = readHead(cn.r, head[:0]); err != nil {
			return fail(err)
		}
		status := record.Status(head)
		if status < 100 || status > 199 || i == interimMax {
			break
		}
	}
	b := &body{ctx: ctx, c: c, cn: cn, end: end, max: c.bodyMax, data: head, head: len(head)}
	defer b.close()
	keep, err := b.read()
	if err != nil {
		return fail(err)
	}
	if res.capture, err = b.capture(); err != nil {
		return fail(&fault{record.OutcomeInternal, err})
	}
	res.outcome, res.reason, res.ended = b.outcome, b.reason, b.ended
	if res.outcome == record.OutcomeOK {
		res.outcome = outcomeOf(res.capture)
	}
	return res, keep
}

// outcomeOf is the outcome of a whole answer.
func outcomeOf(c *record.Capture) record.Outcome {
	switch {
	case c.Status == 304:
		return record.OutcomeNotModified
	case c.Status >= 300 && c.Status < 400:
		return record.OutcomeRedirect
	case c.Status >= 200 && c.Status < 300:
		return record.OutcomeOK
	}
	return record.OutcomeHTTPError
}

// message is the request as it is sent.
func (c *client) message(r request) []byte {
	b := make([]byte, 0, 512)
	b = append(b, "GET "...)
	plain := !c.proxy.direct && r.url.Scheme == "http"
	if plain {
		b = append(append(b, "http://"...), r.url.Host...)
	}
	b = append(b, r.url.RequestURI()...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, r.url.Host...)
	b = append(b, "\r\nUser-Agent: "...)
	b = append(b, c.agent...)
	b = append(b, "\r\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"...)
	if r.referer != "" {
		b = append(append(append(b, "Referer: "...), r.referer...), "\r\n"...)
	}
	if plain {
		b = append(b, c.proxyAuth()...)
	}
	if p := c.passwords[strings.ToLower(r.url.Hostname())]; p != "" {
		b = append(append(append(b, "Authorization: "...), p...), "\r\n"...)
	}
	b = append(b, c.cookies.header(r.url)...)
	b = append(b, r.headers...)
	return append(b, "Connection: keep-alive\r\n\r\n"...)
}

// readHead appends status line and headers, with the empty line that ends them,
// to b. A server older than status lines sends the page at once: its head is
// empty.
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
			return nil, &fault{record.OutcomeUnreachable, fmt.Errorf("the headers are longer than %d KB", headMax>>10)}
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return nil, noAnswer(err)
		case len(line) == 1 || len(line) == 2 && line[0] == '\r':
			return b, nil
		}
	}
}

func noAnswer(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &fault{record.OutcomeUnreachable, errors.New("the server closed the connection without an answer")}
	}
	return err
}

// body reads the body of a response behind its head, as it is sent: framing and
// all.
type body struct {
	ctx  context.Context
	c    *client
	cn   *conn
	end  time.Time
	max  int64
	data []byte   // head and body so far, until there is too much of it
	file *os.File // all of it, where it is large
	head int
	n    int64 // bytes of the body

	deadline time.Time // when least bytes must have come since the body had since bytes
	since    int64
	least    int64

	outcome record.Outcome
	reason  string
	ended   bool // the quota of the crawl ended it
}

// errCut ends the reading of a body that is too long.
var errCut = errors.New("body too long")

// read reads the body to its end. A body that ends too soon or is too long is
// kept as far as it came; the outcome tells. keep says that the next response
// may follow on the connection.
func (b *body) read() (keep bool, err error) {
	head := b.data[:b.head]
	status := record.Status(head)
	old := !bytes.HasPrefix(head, []byte("HTTP/1.1"))
	connection := strings.ToLower(record.Header(head, "Connection"))
	keep = !strings.Contains(connection, "close") && (!old || strings.Contains(connection, "keep-alive"))
	length, lengthErr := strconv.ParseInt(record.Header(head, "Content-Length"), 10, 64)
	switch {
	case status == 204 || status == 304:
	case record.Chunked(head):
		err = b.chunked()
	case lengthErr == nil && length >= 0:
		if length <= memoryMax && length <= b.max {
			data := make([]byte, len(head), int64(len(head))+length)
			copy(data, head)
			b.data = data
		}
		err = b.take(length)
	default:
		keep = false
		err = b.take(-1)
	}
	var ended *endedError
	switch {
	case errors.As(err, &ended) && b.n > 0:
		b.outcome, b.reason, b.ended = record.OutcomeTruncated, ended.why, true
	case errors.Is(err, errCut):
		b.outcome, b.reason = record.OutcomeTruncated, fmt.Sprintf("longer than %d bytes", b.max)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		b.outcome, b.reason = record.OutcomeIncomplete, "the body ends before its declared end"
	case err != nil && b.n > 0:
		f := faultOf(err)
		b.outcome, b.reason = record.OutcomeIncomplete, "the body broke off: "+f.Error()
		if f.outcome == record.OutcomeTimeout {
			b.outcome = f.outcome
		}
	case err != nil:
		return false, err
	default:
		return keep, nil
	}
	return false, nil
}

// take reads n bytes, or, with −1, all up to the end of the connection.
func (b *body) take(n int64) error {
	for n != 0 {
		if err := b.hurry(); err != nil {
			return err
		}
		if b.cn.r.Buffered() == 0 {
			if _, err := b.cn.r.Peek(1); err != nil {
				if n < 0 && errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		}
		want := b.cn.r.Buffered()
		if n > 0 {
			want = int(min(int64(want), n))
		}
		cut := b.n+int64(want) > b.max
		if cut {
			want = int(b.max - b.n)
		}
		piece, err := b.cn.r.Peek(want)
		if err != nil {
			return err
		}
		if err := b.add(piece); err != nil {
			return err
		}
		if _, err := b.cn.r.Discard(want); err != nil {
			return err
		}
		if err := b.pay(want); err != nil {
			return err
		}
		if cut {
			return errCut
		}
		if n > 0 {
			n -= int64(want)
		}
	}
	return nil
}

// hurry sets the deadline of the next read: in each window some bytes must come,
// and in each further window more of them. A server that is slow at times sends a
// page within that; one that drips is let go before long, for its host waits
// meanwhile.
func (b *body) hurry() error {
	now := b.c.now()
	if b.deadline.IsZero() || b.n-b.since >= b.least {
		b.deadline, b.since = now.Add(rateWindow), b.n
		b.least = min(b.least+rateMin, rateMinMax)
		if b.deadline.After(b.end) {
			b.deadline = b.end
		}
		return b.cn.setDeadline(b.ctx, b.deadline)
	}
	return nil
}

// pay takes n bytes from what the crawl may receive, and waits until they are
// within its rate. The server is not blamed for that.
func (b *body) pay(n int) error {
	if err := b.c.quota.spend(n); err != nil {
		return err
	}
	waited, err := b.c.rate.spend(b.ctx, n)
	if waited > 0 {
		b.end = b.end.Add(waited)
		b.deadline = time.Time{}
	}
	return err
}

// add appends a piece to what was received.
func (b *body) add(piece []byte) error {
	b.n += int64(len(piece))
	if b.file == nil && len(b.data)+len(piece) > memoryMax+b.head {
		f, err := os.CreateTemp("", "infomall-body")
		if err != nil {
			return &fault{record.OutcomeInternal, err}
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return &fault{record.OutcomeInternal, err}
		}
		b.file = f
		if _, err := f.Write(b.data); err != nil {
			return &fault{record.OutcomeInternal, err}
		}
	}
	if b.file != nil {
		if _, err := b.file.Write(piece); err != nil {
			return &fault{record.OutcomeInternal, err}
		}
		return nil
	}
	b.data = append(b.data, piece...)
	return nil
}

// line reads a line of the framing.
func (b *body) line() ([]byte, error) {
	if err := b.hurry(); err != nil {
		return nil, err
	}
	line, err := b.cn.r.ReadSlice('\n')
	if len(line) > lineMax {
		err = fmt.Errorf("a line of the chunked framing is longer than %d KB", lineMax>>10)
	}
	if e := b.add(line); err == nil {
		err = e
	}
	return line, err
}

// chunked reads a chunked body with its framing.
func (b *body) chunked() error {
	for {
		line, err := b.line()
		if err != nil {
			return err
		}
		text, _, _ := bytes.Cut(line, []byte(";"))
		size, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 16, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("%.40q is no size of a chunk", line)
		}
		if size == 0 {
			break
		}
		if err := b.take(size); err != nil {
			return err
		}
		if err := b.take(2); err != nil {
			return err
		}
	}
	for start := b.n; b.n-start < trailersMax; {
		line, err := b.line()
		if err != nil || len(bytes.TrimRight(line, "\r\n")) == 0 {
			return err
		}
	}
	return errors.New("the trailers never end")
}

// capture makes a capture of what was received.
func (b *body) capture() (*record.Capture, error) {
	c := &record.Capture{RefersTime: record.NoTime, Truncated: b.outcome == record.OutcomeTruncated || b.outcome == record.OutcomeIncomplete || b.outcome == record.OutcomeTimeout}
	if b.file == nil {
		c.SetMessage(b.data)
		return c, nil
	}
	w := record.NewWindow(context.Background(), b.file)
	return c, c.ReadMessage(w, 0, int64(b.head)+b.n, record.BodyLimits{MemoryMax: memoryMax})
}

func (b *body) close() {
	if b.file != nil {
		b.file.Close()
	}
}

// resolve gives the address of a host, or of the proxy that is asked in its
// place: the first, as the system orders them.
func (c *client) resolve(ctx context.Context, u *url.URL) (netip.AddrPort, error) {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return netip.AddrPort{}, &fault{record.OutcomeInternal, fmt.Errorf("port %q", port)}
	}
	if !c.proxy.direct && u.Host != c.proxy.host {
		return c.resolve(ctx, c.proxy.url())
	}
	host := u.Hostname()
	if a, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(a.Unmap(), uint16(n)), nil
	}
	list, err := c.names.addrsOf(ctx, host)
	if err != nil {
		return netip.AddrPort{}, &fault{record.OutcomeDNSFailed, err}
	}
	return netip.AddrPortFrom(list[0].Unmap(), uint16(n)), nil
}
