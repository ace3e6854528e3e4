package crawl

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"infomall/crawl/report"
	"infomall/store/urlkey"
)

// deepWeb is a site with documents that only its forms lead to. It is in GBK.
type deepWeb struct {
	mu    sync.Mutex
	asked map[string]int // how often each request came, such as "POST /post q=%B1%B1"
	stop  func()         // called at the request stopAt; nil for never
	at    string
}

// The words for which the forms are filled in, in GBK and percent-encoding.
var deepWords = map[string]string{"%B1%B1": "north", "%C4%CF": "south", "a+b": "both"}

func (d *deepWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sent := r.URL.RawQuery
	if r.Method == "POST" {
		var list []string
		for name, values := range r.PostForm {
			var b strings.Builder
			for _, c := range []byte(values[0]) {
				switch {
				case c == ' ':
					b.WriteByte('+')
				case c >= 0x80:
					fmt.Fprintf(&b, "%%%02X", c)
				default:
					b.WriteByte(c)
				}
			}
			list = append(list, name+"="+b.String())
		}
		slices.Sort(list)
		sent = strings.Join(list, "&")
	}
	key := strings.TrimSpace(r.Method + " " + r.URL.Path + " " + sent)
	d.mu.Lock()
	d.asked[key]++
	if d.stop != nil && key == d.at {
		d.stop()
	}
	n := len(d.asked)
	d.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=gbk")
	switch r.URL.Path {
	case "/robots.txt":
		fmt.Fprint(w, "User-agent: *\nDisallow: /private\n")
	case "/sitemap.xml":
		http.NotFound(w, r)
	case "/get", "/post":
		word := ""
		for _, pair := range strings.Split(sent, "&") {
			if value, ok := strings.CutPrefix(pair, "q="); ok {
				word = deepWords[value]
			}
		}
		// The token of a search box differs on each page, and leads to no new search.
		fmt.Fprintf(w, "<p>%s <a href=/doc%s/%s>one</a><form action=/get><input name=q><input type=hidden name=t value=0123456789abcdef%d></form>", word, r.URL.Path, word, n)
	case "/moved":
		http.Redirect(w, r, "/post", http.StatusTemporaryRedirect)
	case "/":
		fmt.Fprint(w, "<form action=/get><input name=q><input type=hidden name=t value=0123456789abcdef0></form>"+
			"<form action=/moved method=post><input name=q><input name=kind type=hidden value=2></form>"+
			"<form action=/login method=post><input name=q><input type=password name=p></form>"+
			"<form action=/excluded method=post><input name=q></form><form action=/private/x method=post><input name=q></form>"+
			"<form action=/nofollow method=post rel=nofollow><input name=q></form><form action=/logout method=post><input type=submit name=out></form>"+
			"<form action=http://h1.example/ method=post><input name=q></form><a href='/buy?__wb_method=POST&q=1'>buy</a>")
	default:
		fmt.Fprintf(w, "<p>This is %s.", r.URL)
	}
}

// TestForms crawls a site through its forms: each is sent once with each value, and no
// form is sent that the rules leave out. The second crawl ends in the middle, and another
// run continues it.
func TestForms(t *testing.T) {
	var exclude []urlkey.Scope
	scope, err := urlkey.ParseScope("http://h0.example/excluded")
	if err != nil {
		t.Fatal(err)
	}
	exclude = append(exclude, scope)
	o := report.CrawlOptions{Seeds: []string{"http://h0.example/"}, Workers: 1, Exclude: exclude, Forms: []report.FormField{{Name: "q", Values: []string{"北", "南", "a b"}}}}
	for _, at := range []string{"", "POST /moved kind=2&q=%C4%CF", "POST /post kind=2&q=%C4%CF", "GET /"} {
		synctest.Test(t, func(t *testing.T) {
			d := &deepWeb{asked: make(map[string]int), at: at}
			s := &simulated{handler: d}
			kept := map[string][]byte{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			d.stop, s.ctx = cancel, ctx
			s.crawl(t, o)
			if at != "" {
				for u, b := range s.kept {
					kept[u] = b
				}
				d.stop, s.ctx = nil, nil
				s.crawl(t, o)
			}
			for u, b := range s.kept {
				kept[u] = b
			}
			want := []string{"GET /", "GET /robots.txt", "GET /get", "GET /sitemap.xml"}
			for gbk, word := range deepWords {
				want = append(want, "GET /get q="+gbk+"&t=0123456789abcdef0", "POST /moved kind=2&q="+gbk, "POST /post kind=2&q="+gbk, "GET /doc/get/"+word, "GET /doc/post/"+word)
				for _, u := range []string{"/moved", "/post"} {
					u = "http://h0.example" + u + "?__wb_method=POST&q=" + strings.ReplaceAll(gbk, "+", "%20") + "&kind=2"
					if _, ok := kept[u]; !ok {
						t.Errorf("stopped at %q: %s is not kept", at, u)
					}
				}
			}
			for _, r := range want {
				if n := d.asked[r]; n == 0 || n > 2 || n == 2 && r != at {
					t.Errorf("stopped at %q: %s was sent %d times", at, r, n)
				}
				delete(d.asked, r)
			}
			delete(d.asked, "GET /doc/get/") // of the action without a query
			if len(d.asked) > 0 {
				t.Errorf("stopped at %q: also sent: %v", at, d.asked)
			}
		})
	}
}

// TestFormLimit crawls sites with a new form on each page. The crawl ends.
func TestFormLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<p>Page %d is new.<form action=/f%d method=post><input name=q></form>", n, n)
		})}
		values := []string{"1", "2", "3", "4", "5"}
		res := s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}, Workers: 1, IgnoreRobots: true, TrapsOff: true, FormLimit: 3, Forms: []report.FormField{{Name: "q", Values: values}}})
		if res.Submitted != 30 || res.Fetched != 31 {
			t.Errorf("%d forms were submitted on %d pages, want 30 and 31", res.Submitted, res.Fetched)
		}
	})
}

// TestLongForm sends a form whose hidden field is longer than a URL may be, with two values
// for the field after it. Both are sent, and both responses are kept.
func TestLongForm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := make(map[string]int) // length of the hidden field by word
		s := &simulated{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if r.Method == "POST" {
				sent[r.PostFormValue("q")] = len(r.PostFormValue("state"))
				return
			}
			fmt.Fprintf(w, "<form action=/find method=post><input type=hidden name=state value='%s'><input name=q></form>", strings.Repeat("V+/=", 5000))
		})}
		s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/"}, Workers: 1, IgnoreRobots: true, Depth: 1, Forms: []report.FormField{{Name: "q", Values: []string{"tea", "ink"}}}})
		if len(sent) != 2 || sent["tea"] != 20_000 || sent["ink"] != 20_000 {
			t.Errorf("sent with a hidden field of %v bytes", sent)
		}
		n := 0
		for u := range s.kept {
			if strings.Contains(u, "/find?__wb_method=POST&state=V") && strings.Contains(u, "&__wb_digest=") {
				n++
			}
		}
		if n != 2 {
			t.Errorf("%d responses are kept, want 2: %q", n, slices.Collect(maps.Keys(s.kept)))
		}
	})
}
