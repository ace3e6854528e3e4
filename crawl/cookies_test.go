package crawl

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/report"
)

// walled is a site of so many pages, of which each links to the next two, that are
// answered only with a cookie.
type walled struct {
	pages int
	wall  http.HandlerFunc // answers without it

	mu    sync.Mutex
	asked []string
}

func (x *walled) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x.mu.Lock()
	x.asked = append(x.asked, r.URL.Path)
	x.mu.Unlock()
	if c, err := r.Cookie("human"); r.URL.Path == "/check" || err != nil || c.Value != "yes" {
		x.wall(w, r)
		return
	}
	var n int
	fmt.Sscanf(r.URL.Path, "/%d", &n)
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<p>Page %d.", n)
	for _, to := range []int{2*n + 1, 2*n + 2} {
		if to < x.pages {
			fmt.Fprintf(w, "<a href=/%d>%d</a>", to, to)
		}
	}
}

// let answers with the cookie, and sends the reader to a place.
func let(w http.ResponseWriter, r *http.Request, to string) {
	http.SetCookie(w, &http.Cookie{Name: "human", Value: "yes", Path: "/", MaxAge: 86400})
	http.Redirect(w, r, to, http.StatusFound)
}

var walls = map[string]http.HandlerFunc{
	"to itself": func(w http.ResponseWriter, r *http.Request) { let(w, r, r.URL.Path) },
	"by a page that sets it": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/check" {
			let(w, r, "/0")
			return
		}
		http.Redirect(w, r, "/check", http.StatusFound)
	},
	"by a page that finds it": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/check" {
			http.Redirect(w, r, "/0", http.StatusFound)
			return
		}
		let(w, r, "/check")
	},
	"by another value": func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/check" {
			let(w, r, "/0")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "human", Value: "perhaps", Path: "/"})
		http.Redirect(w, r, "/check", http.StatusFound)
	},
	"by a refresh": func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "human", Value: "yes", Path: "/"})
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<meta http-equiv=refresh content='0; url=%s'>Wait", r.URL.Path)
	},
}

// TestCookieWalls shows that a site which wants a cookie that it sets is fetched
// whole: a URL that a redirect leads to again is new once when a cookie is.
func TestCookieWalls(t *testing.T) {
	for name, wall := range walls {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &walled{pages: 20, wall: wall}
				s := &simulated{handler: x}
				seeds := []string{"http://h0.example/0", "http://h0.example/7"}
				s.crawl(t, report.CrawlOptions{Seeds: seeds, IgnoreRobots: true})
				for n := range x.pages {
					u := fmt.Sprintf("http://h0.example/%d", n)
					if !strings.HasPrefix(string(s.kept[u]), fmt.Sprintf("<p>Page %d.", n)) {
						t.Errorf("of %s %q is kept", u, s.kept[u])
					}
				}
				if len(x.asked) > x.pages+5 {
					t.Errorf("%d requests: %v", len(x.asked), x.asked)
				}
			})
		})
	}
}

// TestCookieLoops shows that new cookies make no crawl endless.
func TestCookieLoops(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request, n int){
		"another cookie each time": func(w http.ResponseWriter, r *http.Request, n int) {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%d", n), Value: "x"})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		},
		"another value each time": func(w http.ResponseWriter, r *http.Request, n int) {
			http.SetCookie(w, &http.Cookie{Name: "c", Value: fmt.Sprint(n)})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		},
		"between two pages": func(w http.ResponseWriter, r *http.Request, n int) {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%d", n), Value: "x"})
			http.Redirect(w, r, map[string]string{"/": "/b"}[r.URL.Path], http.StatusFound)
		},
		"a refresh each time": func(w http.ResponseWriter, r *http.Request, n int) {
			http.SetCookie(w, &http.Cookie{Name: fmt.Sprintf("c%d", n), Value: "x"})
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<meta http-equiv=refresh content='0; url=/'>")
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked++
				answer(w, r, asked)
			})}
			s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}, IgnoreRobots: true})
			if asked < 2 || asked > 4 {
				t.Errorf("%s: %d requests", name, asked)
			}
		})
	}
}

// TestCookiesAfterKill shows that a crawl that was killed goes on with the cookies
// that it had: a site may give them only at its first page.
func TestCookiesAfterKill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &walled{pages: 20}
		given := 0
		x.wall = func(w http.ResponseWriter, r *http.Request) {
			if given++; given > 1 {
				http.Redirect(w, r, "/0", http.StatusFound)
				return
			}
			let(w, r, r.URL.Path)
		}
		s := &simulated{handler: x}
		ctx, kill := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, kill)
		s.ctx = ctx
		s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/0"}, IgnoreRobots: true, Delay: time.Second})
		before := len(x.asked)
		kept := s.kept
		s.ctx = nil
		s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/0"}, IgnoreRobots: true, Delay: time.Second})
		if before < 3 || before > x.pages || given > 1 || len(kept)+len(s.kept) < x.pages {
			t.Errorf("%d requests before it was killed and %d in all; %d times without a cookie; %d pages", before, len(x.asked), given, len(kept)+len(s.kept))
		}
	})
}
