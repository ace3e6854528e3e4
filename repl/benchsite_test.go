package repl

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
)

// benchSite is a web site for benchmarks. Its pages have 10 to 40 KB, each with
// a head, a menu, an article of its own, lists of links and a foot. Page n
// links to 2n+1 and 2n+2, so that page 0 leads to all pages, to some random
// pages, and to the pages of the menu.
type benchSite struct {
	pages int

	mu    sync.Mutex
	asked []uint8 // by page
	other int     // requests for anything but pages
}

// serveBenchSite is the program "benchsite PAGES". It prints the URL of the
// site and serves until it is killed. Its statistics are at /stats: pages
// requested, pages requested more than once, and other requests.
func serveBenchSite() {
	pages, err := strconv.Atoi(os.Args[1])
	if err == nil {
		var l net.Listener
		if l, err = net.Listen("tcp", "127.0.0.1:0"); err == nil {
			fmt.Printf("http://%s\n", l.Addr())
			err = http.Serve(l, &benchSite{pages: pages, asked: make([]uint8, pages)})
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// benchSections is the number of folders of the site.
const benchSections = 20

func benchPath(n int) string {
	if n == 0 {
		return "/"
	}
	return fmt.Sprintf("/section-%d/article-%d.html", n%benchSections, n)
}

func (s *benchSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/stats" {
		w.Write(s.stats())
		return
	}
	n := 0
	_, err := fmt.Sscanf(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/'):], "/article-%d.html", &n)
	known := r.URL.Path == "/" || err == nil && n > 0 && n < s.pages && r.URL.Path == benchPath(n)
	s.mu.Lock()
	if known {
		s.asked[n] = min(s.asked[n]+1, 100)
	} else {
		s.other++
	}
	s.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	page := s.page(n)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(page)))
	w.Header().Set("Last-Modified", "Sun, 01 Jun 2008 08:00:00 GMT")
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, n, len(page)))
	w.Write(page)
}

// stats returns the statistics and resets them.
func (s *benchSite) stats() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	pages, twice := 0, 0
	for _, n := range s.asked {
		if n > 0 {
			pages++
		}
		if n > 1 {
			twice++
		}
	}
	text := fmt.Appendf(nil, "%d %d %d\n", pages, twice, s.other)
	clear(s.asked)
	s.other = 0
	return text
}

// page returns page n. Its text differs from that of other pages, and is the
// same each time.
func (s *benchSite) page(n int) []byte {
	random := uint64(n)*0x9e3779b97f4a7c15 + 1
	next := func(bound int) int {
		random ^= random << 13
		random ^= random >> 7
		random ^= random << 17
		return int(random >> 16 % uint64(bound))
	}
	for range 4 {
		next(2)
	}
	size := 10_000 + next(30_000)
	b := make([]byte, 0, 42_000)
	words := func(count int) {
		for range count {
			b = append(b, benchWords[next(len(benchWords))]...)
			b = append(b, ' ')
		}
	}
	link := func(to int) {
		b = fmt.Appendf(b, `<a href="%s">`, benchPath(to))
		words(4)
		b = append(b, "</a>"...)
	}
	b = append(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"...)
	words(6)
	b = append(b, "</title>\n<link rel=\"stylesheet\" href=\"/style.css\"><script>var loaded = new Date();</script></head>\n<body><div id=\"head\"><h2>The site</h2><ul class=\"menu\">\n"...)
	for i := 1; i <= benchSections; i++ {
		b = fmt.Appendf(b, "<li><a href=\"%s\">Section %d of the site</a></li>\n", benchPath(i), i)
	}
	b = append(b, "</ul></div>\n<div id=\"main\"><h1>"...)
	words(6)
	b = append(b, "</h1>\n"...)
	for len(b) < size {
		b = append(b, "<p>"...)
		words(20 + next(80))
		if next(3) == 0 {
			link(next(s.pages))
		}
		words(5)
		b = append(b, "</p>\n"...)
	}
	b = append(b, "<h3>More</h3><ul>\n"...)
	for i := range 12 {
		to := next(s.pages)
		if i < 2 {
			to = 2*n + 1 + i
		}
		if to < s.pages {
			b = append(b, "<li>"...)
			link(to)
			b = append(b, "</li>\n"...)
		}
	}
	return append(b, "</ul></div>\n<div id=\"foot\"><p>All rights reserved. Write to the editors if you find a mistake on this page.</p></div></body></html>\n"...)
}

// benchWords is a vocabulary of about a thousand words. The first ones are
// short.
var benchWords = func() []string {
	parts := []string{"ka", "lo", "mi", "ne", "ru", "sta", "ter", "vin", "ol", "pre", "chi", "du", "fe", "gan"}
	var list []string
	for _, a := range parts {
		list = append(list, a)
		for _, b := range parts {
			list = append(list, a+b)
			for _, c := range parts {
				list = append(list, a+b+c)
			}
		}
	}
	return list
}()
