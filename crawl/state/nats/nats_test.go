package nats_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/crawl"
	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/crawl/state/nats"
	"infomall/exec/worker/natstest"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// web is a web of so many hosts, h0.example and so on, with so many pages each. Page n of
// host h links to the next page of the same host, and to page n of the next host. Page 0
// links to page 0 of all hosts. Until as many fetchers have asked as the web waits for,
// there is always a next page.
type web struct {
	t            *testing.T
	hosts, pages int
	fetchers     int           // for which the web waits
	delay        time.Duration // the least time between two requests to a host
	listener     net.Listener

	mu    sync.Mutex
	asked map[string]int       // number of requests, by URL
	by    map[string]bool      // fetchers that have asked
	links map[string]bool      // URLs to which a page links that was sent
	last  map[string]time.Time // when the last response ended, by host
	busy  map[string]bool      // hosts that send a response
	total int
	each  func() // called after each page, locked
}

func newWeb(t *testing.T, hosts, pages int, delay time.Duration) *web {
	w := &web{t: t, hosts: hosts, pages: pages, delay: delay, asked: make(map[string]int), by: make(map[string]bool), links: make(map[string]bool), last: make(map[string]time.Time), busy: make(map[string]bool)}
	var err error
	if w.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: w}
	ended := make(chan struct{})
	go func() {
		server.Serve(w.listener)
		close(ended)
	}()
	t.Cleanup(func() {
		server.Close()
		<-ended
	})
	return w
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	if since := time.Since(w.last[r.Host]); w.busy[r.Host] || since < w.delay {
		w.t.Errorf("%s%s is asked by %s, %v after the last response (sending: %v)", r.Host, r.URL.Path, r.UserAgent(), since, w.busy[r.Host])
	}
	w.busy[r.Host] = true
	url := "http://" + r.Host + r.URL.Path
	w.asked[url]++
	w.by[r.UserAgent()] = true
	var links []string
	var h, p int
	if n, _ := fmt.Sscanf(url, "http://h%d.example/%d", &h, &p); n == 2 && (p < w.pages || len(w.by) < w.fetchers && p < 1000) {
		links = []string{fmt.Sprintf("http://h%d.example/%d", h, p+1), fmt.Sprintf("http://h%d.example/%d", (h+1)%w.hosts, p)}
		for i := 0; p == 0 && i < w.hosts; i++ {
			links = append(links, fmt.Sprintf("http://h%d.example/0", i))
		}
	}
	w.mu.Unlock()
	if links != nil {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, "<title>%s</title><p>Page %d of host %d.", url, p, h)
		for _, l := range links {
			fmt.Fprintf(out, "<a href=%s>link</a> ", l)
		}
	} else {
		http.NotFound(out, r)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range links {
		w.links[l] = true
	}
	w.busy[r.Host], w.last[r.Host] = false, time.Now()
	w.total++
	if w.each != nil {
		w.each()
	}
}

func (w *web) dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", w.listener.Addr().String())
}

func (w *web) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	var n int
	_, err := fmt.Sscanf(host, "h%d.example", &n)
	return []netip.Addr{netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})}, err
}

// archive is a store as a crawl wants it, whose state is q.
type archive struct {
	*store.Archive
	q crawl.State
}

func (a archive) State(string) (crawl.State, error) { return a.q, nil }
func (a archive) Sink(ctx context.Context, job string, bytes int64) (crawl.Sink, error) {
	return a.NewSink(ctx, job, bytes)
}
func (a archive) Past(ctx context.Context) (crawl.Past, error) { return a.Archive.Past(ctx) }

// fetcher is a process that takes part in a crawl of w, with an archive of its own.
type fetcher struct {
	w    *web
	name string
	a    *store.Archive
}

func newFetcher(t *testing.T, w *web, name string) *fetcher {
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Log(err) }})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fetcher{w, name, a}
}

// join takes part in the crawl called together at url.
func (f *fetcher) join(ctx context.Context, url string, change func(*nats.Options)) (report.CrawlResult, error) {
	within, err := urlkey.ParseScope("*.example")
	if err != nil {
		return report.CrawlResult{}, err
	}
	o := nats.Options{
		URL: url, Partitions: 16, Lease: time.Minute, Every: 200 * time.Millisecond, Delay: f.w.delay, Workers: 8,
		Begin:  nats.Begin{Name: "together", Statement: "CRAWL", Seeds: []string{"http://h0.example/0"}},
		Folder: &state.Folder{Disk: disk.OS, Dir: filepath.Join(f.a.Path(), state.FolderName), Create: f.a.Create},
		Log:    f.w.t.Logf,
	}
	o.Run = func(ctx context.Context, name string, s *nats.Session) (report.CrawlResult, error) {
		return crawl.Run(ctx, archive{f.a, s}, report.CrawlOptions{
			Name: name, Statement: "CRAWL", Seeds: o.Begin.Seeds, Depth: -1, Workers: 8, AllowPrivate: true, Agent: f.name,
			Within: []urlkey.Scope{within}, Delay: f.w.delay, MaxPages: o.MaxPages,
		}, crawl.Env{Dial: f.w.dial, Lookup: f.w.lookup})
	}
	if change != nil {
		change(&o)
	}
	return nats.Join(ctx, o)
}

// pagesAsked returns how many pages were asked for, and fails for each that was asked for
// more than once, but for at most twice of them.
func (w *web) pagesAsked(twice int) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for url, k := range w.asked {
		if strings.HasSuffix(url, ".txt") || strings.HasSuffix(url, ".xml") {
			continue
		}
		n++
		if k > 1 {
			if twice -= k - 1; twice < 0 {
				w.t.Errorf("%s is asked for %d times", url, k)
			}
		}
	}
	return n
}

// checkLinks fails for each link of a page that was not followed.
func (w *web) checkLinks() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for url := range w.links {
		if w.asked[url] == 0 {
			w.t.Errorf("%s is not asked for", url)
		}
	}
}

// TestTogether shows that three fetchers share the hosts of a crawl: they fetch each page
// once, respect the delay of each host, and end together. The result counts what all
// fetched.
func TestTogether(t *testing.T) {
	w := newWeb(t, 40, 3, 20*time.Millisecond)
	w.fetchers = 3
	url := natstest.Start(t, 1).URLs()
	results := make([]report.CrawlResult, w.fetchers)
	var all sync.WaitGroup
	for i := range results {
		f := newFetcher(t, w, fmt.Sprintf("f%d", i))
		all.Go(func() {
			var err error
			if results[i], err = f.join(t.Context(), url, func(o *nats.Options) { o.Partitions = 64 }); err != nil {
				t.Errorf("%s: %v", f.name, err)
			}
		})
	}
	all.Wait()
	pages := int64(w.pagesAsked(0))
	w.checkLinks()
	for i := range results {
		if res := &results[i]; res.Fetched != pages || res.Stored < pages || res.State != report.CrawlFinished {
			t.Errorf("fetcher %d: the result is %+v, want %d pages", i, res, pages)
		}
	}
}

// stopped is a session of a fetcher that the system stops again and again between the choice of a
// URL and its request, each time for so long that it must not send the request.
type stopped struct {
	*nats.Session
	mu    sync.Mutex
	times int  // how often Holds is still to be false
	holds bool // the last result of Holds
}

func (s *stopped) Holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds = s.times == 0 && s.Session.Holds()
	s.times = max(s.times-1, 0)
	return s.holds
}

// stoppedConn is a connection of the fetcher of s to a server.
type stoppedConn struct {
	net.Conn
	s *stopped
	t *testing.T
}

func (c stoppedConn) Write(b []byte) (int, error) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if !c.s.holds {
		c.t.Errorf("%q is sent by a fetcher that does not hold its hosts", strings.SplitN(string(b), "\r\n", 2)[0])
	}
	c.s.holds = false
	return c.Conn.Write(b)
}

// TestStopped shows that the engine asks before each request whether it may still be sent,
// and that a URL whose request may not be sent is asked for later.
func TestStopped(t *testing.T) {
	w := newWeb(t, 2, 20, 10*time.Millisecond)
	f := newFetcher(t, w, "f")
	within, err := urlkey.ParseScope("*.example")
	if err != nil {
		t.Fatal(err)
	}
	res, err := f.join(t.Context(), natstest.Start(t, 1).URLs(), func(o *nats.Options) {
		o.Run = func(ctx context.Context, name string, s *nats.Session) (report.CrawlResult, error) {
			q := &stopped{Session: s, times: 5}
			dial := func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
				c, err := w.dial(ctx, a)
				return stoppedConn{c, q, t}, err
			}
			return crawl.Run(ctx, archive{f.a, q}, report.CrawlOptions{
				Name: name, Statement: "CRAWL", Seeds: o.Begin.Seeds, Depth: -1, Workers: 1, AllowPrivate: true, Agent: f.name, Delay: w.delay, Within: []urlkey.Scope{within},
			}, crawl.Env{Dial: dial, Lookup: w.lookup})
		}
	})
	if err != nil || res.State != report.CrawlFinished {
		t.Errorf("%+v, %v", res, err)
	}
	w.checkLinks()
	if n := w.pagesAsked(0); n != 2*21 {
		t.Errorf("%d pages are asked for, want %d", n, 2*21)
	}
}

// TestLimit shows that a limit of pages holds for all fetchers together, and that the
// crawl ends when it is reached.
func TestLimit(t *testing.T) {
	w := newWeb(t, 8, 40, 0)
	url := natstest.Start(t, 1).URLs()
	var all sync.WaitGroup
	for i := range 2 {
		f := newFetcher(t, w, fmt.Sprintf("f%d", i))
		all.Go(func() {
			res, err := f.join(t.Context(), url, func(o *nats.Options) { o.MaxPages = 50 })
			if err != nil || res.Fetched != 50 || res.State != report.CrawlFinished {
				t.Errorf("%s: %+v, %v, want 50 pages", f.name, res, err)
			}
		})
	}
	all.Wait()
	if n := w.pagesAsked(0); n != 50 {
		t.Errorf("%d pages are asked for, want 50", n)
	}
}

// TestLeaves shows that a crawl goes on when a fetcher is interrupted, and when it comes
// back: no page is lost, and only pages that were under way are fetched twice.
func TestLeaves(t *testing.T) {
	w := newWeb(t, 8, 15, 20*time.Millisecond)
	url := natstest.Start(t, 1).URLs()
	ctx, interrupt := context.WithCancelCause(t.Context())
	w.each = func() {
		if w.total == 40 {
			interrupt(errors.New("Ctrl-C"))
		}
	}
	first, second := newFetcher(t, w, "first"), newFetcher(t, w, "second")
	var other sync.WaitGroup
	other.Go(func() {
		if res, err := second.join(t.Context(), url, nil); err != nil || res.State != report.CrawlFinished || res.Fetched < 8*16 {
			t.Errorf("second: %+v, %v", res, err)
		}
	})
	if _, err := first.join(ctx, url, nil); err == nil || !strings.Contains(err.Error(), "Ctrl-C") {
		t.Errorf("first: %v, want that it was interrupted", err)
	}
	res, err := first.join(t.Context(), url, func(o *nats.Options) { o.Begin.Part = true })
	if errors.Is(err, nats.ErrOver) {
		t.Log("the second fetcher has ended the crawl before the first one came back")
	} else if err != nil || res.State != report.CrawlFinished {
		t.Errorf("first, again: %+v, %v", res, err)
	}
	other.Wait()
	w.checkLinks()
	if n := w.pagesAsked(8); n != 8*16 {
		t.Errorf("%d pages are asked for, want %d", n, 8*16)
	}
}

// TestEndsBetween shows that the part of a fetcher is not left as one that runs if its last
// session ended before the crawl did.
func TestEndsBetween(t *testing.T) {
	url := natstest.Start(t, 1).URLs()
	f := newFetcher(t, newWeb(t, 1, 1, 0), "f")
	var folder *state.Folder
	_, err := f.join(t.Context(), url, func(o *nats.Options) {
		folder = o.Folder
		o.Run = func(ctx context.Context, _ string, s *nats.Session) (res report.CrawlResult, err error) {
			c, err := s.Crawl()
			c.State = report.CrawlFinished
			err = errors.Join(err, s.SetCrawl(&c), s.Commit(), nats.Order(ctx, url, "together", func(o *report.CrawlOrders) { o.Stop = true }))
			for err == nil && !s.Leaves() {
				time.Sleep(time.Millisecond)
			}
			return res, errors.Join(err, s.Close())
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	crawls, err := folder.Crawls(t.Context())
	if err != nil || len(crawls) != 1 || crawls[0].State != report.CrawlStopped || crawls[0].Finished == record.NoTime {
		t.Errorf("the parts are %+v, %v, want one that is stopped", crawls, err)
	}
}

// TestOrders shows that orders to a crawl reach a fetcher: a paused crawl fetches nothing,
// URLs can be added, and STOP ends it.
func TestOrders(t *testing.T) {
	w := newWeb(t, 2, 1000, 10*time.Millisecond)
	url := natstest.Start(t, 1).URLs()
	paused, added := make(chan struct{}), make(chan struct{})
	w.each = func() {
		if w.total == 10 {
			close(paused)
		}
		if w.asked["http://h1.example/5000"] == 1 {
			select {
			case <-added:
			default:
				close(added)
			}
		}
	}
	f := newFetcher(t, w, "f")
	ended := make(chan report.CrawlResult)
	go func() {
		res, err := f.join(t.Context(), url, nil)
		if err != nil {
			t.Error(err)
		}
		ended <- res
	}()
	<-paused
	order := func(f func(*report.CrawlOrders)) {
		t.Helper()
		if err := nats.Order(t.Context(), url, "together", f); err != nil {
			t.Error(err)
		}
	}
	order(func(o *report.CrawlOrders) { o.Pause = true })
	if err := nats.Give(t.Context(), url, "together", []string{"http://h1.example/5000"}, true); err != nil {
		t.Error(err)
	}
	order(func(o *report.CrawlOrders) { o.Pause = false })
	<-added
	order(func(o *report.CrawlOrders) { o.Stop = true })
	if res := <-ended; res.State != report.CrawlStopped {
		t.Errorf("the crawl is %s, want stopped", res.State)
	}
	if err := nats.Order(t.Context(), url, "together", func(*report.CrawlOrders) {}); err == nil || !strings.Contains(err.Error(), "is stopped") {
		t.Errorf("an order to a stopped crawl: %v", err)
	}
	if err := nats.Order(t.Context(), url, "other", func(*report.CrawlOrders) {}); err == nil || !strings.Contains(err.Error(), "have no crawl other") {
		t.Errorf("an order to no crawl: %v", err)
	}
}
