package links

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"infomall/crawl/robots"
	"infomall/store/page/markup"
)

// shown is a link as the tests write it: its URL without the site that all
// share, with a sign in front: ! for a requisite, % for a sitemap.
func shown(l Link) string {
	s := strings.TrimPrefix(l.URL, "http://x.cn/")
	if l.Requisite {
		return "!" + s
	}
	if l.Sitemap {
		return "%" + s
	}
	return s
}

func list(f Found) string {
	var all []string
	for _, l := range f.Links {
		all = append(all, shown(l))
	}
	return strings.Join(all, " ")
}

// TestHeaders shows what the header of a document leads to.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		refresh, link, want string
	}{
		{"0; url=/a", "", "/a"}, {"5;URL='b'", "", "/b"}, {"5, url=c", "", "/c"}, {"5", "", ""},
		{"", `</a>; rel="next", <b>; rel=stylesheet`, "/a !/b"}, {"", `</a>; rel=preconnect`, ""}, {"", `</a?x=1,2;3>; title="x"; rel="alternate"`, "/a?x=1,2;3"},
	} {
		headers := markup.LinkHeaders([]byte("HTTP/1.1 200 OK\r\nRefresh: " + c.refresh + "\r\nLink: " + c.link + "\r\n\r\n"))
		for _, kind := range []string{"text/plain", "text/html", "image/png"} {
			var got []string
			for _, l := range Find(Document{URL: "http://d.cn/", ContentType: kind, Body: []byte("<p>x</p>"), LinkHeaders: headers}).Links {
				u := strings.TrimPrefix(l.URL, "http://d.cn")
				if l.Requisite {
					u = "!" + u
				}
				got = append(got, u)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("Refresh %q, Link %q of %s: %q, want %q", c.refresh, c.link, kind, s, c.want)
			}
		}
	}
}

// TestBinary shows that nothing is taken out of files that a server calls HTML.
func TestBinary(t *testing.T) {
	for _, start := range []string{"\x89PNG\r\n\x1a\n", "%PDF-1.4\n", "\xff\xd8\xff\xe0", "GIF89a", "PK\x03\x04", "RIFF\x10\x00\x00\x00WEBPVP8 ", "\x00\x00\x00\x18ftypmp42"} {
		for _, kind := range []string{"text/html", "application/xhtml+xml", "text/css", "text/xml", ""} {
			if got := Find(Document{URL: "http://d.cn/", ContentType: kind, Body: []byte(start + "<html><a href=x>url(y) <link>http://d.cn/z</link>")}).Links; len(got) > 0 {
				t.Errorf("%q as %q leads to %v", start, kind, got)
			}
		}
	}
}

// TestFind shows what each kind of document at http://x.cn/d/p leads to.
func TestFind(t *testing.T) {
	const html, css, rss, atom, plain = "text/html", "text/css", "application/rss+xml", "application/atom+xml; charset=utf-8", "text/plain"
	for _, c := range []struct{ name, mime, body, want string }{
		{"a", html, `<a href=a><a href="/b?c=1&amp;d=2#e"><a href=//y.cn/f><A HREF='../g'>`, "d/a b?c=1&d=2 http://y.cn/f g"},
		{"each once, in order", html, `<a href=b><a href=a><a href=b#x><a href=./b>`, "d/b d/a"},
		{"nothing to fetch", html, `<a href="javascript:x()"><a href=mailto:a@b.cn><a href="data:,x"><a href="tel:1"><a href=ftp://x.cn/a><a><a href="http://"><a href=www.y.cn:80/a>`, ""},
		{"the page itself", html, `<a href="#top"><a href="">`, "d/p"},
		{"the base", html, `<base href=/e/><a href="">`, "e/"},
		{"nofollow of a link", html, `<a href=a rel="external NoFollow"><a href=b rel=noopener>`, "d/b"},
		{"area, frame, iframe", html, `<map><area href=a></map><frame src=b><iframe src=c>`, "d/a d/b d/c"},
		{"link", html, `<link rel=alternate href=a><link rel="shortcut icon" href=b><link rel=stylesheet href=c><link rel=next href=d><link rel=preload href=e as=image>`, "d/a !d/b !d/c d/d !d/e"},
		{"link to no document", html, `<link rel=dns-prefetch href=//y.cn><link rel=preconnect href=//y.cn><link rel=pingback href=a><link rel=EditURI href=b>`, ""},
		{"form", html, `<form action=a></form><form action=b method=GET></form><form action=c method=post></form><form method=dialog action=d></form><form></form>`, "d/a d/b"},
		{"meta refresh", html, `<meta http-equiv=Refresh content="5; URL='a'">`, "d/a"},
		{"base", html, `<a href=a><base href="/e/"><base href="/f/"><link rel=icon href=c>`, "e/a !e/c"},
		{"base with a scheme of its own", html, `<base href="data:x"><a href=a>`, "d/a"},
		{"base elsewhere", html, `<base href="https://y.cn"><a href=a>`, "https://y.cn/a"},
		{"images", html, `<img src=a><body background=b><input type=image src=c>`, "!d/a !d/b !d/c"},
		{"scripts and media", html, `<script src=a></script><video src=b poster=c></video><source src=d><embed src=e><object data=f></object>`, "!d/a !d/b !d/c !d/d !d/e !d/f"},
		{"a document that is shown here too", html, `<img src=a><a href=a>`, "d/a"},
		{"srcset", html, `<img src=a srcset="b 1x, c,d 2x , e"><source srcset="f 100w, g 2x"><link rel=preload imagesrcset="h 1x">`, "!d/a !d/b !d/c,d !d/e !d/f !d/g !d/h"},
		{"srcset, odd", html, `<img srcset=" , a, b (x,y), c">`, "!d/a !d/b !d/c"},
		{"style element", html, `<style>@import "a"; b{background:url(c)}</style>`, "!d/a !d/c"},
		{"style attribute", html, `<p style="background: url(&quot;a.png&quot;)">`, "!d/a.png"},
		{"not in scripts and comments", html, `<script>"<a href=a>"</script><!-- <a href=b> --><textarea><a href=c></textarea>`, ""},
		{"robots: nofollow leaves requisites", html, `<meta name=robots content=nofollow><a href=a><img src=b><iframe src=c>`, "!d/b"},
		{"bytes of the page's charset", "text/html; charset=gbk", "<a href=\"/\xb1\xb1.htm\">", "%E5%8C%97.htm"},
		{"XHTML", "application/xhtml+xml", `<?xml version="1.0"?><html><a href="a"/></html>`, "d/a"},
		{"XHTML as XML", "text/xml", `<?xml version="1.0"?><html><a href="a"/></html>`, "d/a"},
		{"no type", "", "\n<!DOCTYPE HTML><a href=a>", "d/a"},
		{"no type, but markup", "", "<a href=a>", "d/a"},
		{"no type and no markup", "", "see <a href=a>", ""},
		{"plain text", plain, "<a href=a> http://x.cn/b", ""},
		{"image", "image/png", "<a href=a>", ""},

		{"css", css, `@import url(a.css); @import 'b.css' screen; @IMPORT "c.css"; x{background:url( "d.png" )} y{src:URL(e.woff)}`, "!d/a.css !d/b.css !d/c.css !d/d.png !d/e.woff"},
		{"css, no addresses", css, `/* url(a) @import "b" */ c{content:"url(d)"} e{x:curl(f)} @media "g"; @charset "h"; @import; "i" {}`, ""},
		{"css, escapes", css, `a{b:url(c\)d)} e{f:url("\67 h\"i")} @import "j\
k";`, "!d/c)d !d/gh%22i !d/jk"},
		{"css, broken", css, `a{b:url(c) url("d` + "\n" + `} e{f:url( g`, "!d/c !d/d !d/g"},
		{"css, data", css, `a{b:url(data:image/png;base64,AAAA)}`, ""},

		{"rss", rss, `<rss><channel><link>http://x.cn/</link><atom:link rel="self" href="feed"/><image><url>logo.png</url></image>
			<item><title>t</title><link> /a </link><guid>http://x.cn/g</guid><comments>/a#c</comments><enclosure url="/v.mp3"/></item>
			<item><link><![CDATA[/b?x=1&y=2]]></link><guid isPermaLink="false">http://x.cn/no</guid></item></channel></rss>`,
			" d/feed !d/logo.png a g !v.mp3 b?x=1&y=2"},
		{"rdf", "application/xml", `<rdf:RDF><channel rdf:about="z"><link>/</link></channel><item><link>/a?b&c</link></item></rdf:RDF>`, " a?b&c"},
		{"atom", atom, `<feed xml:base="/e/"><link href="f"/><link rel="next" href="n"/><entry xml:base="g/"><link href="h"/><link rel="enclosure" href="i"/><link rel="edit" href="j"/><content src="k"/></entry><logo>l</logo></feed>`,
			"e/f e/n e/g/h !e/g/i e/g/k !e/l"},
		{"media", rss, `<rss><item><media:content url="/a.jpg"/><media:thumbnail url="/b.jpg"/></item></rss>`, "!a.jpg !b.jpg"},
		{"feed in another charset", "application/xml", "<?xml version='1.0' encoding='gb2312'?><rss><link>/\xb1\xb1</link></rss>", "%E5%8C%97"},
		{"feed cut short", rss, `<rss><item><link>/a</link></item><item><link>/b`, "a"},
		{"feed with a fault", rss, `<rss><item><link>/a</link></oops></item><item><title>a &nbsp; & b</title><link>/b</link>`, "a b"},
		{"other XML", "application/xml", `<svg><a href="a"/><link>b</link></svg>`, ""},

		{"sitemap", "application/xml", `<urlset><url><loc>http://x.cn/a</loc><xhtml:link rel="alternate" hreflang="de" href="http://x.cn/de"/><image:image><image:loc>/i.png</image:loc></image:image></url>
			<url><loc>http://x.cn/b?c=1&amp;d</loc></url><url><loc>http://x.cn/e`, "de !i.png a b?c=1&d"},
		{"sitemap index", "text/xml", `<sitemapindex><sitemap><loc>http://x.cn/1.xml.gz</loc></sitemap><sitemap><loc>http://x.cn/2.xml</loc><lastmod>2008</lastmod>`, "%2.xml %1.xml.gz"},
	} {
		got := list(Find(Document{URL: "http://x.cn/d/p", ContentType: c.mime, Body: []byte(c.body)}))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func compressed(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.Bytes()
}

// TestSitemaps shows what only a document that was fetched as a sitemap may be.
func TestSitemaps(t *testing.T) {
	xml := `<?xml version="1.0"?><urlset><url><loc>http://x.cn/a</loc></url></urlset>`
	for _, c := range []struct {
		name, mime string
		body       []byte
		want       string
	}{
		{"text", "text/plain", []byte("\xef\xbb\xbfhttp://x.cn/a\r\n# no\n\n https://x.cn/b \nx.cn/c\nhttp://x.cn/a"), "a https://x.cn/b"},
		{"gzip", "application/x-gzip", compressed(xml), "a"},
		{"gzip of text", "application/octet-stream", compressed("http://x.cn/a"), "a"},
		{"gzip cut short", "application/gzip", compressed(xml)[:40], ""},
		{"XML called text", "text/plain", []byte(xml), "a"},
		{"a page instead", "text/html", []byte(`<!doctype html><a href=/a>`), "a"},
		{"bomb", "application/gzip", compressed(strings.Repeat(" ", 16<<20) + "http://x.cn/a"), ""},
	} {
		d := Document{URL: "http://x.cn/s", ContentType: c.mime, Body: c.body, Sitemap: true}
		if got := list(Find(d)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSitemapEntries shows what is known of an entry.
func TestSitemapEntries(t *testing.T) {
	body := `<urlset><url><lastmod>2008-06-01T10:00:00+08:00</lastmod><loc>http://x.cn/a</loc><priority>0.8</priority></url>
		<url><loc>http://x.cn/b</loc><lastmod>2008-06</lastmod><priority>7</priority></url><url><loc>http://x.cn/c</loc><lastmod>soon</lastmod></url></urlset>`
	got := Find(Document{URL: "http://x.cn/s", ContentType: "text/xml", Body: []byte(body)}).Links
	want := []struct {
		url      string
		priority float64
		modified time.Time
	}{
		{"http://x.cn/a", .8, time.Date(2008, 6, 1, 2, 0, 0, 0, time.UTC)},
		{"http://x.cn/b", -1, time.Date(2008, 6, 1, 0, 0, 0, 0, time.UTC)},
		{"http://x.cn/c", -1, time.Time{}},
	}
	if len(got) != len(want) {
		t.Fatalf("%d entries, want %d", len(got), len(want))
	}
	for i, w := range want {
		if g := got[i]; g.URL != w.url || g.Priority != w.priority || !g.Modified.Equal(w.modified) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
}

// TestAsks shows what a page asks of robots.
func TestAsks(t *testing.T) {
	body := `<meta name=robots content="noindex, noarchive"><a href=a>`
	f := Find(Document{URL: "http://x.cn/", ContentType: "text/html", Body: []byte(body)})
	if want := (robots.Directives{NoArchive: true}); f.Asks != want || len(f.Links) != 1 {
		t.Errorf("%+v and %d links, want %+v and 1", f.Asks, len(f.Links), want)
	}
}

func TestAnchors(t *testing.T) {
	d := Document{URL: "http://x.cn/", ContentType: "text/html", Body: []byte(`<a href=a>two <b>words</b></a>`), Anchors: true}
	if got := Find(d).Links[0].Anchor; got != "two words" {
		t.Errorf("anchor %q", got)
	}
}

// TestBounds shows that a document of any size leads to no more than it may, and
// how many are left out.
func TestBounds(t *testing.T) {
	var pages, sitemap strings.Builder
	sitemap.WriteString("<urlset>")
	for i := range sitemapLinksMax + 5 {
		if i < linksMax+5 {
			fmt.Fprintf(&pages, "<a href=%d>", i)
		}
		fmt.Fprintf(&sitemap, "<url><loc>http://x.cn/%d</loc></url>", i)
	}
	for _, c := range []struct {
		mime, body string
		want       int
	}{
		{"text/html", pages.String(), linksMax},
		{"application/xml", sitemap.String(), sitemapLinksMax},
		{"text/plain", strings.ReplaceAll(strings.ReplaceAll(sitemap.String()[8:], "<url><loc>", ""), "</loc></url>", "\n"), sitemapLinksMax},
	} {
		f := Find(Document{URL: "http://x.cn/", ContentType: c.mime, Body: []byte(c.body), Sitemap: c.mime != "text/html"})
		if len(f.Links) != c.want {
			t.Errorf("%s: %d links, want %d", c.mime, len(f.Links), c.want)
		}
	}
}

// TestHostile shows that documents made to fill memory, to take for ever or to
// read files do none of that.
func TestHostile(t *testing.T) {
	laughs := `<!DOCTYPE rss [<!ENTITY a "http://x.cn/aaaaaaaaaa">`
	for i := range 20 {
		laughs += fmt.Sprintf(`<!ENTITY %c "%s">`, 'b'+i, strings.Repeat(fmt.Sprintf("&%c;", 'a'+i), 10))
	}
	const n = 1 << 20
	for _, c := range []struct{ name, mime, body, want string }{
		{"entities of entities", "text/xml", laughs + `]><rss><link>/&t;</link><link>/b</link></rss>`, "&t; b"},
		{"entity of a file", "text/xml", `<!DOCTYPE rss [<!ENTITY e SYSTEM "file:///etc/passwd">]><rss><link>/&e;</link></rss>`, "&e;"},
		{"sheet elsewhere", "text/xml", `<?xml-stylesheet href="http://y.cn/"?><rss><link>/a</link></rss>`, "a"},
		{"depth", "text/xml", `<rss>` + strings.Repeat("<a>", n) + `<link>/a</link>`, "a"},
		{"bases", "text/xml", `<rss>` + strings.Repeat(`<a xml:base="b/">`, n/16) + `<link>/a</link>`, "a"},
		{"ends", "text/xml", `<rss>` + strings.Repeat("</a>", n) + `<link>/a</link>`, "a"},
		{"long text", "text/xml", `<rss><link>/a` + strings.Repeat("x<![CDATA[y]]>", n/16) + `</link><link>/b</link>`, "b"},
		{"depth of HTML", "text/html", strings.Repeat("<div>", n/4) + "<a href=/a>", "a"},
		{"srcset", "text/html", `<img srcset="/a (` + strings.Repeat(",", n) + `),` + strings.Repeat(" ,", n) + ` /b">`, "!a !b"},
		{"comments of CSS", "text/css", strings.Repeat("/*", n) + "*/ a{b:url(/c)}", "!c"},
		{"functions of CSS", "text/css", strings.Repeat("url(", n) + ")", ""},
	} {
		got := list(Find(Document{URL: "http://x.cn/d/", ContentType: c.mime, Body: []byte(c.body)}))
		if got != c.want {
			t.Errorf("%s: %.100q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzFind reads any bytes as each kind of document. What is found is canonical,
// once, and within bounds.
func FuzzFind(f *testing.F) {
	mimes := []string{"text/html", "text/css", "application/xml", "text/plain", ""}
	for i, s := range []string{
		`<base href=/b/><a href=a><img srcset="b 1x, c"><style>@import url(x)</style><form action=y>`, `@import "a\62 c"; d{e:url( f )}`,
		`<rss><link>/a</link><guid>http://x.cn/</guid></rss>`, "http://x.cn/a\n", `<feed xml:base="x"><link href="y"/></feed>`,
		`<urlset><url><loc>http://x.cn/</loc><priority>1</priority></url></urlset>`, "<?xml encoding='gbk'?><rss><link>\xb1</link>",
	} {
		f.Add([]byte(s), uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, body []byte, kind uint8, sitemap bool) {
		before := bytes.Clone(body)
		found := Find(Document{URL: "http://x.cn/d/", ContentType: mimes[int(kind)%len(mimes)], Body: body, Sitemap: sitemap})
		if !bytes.Equal(before, body) {
			t.Error("the body has changed")
		}
		var urls []string
		for _, l := range found.Links {
			if !strings.HasPrefix(l.URL, "http://") && !strings.HasPrefix(l.URL, "https://") || strings.ContainsAny(l.URL, " #\n") {
				t.Errorf("%q is no canonical URL", l.URL)
			}
			urls = append(urls, l.URL)
		}
		slices.Sort(urls)
		if n := len(slices.Compact(urls)); n != len(found.Links) {
			t.Errorf("%d links, %d of them different", len(found.Links), n)
		}
	})
}

func BenchmarkFind(b *testing.B) {
	var s strings.Builder
	for i := range 100 {
		fmt.Fprintf(&s, "<p class=\"x y\">Some text of a page that goes on for a while and says a thing or two about nothing, <a href=\"/news/2008/%d.html\" title=\"t\">link number %d</a> and more.</p>\n", i, i)
	}
	body := []byte(s.String())
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Find(Document{URL: "http://x.cn/news/", ContentType: "text/html; charset=utf-8", Body: body})
	}
}

// TestSitemapCutOff shows that the first part of a compressed sitemap is read if the rest is missing.
func TestSitemapCutOff(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, "<urlset><url><loc>http://x.cn/a</loc></url>\n<url><loc>http://x.cn/b</loc></url>")
	if err := z.Flush(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(z, "<url><loc>http://x.cn/c</loc></url></urlset>")
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{4, 12} {
		got := list(Find(Document{URL: "http://x.cn/s.xml.gz", ContentType: "application/gzip", Body: zipped.Bytes()[:zipped.Len()-cut], Sitemap: true}))
		if !strings.HasPrefix(got, "a b") {
			t.Errorf("without the last %d bytes: %q", cut, got)
		}
	}
}
