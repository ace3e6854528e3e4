package repl

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// leadingPage is a response, and how many URLs it leads to.
type leadingPage struct {
	name   string
	kind   string // Content-Type; "-" for none
	header string // "Name: value", or ""
	body   string
	links  int    // URLs of the same folder that the page leads to
	kept   string // names in that folder that are in the relation, but are not followed
}

const (
	gbkHello = "\xc4\xe3\xba\xc3"    // 你好 in GBK
	someText = "<p>Some text.</p>\n" // what a body is filled with
)

// leadingPages returns pages with links of every sort. It makes them when a test asks
// for them: one has 9 MB, and every program that the tests start would make it.
var leadingPages = sync.OnceValue(func() []leadingPage {
	return []leadingPage{
		{name: "a", body: `<a href=1>x</a><a href=2#part>y</a><a href=./3>z</a><a href="">self</a><a href="#top">top</a>`, links: 3},
		{name: "schemes", body: `<a href="javascript:f()">x</a><a href="mailto:a@b.example">y</a><a href="data:,x">z</a><a href=tel:1>1</a><a href=1>1</a>`, links: 1},
		{name: "nofollow", body: `<a href=1 rel=nofollow>x</a><a href=2>y</a>`, links: 1, kept: "1"},
		{name: "areas", body: `<map><area href=1></map><iframe src=2></iframe><applet codebase=c code=3.class archive=4.jar></applet>`, links: 4},
		{name: "frames", body: `<frameset><frame src=1 longdesc=2></frameset>`, links: 2},
		{name: "forms", body: `<form action=1></form><form action=2 method=post></form>`, links: 1, kept: "2"},
		{name: "links", body: `<link rel=next href=1><link rel=icon href=2><link rel=dns-prefetch href=3>`, links: 2, kept: "3"},
		{name: "lazy", body: `<img data-src=1><img srcset="2 1x, 3 2x" data-srcset="4 1x"><video poster=5 src=6></video>`, links: 6},
		{name: "srcdoc", body: `<iframe srcdoc="<a href=1>x</a><p style='background:url(2)'>"></iframe>`, links: 2},
		{name: "svg", body: `<svg><image xlink:href=1 /><use href="2#x"/><a href=3>x</a></svg>`, links: 3},
		{name: "shared", body: `<meta property=og:image content=1><meta name=twitter:image content=2>`, links: 2},
		{name: "refresh", body: `<meta http-equiv=refresh content="900; url=1">`, links: 1},
		{name: "base", body: `<base href="sub/"><a href=1>x</a><a href="">base</a>`, links: 2},
		{name: "badbase", body: `<base href="data:x"><a href=1>x</a>`, links: 1},
		{name: "styles", body: `<style>@import "1"; p { background: url(2) } q { src: URL("3") }</style><p style="background: url(&quot;4&quot;)">x</p>`, links: 4},
		{name: "nostyles", body: `<style>/* url(1) */ p { content: "url(2)"; fill: url(#x); src: url(data:,x) }</style>`, links: 0},
		{name: "styled", body: strings.Repeat(someText, 50) + `<div><p>one <b style='background:Url(1)'>two</b></p></div>` + strings.Repeat(someText, 50), links: 1},
		{name: "sheet", kind: "text/css", body: `@import "1"; p { background: url(2) }`, links: 2},
		{name: "headers", header: `Link: <1>; rel=next, <2>; rel=stylesheet, <3>; rel=preconnect`, body: `<a href=4>x</a>`, links: 3, kept: "3"},
		{name: "refreshed", header: `Refresh: 900; url=1`, body: `<a href=2>x</a>`, links: 2},
		{name: "file", kind: "application/pdf", header: `Link: <1>; rel=canonical`, body: "%PDF-1.4", links: 1},
		{name: "png", body: "\x89PNG\r\n\x1a\n<html><title>x</title><a href=1>x</a>"},
		{name: "pdf", body: "%PDF-1.4\n<html><a href=1>x</a>"},
		{name: "flash", body: "FWS\x05\x10\x20\x00\x00\x00\x00\x00\x00<a href=1>x</a>"},
		{name: "pngsheet", kind: "text/css", body: "\x89PNG\r\n\x1a\np { background: url(1) }"},
		{name: "cut", header: "Content-Encoding: gzip", body: cutGzip(`<a href=1>x</a>` + strings.Repeat(someText, 2000)), links: 1},
		{name: "large", body: `<a href=1>x</a>` + strings.Repeat(someText, 9<<20/len(someText)) + `<a href=2>y</a>`, links: 1},
		{name: "gbk", kind: "text/html; charset=gbk", body: "<a href='1?q=" + gbkHello + "'>x</a><a href='2" + gbkHello + "'>y</a>", links: 2},
		{name: "escapes", body: `<a href="%7e1?a=%2f%2F">x</a><a href="~1?a=%2f%2F">y</a><a href="b c">z</a><a href="%e4%bd%a0">u</a><a href="你">v</a><a href="1?a=b&amp;c=d">w</a>`, links: 4},
		{name: "untyped", kind: "-", body: `<a href=1>x</a>`, links: 1},
		{name: "xhtml", kind: "application/xhtml+xml", body: `<?xml version="1.0"?><html><a href="1">x</a></html>`, links: 1},
		{name: "plain", kind: "text/plain", body: `<a href=1>x</a>`},
	}
})

// cutGzip is the first half of a text in gzip.
func cutGzip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()[:b.Len()/2]
}

// hostPages are pages of a host in GBK. The last does not tell its charset, and has
// too few letters to be known by them.
var hostPages = []leadingPage{
	{name: "one", kind: "text/html; charset=gbk", body: "<a href=/two/p>x</a>" + gbkHello},
	{name: "two", kind: "text/html; charset=gbk", body: "<a href=/three/p>x</a>" + gbkHello},
	{name: "three", body: "<a href='\xc6\xe4?q=&#21271;'>x</a>", links: 1},
}

// serveLeading serves each page as /NAME/p.
func serveLeading(t *testing.T, pages []leadingPage) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, p := range pages {
			if r.URL.Path != "/"+p.name+"/p" {
				continue
			}
			switch p.kind {
			case "":
				w.Header().Set("Content-Type", "text/html")
			case "-":
				w.Header()["Content-Type"] = nil
			default:
				w.Header().Set("Content-Type", p.kind)
			}
			if name, value, ok := strings.Cut(p.header, ": "); ok {
				w.Header().Set(name, value)
			}
			w.Write([]byte(p.body))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestSameLinks crawls pages with links of every sort, one at a time and with what
// they need to be shown. The crawl follows the links that the relation has, in which
// they are read when the page is stored: no more, and all but those of which the page
// or their kind asks not to follow them.
func TestSameLinks(t *testing.T) {
	site, host := serveLeading(t, leadingPages()), serveLeading(t, hostPages)
	var seeds []string
	for _, p := range leadingPages() {
		seeds = append(seeds, fmt.Sprintf("'%s/%s/p'", site, p.name))
	}
	seeds = append(seeds, fmt.Sprintf("'%s/one/p'", host))
	archive := filepath.Join(t.TempDir(), "archive")
	crawl := "CRAWL " + strings.Join(seeds, ", ") + " DELAY 0s ALLOW PRIVATE WORKERS 1 WITH REQUISITES TRAPS OFF "
	runMain(t, []string{"-a", archive, "-c", crawl + "AS c"})
	runMain(t, []string{"-a", archive, "-c", crawl + "FROM ARCHIVE AS archived"})
	ask := func(query string) map[string][]string {
		t.Helper()
		rows, err := csv.NewReader(strings.NewReader(runMain(t, []string{"-a", archive, "--format", "csv", "-c", query}))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		found := make(map[string][]string)
		for _, row := range rows {
			from, to := row[0], row[1]
			if dir, ok := strings.CutSuffix(from, "/p"); ok && to != from && strings.HasPrefix(to, dir+"/") {
				found[from] = append(found[from], strings.TrimPrefix(to, dir+"/"))
			}
		}
		for from := range found {
			slices.Sort(found[from])
		}
		return found
	}
	followed, related := ask("SELECT DISTINCT via, url FROM fetches WHERE crawl = 'c'"), ask("SELECT DISTINCT url, target FROM links LATEST")
	archived := ask("SELECT DISTINCT via, url FROM fetches WHERE crawl = 'archived'")
	check := func(site string, p *leadingPage) {
		from := site + "/" + p.name + "/p"
		links := slices.DeleteFunc(related[from], func(to string) bool { return to == p.kept })
		if !slices.Equal(followed[from], links) {
			t.Errorf("%s: the crawl follows %q, the relation has %q", p.name, followed[from], links)
		}
		if !slices.Equal(followed[from], archived[from]) {
			t.Errorf("%s: the crawl follows %q, from the archive %q", p.name, followed[from], archived[from])
		}
		if len(followed[from]) != p.links {
			t.Errorf("%s: the crawl follows %q, want %d", p.name, followed[from], p.links)
		}
	}
	for _, p := range leadingPages() {
		check(site, &p)
	}
	for i := range hostPages {
		check(host, &hostPages[i])
	}
	if got := related[host+"/three/p"]; !slices.Equal(got, []string{"%E5%85%B6?q=%B1%B1"}) {
		t.Errorf("a page of a host in GBK leads to %q", got)
	}
}
