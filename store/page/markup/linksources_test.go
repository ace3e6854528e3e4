package markup

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// TestLinkSources shows from where the links of a page come, and of what kind they
// are.
func TestLinkSources(t *testing.T) {
	for page, want := range map[string]string{
		`<img data-src=a>`: "img a",
		`<img src=a data-src=b data-srcset="c 1x, d 2x">`:                              "img a|img b|img c|img d",
		`<img src=a srcset="b 1x, c,d 2x , e" longdesc=f>`:                             "img a|img b|img c,d|img e|link f",
		`<picture><source srcset="a 1x" data-srcset=b>`:                                "img a|img b",
		`<div data-bg=a>x</div>`:                                                       "img a",
		`<svg><image xlink:href=a /><use href="b#c"/></svg>`:                           "img a|img b#c",
		`<svg><a xlink:href=a>x</a></svg>`:                                             "a a",
		`<x href=a>`:                                                                   "",
		`<iframe src=a srcdoc="<a href=b>x</a><img src=c>">`:                           "iframe a|a b|img c",
		`<iframe srcdoc="<iframe srcdoc='<a href=b>'>">`:                               "",
		`<meta property=og:image content=a>`:                                           "img a",
		`<meta name="Twitter:Image" content=a>`:                                        "img a",
		`<meta property=og:title content=a>`:                                           "",
		`<meta http-equiv=refresh content="0;url=a">`:                                  "meta-refresh a",
		`<object codebase=/c/ data=a archive="b /d">`:                                  "media /c/a|media /c/b|media /d",
		`<applet codebase=c code=a.class archive="b.jar,d">`:                           "media c/a.class|media c/b.jar|media c/d",
		`<applet codebase=` + strings.Repeat("c", codebaseMax+1) + ` archive="b.jar">`: "media b.jar",
		`<video src=a poster=b>`:                                                       "media a|img b",
		`<link rel=preload imagesrcset="a 1x">`:                                        "img a",
		`<blockquote cite=a>x</blockquote><q cite=b>y</q>`:                             "link a|link b",
		`<frame src=a longdesc=b>`:                                                     "frame a|link b",
		`<a href="">x</a>`:                                                             "a ",
		`<img srcset="">`:                                                              "",
		`<img data-src="data:x" src=a>`:                                                "img a|img data:x",
		`<style>@import "a"; p{b:URL( 'c' )}</style>`:                                  "css a|img c",
		`<style>p{b:url(data:x) c:url(#d)}`:                                            "",
		`<a href=a style="b: url(&quot;c&quot;)">x</a>`:                                "a a|img c",
		`<x style="b:Url(c)"><p id="url(d)" style="b:c">`:                              "img c",
		`<iframe srcdoc="<p style='b:url(c)'>">`:                                       "img c",
	} {
		tree := NewTree([]byte(page))
		for name, list := range map[string][]Link{"Targets": tree.Targets("utf-8"), "Links": tree.Links(0, len(page), "utf-8")} {
			var got []string
			for _, l := range list {
				got = append(got, l.Kind.String()+" "+l.Target)
			}
			if s := strings.Join(got, "|"); s != want {
				t.Errorf("%s of %s: %q, want %q", name, page, s, want)
			}
		}
		packs(t, []byte(page), "utf-8", 0, len(page))
	}
}

// TestQueryCharset shows that the query of a link is in the charset of its page, and
// the rest of it is not.
func TestQueryCharset(t *testing.T) {
	text := `<a href="/北?q=北大&amp;x=é#北">1</a><a href="/x?q=&#21271;">2</a><a href="mailto:a?b=北">3</a><a href="http://a.cn/?丂">4</a>`
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	latin, err := charmap.Windows1252.NewEncoder().String(`<a href="/é?q=é&amp;x=&#21271;">1</a>`)
	if err != nil {
		t.Fatal(err)
	}
	set, err := simplifiedchinese.GBK.NewEncoder().String(`<img src="/0?q=北" srcset="/1?q=北#北 1x, /北/2 2x, /3?q=北 3x"><img srcset="ftp://a/?北 1x, /4?q=北 2x">` +
		`<object data="/5" archive="/6?a=1,/北,/7?q=北"></object><iframe srcdoc="<a href=/8?q=1>x</a><a href=/北>y</a><a href=/9?q=北>y</a>"></iframe>`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ page, charset, want string }{
		{set, "gb18030", "/0?q=%B1%B1|/1?q=%B1%B1#北|/北/2|/3?q=%B1%B1|ftp://a/?北|/4?q=%B1%B1|/5|/6?a=1|/北|/7?q=%B1%B1|/8?q=1|/北|/9?q=北"},
		{gbk, "gb18030", "/北?q=%B1%B1%B4%F3&x=%A8%A6#北|/x?q=%B1%B1|mailto:a?b=北|http://a.cn/?%81@"},
		{text, "utf-8", "/北?q=北大&x=é#北|/x?q=北|mailto:a?b=北|http://a.cn/?丂"},
		{latin, "windows-1252", "/é?q=%E9&x=%26%2321271%3B"},
	} {
		tree := NewTree([]byte(c.page))
		var got []string
		for _, l := range tree.Targets(c.charset) {
			got = append(got, l.Target)
		}
		if s := strings.Join(got, "|"); s != c.want {
			t.Errorf("%s: %q, want %q", c.charset, s, c.want)
		}
		packs(t, []byte(c.page), c.charset, 0, len(c.page))
	}
}

// TestHeaderLinks shows which links the head of a response has.
func TestHeaderLinks(t *testing.T) {
	for head, want := range map[string]string{
		"Refresh: 5; url=/a": "meta-refresh /a ",
		"Refresh: 5":         "",
		"link: <a>; rel=\"next prev\", <b>; rel=StyleSheet": "link a next prev|css b StyleSheet",
		"Link: <>; rel=x, <a\xe9>":                          "link a%E9 ",
		"Link: <a>; rel=nofollow\r\nRefresh: 1;url=b":       "meta-refresh b |link a nofollow !",
		"Linked: <a>": "",
	} {
		var got []string
		for _, l := range HeaderLinks(LinkHeaders([]byte("HTTP/1.1 200 OK\r\n" + head + "\r\n\r\n"))) {
			s := l.Kind.String() + " " + l.Target + " " + l.Rel
			if l.NoFollow {
				s += " !"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, "|"); s != want {
			t.Errorf("%q: %q, want %q", head, s, want)
		}
	}
}
