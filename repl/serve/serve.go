package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"infomall/exec/relation"
	"infomall/exec/session"
	"infomall/repl/ask"
	"infomall/repl/serve/keep"
)

// Options says what to serve and where. Archive and Session are required.
type Options struct {
	// Addr is the address of the interface, HOST:PORT. "" means AddrDefault. But if ProxyAddr is
	// set, "" means neither interface nor replay.
	Addr string
	// Origin is the origin at which browsers reach the interface, such as
	// https://archive.example. It is needed if this differs from Addr, as behind a proxy.
	Origin string
	// ReplayAddr is the address of replay. "" means the next port.
	ReplayAddr string
	// ReplayOrigin is the origin by which browsers reach replay. A * in it is replaced by a
	// label for each replayed site, as in https://*.replay.example. "" means a name below
	// localhost for each site, or one origin for all sites if Addr is not loopback.
	ReplayOrigin string
	ProxyAddr    string   // address of the HTTP proxy, HOST:PORT; "" means none
	ProxyTime    string   // time of which the proxy shows the web, 4 to 14 digits; "" is the latest
	CORS         []string // origins whose pages may call the APIs; "*" means all

	Logo     []byte // image that the pages have as their logo; nil means the name of the program
	LogoType string // its media type
	NoBar    bool   // archived pages are shown without the bar
	Ruffle   string // folder with the web version of Ruffle, for archived pages that have Flash; "" means none

	Archive session.Archive
	// Session returns a new session for one request. It must be read-only and must
	// not read files.
	Session func() *session.Session

	// Complete returns the texts that may replace before[from:] in a statement whose
	// text is before and after the cursor. Nil completes nothing.
	Complete func(s *session.Session, before, after string) (from int, candidates []string)

	QueryTimeout time.Duration // time of one statement; 0 means 30 s
	QueryMemory  int64         // memory of one statement in bytes; 0 means that of the settings
	QueryRows    int64         // rows of one answer; 0 means 1,000,000
	QueriesMax   int           // statements that run at the same time; 0 means 8

	AccessLog io.Writer // gets one line for each request; nil logs nothing
	// Say prints a line for the person who started the server. Nil prints nothing.
	Say func(format string, args ...any)
	// Listen opens a listener; nil means net.Listen("tcp", addr).
	Listen func(addr string) (net.Listener, error)
	// Ready, if not nil, is called once all listeners accept connections. The addresses
	// are those of the interface and of replay, unless only the proxy is served, and then
	// that of the proxy, if there is one.
	Ready func(addrs ...net.Addr)
	Now   func() time.Time // nil means time.Now
}

// AddrDefault is the default of Options.Addr.
const AddrDefault = "127.0.0.1:8080"

// ProxyAddrDefault is the address of the proxy if the command line gives none.
const ProxyAddrDefault = "127.0.0.1:8090"

// The other defaults of Options.
const (
	queryTimeoutDefault = 30 * time.Second
	queryRowsDefault    = 1_000_000
	queriesMaxDefault   = 8
)

// The limits of a connection. A slow client must not hold a connection forever, but
// a large result may take long to send, so writes have no limit as a whole.
const (
	headerTimeout  = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	headerBytesMax = 64 << 10 // also bounds the length of a URL
	drainTimeout   = 15 * time.Second
	connectionsMax = 1024 // of a listener; others wait until one is closed
)

// server answers requests. Its methods may be called from any goroutine.
type server struct {
	o         Options
	origins   origins
	asker     *ask.Runner
	replays   chan struct{} // holds one element for each page that replay reads
	files     *keep.Files
	snapshots *keep.Snapshots
	texts     texts // of answers that snapshots keep
	log       *accessLog
	metrics   *metrics
	done      <-chan struct{} // closed when the server is to end
}

// withDefaults returns o with a value for each field that has a default.
func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = AddrDefault
	}
	if o.QueryTimeout == 0 {
		o.QueryTimeout = queryTimeoutDefault
	}
	if o.QueryRows == 0 {
		o.QueryRows = queryRowsDefault
	}
	if o.QueriesMax == 0 {
		o.QueriesMax = queriesMaxDefault
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	if o.Listen == nil {
		o.Listen = func(addr string) (net.Listener, error) { return net.Listen("tcp", addr) }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// listening is a listener and the handler that answers its requests.
type listening struct {
	net.Listener
	handler http.Handler
}

// Run serves the archive until ctx ends. Then it accepts no more connections, waits up to
// drainTimeout for the requests that are being answered, and returns nil. It returns an error if
// an address cannot be used, or if a listener fails.
func Run(ctx context.Context, o Options) error {
	proxyOnly := o.Addr == "" && o.ProxyAddr != ""
	o = o.withDefaults()
	var list []listening
	defer func() {
		for _, l := range list {
			l.Close()
		}
	}()
	listen := func(flag, addr string) error {
		l, err := o.Listen(addr)
		if err != nil {
			return fmt.Errorf("--%s %s: %w", flag, addr, err)
		}
		list = append(list, listening{Listener: l})
		return nil
	}
	if !proxyOnly {
		if o.ReplayAddr == "" {
			next, err := nextPort(o.Addr)
			if err != nil {
				return err
			}
			o.ReplayAddr = next
		}
		if err := listen("serve", o.Addr); err != nil {
			return err
		}
		if err := listen("replay-addr", o.ReplayAddr); err != nil {
			return err
		}
	}
	if o.ProxyAddr != "" {
		if err := listen("replay-proxy", o.ProxyAddr); err != nil {
			return err
		}
	}
	addrs := make([]net.Addr, len(list))
	for i, l := range list {
		addrs[i] = l.Addr()
	}
	s, err := newServer(o, addrs[0], addrs[min(1, len(addrs)-1)], ctx.Done())
	if err != nil {
		return err
	}
	defer s.close()
	if !proxyOnly {
		list[0].handler, list[1].handler = s.interfaceHandler(), s.replayHandler()
		s.announce()
	}
	if o.ProxyAddr != "" {
		proxy := &list[len(list)-1]
		if proxy.handler, err = s.proxyHandler(); err != nil {
			return err
		}
		s.announceProxy(proxy.Addr())
	}
	if o.Ready != nil {
		o.Ready(addrs...)
	}
	return s.serve(ctx, list)
}

// newServer returns a server whose listeners have the addresses ui and replay. done
// is closed when the server is to end.
func newServer(o Options, ui, replay net.Addr, done <-chan struct{}) (*server, error) {
	o = o.withDefaults()
	origins, err := originsOf(&o, ui, replay)
	if err != nil {
		return nil, err
	}
	m := newMetrics(o.Archive)
	return &server{
		o: o, origins: origins, replays: make(chan struct{}, replaysMax), metrics: m, done: done,
		asker: ask.New(ask.Options{
			Session: o.Session, Timeout: o.QueryTimeout, Memory: o.QueryMemory, Rows: o.QueryRows, AtOnce: o.QueriesMax,
			Began: m.running.Inc, Ended: m.statement,
		}),
		files:     &keep.Files{Now: o.Now},
		snapshots: &keep.Snapshots{Open: func(ctx context.Context) (relation.Snapshot, func(), error) { return o.Session().Snapshot(ctx) }},
		log:       newAccessLog(o.AccessLog),
	}, nil
}

// close frees what the server keeps between requests.
func (s *server) close() {
	s.files.Close()
	s.snapshots.Close()
}

// serve answers requests on all listeners until ctx ends or one listener fails.
func (s *server) serve(ctx context.Context, list []listening) error {
	var servers []*http.Server
	failed := make(chan error, len(list))
	for _, l := range list {
		h := s.httpServer(l.handler)
		servers = append(servers, h)
		limited := netutil.LimitListener(l.Listener, connectionsMax)
		go func() { failed <- h.Serve(limited) }()
	}
	ended := 0
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		ended = 1
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	for _, h := range servers {
		if derr := h.Shutdown(drain); derr != nil {
			h.Close()
		}
	}
	for ; ended < len(servers); ended++ {
		if ferr := <-failed; err == nil && !errors.Is(ferr, http.ErrServerClosed) {
			err = ferr
		}
	}
	return err
}

// httpServer returns an HTTP server for the handler h.
func (s *server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytesMax,
		// Errors of single connections, such as a client that goes away, are no news.
		ErrorLog: log.New(io.Discard, "", 0),
	}
}
