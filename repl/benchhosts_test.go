package repl

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

// benchHosts is a web of many sites for benchmarks. Each site is a host of its
// own: 127.1.0.0, 127.1.0.1 and so on, on one port. Each has a robots.txt and a
// home page that links to the home pages of eight others; every fourth host has
// another page. Responses are delayed.
type benchHosts struct {
	port    int
	delay   time.Duration // required between two requests to a host
	workers int           // of the crawler

	mu       sync.Mutex
	hosts    []benchHost
	busy     int // requests under way
	most     int // of these, at a time
	pages    int
	failures int           // requests of one host at once, or before the delay was over
	samples  int           // moments at which was looked
	idle     int           // workers, at all of these, that did nothing while hosts were ready
	full     time.Duration // in which as many requests were under way as there are workers
}

// benchHost is the state of one host, as a polite visitor should see it.
type benchHost struct {
	busy  bool
	ended time.Time // of the last request
	ready time.Time // when at the latest a polite visitor may request the rest
	left  int       // robots.txt and pages that were not asked for
}

const (
	benchHostsFan  = 8                      // homes that a home leads to
	benchHostsStep = 50 * time.Millisecond  // between two looks
	benchHostsLag  = 100 * time.Millisecond // time that a visitor may take to see what it may request
)

// serveBenchHosts is the program "benchhosts HOSTS DELAY WORKERS". It prints
// the URL of the first home page and serves until it is killed. Its statistics
// are at /stats: pages, requests that came too soon, the largest number of
// requests at once, and the share of the workers that was idle while hosts were
// ready, in per cent.
func serveBenchHosts() {
	hosts, err := strconv.Atoi(os.Args[1])
	s := &benchHosts{hosts: make([]benchHost, hosts)}
	if err == nil {
		s.delay, err = time.ParseDuration(os.Args[2])
	}
	if err == nil {
		s.workers, err = strconv.Atoi(os.Args[3])
	}
	var l net.Listener
	if err == nil {
		l, err = net.Listen("tcp", "0.0.0.0:0")
	}
	if err == nil {
		for n := range s.hosts {
			s.hosts[n].left = 2
			if s.hasMore(n) {
				s.hosts[n].left++
			}
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		fmt.Println(s.home(0))
		go s.look()
		err = (&http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, localAddr{}, c.LocalAddr())
		}}).Serve(l)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type localAddr struct{}

func (s *benchHosts) home(n int) string {
	return fmt.Sprintf("http://127.%d.%d.%d:%d/", 1+n>>16, n>>8&255, n&255, s.port)
}

func (s *benchHosts) hasMore(n int) bool { return n%4 == 0 }

func (s *benchHosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ip := r.Context().Value(localAddr{}).(*net.TCPAddr).IP.To4()
	n := int(ip[1]-1)<<16 + int(ip[2])<<8 + int(ip[3])
	more := r.URL.Path == "/more.html"
	switch {
	case r.URL.Path == "/stats":
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintln(w, s.pages, s.failures, s.most, 100*float64(s.idle)/float64(max(s.samples, 1)*s.workers), s.full.Seconds())
		return
	case n >= len(s.hosts) || r.URL.Path != "/" && r.URL.Path != "/robots.txt" && (!more || !s.hasMore(n)):
		http.NotFound(w, r)
		return
	}
	s.enter(n)
	time.Sleep(time.Duration(400+n*7919%800) * time.Millisecond) // as far servers do
	s.leave(n, r.URL.Path)
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%s of %d</title><h1>Site %[2]d</h1>\n", r.URL.Path, n)
	for i := range 8 {
		fmt.Fprint(w, "<p>")
		for k := range 30 {
			fmt.Fprint(w, benchWords[(n*31+i*7+k*k*(n%13+1))%len(benchWords)], " ")
		}
		fmt.Fprintln(w, "</p>")
	}
	if more {
		return
	}
	if s.hasMore(n) {
		fmt.Fprintln(w, "<p><a href=/more.html>More of this site</a></p>")
	}
	fmt.Fprintln(w, "<ul>")
	for _, to := range s.next(n) {
		fmt.Fprintf(w, "<li><a href=%s>Site %d</a></li>\n", s.home(to), to)
	}
	fmt.Fprintln(w, "</ul>")
}

// next returns the numbers of the hosts to which the home page of host n links.
func (s *benchHosts) next(n int) (list []int) {
	for to := benchHostsFan*n + 1; to <= benchHostsFan*(n+1) && to < len(s.hosts); to++ {
		list = append(list, to)
	}
	return list
}

// enter notes that a request to host n has arrived.
func (s *benchHosts) enter(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := &s.hosts[n]
	if h.busy || !h.ended.IsZero() && time.Since(h.ended) < s.delay {
		s.failures++
	}
	h.busy = true
	h.left--
	s.busy++
	s.most = max(s.most, s.busy)
}

// leave notes that a request to host n for path is answered.
func (s *benchHosts) leave(n int, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, now := &s.hosts[n], time.Now()
	h.busy, h.ended = false, now
	h.ready = now.Add(s.delay*3/2 + benchHostsLag) // delays are longer by up to a half
	s.busy--
	if path == "/" {
		for _, to := range s.next(n) {
			s.hosts[to].ready = now.Add(benchHostsLag)
		}
	}
	if path != "/robots.txt" {
		s.pages++
	}
}

// look counts at intervals which share of the workers is idle while hosts are
// ready, as long as pages are left.
func (s *benchHosts) look() {
	for now := range time.Tick(benchHostsStep) {
		s.mu.Lock()
		ready, left := 0, false
		for i := range s.hosts {
			h := &s.hosts[i]
			if h.left > 0 && !h.ready.IsZero() {
				left = true
				if !h.busy && h.ready.Before(now) {
					ready++
				}
			}
		}
		if left {
			s.samples++
			s.idle += max(min(s.workers-s.busy, ready), 0)
			if s.busy >= s.workers {
				s.full += benchHostsStep
			}
		}
		s.mu.Unlock()
	}
}
