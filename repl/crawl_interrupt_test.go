package repl

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestInterruptCrawl stops a crawl three times: while it fetches pages, and
// while servers make it wait. Each time the shell must return, the archive must
// be consistent, and the crawl must resume and finish.
func TestInterruptCrawl(t *testing.T) {
	const pages = 400
	var fetched, held atomic.Int32
	var slow atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var n int
		if _, err := fmt.Sscanf(r.URL.Path, "/%d", &n); err != nil {
			http.NotFound(w, r)
			return
		}
		if n%100 == 99 && slow.Load() {
			held.Add(1)
			<-r.Context().Done() // until the crawl cancels the request
			return
		}
		fetched.Add(1)
		w.Header().Set("Content-Type", "text/html")
		word := strings.NewReplacer("0", "a", "1", "b", "2", "c", "3", "d", "4", "e", "5", "f", "6", "g", "7", "h", "8", "i", "9", "j").Replace(fmt.Sprint(n))
		fmt.Fprintf(w, "<title>Page %d</title><p>This is page %d of many, and the only one with the word %s.</p>", n, n, word)
		if n+1 < pages {
			fmt.Fprintf(w, "<a href=/%d>next</a>", n+1)
		}
	}))
	defer server.Close()
	home := t.TempDir()
	crawl := fmt.Sprintf("CRAWL '%s/0' DELAY 0s ALLOW PRIVATE AS c;", server.URL)
	s := onTerminal(t, home, "infomall")
	s.sees(prompt)
	slow.Store(true)
	for i := range 3 {
		before := held.Load()
		s.types(crawl + enter)
		if i == 0 {
			s.until("it fetches pages", func() bool { return fetched.Load() > 0 })
		} else {
			s.until("it waits", func() bool { return held.Load() > before })
		}
		s.types(ctrlC)
		s.sees("interrupted")
		s.sees(prompt)
		s.types("VERIFY;" + enter)
		s.sees("(0 rows)")
		s.sees(prompt)
		s.types("SELECT state FROM crawls;" + enter)
		s.sees("interrupted")
		s.sees(prompt)
	}
	slow.Store(false)
	s.types(crawl + enter)
	s.sees("(1 row)")
	s.sees(prompt)
	s.types("SELECT count(DISTINCT url) FROM captures WHERE kind = 'page'; VERIFY;" + enter)
	s.sees(fmt.Sprintf("%d │", pages))
	s.sees("(0 rows)")
	s.sees(prompt)
	s.types(ctrlD)
	s.ends(statusDone)
	if n := fetched.Load(); n > pages+3*outMax {
		t.Errorf("%d pages were fetched, of %d", n, pages)
	}
}
