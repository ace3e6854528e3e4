package render

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// web is a network in memory: it answers the requests of a page.
type web struct {
	pages  map[string]string                   // body by URL; the media type follows the end of the path
	answer func(r *Request) (*Response, error) // for all others; nil means status 404

	mu   sync.Mutex
	seen []*Request
}

func (w *web) send(ctx context.Context, r *Request) (*Response, error) {
	w.mu.Lock()
	w.seen = append(w.seen, r)
	w.mu.Unlock()
	if body, ok := w.pages[r.URL]; ok {
		return respond(mediaType(r.URL), body), nil
	}
	if w.answer != nil {
		if s, err := w.answer(r); s != nil || err != nil {
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

// TestShow shows pages that need a browser. Text, links and parts must be complete.
func TestShow(t *testing.T) {
	p := startPool(t, testOptions(t))
	t.Run("first", func(t *testing.T) {
		w := &web{pages: map[string]string{
			"https://a.test/":          `<!DOCTYPE html><title>x</title><body><p>static<script src=/a.js></script>`,
			"https://a.test/a.js":      `fetch("/data.json").then((r) => r.json()).then((d) => { document.body.insertAdjacentHTML("beforeend", "<p>" + d.text + "<a href=/next>n</a>") })`,
			"https://a.test/data.json": `{"text": "from data"}`,
		}}
		s, err := p.Show(t.Context(), Page{URL: "https://a.test/", Send: w.send})
		if err != nil {
			t.Fatal(err)
		}
		if want := "static\nfrom datan"; strings.Join(strings.Fields(s.Text), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("text %q, want %q", s.Text, want)
		}
		if want := []string{"https://a.test/", "https://a.test/a.js", "https://a.test/data.json"}; !slices.Equal(w.asked(), want) {
			t.Errorf("asked for %q, want %q", w.asked(), want)
		}
	})
	t.Run("refused", func(t *testing.T) {
		refused := errors.New("robots")
		_, err := p.Show(t.Context(), Page{URL: "http://a.test/", Send: func(ctx context.Context, r *Request) (*Response, error) { return nil, refused }})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
	})
}
