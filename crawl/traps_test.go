package crawl

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// trapSites are hosts whose pages have no end, or that send what has none.
var trapSites = map[string]http.HandlerFunc{
	// A month leads to the next one.
	"calendar": func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("month"))
		fmt.Fprintf(w, "<title>Month %d</title><p>Nothing happens in month %d.</p><a href=/?month=%d>next</a>", n, n, n+1)
	},
	// A calendar as they are: names of months, days that begin anywhere in the week.
	"months": func(w http.ResponseWriter, r *http.Request) {
		y, _ := strconv.Atoi(r.URL.Query().Get("y"))
		m, _ := strconv.Atoi(r.URL.Query().Get("m"))
		first := time.Date(2000+y, time.Month(m+1), 1, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(w, "<title>%s</title><h1>%[1]s</h1><table>%s", first.Format("January 2006"), strings.Repeat("<td>-", int(first.Weekday())))
		for d := first; d.Month() == first.Month(); d = d.AddDate(0, 0, 1) {
			fmt.Fprintf(w, "<td>%d", d.Day())
		}
		fmt.Fprintf(w, "</table><a href=/?y=%d&m=%d>next</a> <a href=/?y=%d&m=%d>next year</a>", y+m/11, (m+1)%12, y+1, m)
	},
	// The same page under ever new names.
	"names": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "<p>Here is nothing, and it is everywhere.</p>")
		for i := range 5 {
			fmt.Fprintf(w, "<a href=/page/%x%d>more</a>", hash(r.URL.Path), i)
		}
	},
	// As before, but the words of links and titles are made up.
	"words": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<title>%x</title><p>A page of links.</p>", hash(r.URL.Path))
		for i := range 5 {
			fmt.Fprintf(w, "<a href=/page/%x%d>word %x</a>", hash(r.URL.Path), i, hash(r.URL.Path)+uint64(i))
		}
	},
	// Folders in folders.
	"folders": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>%s</p><a href=%sa/>a</a><a href=%sb/>b</a>", r.URL.Path, r.URL.Path, r.URL.Path)
	},
	// Each visit is another one.
	"sessions": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<p>Welcome</p><a href=/?sid=%x>home</a><a href='/in;jsessionid=%x'>in</a>", hash(r.URL.String()), hash(r.URL.String()))
	},
	// Redirects to redirects.
	"maze": func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, fmt.Sprintf("/%x", hash(r.URL.Path)), http.StatusFound)
	},
	// A body without end.
	"endless": func(w http.ResponseWriter, r *http.Request) {
		b := bytes.Repeat([]byte("more and more "), 1<<12)
		for r.Context().Err() == nil {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	},
	// A little that becomes much.
	"bomb": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb)
	},
}

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range []byte(s) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

var bomb = func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(bytes.Repeat([]byte("<p>x"), 8<<20))
	z.Close()
	return b.Bytes()
}()

// TestTraps crawls good hosts among such that are traps, and counts: the good
// ones keep their pages, and of the others few are fetched.
func TestTraps(t *testing.T) {
	const good, pages = 10, 30
	var mu sync.Mutex
	trapped := make(map[string]int)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	at := func(i int) string { return fmt.Sprintf("127.0.0.%d:%d", i, port) }
	l.Close()
	var seeds []string
	begin := func(i int, h http.Handler) {
		l, err := net.Listen("tcp", at(i))
		if err != nil {
			t.Skipf("only one address of this machine can be listened at: %v", err)
		}
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
		s.Start()
		t.Cleanup(s.Close)
		seeds = append(seeds, "http://"+at(i)+"/")
	}
	i := 1
	for name, h := range trapSites {
		begin(i, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			trapped[name]++
			mu.Unlock()
			w.Header().Set("Content-Type", "text/html")
			h(w, r)
		}))
		i++
	}
	for range good {
		begin(i, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<p>Page %d of %s has a text of its own.</p><a href=/%d>a</a> <a href=/%d>b</a>", n, r.Host, min(2*n+1, pages-1), min(2*n+2, pages-1))
		}))
		i++
	}
	a := newArchive(t)
	o := report.CrawlOptions{
		Name: "t", Statement: "CRAWL", Seeds: seeds, Depth: -1, Workers: 16, AllowPrivate: true, IgnoreRobots: true, Agent: "infomall", BodyMax: 1 << 20,
	}
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	fetched := make(map[string]int)
	for list, err := range a.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if f.Outcome == report.OutcomeOK {
				fetched[urlkey.Host(f.URL)]++
			}
		}
	}
	for i := len(trapSites) + 1; i <= len(trapSites)+good; i++ {
		host := fmt.Sprintf("127.0.0.%d", i)
		if n := fetched[host]; n < pages*95/100 {
			t.Errorf("%d pages of the good host %s, want %d", n, host, pages)
		}
	}
	all := 0
	for _, n := range trapped {
		all += n
	}
	t.Logf("%d fetches of trap pages: %v", all, trapped)
	if all > 5000 {
		t.Errorf("%d fetches of trap pages: %v", all, trapped)
	}
}
