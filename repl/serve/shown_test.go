package serve

import (
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/repl/serve/lookup"
)

// shownCaptures are a page, the document that a browser made of it, and its picture.
func shownCaptures() []relationtest.Capture {
	dom := shot("dom:http://a.example/dir/page", "20260102030405")
	dom.Head, dom.Body = "", `<!DOCTYPE html><html><head><title>A</title></head><body><noscript>no scripts</noscript><p>made by a script</p><a href="b.htm">b</a><img src="i.gif"><script>document.body.textContent = "again"</script>`+
		`<iframe src="f.htm" srcdoc="<head><base href='http://a.example/dir/'></head><p>frame</p><img src=f.gif>"></iframe></body></html>`
	picture := shot("screenshot:http://a.example/dir/page", "20260102030405")
	picture.Head, picture.Mime, picture.Body = "", "image/png", "PICTURE"
	return []relationtest.Capture{
		pageOf("http://a.example/dir/page", "20260102030404", 200, "Content-Type: text/html\r\n", "<script>build()</script>"),
		dom, picture,
		pageOf("http://a.example/plain", "20260102030404", 200, "Content-Type: text/html\r\n", "<p>plain"),
	}
}

// TestAfterLoad shows that replay sends the document after load with the addresses of a
// replayed page and without a way to run scripts, and says so if there is none.
func TestAfterLoad(t *testing.T) {
	s, _ := testServer(t, nil, shownCaptures()...)
	r := get(t, s.replayHandler(), "/2026dom_/http://a.example/dir/page")
	body := bodyOf(t, r)
	for _, want := range []string{
		"made by a script", `href="/20260702120000mp_/http://a.example/dir/b.htm"`, `src="/20260102030405im_/http://a.example/dir/i.gif"`,
		"/20260102030405im_/http://a.example/dir/f.gif", "noscript { display: none",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the document has no %q: %s", want, body)
		}
	}
	if strings.Contains(body, "first.js") {
		t.Errorf("the document has our first script: %s", body)
	}
	policy := r.Header.Get("Content-Security-Policy")
	if r.StatusCode != 200 || !strings.Contains(policy, "script-src 'none'") || strings.Contains(policy, "allow-scripts") {
		t.Errorf("status %d, policy %s", r.StatusCode, policy)
	}
	for _, c := range []struct{ target, want string }{
		{"/2026dom_/http://a.example/plain", "No browser saw this page"},
		{"/2026mp_/http://a.example/dir/page", "build()"},
		{"/2026id_/dom:http://a.example/dir/page", `textContent = "again"`},
		{"/2026mp_/screenshot:http://a.example/dir/page", "PICTURE"},
		{"/2026dom_/https://www.a.example/dir/page", "made by a script"},
	} {
		if body := bodyOf(t, get(t, s.replayHandler(), c.target)); !strings.Contains(body, c.want) {
			t.Errorf("%s has no %q: %s", c.target, c.want, body)
		}
	}
}

// TestFrameAfterLoad shows that the page with the bar offers what a browser made of the
// page if there is any, and shows it.
func TestFrameAfterLoad(t *testing.T) {
	s, _ := testServer(t, nil, shownCaptures()...)
	h := s.interfaceHandler()
	for _, c := range []struct {
		target string
		status int
		want   []string
		not    string
	}{
		{"/2026/http://a.example/dir/page", 200, []string{`<a href="/2026dom_/http://a.example/dir/page">As the browser saw it</a>`, `<a href="/2026/screenshot:http://a.example/dir/page">Picture</a>`}, "data-url"},
		{"/2026/http://a.example/plain", 200, []string{"Blocks"}, "As the browser saw it"},
		{"/2026dom_/http://a.example/dir/page", 200, []string{`-replay.localhost:8081/2026dom_/http://a.example/dir/page" data-url="http://a.example/dir/page"`, "2026-01-02 03:04:05",
			`<a href="/2026/http://a.example/dir/page">`, `aria-current="true">As the browser`, "dom:http://a.example/dir/page"}, ""},
		{"/2026/dom:http://a.example/dir/page", 200, []string{`-replay.localhost:8081/2026dom_/http://a.example/dir/page"`}, ""},
		{"/2026/screenshot:http://a.example/dir/page", 200, []string{`-replay.localhost:8081/2026mp_/screenshot:http://a.example/dir/page"`}, "Picture<"},
		{"/2026dom_/http://a.example/plain", 404, []string{"No browser saw this page", `<a href="/2026/http://a.example/plain">`}, "<iframe"},
	} {
		r := get(t, h, c.target)
		body := bodyOf(t, r)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.target, r.StatusCode, c.status)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q: %s", c.target, want, body)
			}
		}
		if c.not != "" && strings.Contains(body, c.not) {
			t.Errorf("%s has %q: %s", c.target, c.not, body)
		}
	}
	// A reader who opens the address of replay gets the page with the bar.
	r := get(t, s.replayHandler(), "/2026dom_/http://a.example/dir/page", "Sec-Fetch-Dest: document")
	if to := r.Header.Get("Location"); !strings.HasSuffix(to, "/2026dom_/http://a.example/dir/page") || r.StatusCode != 302 {
		t.Errorf("status %d, to %s", r.StatusCode, to)
	}
}

// TestFamilyShown shows that documents after load are looked up together with those of
// the other forms of their page, and with no page.
func TestFamilyShown(t *testing.T) {
	list := lookup.Family("dom:http://a.example/")
	if len(list) != 4 || list[0] != "dom:http://a.example/" || list[3] != "dom:https://www.a.example/" {
		t.Errorf("the family is %q", list)
	}
}
