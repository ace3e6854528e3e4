package crawl

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"infomall/store"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// archive is a store as a crawl wants it.
type archive struct{ *store.Archive }

func (a archive) Queue(name string) (Queue, error) { return a.Archive.Queue(name) }
func (a archive) Sink(ctx context.Context, job string) (Sink, error) {
	return a.NewSink(ctx, job, 0)
}

func (a archive) Past(ctx context.Context) (Past, error) { return a.Archive.Past(ctx) }

func newArchive(t *testing.T) archive {
	a := store.Open(t.TempDir(), store.Options{Warn: func(err error) { t.Log(err) }})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return archive{a}
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
	if r.URL.Path == "/robots.txt" {
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

// pagesAsked is what was asked for, but for robots.txt.
func (w *web) pagesAsked() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	for _, p := range w.asked {
		if p != "/robots.txt" {
			b.WriteString(strings.TrimPrefix(p, "/"))
		}
	}
	return b.String()
}

// options crawl w from A, one page after the other.
func (w *web) options() record.CrawlOptions {
	return record.CrawlOptions{
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
	if res.Fetched != 9 || res.Waiting != 0 || res.State != record.CrawlFinished || res.Layer != 3 || res.Stored != 10 {
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
		"/F": "http_error http_error http_error", "/G": "incomplete", "/H": "truncated", "/M": "http_error", "/robots.txt": "http_error",
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
	if _, err := Run(t.Context(), a, record.CrawlOptions{Name: "test", Statement: "other", Agent: "infomall"}, Env{}); err == nil {
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

// TestOrderBest shows that pages whose names lead to others come before those in
// deep folders.
func TestOrderBest(t *testing.T) {
	w := newWeb(t, nil)
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, "<a href=/a/b/c/x>x</a> <a href=/a/y>y</a> <a href=/index.html>i</a> <a href=/z>z</a>")
	}
	o := w.options()
	o.Order = record.OrderBest
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
