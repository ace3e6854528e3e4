package crawl

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/report"
	"infomall/crawl/robots"
	"infomall/crawl/state"
	"infomall/store"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// archive is a store as a crawl wants it.
type archive struct {
	*store.Archive
	*state.Folder
}

func (a archive) State(name string) (State, error) { return a.OpenCrawl(name) }
func (a archive) Sink(ctx context.Context, job string, bytes int64) (Sink, error) {
	return a.NewSink(ctx, job, bytes)
}

func (a archive) Past(ctx context.Context) (Past, error) { return a.Archive.Past(ctx) }

func newArchive(t *testing.T) archive {
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Log(err) }})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return archive{a, &state.Folder{Disk: disk.OS, Dir: filepath.Join(a.Path(), state.FolderName), Create: a.Create}}
}

// web is a site whose pages are links to others.
type web struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	pages  map[string]http.HandlerFunc
	graph  map[string]string // letter: letters it links to
	robots string
}

func newWeb(t *testing.T, graph map[string]string) *web {
	w := &web{graph: graph, pages: make(map[string]http.HandlerFunc)}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, r.URL.Path)
	if r.URL.Path == "/robots.txt" && w.pages[r.URL.Path] == nil {
		if w.robots == "" {
			http.NotFound(out, r)
		}
		fmt.Fprint(out, w.robots)
		return
	}
	if h := w.pages[r.URL.Path]; h != nil {
		h(out, r)
		return
	}
	links, ok := w.graph[strings.TrimPrefix(r.URL.Path, "/")]
	if !ok {
		http.NotFound(out, r)
		return
	}
	out.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(out, "<title>%s</title><p>This is page %s.</p>", r.URL.Path, r.URL.Path)
	for _, c := range links {
		fmt.Fprintf(out, "<a href=/%c>%c</a>\n", c, c)
	}
}

// pagesAsked is what was asked for, but for robots.txt, and for a sitemap that it has not.
func (w *web) pagesAsked() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, p := range w.asked {
		if p != "/robots.txt" && (p != "/sitemap.xml" || w.pages[p] != nil) {
			b.WriteString(strings.TrimPrefix(p, "/"))
		}
	}
	return b.String()
}

// options crawl w from A, one page after the other.
func (w *web) options() report.CrawlOptions {
	return report.CrawlOptions{
		Name: "test", Statement: "CRAWL", Seeds: []string{w.URL + "/A"}, Depth: -1, Workers: 1, AllowPrivate: true, Agent: "infomall",
	}
}

// fetches gives the outcomes of a crawl by path.
func fetches(t *testing.T, a archive) map[string]string {
	got := make(map[string]string)
	for list, err := range a.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			path := f.URL[strings.LastIndexByte(f.URL, '/'):]
			got[path] = strings.TrimSpace(got[path] + " " + f.Outcome.String())
		}
	}
	return got
}

// TestOrderBFS shows the order of a crawl with one worker.
func TestOrderBFS(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BCDEF", "B": "", "C": "", "D": "", "E": "H", "F": "G", "G": "", "H": "I", "I": ""})
	a := newArchive(t)
	res, err := Run(t.Context(), a, w.options(), Env{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.pagesAsked(), "ABCDEFHGI"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if res.Fetched != 9 || res.Waiting != 0 || res.State != report.CrawlFinished || res.Layer != 3 || res.Stored != 10 {
		t.Errorf("result %+v", res)
	}
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	n := 0
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		n += b.N
	}
	if n != 10 {
		t.Errorf("the archive has %d captures, want 9 pages and robots.txt", n)
	}
}

// TestRobots shows that what robots.txt refuses is not asked for.
func TestRobots(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BC", "B": "", "C": ""})
	w.robots = "User-agent: *\nDisallow: /B\n"
	a := newArchive(t)
	if _, err := Run(t.Context(), a, w.options(), Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := w.pagesAsked(), "AC"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
	if got := fetches(t, a)["/B"]; got != "robots_denied" {
		t.Errorf("B is %s", got)
	}
}

// TestRobotsAnswers shows what each way to answer for robots.txt means, by RFC
// 9309 §2.3.1: which pages are asked for then, of A that leads to B and C.
func TestRobotsAnswers(t *testing.T) {
	const denied = "User-agent: *\nDisallow: /B\n"
	send := func(status int, header, value string, body []byte) http.HandlerFunc {
		return func(out http.ResponseWriter, _ *http.Request) {
			if header != "" {
				out.Header().Set(header, value)
			}
			out.WriteHeader(status)
			out.Write(body)
		}
	}
	// hops redirects so often, and then says what is denied.
	hops := func(n int) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			at, _ := strconv.Atoi(r.URL.Query().Get("hop"))
			if at == n {
				fmt.Fprint(out, denied)
				return
			}
			http.Redirect(out, r, fmt.Sprintf("/robots.txt?hop=%d", at+1), []int{301, 302, 303, 307, 308}[at%5])
		}
	}
	filler := []byte("#" + strings.Repeat("x", robots.BytesMax/2) + "\n")
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"200", send(200, "", "", []byte(denied)), "AC"},
		{"of another type", send(200, "Content-Type", "image/png", []byte(denied)), "AC"},
		{"empty", send(200, "", "", nil), "ABC"},
		{"204", send(204, "", "", nil), "ABC"},
		{"a page instead", send(200, "Content-Type", "text/html", []byte("<html><p>User-agent: *<br>\nDisallow: /B</html>")), "ABC"},
		{"gzip", send(200, "Content-Encoding", "gzip", gzipped(t, denied)), "AC"},
		{"gzip that is none", send(200, "Content-Encoding", "gzip", []byte(denied)), "AC"},
		{"gzip cut short", send(200, "Content-Encoding", "gzip", gzipped(t, denied)[:20]), ""},
		{"500 KiB", send(200, "", "", slices.Concat(filler, []byte(denied), filler, filler)), "AC"},
		{"beyond memory", send(200, "", "", slices.Concat([]byte(denied), bytes.Repeat(filler, 2*fetch.MemoryMax/len(filler)))), "AC"},
		{"cut short", func(out http.ResponseWriter, _ *http.Request) {
			out.Header().Set("Content-Length", "1000")
			fmt.Fprint(out, "User-agent: *\n")
		}, ""},
		{"400", send(400, "", "", []byte(denied)), "ABC"},
		{"401", send(401, "", "", []byte(denied)), "ABC"},
		{"403", send(403, "", "", []byte(denied)), "ABC"},
		{"404", send(404, "", "", []byte(denied)), "ABC"},
		{"410", send(410, "", "", []byte(denied)), "ABC"},
		{"429", send(429, "", "", []byte(denied)), ""},
		{"500", send(500, "", "", nil), ""},
		{"503", send(503, "", "", nil), ""},
		{"one redirect", hops(1), "AC"},
		{"five redirects", hops(5), "AC"},
		{"six redirects", hops(6), "ABC"},
		{"a redirect to nowhere", send(301, "", "", nil), "ABC"},
		{"a redirect in a circle", send(301, "Location", "/robots.txt", nil), "ABC"},
		{"a redirect to what is missing", send(302, "Location", "/missing", nil), "ABC"},
		{"a redirect to another scheme", send(302, "Location", "ftp://127.0.0.1/robots.txt", nil), "ABC"},
		{"a redirect to a server that is down", send(302, "Location", "http://down.example/robots.txt", nil), ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{graph: map[string]string{"A": "BC", "B": "", "C": ""}, pages: map[string]http.HandlerFunc{"/robots.txt": c.answer}}
			s := &simulated{handler: w}
			s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/A"}, Workers: 1})
			if got := strings.ReplaceAll(w.pagesAsked(), "missing", ""); got != c.want {
				t.Errorf("%s: asked for %q, want %q", c.name, got, c.want)
			}
		})
	}
}

// TestRobotsLater shows that a host whose robots.txt does not come at first is asked again, at the time
// that it names, and that none of its pages is lost meanwhile.
func TestRobotsLater(t *testing.T) {
	for _, status := range []int{429, 503} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{graph: map[string]string{"A": "BC", "B": "", "C": ""}, pages: make(map[string]http.HandlerFunc)}
			var asked []time.Time
			w.pages["/robots.txt"] = func(out http.ResponseWriter, _ *http.Request) {
				if asked = append(asked, time.Now()); len(asked) < triesMax {
					out.Header().Set("Retry-After", "5")
					out.WriteHeader(status)
					return
				}
				fmt.Fprint(out, "User-agent: *\nDisallow: /B\n")
			}
			s := &simulated{handler: w}
			s.crawl(t, report.CrawlOptions{Seeds: []string{"http://h0.example/A", "http://h0.example/C"}, Workers: 1})
			if got := w.pagesAsked(); got != "AC" {
				t.Errorf("%d: asked for %q, want AC", status, got)
			}
			for i := 1; i < len(asked); i++ {
				if d := asked[i].Sub(asked[i-1]); d < 5*time.Second {
					t.Errorf("%d: robots.txt was asked for again after %v, want 5 s", status, d)
				}
			}
		})
	}
}

// TestPauseKept shows that a crawl that is continued keeps the pause that a server asked for before.
func TestPauseKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{graph: map[string]string{"A": "", "B": ""}, pages: make(map[string]http.HandlerFunc)}
		s := &simulated{handler: w}
		var end context.CancelFunc
		s.ctx, end = context.WithCancel(t.Context())
		var busy, later time.Time
		w.pages["/A"] = func(out http.ResponseWriter, _ *http.Request) {
			if !busy.IsZero() {
				return
			}
			busy = time.Now()
			out.Header().Set("Retry-After", "20")
			out.WriteHeader(503)
			time.AfterFunc(time.Second, end)
		}
		w.pages["/B"] = func(http.ResponseWriter, *http.Request) { later = time.Now() }
		o := report.CrawlOptions{Seeds: []string{"http://h0.example/A", "http://h0.example/B"}, Workers: 1, IgnoreRobots: true}
		s.crawl(t, o)
		s.ctx = nil
		s.crawl(t, o)
		if d := later.Sub(busy); d < 20*time.Second {
			t.Errorf("the host was asked again after %v, want 20 s", d)
		}
	})
}

// TestRobotsKept shows that the rules of a host go on if its robots.txt does not come when it is fetched
// again.
func TestRobotsKept(t *testing.T) {
	for name, fail := range map[string]http.HandlerFunc{
		"503":       func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(503) },
		"no answer": func(out http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) },
	} {
		w := newWeb(t, map[string]string{"A": "BCD", "B": "", "C": "", "D": ""})
		asked, days := 0, int64(0)
		w.pages["/robots.txt"] = func(out http.ResponseWriter, r *http.Request) {
			if asked++; asked > 1 {
				fail(out, r)
			}
			fmt.Fprint(out, "User-agent: *\nDisallow: /B\n")
		}
		w.pages["/A"] = func(out http.ResponseWriter, _ *http.Request) {
			atomic.AddInt64(&days, 1)
			fmt.Fprint(out, "<a href=/B>B</a> <a href=/C>C</a> <a href=/D>D</a>")
		}
		now := func() time.Time { return time.Now().Add(robots.Lifetime * time.Duration(atomic.LoadInt64(&days))) }
		a := newArchive(t)
		if _, err := Run(t.Context(), a, w.options(), Env{Now: now}); err != nil {
			t.Fatal(err)
		}
		if got := w.pagesAsked(); got != "ACD" || asked < 2 {
			t.Errorf("%s: asked for %q, and %d times for robots.txt; want ACD, and once each day", name, got, asked)
		}
		if got := fetches(t, a); got["/C"] != "ok" || got["/B"] != "robots_denied" || !strings.HasPrefix(got["/robots.txt"], "ok ") {
			t.Errorf("%s: outcomes %v", name, got)
		}
	}
}

func gzipped(t *testing.T, text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAnswers shows what becomes of answers that are no pages.
func TestAnswers(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BCDEFGHM", "Z": "Y", "Y": ""})
	failures := 0
	w.pages["/B"] = func(out http.ResponseWriter, r *http.Request) { http.Redirect(out, r, "/Z", http.StatusFound) }
	w.pages["/C"] = func(out http.ResponseWriter, r *http.Request) { http.Redirect(out, r, "/C", http.StatusFound) }
	w.pages["/D"] = func(out http.ResponseWriter, r *http.Request) { out.WriteHeader(http.StatusMovedPermanently) }
	w.pages["/E"] = func(out http.ResponseWriter, r *http.Request) {
		if failures++; failures < 3 {
			out.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(out, "well again")
	}
	w.pages["/F"] = func(out http.ResponseWriter, r *http.Request) { out.WriteHeader(http.StatusInternalServerError) }
	w.pages["/G"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Length", "100")
		fmt.Fprint(out, "short")
	}
	w.pages["/H"] = func(out http.ResponseWriter, r *http.Request) { fmt.Fprint(out, strings.Repeat("long ", 1000)) }
	o := w.options()
	o.BodyMax = 2000
	a := newArchive(t)
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	got := fetches(t, a)
	for path, want := range map[string]string{
		"/A": "ok", "/B": "redirect", "/Z": "ok", "/Y": "ok", "/C": "redirect", "/D": "redirect", "/E": "http_error http_error ok",
		"/F": "http_error http_error http_error", "/G": "incomplete incomplete", "/H": "truncated", "/M": "http_error", "/robots.txt": "http_error",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
}

// TestGuarded shows that nothing is asked of addresses that are not public.
func TestGuarded(t *testing.T) {
	w := newWeb(t, map[string]string{"A": ""})
	o := w.options()
	o.AllowPrivate = false
	a := newArchive(t)
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if len(w.asked) > 0 || fetches(t, a)["/A"] != "filtered" {
		t.Errorf("asked for %v; A is %q", w.asked, fetches(t, a)["/A"])
	}
}

// TestResume shows that a crawl that was interrupted goes on, and asks for
// nothing twice that was acknowledged.
func TestResume(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BCDEF", "B": "", "C": "", "D": "", "E": "H", "F": "G", "G": "", "H": "I", "I": ""})
	a := newArchive(t)
	o := w.options()
	o.Delay = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	w.pages["/D"] = func(out http.ResponseWriter, r *http.Request) { cancel(); fmt.Fprint(out, "D") }
	if _, err := Run(ctx, a, o, Env{}); err == nil {
		t.Fatal("the crawl was cancelled and has no error")
	}
	if _, err := Run(t.Context(), a, report.CrawlOptions{Name: "test", Statement: "other", Agent: "infomall"}, Env{}); err == nil {
		t.Error("another statement took the place of a crawl that is not at its end")
	}
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	got := w.pagesAsked()
	for _, page := range "ABCEFGHI" {
		if n := strings.Count(got, string(page)); n != 1 {
			t.Errorf("asked for %c %d times: %s", page, n, got)
		}
	}
	if n := strings.Count(strings.Join(w.asked, " "), "robots"); n != 1 {
		t.Errorf("asked for robots.txt %d times", n)
	}
}

// TestSitemaps shows that what robots.txt names as sitemaps leads to pages, and
// that a page whose header asks for it does not.
func TestSitemaps(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "", "B": "", "C": "", "D": ""})
	w.robots = "Sitemap: " + w.URL + "/map\n"
	w.pages["/map"] = func(out http.ResponseWriter, r *http.Request) { fmt.Fprintf(out, "%s/B\n%s/C\n", w.URL, w.URL) }
	w.pages["/C"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		out.Header().Set("X-Robots-Tag", "nofollow")
		fmt.Fprint(out, "<a href=/D>D</a>")
	}
	a := newArchive(t)
	if _, err := Run(t.Context(), a, w.options(), Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := w.pagesAsked(), "AmapBC"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

// TestGuessedSitemaps shows that a crawl asks a host once for /sitemap.xml if robots.txt
// names no sitemap: that a sitemap leads to pages, also through a redirect, an index and
// gzip, and that anything else is in fetches only, and counts as no page.
func TestGuessedSitemaps(t *testing.T) {
	page := func(text string) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(out, text)
		}
	}
	to := func(path string) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			http.Redirect(out, r, path, http.StatusMovedPermanently)
		}
	}
	xml := func(w *web, root, entry, path string) http.HandlerFunc {
		return func(out http.ResponseWriter, r *http.Request) {
			out.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(out, "<?xml version='1.0'?><%[1]s xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><%[2]s><loc>%[3]s</loc></%[2]s></%[1]s>", root, entry, w.URL+path)
		}
	}
	for _, c := range []struct {
		name    string
		prepare func(w *web, o *report.CrawlOptions)
		asked   string
		fetched int64
		outcome string
	}{
		{"none", func(*web, *report.CrawlOptions) {}, "A|sitemap.xml|B", 2, "http_error"},
		{"a sitemap", func(w *web, _ *report.CrawlOptions) { w.pages["/sitemap.xml"] = xml(w, "urlset", "url", "/C") }, "A|sitemap.xml|B|C", 4, "ok"},
		{"a redirect to an index", func(w *web, _ *report.CrawlOptions) {
			w.pages["/sitemap.xml"] = to("/index.xml")
			w.pages["/index.xml"] = xml(w, "sitemapindex", "sitemap", "/1.xml.gz")
			w.pages["/1.xml.gz"] = func(out http.ResponseWriter, r *http.Request) {
				out.Header().Set("Content-Type", "application/x-gzip")
				out.Write(gzipped(t, w.URL+"/C\n"))
			}
		}, "A|sitemap.xml|index.xml|1.xml.gz|B|C", 5, "redirect"},
		{"a page", func(w *web, _ *report.CrawlOptions) { w.pages["/sitemap.xml"] = page("<a href=/C>not found</a>") }, "A|sitemap.xml|B", 2, "ok"},
		{"a page without end", func(w *web, _ *report.CrawlOptions) { w.pages["/sitemap.xml"] = to("/sitemap.xml") }, "A|sitemap.xml|B", 2, "redirect"},
		{"a redirect to a page that another links to", func(w *web, _ *report.CrawlOptions) {
			w.pages["/sitemap.xml"] = to("/D")
		}, "A|sitemap.xml|D|B|D", 3, "redirect"},
		{"a server that fails", func(w *web, _ *report.CrawlOptions) {
			w.pages["/sitemap.xml"] = func(out http.ResponseWriter, r *http.Request) { out.WriteHeader(500) }
		}, "A|sitemap.xml|B", 2, "http_error"},
		{"a limit", func(w *web, o *report.CrawlOptions) { o.MaxPages = 2 }, "A|sitemap.xml|B", 2, "http_error"},
		{"it is denied", func(w *web, _ *report.CrawlOptions) { w.robots = "User-agent: *\nDisallow: /s" }, "A|B", 2, ""},
		{"it is excluded", func(w *web, o *report.CrawlOptions) { o.ExcludeMatch = []*regexp.Regexp{regexp.MustCompile("sitemap")} }, "A|B", 2, ""},
		{"a list of pages", func(w *web, o *report.CrawlOptions) { o.Depth = 0 }, "A", 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			graph := map[string]string{"A": "B", "B": "", "C": "", "D": ""}
			if strings.Contains(c.name, "links to") {
				graph["B"] = "D"
			}
			w := newWeb(t, graph)
			o := w.options()
			c.prepare(w, &o)
			a := newArchive(t)
			res, err := Run(t.Context(), a, o, Env{})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(slices.DeleteFunc(w.asked, func(p string) bool { return p == "/robots.txt" }), "|"); strings.ReplaceAll(got, "/", "") != c.asked {
				t.Errorf("asked for %s, want %s", got, c.asked)
			}
			if res.Fetched != c.fetched || res.Failed != 0 || res.Waiting != 0 || len(res.Lost) > 0 {
				t.Errorf("fetched %d, failed %d, waiting %d, lost %v; want %d fetched and no more", res.Fetched, res.Failed, res.Waiting, res.Lost, c.fetched)
			}
			if got := fetches(t, a)["/sitemap.xml"]; got != c.outcome {
				t.Errorf("/sitemap.xml has the outcome %q, want %q", got, c.outcome)
			}
		})
	}
}

// TestOrderBest shows that pages whose names lead to others come before those in
// deep folders.
func TestOrderBest(t *testing.T) {
	w := newWeb(t, nil)
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, "<a href=/a/b/c/x>x</a> <a href=/a/y>y</a> <a href=/index.html>i</a> <a href=/z>z</a>")
	}
	o := w.options()
	o.Order = report.OrderBest
	a := newArchive(t)
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	if got, want := w.pagesAsked(), "Aindex.htmlza/ya/b/c/x"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}

func scope(t *testing.T, s string) urlkey.Scope {
	x, err := urlkey.ParseScope(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// fullDisk is an archive whose sink takes n captures and then no more.
type fullDisk struct {
	archive
	n int
}

func (f *fullDisk) Sink(ctx context.Context, job string, bytes int64) (Sink, error) {
	s, err := f.archive.Sink(ctx, job, bytes)
	return fullSink{s, f}, err
}

type fullSink struct {
	Sink
	f *fullDisk
}

func (s fullSink) Put(ctx context.Context, c *record.Capture) error {
	if s.f.n--; s.f.n < 0 {
		c.Close()
		return errFull
	}
	return s.Sink.Put(ctx, c)
}

var errFull = errors.New("disk full")

// TestSinkFails shows that a crawl whose pages cannot be stored ends with what
// went wrong, whichever page it is, counts what is acknowledged and no more, and
// goes on once they can.
func TestSinkFails(t *testing.T) {
	for n := range 6 {
		w := newWeb(t, map[string]string{"A": "BC", "B": "D", "C": "D", "D": ""})
		a := &fullDisk{newArchive(t), n}
		res, err := Run(t.Context(), a, w.options(), Env{})
		if (err != nil) != (n < 5) || err != nil && !errors.Is(err, errFull) {
			t.Fatalf("with room for %d of 5 captures: %v", n, err)
		}
		got := fetches(t, a.archive)
		delete(got, "/robots.txt")
		delete(got, "/sitemap.xml")
		if res.Fetched != int64(len(got)) || res.Stages[report.StageFetch].Count != int64(len(got)) {
			t.Errorf("with room for %d of 5 captures: %d are counted, %d went through the stages, fetches %v", n, res.Fetched, res.Stages[report.StageFetch].Count, got)
		}
		a.n = 10
		if res, err = Run(t.Context(), a, w.options(), Env{}); err != nil {
			t.Fatal(err)
		}
		got = fetches(t, a.archive)
		delete(got, "/robots.txt")
		delete(got, "/sitemap.xml")
		if res.Fetched != 4 || res.Waiting != 0 {
			t.Errorf("with room again: %d are fetched, %d wait", res.Fetched, res.Waiting)
		}
		if want := map[string]string{"/A": "ok", "/B": "ok", "/C": "ok", "/D": "ok"}; n < 5 && (res.State != report.CrawlFinished || !maps.Equal(got, want)) {
			t.Errorf("with room again: %+v, fetches %v", res, got)
		}
	}
}

// TestPopularity shows that in the order BEST a page to which another host links
// overtakes those that were found before it, and what its priority is made of.
func TestPopularity(t *testing.T) {
	w := newWeb(t, map[string]string{"A": "BCDE", "B": "", "C": "", "D": "", "E": ""})
	other := strings.Replace(w.URL, "127.0.0.1", "localhost", 1)
	w.pages["/Z"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, "<p>A page of another host.</p><a href=%s/E>E</a><a href=%s/E>E again</a>", w.URL, w.URL)
	}
	o := w.options()
	o.Seeds, o.Order, o.MaxPages = []string{w.URL + "/A", other + "/Z"}, report.OrderBest, 2
	a := newArchive(t)
	env := Env{Lookup: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}}
	if _, err := Run(t.Context(), a, o, env); err != nil {
		t.Fatal(err)
	}
	terms := make(map[string]string)
	for list, err := range a.Frontier(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range list {
			terms[u.URL[strings.LastIndexByte(u.URL, '/'):]] = fmt.Sprint(u.Terms.Popularity, " ", u.Terms.Depth, " ", u.Score)
		}
	}
	if terms["/E"] != "1 1 -1" || terms["/B"] != "0 1 -2" {
		t.Errorf("popularity, depth and priority of E and B: %q and %q", terms["/E"], terms["/B"])
	}
	o.Name, o.MaxPages = "all", 0
	if _, err := Run(t.Context(), a, o, env); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimPrefix(w.pagesAsked(), "AZ"), "AZEBCD"; got != want {
		t.Errorf("asked for %s, want %s", got, want)
	}
}
