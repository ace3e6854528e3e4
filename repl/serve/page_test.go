package serve

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/exec/relation/relationtest"
	"infomall/lang"
)

// TestPages shows what each page has, and that its statement parses and is shown.
func TestPages(t *testing.T) {
	gone := shot("http://a.example/old", "20080901000000")
	gone.Status = 404
	s, _ := testServer(t, nil, append(cdxCaptures(), gone)...)
	for _, c := range []struct {
		target string
		header string
		status int
		want   []string
	}{
		{"/", "", 200, []string{`lang="en"`, "What the archive holds"}},
		{"/", "Accept-Language: zh-CN,zh;q=0.9,en;q=0.8", 200, []string{`lang="zh"`, "馆藏概况"}},
		{"/?lang=zh", "", 200, []string{`lang="zh"`, `href="/search?lang=zh"`}},
		{"/*/http://a.example/", "", 200, []string{"5 captures", `href="/20090101000000/http://a.example/"`, `href="/2008*/http://a.example/"`, `aria-current="true"`}},
		{"/2008*/http://a.example/", "", 200, []string{"<h2>2008</h2>", `class="dot first" href="/20080601000000/http://a.example/"`}},
		{"/*/http://never.example/", "", 404, []string{"never captured"}},
		{"/*/http://a.example/dir/*", "", 200, []string{"http://a.example/dir/x"}},
		{"/20080610/http://a.example/", "", 200, []string{`<iframe id="replay" src="http://` + label("http://a.example/") + `-replay.localhost:8081/20080610mp_/http://a.example/"`, "2008-06-15 00:00:00", `rel="next"`, `<a href="/20090101000000/http://a.example/" tabindex="-1"><rect class="changed"`, `/diff?url=https%3a%2f%2fwww.a.example%2f&amp;to=20080615000000`}},
		{"/http://a.example/", "", 200, []string{"2010-01-01 00:00:00", `rel="prev"`}},
		{"/a.example", "", 200, []string{"2010-01-01 00:00:00"}},
		{"/2008/http://never.example/", "", 404, []string{"Never captured"}},
		{"/20081399/http://a.example/", "", 404, []string{"is no time"}},
		{"/search", "", 200, []string{`name="q"`}},
		{"/search?q=body&scope=sub.a.example", "", 200, []string{`href="/20080605000000/http://sub.a.example/"`, "<mark>body</mark>"}},
		{"/search?q=%22", "", 400, []string{`class="fault"`}},
		{"/query", "", 200, []string{"<textarea"}},
		{"/query?q=SELECT+url+FROM+captures+LIMIT+1", "", 200, []string{"<th scope=\"col\">url</th>", "format=csv"}},
		{"/query?q=SELECT+colour+FROM+captures", "", 400, []string{"no column", "^"}},
		{"/query?q=SELECT+%24x&param.x=%3Cb%3E", "", 200, []string{"&lt;b&gt;"}},
		{"/query?q=DROP+POOL+%27200806%27", "", 400, []string{"DROP POOL"}},
		{"/history?url=a.example", "", 200, []string{`href="/20090101000000/http://a.example/"`}},
		{"/history", "", 400, []string{"url is missing"}},
		{"/diff?url=a.example&from=20080610&to=2009", "", 200, []string{`<div class="drawing">`, "<ins>"}},
		{"/diff?url=a.example&to=2009&as=blocks", "", 200, []string{`<div class="drawing">`}},
		{"/diff?url=a.example&to=2009&as=html", "", 200, []string{"body of 20090101000000"}},
		{"/diff?url=never.example", "", 400, []string{"no capture"}},
		{"/site", "", 200, []string{`href="/site?host=a.example"`}},
		{"/site?host=a.example", "", 200, []string{"http://a.example/old"}},
		{"/crawls", "", 200, []string{"crawls.js", "<h2>Workers</h2>", "<h2>Alerts</h2>", "<h2>Hosts</h2>", "<h2>Traps</h2>", `name="url"`}},
		{"/crawls?lang=zh&url=http%3A%2F%2Fa.example%2F%3Cb%3E", "", 200, []string{"<h2>警报</h2>", `value="http://a.example/&lt;b&gt;"`}},
		{"/events", "", 200, []string{"No events were looked for yet", "FROM events"}},
		{"/events?ranking=news&order=time", "", 200, []string{`href="/events?order=scale&amp;ranking=news"`, "<b>by time</b>", "ORDER BY start, event"}},
		{"/events?event=news%2F1", "", 200, []string{`href="/events?ranking=news"`, "FROM reports"}},
		{"/jobs", "", 200, []string{"<h2>Schedules</h2>", "<h2>Running now</h2>", "<h2>Ended</h2>", "FROM schedules"}},
		{"/query?q=SELECT+time%2C+bytes+FROM+captures", "", 200, []string{`<details class="chart" open>`, "<figcaption>bytes by time</figcaption>", "</rect>"}},
		{"/query?q=SELECT+url+FROM+captures", "", 200, []string{"query.js"}},
		{"/static/style.css", "", 200, []string{"prefers-color-scheme"}},
		{"/static/drawing.css", "", 200, []string{".drawing {", ".added > header .op"}},
		{"/static/none.css", "", 404, nil},
		{"/openapi.json", "", 200, []string{`"openapi": "3.1.0"`}},
	} {
		r := get(t, s.interfaceHandler(), c.target, c.header)
		body := bodyOf(t, r)
		if r.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d: %.300s", c.target, r.StatusCode, c.status, body)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s has no %q: %s", c.target, want, body)
			}
		}
		if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
			continue
		}
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: Content-Security-Policy is %q", c.target, policy)
		}
		for _, m := range statementShown.FindAllStringSubmatch(body, -1) {
			text := strings.NewReplacer("&#39;", "'", "&lt;", "<", "&gt;", ">", "&#34;", `"`, "&amp;", "&").Replace(m[1])
			if _, err := lang.Parse(text, ""); err != nil {
				t.Errorf("%s shows a statement that cannot be read: %v", c.target, err)
			}
		}
	}
}

// TestPageFails shows that a page whose statement has failed has the status of the error, and says
// when to ask again if the server is busy.
func TestPageFails(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.QueryTimeout = time.Nanosecond }, cdxCaptures()...)
	for _, target := range []string{
		"/search?q=body", "/query?q=SELECT+url+FROM+captures", "/history?url=a.example", "/diff?url=a.example", "/site", "/site?host=a.example",
		"/crawls", "/jobs", "/events", "/events?ranking=news", "/events?event=news%2F1", "/*/http://a.example/dir/*",
	} {
		r := get(t, s.interfaceHandler(), target)
		if body := bodyOf(t, r); r.StatusCode != 503 || r.Header.Get("Retry-After") == "" || !strings.Contains(body, "took longer") {
			t.Errorf("%s: status %d, %v: %s", target, r.StatusCode, r.Header, body)
		}
	}
	w := httptest.NewRecorder()
	s.replayNote(w, httptest.NewRequest(http.MethodGet, "/", nil), 503, &note{Title: "note_error"})
	if w.Header().Get("Retry-After") == "" {
		t.Errorf("a busy replay answers with the header %v", w.Header())
	}
}

var statementShown = regexp.MustCompile(`(?s)<pre class="statement">(.*?)</pre>`)

// TestHostileText shows that archived text and addresses are escaped on all pages.
func TestHostileText(t *testing.T) {
	const attack = `<script>alert(1)</script>"'>`
	c := shot("http://a.example/?q=%22%3E%3Cscript%3Ex", "20080601000000")
	c.Body = "<title>&lt;script&gt;alert(1)&lt;/script&gt;</title><p>word &lt;script&gt;alert(1)&lt;/script&gt;</p>"
	quoted := shot("http://a.example/it's", "20080601000000")
	s, _ := testServer(t, nil, c, quoted)
	for _, target := range []string{
		"/search?" + pairs("q", attack), "/search?q=word", "/query?" + pairs("q", attack), "/query?" + pairs("q", "SELECT url, title, text FROM 'a.example'"),
		"/history?" + pairs("url", c.URL), "/diff?" + pairs("url", c.URL), "/*/" + c.URL, "/2008/" + c.URL, "/*/http://never.example/" + attack,
		"/2008/http://never.example/" + attack, "/" + attack, "/site?" + pairs("host", attack), "/events?" + pairs("ranking", attack), "/events?" + pairs("event", attack), "/*/http://a.example/*", "/*/http://a.example/it's", "/2008/http://a.example/it's",
	} {
		body := bodyOf(t, get(t, s.interfaceHandler(), target))
		if strings.Contains(body, "<script>alert") || strings.Contains(body, `"><script>x`) {
			t.Errorf("%s has unescaped text: %s", target, body)
		}
	}
	for _, target := range []string{"/2008mp_/http://never.example/" + attack, "/" + attack} {
		if body := bodyOf(t, get(t, s.replayHandler(), target)); strings.Contains(body, "<script>") {
			t.Errorf("replay of %s has unescaped text: %s", target, body)
		}
	}
}

// TestHomeLeads shows where the box of the page home leads.
func TestHomeLeads(t *testing.T) {
	for text, want := range map[string]string{
		"www.pku.edu.cn":          "/*/http://www.pku.edu.cn/",
		"https://a.example/x?y=1": "/*/https://a.example/x?y=1",
		"a.example/news/*":        "/*/http://a.example/news/*",
		"图书馆":                     "/search?q=%E5%9B%BE%E4%B9%A6%E9%A6%86",
		"two words":               "/search?q=two+words",
		"SELECT 1":                "/query?q=SELECT+1",
		"SELECT url FORM 'x'":     "/query?q=SELECT+url+FORM+%27x%27",
		"show me pages":           "/search?q=show+me+pages",
		"v1.":                     "/search?q=v1.",
	} {
		if got := leadTo(text, ""); got != want {
			t.Errorf("%q leads to %s, want %s", text, got, want)
		}
	}
}

// TestWords shows that each text has both languages, and that every text that a
// template names exists.
func TestWords(t *testing.T) {
	for name, texts := range words {
		if texts[0] == "" || texts[1] == "" || strings.Count(texts[0], "%") != strings.Count(texts[1], "%") {
			t.Errorf("text %s: %q", name, texts)
		}
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, f := range files {
		b, err := templateFiles.ReadFile("templates/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\.[TF] "([a-z_]+)"`).FindAllStringSubmatch(string(b), -1) {
			used[m[1]] = true
			if _, ok := words[m[1]]; !ok {
				t.Errorf("%s names the text %s, which does not exist", f.Name(), m[1])
			}
		}
	}
	// These are named by the code.
	for _, n := range []string{"op_added", "op_edited", "op_moved", "op_removed", "note_never", "note_no_dom", "no_dom_about", "note_gone", "note_bodyless", "note_error", "note_file", "file_about", "never_about", "gone_about", "bodyless_about", "error", "all_hosts", "site_pages", "site_months", "site_gone", "workers", "crawl_hosts", "alerts", "last_errors", "traps", "outcomes", "why_not", "schedules", "running", "ended", "order_scale", "order_time", "order_recency", "under", "sites", "changes", "captures_of", "history", "query", "search", "archive"} {
		used[n] = true
	}
	for name := range words {
		if !used[name] && !strings.HasPrefix(name, "key_") {
			t.Errorf("nothing uses the text %s", name)
		}
	}
}

// TestLanguages shows which language answers a request.
func TestLanguages(t *testing.T) {
	for accept, want := range map[string]string{"": "en", "zh": "zh", "zh-TW,en;q=0.5": "zh", "fr, zh;q=0.3, en;q=0.2": "zh", "en-GB,zh;q=0.9": "en", "*": "en", ";;q=,": "en"} {
		s, _ := testServer(t, nil)
		r := get(t, s.interfaceHandler(), "/search", "Accept-Language: "+accept)
		if got := r.Header.Get("Content-Language"); got != want {
			t.Errorf("Accept-Language %q: %s, want %s", accept, got, want)
		}
		if !slices.Contains(r.Header.Values("Vary"), "Accept-Language") {
			t.Errorf("Vary is %q", r.Header.Values("Vary"))
		}
	}
}

// TestEmptyArchive shows that every page answers if there is no archive.
func TestEmptyArchive(t *testing.T) {
	s, m := testServer(t, nil)
	m.Archive = relationtest.New()
	m.Missing = true
	for _, target := range []string{"/", "/search?q=a", "/query?q=SELECT+1", "/site", "/crawls", "/*/http://a.example/", "/2008/http://a.example/", "/healthz", "/cdx?url=a.example"} {
		if r := get(t, s.interfaceHandler(), target); r.StatusCode >= 500 {
			t.Errorf("%s: status %d", target, r.StatusCode)
		}
	}
}

// TestBarChanges shows that the bar leads to the nearest changes of content, past versions
// of which only the markup changed.
func TestBarChanges(t *testing.T) {
	var all []relationtest.Capture
	for i, body := range []string{"<p>one</p>", "<p class=x>one</p>", "<p class=y>one</p>", "<p class=z>one</p>", "<p>two</p>"} {
		c := shot("http://a.example/", fmt.Sprintf("200%d0601000000", i+1))
		c.Body = "<html><body>" + body + "</body></html>"
		all = append(all, c)
	}
	s, _ := testServer(t, nil, all...)
	before, after := `<a href="/20010601000000/http://a.example/" title="2001-06-01 00:00:00">⇤ Previous change`, `<a href="/20050601000000/http://a.example/" title="2005-06-01 00:00:00">Next change`
	for _, c := range []struct {
		at            string
		before, after bool
	}{{"20010601", false, true}, {"20020601", false, true}, {"20030601", true, true}, {"20040601", true, false}, {"20050601", true, false}} {
		body := bodyOf(t, get(t, s.interfaceHandler(), "/"+c.at+"/http://a.example/", ""))
		if got := strings.Contains(body, before); got != c.before {
			t.Errorf("%s leads to the change before: %v", c.at, got)
		}
		if got := strings.Contains(body, after); got != c.after {
			t.Errorf("%s leads to the change after: %v", c.at, got)
		}
	}
}
