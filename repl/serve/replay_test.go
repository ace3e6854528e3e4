package serve

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"infomall/exec/relation/relationtest"
	"infomall/store/memo"
)

// page returns a capture with a head and a body.
func pageOf(url, digits string, status int, header, body string) relationtest.Capture {
	c := relationtest.Capture{URL: url, Time: at(digits), Status: status, Body: body, Head: fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n", status, header)}
	c.Mime = "text/html"
	return c
}

// TestReplayAnswers is a table of requests to replay and what is answered.
func TestReplayAnswers(t *testing.T) {
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write([]byte("<p>packed</p>"))
	z.Close()
	const html = "Content-Type: text/html\r\n"
	redirected := pageOf("http://a.example/old", "20080601000000", 302, "Location: /new?x=1#part\r\n", "")
	redirected.Location = "http://a.example/new?x=1"
	toSecure := pageOf("http://s.example/", "20080601000000", 301, "Location: https://s.example/\r\n", "moved")
	toSecure.Location = "https://s.example/"
	toOther := pageOf("http://a.example/app", "20080601000000", 302, html+"Location: httpx://a.example/app\r\n", "open the app")
	gone := pageOf("http://a.example/", "20080801000000", 404, html, "<p>not found</p>")
	bodyless := shot("http://b.example/", "20080601000000")
	bodyless.NoBody = true
	s, _ := testServer(t, nil,
		pageOf("http://a.example/", "20080601000000", 200, html+"Set-Cookie: a=1\r\nLink: <x.css>; rel=preload\r\n", `<p>June <a href="b.htm">b</a><img src="i.gif">`),
		pageOf("http://a.example/", "20080701000000", 200, html, "<p>July"),
		gone,
		pageOf("http://a.example/z", "20080601000000", 200, html+"Content-Encoding: gzip\r\n", gz.String()),
		pageOf("http://a.example/plain.bin", "20080601000000", 200, "Content-Type: application/octet-stream\r\n", "0123456789"),
		pageOf("http://a.example/x?q=1&_=1212121212121", "20080601000000", 200, "Content-Type: application/json\r\n", "{}"),
		pageOf("http://a.example/form?name=v", "20080601000000", 200, html, "answer"),
		pageOf("http://a.example/form?__wb_method=POST&name=b%20%B1%B1&p=1", "20080601000000", 200, html, "posted"),
		pageOf("http://a.example/%B1%B1", "20080601000000", 200, html, "escaped"),
		pageOf("http://a.example/fresh", "20080601000000", 200, html+"Refresh: 5; URL='/new'\r\n", "wait"),
		pageOf("http://a.example/again", "20080601000000", 200, html+"Refresh: 5\r\n", "wait"),
		pageOf("http://a.example/opens", "20080601000000", 200, html+"Refresh: 5; URL=httpx://a.example/app\r\n", "wait"),
		redirected, toSecure, toOther,
		pageOf("https://s.example/", "20080602000000", 200, html, "secure"),
		bodyless,
	)
	h := s.replayHandler()
	for _, c := range []struct {
		name, method, target, body string
		header                     []string
		status                     int
		want                       string   // part of the body
		fields                     []string // lines that the header has; a line without a value is absent
	}{
		{"nearest capture, links at the time asked for, images at that of the capture", "GET", "/20080610mp_/http://a.example/", "", nil, 200, `/20080610120000mp_/http://a.example/b.htm`,
			[]string{"Memento-Datetime: Sun, 01 Jun 2008 00:00:00 GMT", "Content-Location: /20080601000000mp_/http://a.example/", "Set-Cookie", "X-Archive-Orig-Set-Cookie: a=1"}},
		{"images at the time of the capture", "GET", "/20080610mp_/http://a.example/", "", nil, 200, `/20080601000000im_/http://a.example/i.gif`, nil},
		{"slashes that a proxy has merged", "GET", "/20080610mp_/http:/a.example/", "", nil, 200, "June", nil},
		{"escapes are as they came", "GET", "/2008mp_/http://a.example/%B1%B1", "", nil, 200, "escaped", nil},
		{"bytes as captured", "GET", "/20080601id_/http://a.example/", "", nil, 200, `<p>June <a href="b.htm">b</a><img src="i.gif">`, []string{"Content-Security-Policy: default-src 'none'; sandbox"}},
		{"compressed bytes as captured", "GET", "/2008id_/http://a.example/z", "", nil, 200, gz.String(), []string{"Content-Encoding: gzip"}},
		{"compressed page is rewritten", "GET", "/2008mp_/http://a.example/z", "", nil, 200, "<p>packed</p>", []string{"Content-Encoding"}},
		{"archived status", "GET", "/20080801mp_/http://a.example/", "", nil, 404, "not found", []string{"Memento-Datetime: Fri, 01 Aug 2008 00:00:00 GMT"}},
		{"a page that is gone, in the frame", "GET", "/20080801mp_/http://a.example/", "", []string{"Sec-Fetch-Dest: iframe", "Host: " + label("http://a.example/") + "-replay.localhost:8081"}, 404, "/20080701000000/http://a.example/", nil},
		{"a page that was never captured", "GET", "/2008mp_/http://never.example/", "", nil, 404, "Never captured", []string{"Memento-Datetime"}},
		{"a body that is not in the archive", "GET", "/2008mp_/http://b.example/", "", nil, 404, "not in the archive", nil},
		{"a redirect stays in the time", "GET", "/20080610mp_/http://a.example/old", "", nil, 302, "", []string{"Location: /20080610120000mp_/http://a.example/new?x=1#part"}},
		{"a redirect to https of the same page is passed over", "GET", "/20080601mp_/http://s.example/", "", nil, 200, "secure", nil},
		{"a Refresh stays in the time", "GET", "/20080610mp_/http://a.example/fresh", "", nil, 200, "wait", []string{"Refresh: 5;url=/20080610120000mp_/http://a.example/new"}},
		{"a redirect to a URL of another scheme is not followed", "GET", "/20080610mp_/http://a.example/app", "", nil, 200, "open the app", []string{"Location"}},
		{"a Refresh to a URL of another scheme is not followed", "GET", "/20080610mp_/http://a.example/opens", "", nil, 200, "wait", []string{"Refresh"}},
		{"a page is not loaded again", "GET", "/20080610mp_/http://a.example/again", "", nil, 200, "wait", []string{"Refresh"}},
		{"a range", "GET", "/2008oe_/http://a.example/plain.bin", "", []string{"Range: bytes=2-4"}, 206, "234", []string{"Content-Range: bytes 2-4/10"}},
		{"HEAD has no body", "HEAD", "/20080610mp_/http://a.example/", "", nil, 200, "", []string{"Memento-Datetime: Sun, 01 Jun 2008 00:00:00 GMT"}},
		{"arguments that change with each visit", "GET", "/2008mp_/http://a.example/x?q=1&_=1999999999999", "", nil, 200, "{}", nil},
		{"other arguments", "GET", "/2008mp_/http://a.example/x?q=2&_=1999999999999", "", nil, 404, "Never captured", nil},
		{"a form", "POST", "/2008mp_/http://a.example/form", "name=v", nil, 200, "answer", nil},
		{"no writing", "PUT", "/2008mp_/http://a.example/", "", nil, 405, "", []string{"Allow: GET, HEAD, POST"}},
		{"on top: the page with the bar", "GET", "/20080610mp_/http://a.example/", "", []string{"Sec-Fetch-Dest: document"}, 302, "", []string{"Location: http://127.0.0.1:8080/20080610/http://a.example/"}},
		{"the calendar", "GET", "/*/http://a.example/", "", nil, 302, "", []string{"Location: http://127.0.0.1:8080/*/http://a.example/"}},
		{"a form as a crawl keeps it", "POST", "/2008mp_/http://a.example/form", "name=b+%b1%b1&p=1", []string{"Content-Type: application/x-www-form-urlencoded"}, 200, "posted", nil},
		{"a form that nobody sent", "POST", "/2008mp_/http://a.example/form", "name=c", []string{"Content-Type: application/x-www-form-urlencoded"}, 404, "Never captured", nil},
		{"a frame of another site moves to its origin", "GET", "/2008mp_/http://a.example/", "", []string{"Sec-Fetch-Dest: iframe", "Host: sother-replay.localhost:8081"}, 200,
			"http://" + label("http://a.example/") + "-replay.localhost:8081/2008mp_/http://a.example/", []string{"Cache-Control: no-store"}},
		{"a frame within a page stays", "GET", "/2008if_/http://a.example/", "", []string{"Sec-Fetch-Dest: iframe", "Host: sother-replay.localhost:8081"}, 200, "", []string{"Memento-Datetime: Tue, 01 Jul 2008 00:00:00 GMT"}},
		{"an archived service worker", "GET", "/2008js_/http://a.example/", "", []string{"Service-Worker: script"}, 403, "", nil},
		{"our service worker", "GET", "/_infomall/worker.js", "", []string{"Service-Worker: script"}, 200, "", []string{"Service-Worker-Allowed: /"}},
		{"a time that is none", "GET", "/20081399mp_/http://a.example/", "", nil, 404, "is no time", nil},
		{"a path that is none", "GET", "/favicon", "", nil, 404, "", nil},
	} {
		r := send(t, h, c.method, c.target, c.body, c.header...)
		body := bodyOf(t, r)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d: %.300s", c.name, r.StatusCode, c.status, body)
			continue
		}
		if !strings.Contains(body, c.want) {
			t.Errorf("%s: the body has no %q: %.600s", c.name, c.want, body)
		}
		if c.method == "HEAD" && body != "" {
			t.Errorf("%s: the body is %q", c.name, body)
		}
		for _, line := range c.fields {
			name, value, there := strings.Cut(line, ": ")
			if got := r.Header.Get(name); there && got != value || !there && got != "" {
				t.Errorf("%s: %s is %q, want %q", c.name, name, got, value)
			}
		}
	}
}

// TestETag shows that a client that has an answer gets 304, until the archive
// changes.
func TestETag(t *testing.T) {
	s, m := testServer(t, nil, shot("http://a.example/", "20080601000000"))
	for _, c := range []struct {
		h      http.Handler
		target string
	}{
		{s.replayHandler(), "/2008mp_/http://a.example/"}, {s.interfaceHandler(), "/timemap/link/http://a.example/"}, {s.interfaceHandler(), "/cdx?url=a.example"},
	} {
		m.state = "1"
		tag := get(t, c.h, c.target).Header.Get("ETag")
		if tag == "" {
			t.Errorf("%s has no ETag", c.target)
		}
		if got := get(t, c.h, c.target, "If-None-Match: "+tag).StatusCode; got != 304 {
			t.Errorf("%s with its ETag: status %d, want 304", c.target, got)
		}
		m.state = "2"
		if got := get(t, c.h, c.target, "If-None-Match: "+tag).StatusCode; got != 200 {
			t.Errorf("%s after the archive changed: status %d, want 200", c.target, got)
		}
	}
}

// TestAnswersKept shows that replay sends an answer again as it is kept, that the answer has
// the form that the request accepts, and that a changed archive has no kept answers: the
// page that was deleted is gone.
func TestAnswersKept(t *testing.T) {
	page := shot("http://a.example/", "20080601000000")
	page.Body = "<p>" + strings.Repeat("body ", 1000)
	s, m := testServer(t, nil, page)
	h := s.replayHandler()
	const target = "/20080601000000mp_/http://a.example/"
	kept := func(target string, header ...string) *answer {
		snap, release, err := s.snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RequestURI, r.Host = target, "127.0.0.1:8080"
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			r.Header.Set(name, value)
		}
		a, _ := memo.Get[*answer](snap.Answers, answerKeyOf(r))
		return a
	}
	plain, zipped := get(t, h, target), get(t, h, target, "Accept-Encoding: gzip")
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := io.ReadAll(z)
	if body := bodyOf(t, plain); err != nil || string(unzipped) != body || !strings.Contains(body, page.Body) {
		t.Errorf("the compressed answer has other bytes (%v)", err)
	}
	if a, b := plain.Header.Get("ETag"), zipped.Header.Get("ETag"); a == b || zipped.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" {
		t.Errorf("ETags %s and %s, codings %q and %q", a, b, plain.Header.Get("Content-Encoding"), zipped.Header.Get("Content-Encoding"))
	}
	if r := get(t, h, target, "Accept-Encoding: gzip", "Range: bytes=0-3"); r.StatusCode != 206 || r.Header.Get("Content-Encoding") != "" {
		t.Errorf("a part is sent with status %d and the coding %q", r.StatusCode, r.Header.Get("Content-Encoding"))
	}
	a := kept(target)
	if a == nil || kept(target, "Accept-Encoding: gzip") == nil {
		t.Fatal("the answer is not kept")
	}
	a.body = []byte("kept")
	again := get(t, h, target)
	if got := bodyOf(t, again); got != "kept" {
		t.Errorf("the second answer is not the kept one: %s", got)
	}
	again.Header.Set("Content-Length", plain.Header.Get("Content-Length"))
	if !maps.EqualFunc(again.Header, plain.Header, slices.Equal) {
		t.Errorf("the header of the kept answer is\n%v, want\n%v", again.Header, plain.Header)
	}
	if r := get(t, h, target, "If-None-Match: "+plain.Header.Get("ETag")); r.StatusCode != 304 {
		t.Errorf("with the ETag of the kept answer: status %d", r.StatusCode)
	}
	for _, other := range []string{"Sec-Fetch-Dest: image", "Accept-Language: zh", "Host: 127.0.0.1:1"} {
		if got := bodyOf(t, get(t, h, target, other)); got == "kept" {
			t.Errorf("a request with %s has the answer of another one", other)
		}
	}
	const latest = "/mp_/http://a.example/"
	if get(t, h, latest); kept(latest) != nil {
		t.Error("an answer that depends on the clock is kept")
	}
	if post := send(t, h, http.MethodPost, target, "q=1", "Content-Type: application/x-www-form-urlencoded"); bodyOf(t, post) == "kept" {
		t.Error("a POST has the answer of a GET")
	}
	m.Archive, m.state = relationtest.New(), "2"
	if r := get(t, h, target); r.StatusCode != 404 {
		t.Errorf("after the page was deleted: status %d, want 404", r.StatusCode)
	}
	if kept(target) != nil {
		t.Error("an answer of the state before is kept")
	}
}

// TestETagOfCoding shows that a body that is not compressed has the same ETag whether the client
// accepts gzip or not, so that a download goes on where it broke off; and that a compressed body
// has one of its own.
func TestETagOfCoding(t *testing.T) {
	text := shot("http://a.example/", "20080601000000")
	text.Body = "<p>" + strings.Repeat("body ", 1000)
	picture := pageOf("http://a.example/a.gif", "20080601000000", 200, "Content-Type: image/gif\r\n", strings.Repeat("GIF89a", 1000))
	s, _ := testServer(t, nil, text, picture)
	h := s.replayHandler()
	const target = "/im_/http://a.example/a.gif" // without a time, answers are not kept
	tag := get(t, h, target, "Accept-Encoding: gzip").Header.Get("ETag")
	if r := get(t, h, target, "Range: bytes=6-11", "If-Range: "+tag); r.StatusCode != 206 || r.Header.Get("ETag") != tag {
		t.Errorf("the rest of a download is sent with status %d and the ETag %s, not %s", r.StatusCode, r.Header.Get("ETag"), tag)
	}
	const page = "/mp_/http://a.example/"
	plain, zipped := get(t, h, page), get(t, h, page, "Accept-Encoding: gzip")
	if a, b := plain.Header.Get("ETag"), zipped.Header.Get("ETag"); a == b {
		t.Errorf("both forms of a body have the ETag %s", a)
	}
	for _, known := range []*http.Response{plain, zipped} {
		if r := get(t, h, page, "Accept-Encoding: gzip", "If-None-Match: "+known.Header.Get("ETag")); r.StatusCode != 304 {
			t.Errorf("with the ETag %s: status %d", known.Header.Get("ETag"), r.StatusCode)
		}
	}
	if r := get(t, h, page, "If-None-Match: "+zipped.Header.Get("ETag")); r.StatusCode != 200 {
		t.Errorf("a client without gzip that has the compressed form gets status %d", r.StatusCode)
	}
}

// TestFiles shows that a frame gets a note with a link to a file that browsers do not show there,
// and that the sandbox of the frame lets the links of a note work. Other requests get the file.
func TestFiles(t *testing.T) {
	head := func(lines ...string) string { return strings.Join(lines, "\r\n") + "\r\n" }
	const typeOf = "Content-Type: "
	s, _ := testServer(t, nil,
		pageOf("http://a.example/a.pdf", "20080601000000", 200, head(typeOf+"application/pdf"), "%PDF-1.4"),
		pageOf("http://a.example/a.csv", "20080601000000", 200, head(typeOf+"Text/CSV; charset=gbk"), "a,b"),
		pageOf("http://a.example/b.zip", "20080601000000", 200, "", "PK\x03\x04"),
		pageOf("http://a.example/c", "20080601000000", 200, head(typeOf+"text/plain", "Content-Disposition: Attachment; filename=c.txt"), "c"),
		pageOf("http://a.example/d.gif", "20080601000000", 200, head(typeOf+"image/gif"), "GIF89a"),
		pageOf("http://a.example/e", "20080601000000", 200, head(typeOf+"text/x-c"), "int e;"),
		pageOf("http://a.example/f", "20080601000000", 200, head(typeOf+"application/atom+xml"), "<feed/>"),
		pageOf("http://a.example/g", "20080601000000", 200, "", "<html>g"))
	replay := s.replayHandler()
	host := "Host: " + label("http://a.example/") + "-replay.localhost:8081"
	for name, file := range map[string]bool{"a.pdf": true, "a.csv": true, "b.zip": true, "c": true, "d.gif": false, "e": false, "f": false, "g": false} {
		const inFrame = "Sec-Fetch-Dest: iframe"
		link := `<a href="/2008id_/http://a.example/` + name + `" download>`
		r := get(t, replay, "/2008mp_/http://a.example/"+name, inFrame, host)
		if got := strings.Contains(bodyOf(t, r), link); got != file || r.StatusCode != 200 || got && !strings.Contains(r.Header.Get("Content-Security-Policy"), "sandbox allow-downloads") {
			t.Errorf("%s in a frame is a note: %v, with status %d and the policy %s", name, got, r.StatusCode, r.Header.Get("Content-Security-Policy"))
		}
		for _, c := range [][2]string{{"/2008id_/", inFrame}, {"/2008mp_/", "Sec-Fetch-Dest: empty"}, {"/2008mp_/", ""}} {
			if body := bodyOf(t, get(t, replay, c[0]+"http://a.example/"+name, c[1], host)); strings.Contains(body, link) {
				t.Errorf("%s%s for %q is a note", c[0], name, c[1])
			}
		}
	}
	frame := bodyOf(t, get(t, s.interfaceHandler(), "/2008/http://a.example/d.gif"))
	for _, want := range []string{"allow-downloads", "allow-top-navigation-by-user-activation"} {
		if !strings.Contains(frame, want) {
			t.Errorf("the frame has no %s", want)
		}
	}
}

// TestLargeReader compares reads at all offsets with the body.
func TestLargeReader(t *testing.T) {
	body := []byte("0123456789abcdefghijklmnopqrstuvwxyz")
	pieces := iter.Seq2[[]byte, error](func(yield func([]byte, error) bool) {
		for piece := range slices.Chunk(body, 7) {
			if !yield(piece, nil) {
				return
			}
		}
	})
	l := newLargeReader(pieces, int64(len(body)))
	defer l.Close()
	for _, from := range []int64{0, 30, 3, 36, 7, 6, 35} {
		if _, err := l.Seek(from, 0); err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(l); err != nil || got.String() != string(body[from:]) {
			t.Errorf("from %d: %q, %v", from, got.String(), err)
		}
	}
	if _, err := l.Seek(1, 2); err == nil {
		t.Error("an offset after the end is accepted")
	}
}

// TestLabels shows that each domain has a label of its own, which is the name of a
// host.
func TestLabels(t *testing.T) {
	seen := map[string]string{}
	for _, u := range []string{"http://www.pku.edu.cn/", "http://pku-edu.cn/", "http://pku.edu-cn.example/", "http://xn--fiq228c.cn/", "http://162.105.1.1/", "http://[::1]/", "http://" + strings.Repeat("a", 63) + "." + strings.Repeat("b", 63) + ".example/"} {
		l := label(u)
		if len(l+labelSuffix) > 63 || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || seen[l] != "" {
			t.Errorf("label of %s is %q (also of %q)", u, l, seen[l])
		}
		seen[l] = u
	}
	if label("http://www.pku.edu.cn/") != label("https://news.pku.edu.cn/a") {
		t.Error("hosts of one domain have different labels")
	}
}

// TestRedirectToReplay shows where the interface sends who asks it for archived bytes:
// a browser to the origin of the site, and a program, which cannot look its name up, to
// one that every program knows.
func TestRedirectToReplay(t *testing.T) {
	s, _ := testServer(t, nil)
	site := "http://" + label("http://a.example/") + "-replay.localhost:8081"
	for _, c := range []struct{ target, dest, want string }{
		{"/2008id_/http://a.example/x", "", "http://127.0.0.1:8081/2008id_/http://a.example/x"},
		{"/web/2008id_/http%3A//a.example/x", "", "http://127.0.0.1:8081/2008id_/http://a.example/x"},
		{"/2008id_/http://a.example/x", "document", site + "/2008id_/http://a.example/x"},
		{"/2008im_/http://a.example/x", "", site + "/2008im_/http://a.example/x"},
		{"/2008mp_/http://a.example/x", "iframe", site + "/2008mp_/http://a.example/x"},
	} {
		r := get(t, s.interfaceHandler(), c.target, "Sec-Fetch-Dest: "+c.dest)
		if got := r.Header.Get("Location"); r.StatusCode != 307 || got != c.want {
			t.Errorf("%s for %q: %d %s, want %s", c.target, c.dest, r.StatusCode, got, c.want)
		}
	}
}
