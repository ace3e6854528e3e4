package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// fakeBrowser shows pages without a browser. A page says in comments what its scripts do:
// <!-- get URL --> requests a part, and each part is text of the document after load.
type fakeBrowser struct {
	mu     sync.Mutex
	shown  []string // paths of the pages
	errs   []error  // of the parts that were refused
	closed int

	// before, if not nil, is called before a page is shown.
	before  func(ctx context.Context, url string) error
	cookies []render.Cookie
	login   map[string]bool // paths of pages that ask for a password
	links   []string        // Shown.Links of the page /A
}

// env is the outside world of a crawl with the browser.
func (b *fakeBrowser) env() Env {
	return Env{Browser: func(context.Context, *report.CrawlOptions) (Browser, error) { return b, nil }}
}

func (b *fakeBrowser) Cookies() []render.Cookie { return b.cookies }

func (b *fakeBrowser) Close() error {
	b.closed++
	return nil
}

var does = regexp.MustCompile(`<!-- (\S+) (\S+)(?: (\S+))? -->`)

func (b *fakeBrowser) Show(ctx context.Context, p render.Page) (*render.Shown, error) {
	if b.before != nil {
		if err := b.before(ctx, p.URL); err != nil {
			return nil, err
		}
	}
	main, err := p.Send(ctx, &render.Request{Method: "GET", URL: p.URL, Main: true})
	if err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	text := make(map[string]string)
	for _, m := range does.FindAllSubmatch(main.Body, -1) {
		method, url, head := strings.ToUpper(string(m[1])), string(m[2]), ""
		if len(m[3]) > 0 {
			head = "Sec-Fetch-Dest: " + string(m[3]) + "\r\n"
		}
		if !strings.Contains(url, ":") {
			url = p.URL[:strings.LastIndexByte(p.URL, '/')] + url
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			r, err := p.Send(ctx, &render.Request{Method: method, URL: url, Head: []byte(head + "Range: bytes=0-1\r\nCookie: a=b\r\n")})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				b.mu.Lock()
				b.errs = append(b.errs, err)
				b.mu.Unlock()
				return
			}
			text[url] = string(r.Body)
		}()
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	path := p.URL[strings.LastIndexByte(p.URL, '/'):]
	b.mu.Lock()
	b.shown = append(b.shown, path)
	dom := fmt.Appendf(bytes.Clone(main.Body), "<p id=%d>", len(b.shown)) // differs each time
	b.mu.Unlock()
	var all strings.Builder
	all.WriteString(string(does.ReplaceAll(main.Body, nil)))
	for _, t := range text {
		dom = append(dom, "<p>"+t+"</p>"...)
		all.WriteString(" " + t)
	}
	links := b.links
	if path != "/A" {
		links = nil
	}
	plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(all.String(), " ")
	return &render.Shown{
		URL: p.URL, DOM: dom, Text: plain, Links: links, Login: b.login[path], Screenshot: []byte("png"), Consent: "rule",
		Behaviours: []render.Behaviour{{Name: "scroll", Steps: 1, Ended: "done"}}, Sockets: []string{"ws://a.example/"},
	}, nil
}

// hosts returns the environment env in which each host of the web has an address of its
// own, and w answers for all of them.
func (w *web) hosts(env Env) Env {
	var mu sync.Mutex
	known := make(map[string]netip.Addr)
	env.Lookup = func(_ context.Context, host string) ([]netip.Addr, error) {
		mu.Lock()
		defer mu.Unlock()
		if _, ok := known[host]; !ok {
			known[host] = netip.AddrFrom4([4]byte{93, 184, 216, byte(len(known))})
		}
		return []netip.Addr{known[host]}, nil
	}
	env.Dial = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", w.Listener.Addr().String())
	}
	return env
}

// htmlPage answers with a page.
func htmlPage(text string, args ...any) http.HandlerFunc {
	return func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(out, text, args...)
	}
}

// rows returns the log of a crawl by URL.
func rows(t *testing.T, a archive) map[string][]report.Fetch {
	t.Helper()
	got := make(map[string][]report.Fetch)
	for list, err := range a.Fetches(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			got[f.URL] = append(got[f.URL], f)
		}
	}
	return got
}

// TestRender shows a page whose text and links only a browser has. The page is asked for
// once, its parts are in the archive, the document after load and the picture too, and its
// links are followed.
func TestRender(t *testing.T) {
	w := newWeb(t, map[string]string{"deep": ""})
	w.pages["/A"] = htmlPage(`<title>A</title><!-- get /data --><!-- post /send --><!-- head /top --><a rel=nofollow href=/no>no</a>`)
	w.pages["/data"] = func(out http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "" || r.Header.Get("Cookie") != "a=b" {
			t.Errorf("the part was asked for with %v", r.Header)
		}
		out.Header().Set("Content-Type", "application/json")
		fmt.Fprint(out, `text that scripts brought and a link <a href="/deep">deep</a>`)
	}
	w.pages["/send"] = htmlPage("")
	w.pages["/top"] = htmlPage("")
	a, b := newArchive(t), &fakeBrowser{links: []string{w.URL + "/B", w.URL + "/no"}}
	w.pages["/B"] = htmlPage("B")
	o := w.options()
	o.Render = new(report.Render)
	if _, err := Run(t.Context(), a, o, b.env()); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	asked := slices.DeleteFunc(slices.Clone(w.asked), func(p string) bool { return p == "/robots.txt" || p == "/sitemap.xml" })
	w.mu.Unlock()
	slices.Sort(asked)
	if want := []string{"/A", "/B", "/data", "/deep", "/send", "/top"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %v, want %v", asked, want)
	}
	if got := stored(t, a, urlkey.DOM+w.URL+"/A"); !strings.Contains(got, "text that scripts brought") {
		t.Errorf("the document after load is %q", got)
	}
	if got := stored(t, a, urlkey.Screenshot+w.URL+"/A"); got != "png" {
		t.Errorf("the picture is %q", got)
	}
	if got := stored(t, a, w.URL+"/data"); !strings.HasPrefix(got, "text that") {
		t.Errorf("the part is %q", got)
	}
	list := rows(t, a)
	if got := list[urlkey.WithMethod(w.URL+"/send", "POST", "", nil)]; len(got) != 1 || got[0].Outcome != report.OutcomeOK {
		t.Errorf("the rows of the POST are %+v", got)
	}
	want := report.Shown{Rendered: true, Why: "pages like it may need a browser", Gained: true, Parts: 3, Sockets: 1, Consent: "rule", Behaviours: "scroll: 1 step, done"}
	if got := list[w.URL+"/A"]; len(got) != 1 || got[0].Shown == nil || *got[0].Shown != want {
		t.Errorf("the row of the page is %+v", got)
	}
	if list[w.URL+"/data"][0].Via != w.URL+"/A" || b.closed != 1 {
		t.Errorf("the part came from %q; the browser was closed %d times", list[w.URL+"/data"][0].Via, b.closed)
	}
}

// TestRenderWithoutBrowser shows that nothing is fetched, and no crawl has begun, if there
// is no browser.
func TestRenderWithoutBrowser(t *testing.T) {
	w := newWeb(t, map[string]string{"A": ""})
	a := newArchive(t)
	o := w.options()
	o.Render = new(report.Render)
	none := errors.New("there is no browser")
	_, err := Run(t.Context(), a, o, Env{Browser: func(context.Context, *report.CrawlOptions) (Browser, error) { return nil, none }})
	if !errors.Is(err, none) || len(w.asked) > 0 {
		t.Errorf("%v, asked for %v", err, w.asked)
	}
	if list, err := a.Crawls(t.Context()); len(list) > 0 || err != nil {
		t.Errorf("crawls %v, %v", list, err)
	}
}

// TestPartsOnce shows that a part is asked for once in a crawl: by pages that are shown at
// the same time, and if the part is a page of the crawl too, whose links are then followed.
func TestPartsOnce(t *testing.T) {
	w := newWeb(t, map[string]string{"C": ""})
	w.pages["/X"] = htmlPage("<!-- get http://a.example/shared -->X")
	w.pages["/A"] = htmlPage("<!-- get /shared --><!-- get /frame iframe --><a href=/B>B</a><a href=/frame>f</a><img src=/shared>")
	w.pages["/B"] = htmlPage("<!-- get /shared --><!-- get /frame iframe -->B")
	w.pages["/frame"] = htmlPage("<a href=/C>C</a>")
	w.pages["/shared"] = func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "shared") }
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	o.Seeds, o.Workers, o.Requisites, o.Render = []string{"http://a.example/A", "http://b.example/X"}, 2, true, new(report.Render)
	// Both seeds are shown at the same time.
	var both sync.WaitGroup
	both.Add(2)
	b.before = func(_ context.Context, url string) error {
		if strings.HasSuffix(url, "/A") || strings.HasSuffix(url, "/X") {
			both.Done()
			both.Wait()
		}
		return nil
	}
	if _, err := Run(t.Context(), a, o, w.hosts(b.env())); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, p := range w.asked {
		counts[p]++
	}
	for _, p := range []string{"/A", "/B", "/C", "/frame", "/shared"} {
		if counts[p] != 1 {
			t.Errorf("%s was asked for %d times", p, counts[p])
		}
	}
	if got := fetches(t, a)["/frame"]; got != "ok ok" { // as a part, and as a page
		t.Errorf("the frame is %s", got)
	}
}

// TestPagesThatNeedNoBrowser shows a site of which a browser makes nothing more than the
// responses have: three of its pages are shown, and then one in twenty. A crawl that goes
// on remembers that.
func TestPagesThatNeedNoBrowser(t *testing.T) {
	const pages = 60
	w := newWeb(t, nil)
	for i := range pages {
		name := inLetters(i)
		next := ""
		if i+1 < pages {
			next = fmt.Sprintf("<a href=/n/%s>next</a>", inLetters(i+1))
		}
		w.pages["/n/"+name] = htmlPage("<p>Page %s has its own text, which is long enough.</p>%s", name, next)
	}
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	o.Seeds, o.Render = []string{w.URL + "/n/" + inLetters(0)}, new(report.Render)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	n := 0
	b.before = func(context.Context, string) error {
		if n++; n == 4 {
			kill() // while the first check is shown
		}
		return nil
	}
	if _, err := Run(ctx, a, o, b.env()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), a, o, b.env()); err != nil {
		t.Fatal(err)
	}
	want := []string{"/" + inLetters(0), "/" + inLetters(1), "/" + inLetters(2), "/" + inLetters(22), "/" + inLetters(42)}
	if !slices.Equal(b.shown, want) {
		t.Errorf("shown %v, want %v", b.shown, want)
	}
	row := rows(t, a)[w.URL+"/n/"+inLetters(5)]
	if len(row) != 1 || row[0].Shown == nil || row[0].Shown.Rendered || !strings.Contains(row[0].Shown.Why, "nothing more") {
		t.Errorf("the row of a page that is not shown is %+v", row)
	}
}

// inLetters returns a number of at most two digits in letters.
func inLetters(n int) string { return string([]byte{byte('a' + n/10), byte('a' + n%10)}) }

// condition is a Condition of a test.
type condition func(*report.FocusedPage) bool

func (c condition) Holds(p *report.FocusedPage) (bool, error) { return c(p), nil }

// TestRenderWhen shows that a condition decides by the response, whatever its status.
func TestRenderWhen(t *testing.T) {
	w := newWeb(t, nil)
	w.pages["/A"] = htmlPage("<a href=/gone>gone</a><a href=/B>B</a>")
	w.pages["/B"] = htmlPage("B")
	w.pages["/gone"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		out.WriteHeader(http.StatusNotFound)
	}
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	o.Render = &report.Render{When: condition(func(p *report.FocusedPage) bool { return p.Status == 404 })}
	if _, err := Run(t.Context(), a, o, b.env()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"/gone"}; !slices.Equal(b.shown, want) {
		t.Errorf("shown %v, want %v", b.shown, want)
	}
}

// TestRenderWhenIP shows that a condition gets the address of the server of the page.
func TestRenderWhenIP(t *testing.T) {
	w := newWeb(t, nil)
	w.pages["/A"] = htmlPage("A")
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	var ip string
	o.Render = &report.Render{When: condition(func(p *report.FocusedPage) bool { ip = p.IP; return true })}
	if _, err := Run(t.Context(), a, o, b.env()); err != nil {
		t.Fatal(err)
	}
	if _, err := netip.ParseAddr(ip); err != nil {
		t.Errorf("the condition got the address %q, want that of the server", ip)
	}
}

// errKilled is what a mortal state returns after its process was killed.
var errKilled = errors.New("killed")

// mortal is an archive whose crawl can be killed: what was not committed before is lost.
type mortal struct {
	archive
	killed    atomic.Bool
	logged    bool          // a page that was shown was logged since the last commit
	committed chan struct{} // gets a value after a commit with such a page
}

func (m *mortal) State(name string) (State, error) {
	q, err := m.archive.State(name)
	return &mortalState{q, m}, err
}

type mortalState struct {
	State
	m *mortal
}

func (s *mortalState) Commit() error {
	if s.m.killed.Load() {
		return errKilled
	}
	err := s.State.Commit()
	if s.m.logged && err == nil {
		s.m.logged = false
		select {
		case s.m.committed <- struct{}{}:
		default:
		}
	}
	return err
}

func (s *mortalState) Log(f *report.Fetch) error {
	s.m.logged = s.m.logged || f.Shown != nil
	return s.State.Log(f)
}

// captures returns how many captures the archive has of each URL.
func captures(t *testing.T, a archive) map[string]int {
	t.Helper()
	v, err := a.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	counts := make(map[string]int)
	for b, err := range v.Scan(t.Context(), record.Scan{From: record.MinTime, To: record.MaxTime}) {
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range b.URLs()[:b.N] {
			counts[u]++
		}
	}
	return counts
}

// TestRenderKilled kills a crawl with RENDER ten times while a page is shown. No run asks the
// server for a response that an earlier run stored. At the end, each page is in the log once.
// The archive has one capture of each page, part, document after load and picture. No browser
// is left over.
func TestRenderKilled(t *testing.T) {
	const pages = 50
	w := newWeb(t, nil)
	for i := range pages {
		var links strings.Builder
		for _, to := range []int{2*i + 1, 2*i + 2} {
			if to < pages {
				fmt.Fprintf(&links, "<a href=/%s>x</a>", inLetters(to))
			}
		}
		w.pages["/"+inLetters(i)] = htmlPage("<!-- get /text-%s -->Page %s %s", inLetters(i), inLetters(i), links.String())
		w.pages["/text-"+inLetters(i)] = htmlPage("what a script brought to page %s and to no other", inLetters(i))
	}
	plain, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	o.Seeds, o.Render = []string{w.URL + "/" + inLetters(0)}, new(report.Render)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	runs := 0
	run := func(a Archive) error {
		runs++
		w.asked = nil
		had := captures(t, plain)
		_, err := Run(t.Context(), a, o, b.env())
		for _, p := range w.asked {
			if had[w.URL+p] > 0 && p != "/robots.txt" {
				t.Errorf("%s was asked for again after it was stored", p)
			}
		}
		return err
	}
	for range 10 {
		m := &mortal{archive: plain, committed: make(chan struct{}, 1)}
		n, after := 0, random.IntN(4)
		durable := random.IntN(2) == 0 // whether the pages before are durable
		b.before = func(context.Context, string) error {
			if n++; n > after {
				if durable && n > 1 && !m.killed.Load() {
					<-m.committed
				}
				m.killed.Store(true)
			}
			return nil
		}
		if err := run(m); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		b.before = nil
	}
	if err := run(plain); err != nil {
		t.Fatal(err)
	}
	list, had := rows(t, plain), captures(t, plain)
	for i := range pages {
		u := w.URL + "/" + inLetters(i)
		for _, x := range []string{u, w.URL + "/text-" + inLetters(i), urlkey.DOM + u, urlkey.Screenshot + u} {
			if had[x] != 1 {
				t.Errorf("the archive has %d captures of %s", had[x], x)
			}
		}
		shown := 0
		for _, f := range list[u] {
			if f.Outcome == report.OutcomeOK && f.Shown != nil && f.Shown.Rendered {
				shown++
			}
		}
		if shown != 1 || len(list[u]) != 1 {
			t.Errorf("%s: rows %+v", u, list[u])
		}
		if got := stored(t, plain, urlkey.DOM+u); !strings.Contains(got, "what a script brought to page "+inLetters(i)) {
			t.Errorf("%s: the document after load is %q", u, got)
		}
	}
	if b.closed != runs {
		t.Errorf("the browser was closed %d times in %d runs", b.closed, runs)
	}
}

// TestRenderKilledUnchanged kills a crawl while a browser shows a page that has not changed
// since an earlier crawl. The next run shows it without asking the server once more.
func TestRenderKilledUnchanged(t *testing.T) {
	w := newWeb(t, map[string]string{"B": ""})
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") != "" {
			out.WriteHeader(http.StatusNotModified)
			return
		}
		htmlPage("<!-- get /text -->A <a href=/B>B</a>")(out, r)
	}
	w.pages["/text"] = htmlPage("what a script brought")
	a, b := newArchive(t), new(fakeBrowser)
	o := w.options()
	if _, err := Run(t.Context(), a, o, Env{}); err != nil {
		t.Fatal(err)
	}
	o.Render = &report.Render{When: condition(func(p *report.FocusedPage) bool { return strings.HasSuffix(p.URL, "/A") })}
	m := &mortal{archive: a}
	b.before = func(context.Context, string) error {
		m.killed.Store(true)
		return nil
	}
	if _, err := Run(t.Context(), m, o, b.env()); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	b.before = nil
	w.asked = nil
	if _, err := Run(t.Context(), a, o, b.env()); err != nil {
		t.Fatal(err)
	}
	if got := w.pagesAsked(); strings.Contains(got, "A") {
		t.Errorf("asked for %s", got)
	}
	had := captures(t, a)
	if n := had[w.URL+"/A"]; n != 2 {
		t.Errorf("the archive has %d captures of the page, want that of the first crawl and one visit", n)
	}
	if n := had[urlkey.DOM+w.URL+"/A"]; n != 1 {
		t.Errorf("the archive has %d documents after load", n)
	}
	if row := rows(t, a)[w.URL+"/A"]; len(row) != 2 || row[1].Outcome != report.OutcomeNotModified || row[1].Shown == nil || !row[1].Shown.Rendered {
		t.Errorf("the rows of the page are %+v", row)
	}
}

// TestLoginPausesHost shows a page that asks for a password although the crawl has a
// profile: its host waits, and the other host goes on. RESUME continues with the host.
func TestLoginPausesHost(t *testing.T) {
	locked, other := newWeb(t, map[string]string{"A": "BC", "B": "", "C": ""}), newWeb(t, map[string]string{"A": "BC", "B": "", "C": ""})
	inside, err := url.Parse(other.URL)
	if err != nil {
		t.Fatal(err)
	}
	other.pages["/B"] = func(out http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Cookie"); got != "user=name" {
			t.Errorf("the cookies of the request are %q", got)
		}
		htmlPage("B")(out, r)
	}
	a, b := newArchive(t), &fakeBrowser{login: map[string]bool{"/A": true}, cookies: []render.Cookie{{URL: inside, Line: "user=name; Path=/B"}}}
	o := locked.options()
	o.Seeds, o.Workers = []string{locked.URL + "/A", other.URL + "/B"}, 2
	o.Render = &report.Render{Profile: "p", When: condition(func(*report.FocusedPage) bool { return true })}
	res, err := Run(t.Context(), a, o, b.env())
	if err != nil {
		t.Fatal(err)
	}
	if got := locked.pagesAsked() + " " + other.pagesAsked(); got != "A B" || res.State != report.CrawlRunning || res.Waiting != 2 { // the page, and the sitemap that is guessed
		t.Errorf("asked for %s; the crawl is %s with %d URLs waiting", got, res.State, res.Waiting)
	}
	row := rows(t, a)[locked.URL+"/A"]
	if len(row) != 1 || !strings.Contains(row[0].Shown.Why, "RESUME CRAWL test") {
		t.Errorf("the rows are %+v", row)
	}
	if got := stored(t, a, urlkey.DOM+locked.URL+"/A"); got != "" {
		t.Errorf("the login form is kept as the document %q", got)
	}
	b.login = nil // the user has logged in
	if res, err = Run(t.Context(), a, o, b.env()); err != nil || res.State != report.CrawlFinished {
		t.Fatalf("%s, %v", res.State, err)
	}
	if got := locked.pagesAsked(); got != "AABC" {
		t.Errorf("asked for %s", got)
	}
}

// TestResumeAfterLogin shows that RESUME of a running crawl lets a host go on that waits
// for a login. The crawl then reads the profile once more: requests have its cookies, and a
// new browser shows the pages.
func TestResumeAfterLogin(t *testing.T) {
	w := newWeb(t, map[string]string{"B": "", "C": ""})
	const locked = "http://a.example/A"
	site, err := url.Parse(locked)
	if err != nil {
		t.Fatal(err)
	}
	var cookies []string
	w.pages["/A"] = func(out http.ResponseWriter, r *http.Request) {
		cookies = append(cookies, r.Header.Get("Cookie"))
		htmlPage("<a href=/C>C</a>")(out, r)
	}
	a := newArchive(t)
	out := &fakeBrowser{login: map[string]bool{"/A": true}}
	in := &fakeBrowser{cookies: []render.Cookie{{URL: site, Line: "user=name"}}}
	next := []*fakeBrowser{out, in}
	env := w.hosts(Env{Browser: func(context.Context, *report.CrawlOptions) (Browser, error) {
		b := next[0]
		next = next[1:]
		return b, nil
	}})
	o := w.options()
	o.Seeds, o.Workers = []string{locked, "http://b.example/B"}, 2
	o.Render = &report.Render{Profile: "p", When: condition(func(*report.FocusedPage) bool { return true })}
	out.before = func(ctx context.Context, url string) error {
		if url == locked {
			return nil
		}
		for len(rows(t, a)[locked]) == 0 {
			runtime.Gosched() // until the row says that the host waits
		}
		return a.OrderCrawl(ctx, "test", func(o *report.CrawlOrders) { o.Resumed++ })
	}
	res, err := Run(t.Context(), a, o, env)
	if err != nil || res.State != report.CrawlFinished {
		t.Fatalf("%s, %v", res.State, err)
	}
	if len(next) != 0 || out.closed != 1 || in.closed != 1 {
		t.Errorf("%d browsers were not started; they were closed %d and %d times", len(next), out.closed, in.closed)
	}
	if got := w.pagesAsked(); strings.Count(got, "A") != 2 || strings.Count(got, "C") != 1 {
		t.Errorf("asked for %s", got)
	}
	if want := []string{"", "user=name"}; !slices.Equal(cookies, want) {
		t.Errorf("the cookies of the requests are %q, want %q", cookies, want)
	}
	if got := stored(t, a, urlkey.DOM+locked); got == "" {
		t.Error("the page has no document after load")
	}
}

// TestTextGained shows which texts of documents after load count as more than the text of
// the response.
func TestTextGained(t *testing.T) {
	long := strings.Repeat("some words of a long text ", 100) + inLetters(7)
	for _, c := range []struct {
		plain, shown string
		want         bool
	}{
		{"", "", false},
		{"", "hello", true},
		{"Title", "Title", false},
		{long, long + " Good morning, 12:30", false},
		{long, strings.ToUpper(long), false},
		{"A short text that has all its words already", "A short text that has all its words already and some twenty more of them", true},
		{"北京大学网络实验室的一个相当长的没有空格的句子", "北京大学网络实验室的一个相当长的没有空格的句子 另一个由脚本带来的同样相当长的没有空格的句子", true},
	} {
		if got := textGained(c.plain, c.shown); got != c.want {
			t.Errorf("%.40q and %.40q: %v", c.plain, c.shown, got)
		}
	}
}

// TestPartsAreBounded shows that the first parts are forgotten when there are too many.
// The last ones are kept.
func TestPartsAreBounded(t *testing.T) {
	var p parts
	defer p.close()
	for i := range partsMax + 10 {
		p.put(fmt.Sprint(i), &render.Response{Head: []byte("h"), Body: fmt.Append(nil, i)})
	}
	if r := p.have(fmt.Sprint(partsMax + 9)); r == nil || string(r.Body) != fmt.Sprint(partsMax+9) {
		t.Errorf("the last part is %v", r)
	}
	if p.have("0") != nil || !p.forgot || len(p.at) != 10 {
		t.Errorf("%d parts are kept", len(p.at))
	}
}
