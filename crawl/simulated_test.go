package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// simulated is a web in memory whose time is that of a synctest bubble. Its
// hosts are called h0.example, h1.example and so on.
type simulated struct {
	handler http.Handler
	conns   chan net.Conn
	closed  chan struct{}
	begun   time.Time
	sync    time.Duration           // what it takes to make captures durable
	wrap    func(net.Conn) net.Conn // if not nil, replaces the connections that the crawl dials

	publishBytes int64 // as the sink was told
	published    []time.Time

	free func() (int64, error) // Env.DiskFree; may be nil

	ctx  context.Context   // whose end kills the crawl; nil: nothing does
	a    archive           // which the crawl kept its state in
	kept map[string][]byte // body of the last capture of each URL
	cut  map[string]bool   // whether that is marked as truncated
}

// crawl crawls it into an archive that forgets what it gets.
func (s *simulated) crawl(t *testing.T, o report.CrawlOptions) report.CrawlResult {
	s.conns, s.closed, s.begun = make(chan net.Conn), make(chan struct{}), time.Now()
	s.kept, s.cut = make(map[string][]byte), make(map[string]bool)
	if s.a.Archive == nil {
		s.a = newArchive(t)
	}
	server := &http.Server{Handler: s.handler}
	ended := make(chan struct{})
	go func() {
		server.Serve(s)
		close(ended)
	}()
	o.Name, o.Statement, o.Agent, o.AllowPrivate, o.Depth = "simulated", "CRAWL", "infomall", true, -1
	ctx := s.ctx
	if ctx == nil {
		ctx = t.Context()
	}
	res, err := Run(ctx, forgetful{s.a, s}, o, Env{Dial: s.dial, Lookup: s.lookup, DiskFree: s.free})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	server.Close()
	<-ended
	return res
}

func (s *simulated) dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case s.conns <- theirs:
		if s.wrap != nil {
			ours = s.wrap(ours)
		}
		return ours, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *simulated) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	n, err := simulatedHost(host)
	return []netip.Addr{netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)})}, err
}

// simulatedHost is the number of a host.
func simulatedHost(name string) (int, error) {
	return strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "h"), ".example"))
}

// Accept implements net.Listener.
func (s *simulated) Accept() (net.Conn, error) {
	select {
	case c := <-s.conns:
		return c, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (s *simulated) Close() error {
	close(s.closed)
	return nil
}

// Addr implements net.Listener.
func (s *simulated) Addr() net.Addr { return &net.TCPAddr{} }

// forgetful is an archive that keeps the state of crawls only.
type forgetful struct {
	archive
	s *simulated
}

func (f forgetful) Past(context.Context) (Past, error) { return noPast{}, nil }
func (f forgetful) Sink(_ context.Context, _ string, bytes int64) (Sink, error) {
	f.s.publishBytes = bytes
	return slowSink{s: f.s}, nil
}

type noPast struct{}

func (noPast) Known(context.Context, string, record.Time) (record.Known, error) {
	return record.Known{Time: record.NoTime}, nil
}
func (noPast) Head(context.Context, record.Ref) ([]byte, error) {
	return nil, errors.New("nothing is stored")
}
func (noPast) Payload(context.Context, record.Ref) (record.Payload, error) {
	return record.Payload{}, errors.New("nothing is stored")
}
func (noPast) Blocked(context.Context, string, record.Time) (int64, error) { return 0, nil }
func (noPast) Close() error                                                { return nil }

// slowSink is nowhere, on a slow disk.
type slowSink struct {
	nowhere
	s *simulated
}

// Put notes what is put.
func (k slowSink) Put(_ context.Context, c *record.Capture) error {
	k.s.kept[c.AskedURL], k.s.cut[c.AskedURL] = c.Body, c.Truncated
	return nil
}

func (k slowSink) Sync() error {
	time.Sleep(k.s.sync)
	return nil
}

func (k slowSink) Publish() error {
	k.s.published = append(k.s.published, time.Now())
	return nil
}

// TestPublishing shows that what was fetched comes into force as often as the crawl
// says.
func TestPublishing(t *testing.T) {
	for _, c := range []struct{ every, want time.Duration }{{0, publishEvery}, {2 * time.Second, 2 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			b := &busyHosts{hosts: 1, pages: 70, workers: 1}
			s := &simulated{handler: b}
			s.crawl(t, report.CrawlOptions{Seeds: b.seeds(), Workers: 1, Delay: time.Second, IgnoreRobots: true, PublishEvery: c.every, PublishBytes: 1 << 20})
			if len(s.published) < 2 || s.publishBytes != 1<<20 {
				t.Fatalf("published at %v, and after %d bytes", s.published, s.publishBytes)
			}
			before := s.begun
			for _, at := range s.published {
				if d := at.Sub(before); d < c.want || d > c.want+pollEvery {
					t.Errorf("published %v after the last time, want %v", d, c.want)
				}
				before = at
			}
		})
	}
}

// busyHosts is hosts of so many pages each, which are all known from the start.
// It counts how long fewer than workers requests were under way while a host
// was ready.
type busyHosts struct {
	hosts, pages, workers int

	mu    sync.Mutex
	busy  map[string]bool
	left  map[string]int
	ready int // hosts that are not busy and have something left
	since time.Time
	idle  time.Duration // of all workers together
}

func (b *busyHosts) seeds() (list []string) {
	b.busy, b.left, b.ready, b.since = make(map[string]bool), make(map[string]int), b.hosts, time.Now()
	for h := range b.hosts {
		name := fmt.Sprintf("h%d.example", h)
		b.left[name] = b.pages
		for p := range b.pages {
			list = append(list, fmt.Sprintf("http://%s/%d", name, p))
		}
	}
	return list
}

// count adds the time since the last change. It is called locked.
func (b *busyHosts) count() {
	now := time.Now()
	b.idle += now.Sub(b.since) * time.Duration(min(b.workers-len(b.busy), b.ready))
	b.since = now
}

func (b *busyHosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	b.count()
	b.busy[r.Host] = true
	b.left[r.Host]--
	b.ready--
	b.mu.Unlock()
	time.Sleep(100*time.Millisecond + time.Duration(rand.Int64N(int64(200*time.Millisecond))))
	b.mu.Lock()
	b.count()
	delete(b.busy, r.Host)
	if b.left[r.Host] > 0 {
		b.ready++
	}
	b.mu.Unlock()
	fmt.Fprintf(w, "<p>%s", r.URL)
}

// TestNoReadyHostWaits shows that no worker is idle for a moment while a host is
// ready, and next to none while a disk is slow: what they are to do then is laid
// out before.
func TestNoReadyHostWaits(t *testing.T) {
	for _, c := range []struct {
		sync  time.Duration
		share float64
	}{{0, 0}, {20 * time.Millisecond, .003}, {100 * time.Millisecond, .015}} {
		synctest.Test(t, func(t *testing.T) {
			b := &busyHosts{hosts: 400, pages: 6, workers: 40}
			s := &simulated{handler: b, sync: c.sync}
			start := time.Now()
			res := s.crawl(t, report.CrawlOptions{Seeds: b.seeds(), Workers: b.workers, IgnoreRobots: true})
			if res.Fetched != int64(b.hosts*b.pages) {
				t.Errorf("%d pages are fetched, want %d", res.Fetched, b.hosts*b.pages)
			}
			all := time.Since(start) * time.Duration(b.workers)
			if share := float64(b.idle) / float64(all); share > c.share {
				t.Errorf("syncs take %v: workers are idle beside ready hosts for %.4f of their time, want %v at most", c.sync, share, c.share)
			}
		})
	}
}

// badHosts serves good hosts, and behind them bad ones of five kinds.
type badHosts struct {
	good, pages int
	bomb        []byte

	mu    sync.Mutex
	asked map[string]int
	last  map[string]time.Time // when the last page of a host was asked for
}

// badKinds is what the hosts behind the good ones are.
var badKinds = []string{"slow", "endless", "bomb", "trap", "maze"}

func (b *badHosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	n, _ := simulatedHost(r.Host)
	if n < b.good && r.URL.Path == "/sitemap.xml" {
		http.NotFound(w, r)
		return
	}
	b.mu.Lock()
	b.asked[r.Host]++
	b.last[r.Host] = time.Now()
	b.mu.Unlock()
	time.Sleep(50 * time.Millisecond)
	w.Header().Set("Content-Type", "text/html")
	at, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	if n < b.good {
		fmt.Fprintf(w, "<p>Page %d of %s says this and no other.", at, r.Host)
		if at+1 < b.pages {
			fmt.Fprintf(w, "<a href=/%d>next</a>", at+1)
		}
		return
	}
	out := http.NewResponseController(w)
	switch badKinds[(n-b.good)%len(badKinds)] {
	case "slow":
		for err := error(nil); err == nil; err = out.Flush() {
			io.WriteString(w, " ")
			time.Sleep(time.Second)
		}
	case "endless":
		for err := error(nil); err == nil; {
			_, err = w.Write(bytes.Repeat([]byte("<p>on and on"), 1000))
		}
	case "bomb":
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(b.bomb)
	case "trap":
		fmt.Fprintf(w, "<title>%d</title>Nothing on this day. <a href=/day/%d>before</a><a href=/day/%d>after</a>", at, 2*at+1, 2*at+2)
	case "maze":
		if at%8 > 0 {
			http.Redirect(w, r, fmt.Sprintf("/m/%d", at+1), http.StatusFound)
			return
		}
		fmt.Fprintf(w, "<p>Nothing. <a href=/m/%d>on</a><a href=/m/%d>on</a>", 16*at+1, 16*at+9)
	}
}

// TestBadHosts shows that good hosts have all their pages, and hardly later, with
// hosts among them that are slow, send without end, or more than they seem to, or
// lead into pages and redirects without end; and that not many pages are fetched
// of these.
func TestBadHosts(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	z.Write(make([]byte, 32<<20))
	z.Close()
	const good, bad, pages = 20, 5, 15
	crawl := func(hosts int) (b *badHosts, took time.Duration) {
		b = &badHosts{good: good, pages: pages, bomb: bomb.Bytes(), asked: make(map[string]int), last: make(map[string]time.Time)}
		synctest.Test(t, func(t *testing.T) {
			var seeds []string
			for h := range hosts {
				seeds = append(seeds, fmt.Sprintf("http://h%d.example/0", h))
			}
			s := &simulated{handler: b}
			s.crawl(t, report.CrawlOptions{Seeds: seeds, Workers: 24, Delay: 100 * time.Millisecond, BodyMax: 1 << 20})
			for h := range good {
				took += b.last[fmt.Sprintf("h%d.example", h)].Sub(s.begun) / good
			}
		})
		return b, took
	}
	_, alone := crawl(good)
	b, beside := crawl(good + bad)
	if beside > alone*100/95 {
		t.Errorf("good hosts take %v on the mean, and %v alone", beside, alone)
	}
	for h := range good + bad {
		name := fmt.Sprintf("h%d.example", h)
		switch n := b.asked[name]; {
		case h < good && n != pages:
			t.Errorf("%s: %d pages are asked for, want %d", name, n, pages)
		case h >= good && n > 5000:
			t.Errorf("%s, which is bad (%s): %d pages are asked for", name, badKinds[(h-good)%len(badKinds)], n)
		}
	}
}
