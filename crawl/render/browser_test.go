package render

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// web is a network in memory: it answers the requests of a page.
type web struct {
	pages  map[string]string                   // body by URL; the media type follows the end of the path
	answer func(r *Request) (*Response, error) // for all others; nil means status 404

	mu   sync.Mutex
	seen []*Request
}

// errHang is returned by web.answer for a request that gets no answer.
var errHang = errors.New("no answer")

func (w *web) send(ctx context.Context, r *Request) (*Response, error) {
	w.mu.Lock()
	w.seen = append(w.seen, r)
	w.mu.Unlock()
	if body, ok := w.pages[r.URL]; ok {
		return respond(mediaType(r.URL), body), nil
	}
	if w.answer != nil {
		if s, err := w.answer(r); err == errHang {
			<-ctx.Done()
			return nil, ctx.Err()
		} else if s != nil || err != nil {
			return s, err
		}
	}
	return &Response{Head: []byte("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n"), Body: []byte("not found")}, nil
}

// asked returns the URLs of all requests, without those of icons.
func (w *web) asked() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for _, r := range w.seen {
		if !strings.HasSuffix(r.URL, "/favicon.ico") {
			list = append(list, r.URL)
		}
	}
	slices.Sort(list)
	return list
}

func mediaType(address string) string {
	u, _ := url.Parse(address)
	for end, kind := range map[string]string{".js": "text/javascript", ".json": "application/json", ".png": "image/png", ".css": "text/css", ".svg": "image/svg+xml"} {
		if strings.HasSuffix(u.Path, end) {
			return kind
		}
	}
	return "text/html; charset=utf-8"
}

func respond(kind, body string) *Response {
	return &Response{Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n", kind), Body: []byte(body)}
}

// testOptions returns the settings of a browser for tests. The test is skipped if
// there is none.
func testOptions(t *testing.T) Options {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long")
	}
	if _, err := Find(""); err != nil {
		t.Skip(err)
	}
	return Options{NoSandbox: os.Geteuid() == 0, Temp: t.TempDir(), Pages: 4, Limits: Limits{Time: 90 * time.Second}}
}

// startPool starts a browser for a test.
func startPool(t *testing.T, o Options) *Pool {
	t.Helper()
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if list, err := os.ReadDir(o.Temp); err != nil || len(list) > 0 {
			t.Errorf("after Close the folder has %v, %v", list, err)
		}
	})
	return p
}

// site returns the network of a page of shownPages.
func (c *shownPage) site() *web {
	w := &web{pages: make(map[string]string), answer: func(r *Request) (*Response, error) {
		switch {
		case r.URL == "https://a.test/hangs":
			return nil, errHang
		case r.URL == "https://a.test/late": // shortly before the visit ends
			time.Sleep(c.limit.Time - time.Second)
			return respond("text/plain", "late"), nil
		case r.URL == "https://a.test/post":
			return respond("text/plain", "got "+r.Method+" "+string(r.Body)), nil
		case r.URL == "https://api.test/cors":
			s := respond("text/plain", "shared")
			s.Head = append(s.Head[:len(s.Head)-2], "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: X-Own\r\n\r\n"...)
			return s, nil
		}
		return nil, nil
	}}
	for address, body := range c.pages {
		w.pages[c.address(address)] = body
	}
	return w
}

// address returns the URL of a path at https://a.test, or a URL as it is.
func (c *shownPage) address(path string) string {
	if strings.HasPrefix(path, "/") {
		return "https://a.test" + path
	}
	return path
}

// shownDefault are the pages that TestShow shows unless INFOMALL_RENDER is all. The others
// depend more on how fast the machine is, or take long.
var shownDefault = []string{"plain", "fetch", "xhr", "route", "shadow trees", "frames", "service worker", "consent", "post", "other origin"}

// TestShow shows pages that need a browser, four at the same time. Text, links and
// parts must be complete, and nothing else must be asked for. By default it takes a few
// pages; INFOMALL_RENDER=all takes all.
func TestShow(t *testing.T) {
	o := testOptions(t)
	o.Consent = []Rule{{Name: "fine", Selector: "#a"}, {Name: "wrong", Selector: "#a ]"}}
	if _, err := Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), `"wrong" has "#a ]"`) {
		t.Errorf("a rule without a selector: %v", err)
	}
	o.Consent, o.More = consentRules, []Rule{{Name: "arrow", Selector: "span.next", Host: "a.test"}}
	p := startPool(t, o)
	t.Run("labels", func(t *testing.T) { checkLabels(t, p) })
	t.Run("pages", func(t *testing.T) {
		for _, c := range shownPages {
			if os.Getenv("INFOMALL_RENDER") != "all" && !slices.Contains(shownDefault, c.name) {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.check(t, p)
			})
		}
	})
	t.Run("refused", func(t *testing.T) {
		refused := errors.New("robots")
		_, err := p.Show(t.Context(), Page{URL: "http://a.test/", Send: func(ctx context.Context, r *Request) (*Response, error) { return nil, refused }})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
	})
	p.options.Screenshot = true
	t.Run("main", func(t *testing.T) { checkMain(t, p) })
	t.Run("socket", func(t *testing.T) { checkSocket(t, p) })
	t.Run("too large", func(t *testing.T) {
		w := &web{pages: map[string]string{"https://a.test/": "<p>" + strings.Repeat("text ", 2000)}}
		_, err := p.showWith(t.Context(), Page{URL: "https://a.test/", Send: w.send}, Limits{DOM: 5000}.over(p.options.Limits))
		if err == nil || !strings.Contains(err.Error(), "5000 bytes") {
			t.Error(err)
		}
	})
	t.Run("other files", func(t *testing.T) {
		for _, kind := range []string{"application/zip", "application/octet-stream"} {
			_, err := p.Show(t.Context(), Page{URL: "https://a.test/", Send: func(context.Context, *Request) (*Response, error) { return respond(kind, "PK"), nil }})
			if err == nil || !strings.Contains(err.Error(), "does not show it") {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if _, err := p.Show(t.Context(), Page{URL: "file:///etc/passwd"}); err == nil {
			t.Error("a file was shown")
		}
	})
	t.Run("end", func(t *testing.T) { checkEnd(t, p) })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, part := range []string{"render.(*proxy)", "render.(*refuser)", "render.(*tab)"} {
		if strings.Contains(string(stacks), part) {
			t.Errorf("after Close there is a goroutine of %s:\n%s", part, stacks)
		}
	}
	if _, err := p.Show(t.Context(), Page{URL: "https://a.test/"}); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// checkMain shows a page that is redirected and has status 404. The requests up to the
// page itself, and no others, must be marked, and a picture must be taken.
func checkMain(t *testing.T, p *Pool) {
	w := &web{answer: func(r *Request) (*Response, error) {
		switch r.URL {
		case "http://a.test/":
			return &Response{Head: []byte("HTTP/1.1 301 Moved\r\nLocation: https://b.test/x\r\n\r\n"), Body: []byte("moved")}, nil
		case "https://b.test/x":
			return &Response{Head: []byte("HTTP/1.1 404 Not Found\r\nSet-Cookie: a=b\r\nContent-Type: text/html\r\n\r\n"), Body: []byte("<title>none</title><p>not here<img src=/i.svg>")}, nil
		}
		return nil, nil
	}}
	s, err := p.Show(t.Context(), Page{URL: "http://a.test/#part", Send: w.send})
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != "https://b.test/x#part" || s.Text != "not here" {
		t.Errorf("%s shows %q", s.URL, s.Text)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(s.Screenshot)); err != nil || c.Width < 1000 {
		t.Errorf("the picture is %+v, %v", c, err)
	}
	for _, r := range w.seen {
		if want := r.URL == "http://a.test/" || r.URL == "https://b.test/x"; r.Main != want {
			t.Errorf("%s: main %v", r.URL, r.Main)
		}
		if r.URL == "https://b.test/i.svg" && !strings.Contains(string(r.Head), "Cookie: a=b\r\n") {
			t.Errorf("the part has the headers %q", r.Head)
		}
	}
}

// checkSocket shows a page that opens a WebSocket. The handshake must come to Send, and
// the page must see it open.
func checkSocket(t *testing.T, p *Pool) {
	w := &web{
		pages: map[string]string{"https://a.test/": `<p id=p>x<script>const s = new WebSocket("wss://b.test/live?x"); s.onopen = () => { s.send("hello"); fetch("/opened").then(() => { p.textContent = "open" }) }; s.onclose = () => p.append(" closed")</script>`},
		answer: func(r *Request) (*Response, error) {
			if r.Socket {
				return &Response{Head: []byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n")}, nil
			}
			return nil, nil
		},
	}
	s, err := p.Show(t.Context(), Page{URL: "https://a.test/", Send: w.send})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"https://a.test/", "https://a.test/opened", "https://b.test/live?x"}; !slices.Equal(w.asked(), want) {
		t.Errorf("asked for %q, want %q", w.asked(), want)
	}
	if !slices.Equal(s.Sockets, []string{"wss://b.test/live?x"}) || s.Text != "open" || s.Ended != "done" {
		t.Errorf("sockets %q, text %q, ended %s", s.Sockets, s.Text, s.Ended)
	}
}

// checkEnd ends a page by its context, then the whole browser by force. Show must return
// with an error, the requests must end, and the next page must be shown again.
func checkEnd(t *testing.T, p *Pool) {
	browser := chromedp.FromContext(p.browser).Browser
	for name, end := range map[string]func(stop func()){
		"cancel": func(stop func()) { stop() },
		"kill":   func(func()) { browser.Process().Kill() },
	} {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		w := &web{pages: map[string]string{"https://a.test/": "<script src=/a.js></script>"}}
		_, err := p.Show(ctx, Page{URL: "https://a.test/", Send: func(ctx context.Context, r *Request) (*Response, error) {
			if r.URL != "https://a.test/a.js" {
				return w.send(ctx, r)
			}
			end(stop)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		}})
		stop()
		<-ended
		if err == nil || name == "cancel" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		w.pages["https://a.test/a.js"] = "document.write('shown')"
		s, err := p.Show(t.Context(), Page{URL: "https://a.test/", Send: w.send})
		if err != nil || s.Text != "shown" {
			t.Errorf("after %s: %v, %v", name, s, err)
		}
	}
}

// check shows the page and compares.
func (c *shownPage) check(t *testing.T, p *Pool) {
	w := c.site()
	address := cmp.Or(c.url, "https://a.test/")
	page := Page{URL: address, Send: w.send}
	s, err := p.showWith(t.Context(), page, c.limit.over(p.options.Limits))
	if err != nil {
		t.Fatal(err)
	}
	if s.URL != cmp.Or(c.end, address) {
		t.Errorf("the page is %s", s.URL)
	}
	rest := s.Text
	for _, want := range c.text {
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Errorf("the text %q lacks %q", s.Text, want)
			continue
		}
		rest = after
	}
	for _, no := range c.lacks {
		if strings.Contains(s.Text, no) {
			t.Errorf("the text %q has %q", s.Text, no)
		}
	}
	for _, want := range c.dom {
		if !strings.Contains(string(s.DOM), want) {
			t.Errorf("the document %s lacks %q", s.DOM, want)
		}
	}
	for _, want := range c.links {
		if !slices.Contains(s.Links, want) {
			t.Errorf("the links %q lack %q", s.Links, want)
		}
	}
	for _, want := range c.does {
		if !slices.Contains(s.Behaviours, want) {
			t.Errorf("the behaviours %v lack %v", s.Behaviours, want)
		}
	}
	if s.Consent != c.rule || s.Login != c.login || s.Ended != cmp.Or(c.ended, "done") {
		t.Errorf("consent %q, login %v, ended %q", s.Consent, s.Login, s.Ended)
	}
	if c.ended != "" {
		return
	}
	var want []string
	for path := range c.pages {
		want = append(want, c.address(path))
	}
	for _, path := range c.parts {
		want = append(want, c.address(path))
	}
	slices.Sort(want)
	if got := w.asked(); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

// TestUser shows a page with the profile of a user. It must have the user's cookies and
// local storage. The profile must not change, and another page must not see what the first
// one stored.
func TestUser(t *testing.T) {
	o := testOptions(t)
	p := startPool(t, o)
	browser := p.browser
	if _, err := readSession(browser); err != nil { // requests of the default context are now answered
		t.Fatal(err)
	}
	const login = `document.cookie = "user=42; max-age=100000"; localStorage.setItem("token", "a\"b"); "done"`
	if _, err := inOrigin(t.Context(), browser, "https://a.test", login); err != nil {
		t.Fatal(err)
	}
	if _, err := inOrigin(t.Context(), browser, "https://b.test", `localStorage.setItem("seen", "7"); "done"`); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Cancel(browser); err != nil { // writes the profile
		t.Fatal(err)
	}
	user := filepath.Join(t.TempDir(), "user")
	if err := copyProfile(user, p.folder.profile()); err != nil {
		t.Fatal(err)
	}
	before := names(t, user)
	o.Profile, o.Temp, o.Agent = user, t.TempDir(), "Mozilla/5.0 (compatible; infomall/test)"
	q := startPool(t, o)
	w := &web{pages: map[string]string{
		"https://a.test/":  `<p id=p></p><p id=f></p><iframe src=https://b.test/f></iframe><script>p.textContent = document.cookie + " " + localStorage.getItem("token") + " " + localStorage.getItem("own") + " " + navigator.userAgent; localStorage.setItem("own", "x"); document.cookie = "own=x"; onmessage = (e) => { f.textContent = e.data }</script>`,
		"https://b.test/f": `<script>parent.postMessage("frame " + localStorage.getItem("token") + " " + localStorage.getItem("seen"), "*")</script>`}}
	for range 2 {
		s, err := q.Show(t.Context(), Page{URL: "https://a.test/", Send: w.send})
		if err != nil {
			t.Fatal(err)
		}
		if s.Text != `user=42 a"b null `+o.Agent+"\n\nframe null 7" {
			t.Errorf("the page sees %q", s.Text)
		}
	}
	head := string(w.seen[0].Head)
	if !strings.Contains(head, "Cookie: user=42\r\n") || !strings.Contains(head, "User-Agent: "+o.Agent+"\r\n") || strings.Contains(head, "Headless") {
		t.Errorf("the first request has the headers %q", head)
	}
	if after := names(t, user); !slices.Equal(after, before) {
		t.Errorf("the profile had %q and has %q", before, after)
	}
}

// over returns l with the fields of base in place of zeros.
func (l Limits) over(base Limits) Limits {
	return Limits{cmp.Or(l.Time, base.Time), cmp.Or(l.Steps, base.Steps), cmp.Or(l.Requests, base.Requests), cmp.Or(l.Bytes, base.Bytes), cmp.Or(l.DOM, base.DOM)}
}

// checkLabels checks which texts of buttons the rules of more.txt mean.
func checkLabels(t *testing.T, p *Pool) {
	if err := checkRules(p.browser, "rule", []Rule{{Name: "wrong", Label: "("}}); err == nil || !strings.Contains(err.Error(), `"wrong" has "("`) {
		t.Errorf("a rule without an expression: %v", err)
	}
	labels := map[string]bool{
		"Load more": true, "Show older posts": true, "MEHR ANZEIGEN": true, "Voir plus d’articles": true, "Ver más": true, "Carregar mais": true,
		"Показать ещё": true, "加载更多": true, "点击查看更多评论": true, "更多新闻": true, "展开全部": true, "もっと見る": true, "더보기": true, "عرض المزيد": true,
		"All": false, "全部": false, "Lisää ostoskoriin": false, "ещё раз": false, "Mehrwertsteuer": false, "Read": false, "More about us and our work": false,
	}
	for label, want := range labels {
		text, err := json.Marshal(label)
		if err != nil {
			t.Fatal(err)
		}
		list, err := json.Marshal(finders(p.options.More, "b.test"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := chromedp.Run(p.browser, chromedp.Evaluate[bool](fmt.Sprintf("%s.some((r) => !r.selector && new RegExp(`^(?:${r.label})$`, 'iu').test(%s))", list, text)))
		if err != nil || got != want {
			t.Errorf("%q loads more: %v, %v; want %v", label, got, err, want)
		}
	}
}
