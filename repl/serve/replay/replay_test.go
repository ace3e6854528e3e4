package replay

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// testPage is a page of 10 July 2008 that was captured on the 7th.
func testPage() *Page {
	return &Page{
		URL:             "http://www.pku.edu.cn/news/index.htm",
		Asked:           time.Date(2008, 7, 10, 0, 0, 0, 0, time.UTC),
		Captured:        time.Date(2008, 7, 7, 1, 2, 3, 0, time.UTC),
		Charset:         "utf-8",
		InterfaceOrigin: "http://127.0.0.1:8080",
	}
}

// rewritten returns body, of kind k, as the reader of testPage gets it, with the
// first script as [script], and with short forms of the two times: ASKED and SEEN.
func rewritten(t testing.TB, k Kind, body string, p *Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := Rewrite(&out, k, []byte(body), p); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	for _, xml := range []bool{false, true} {
		got = strings.ReplaceAll(got, string(scriptMarkup(p, xml)), "[script]")
		got = strings.ReplaceAll(got, string(appendValue(nil, scriptMarkup(p, xml))), "[script]")
	}
	return strings.NewReplacer("/20080710000000", "/ASKED", "/20080707010203", "/SEEN").Replace(got)
}

// TestHTML shows what becomes of each kind of markup.
func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a link", `<a href="a.htm#x">`, `[script]<a href="/ASKEDmp_/http://www.pku.edu.cn/news/a.htm#x">`},
		{"without quotes", `<A HREF=../b.htm>`, `[script]<A HREF=/ASKEDmp_/http://www.pku.edu.cn/b.htm>`},
		{"references", `<a href='?a=1&amp;b=2'>`, `[script]<a href='/ASKEDmp_/http://www.pku.edu.cn/news/index.htm?a=1&amp;b=2'>`},
		{"an apostrophe", `<a href='x&#39;y'>`, `[script]<a href='/ASKEDmp_/http://www.pku.edu.cn/news/x&#39;y'>`},
		{"an image", `<img src=//img.pku.edu.cn/a.gif>`, `[script]<img src=/SEENim_/http://img.pku.edu.cn/a.gif>`},
		{"a srcset", `<img srcset="a.png 1x, /b,c.png 2x">`, `[script]<img srcset="/SEENim_/http://www.pku.edu.cn/news/a.png 1x, /SEENim_/http://www.pku.edu.cn/b,c.png 2x">`},
		{"a style sheet", `<link rel=stylesheet href=/s.css integrity="sha256-x">`, `[script]<link rel=stylesheet href=/SEENcs_/http://www.pku.edu.cn/s.css>`},
		{"an icon", `<link rel="shortcut icon" href=/f.ico>`, `[script]<link rel="shortcut icon" href=/SEENim_/http://www.pku.edu.cn/f.ico>`},
		{"a script", `<script src="a.js" integrity=x crossorigin></script>`, `[script]<script src="/SEENjs_/http://www.pku.edu.cn/news/a.js" crossorigin></script>`},
		{"a program", `<script>var a = "<img src=/x>";</script><img src=/x>`, `[script]<script>var a = "<img src=/x>";</script><img src=/SEENim_/http://www.pku.edu.cn/x>`},
		{"the head", "<!DOCTYPE html>\n<!-- <a> --><html><head lang=en><title>x</title></head>", "<!DOCTYPE html>\n<!-- <a> --><html><head lang=en>[script]<title>x</title></head>"},
		{"no head", `<html><body background=b.gif>`, `<html>[script]<body background=/SEENim_/http://www.pku.edu.cn/news/b.gif>`},
		{"only text", "words", "words[script]"},
		{"frames", `<frameset><frame src=a.htm></frameset>`, `[script]<frameset><frame src=/ASKEDif_/http://www.pku.edu.cn/news/a.htm></frameset>`},
		{"a frame of a program", `<iframe src="javascript:'x'"></iframe>`, `[script]<iframe src="about:blank"></iframe>`},
		{"a form", `<form action=/s method=get><button formaction=t>`, `[script]<form action=/ASKEDmp_/http://www.pku.edu.cn/s method=get><button formaction=/ASKEDmp_/http://www.pku.edu.cn/news/t>`},
		{"a refresh", `<meta http-equiv=refresh content="5; URL='n.htm'">`, `[script]<meta http-equiv=refresh content="5; URL=&#39;/ASKEDmp_/http://www.pku.edu.cn/news/n.htm">`},
		{"a policy", `<meta http-equiv="Content-Security-Policy" content="img-src x">a`, `[script]a`},
		{"a base", `<base href="http://pku.cn/d/" target=_top><a href=x>`, `[script]<base href="/ASKEDmp_/http://pku.cn/d/" target=_self><a href=/ASKEDmp_/http://pku.cn/d/x>`},
		{"hints", `<link rel=preconnect href=//e.example><link rel="dns-prefetch stylesheet" href=x>`, `[script]<link rel="stylesheet" href=/SEENcs_/http://www.pku.edu.cn/news/x>`},
		{"a hidden hint", `<svg><style><link rel=preconnect href=//e.example></style></svg>`, `[script]<svg><style><link rel= href=//e.example></style></svg>`},
		{"a hint in references", `<link rel="pre&#99;onnect" href=//e.example>a`, `[script]a`},
		{"a preload", `<link rel=preload as=style href=x onload="this.rel='stylesheet'">`, `[script]<link rel=preload as=style href=/SEENoe_/http://www.pku.edu.cn/news/x onload="this.rel='stylesheet'">`},
		{"a style", `<p style="background:url('a b.png') red">`, `[script]<p style="background:url('/SEENim_/http://www.pku.edu.cn/news/a%20b.png') red">`},
		{"a style in references", `<p style="background:url(&quot;a.png&quot;)">`, `[script]<p style="background:url(&#34;/SEENim_/http://www.pku.edu.cn/news/a.png&#34;)">`},
		{"a style element", "<style>@import 'a.css'; b { cursor: url(c.cur) } @namespace url(http://d.example/);</style>", "[script]<style>@import '/SEENcs_/http://www.pku.edu.cn/news/a.css'; b { cursor: url(/SEENim_/http://www.pku.edu.cn/news/c.cur) } @namespace url(http://d.example/);</style>"},
		{"a document in an attribute", `<iframe srcdoc="<p><img src=a.png>"></iframe>`, `[script]<iframe srcdoc="[script]&lt;p&gt;&lt;img src=/SEENim_/http://www.pku.edu.cn/news/a.png&gt;"></iframe>`},
		{"noscript", `<noscript><!--</noscript><img src=a></noscript>`, `[script]<noscript><!--</noscript><img src=/SEENim_/http://www.pku.edu.cn/news/a></noscript>`},
		{"other schemes", `<a href="mailto:a@pku.edu.cn"><a href="javascript:go()"><a href="#top"><img src="data:,x">`, `[script]<a href="mailto:a@pku.edu.cn"><a href="javascript:go()"><a href="#top"><img src="data:,x">`},
		{"an import map", `<script type=" ImportMap ">{"imports": {"x": "/x.js", "y/": "http://e.example/y/", "z" : null}, "scopes":{"/s/":{"x":"./\u0041<link rel=prefetch>"}},"integrity":{"/x.js":"sha256-x"}}</script>`,
			`[script]<script type=" ImportMap ">{"imports": {"x": "/SEENjs_/http://www.pku.edu.cn/x.js", "y/": "/SEENjs_/http://e.example/y/", "z" : null}, "scopes":{"/SEENjs_/http://www.pku.edu.cn/s/":{"x":"/SEENjs_/http://www.pku.edu.cn/news/A%3Clink%20rel=prefetch%3E"}},"integrity":{"/x.js":"sha256-x"}}</script>`},
		{"an import map that is none", `<script type=importmap>{"imports": {"x": "/x.js\u0", "y": "/y.js"</script>`, `[script]<script type=importmap>{"imports": {"x": "/x.js\u0", "y": "/y.js"</script>`},
		{"a hidden hint before an address", `<svg><style><p><link rel=preconnect href=//e.example>a{b:url(x)}</style></svg><b title="<link rel=prefetch href=//e.example>" href=x>`, `[script]<svg><style><p><link rel= href=//e.example>a{b:url(/SEENim_/http://www.pku.edu.cn/news/x)}</style></svg><b title="<link rel= href=//e.example>" href=/ASKEDmp_/http://www.pku.edu.cn/news/x>`},
		{"a hidden scheme", "<a href=' ht\ntp://e.example/'>", `[script]<a href='/ASKEDmp_/http://e.example/'>`},
		{"no URL", `<a href="http://[/">`, `[script]<a href="about:invalid">`},
		{"an object", `<object data=a.swf codebase=/c/><param name=movie value=a.swf><embed src=a.swf>`, `[script]<object data=/SEENoe_/http://www.pku.edu.cn/news/a.swf codebase=/SEENoe_/http://www.pku.edu.cn/c/><param name=movie value=/SEENoe_/http://www.pku.edu.cn/news/a.swf><embed src=/SEENoe_/http://www.pku.edu.cn/news/a.swf>`},
		{"speculation", `<script type=speculationrules>{}</script>`, `[script]<script type=application/json>{}</script>`},
		{"a ping", `<a href=# ping="//e.example/p">`, `[script]<a href=#>`},
		{"svg", `<svg><image xlink:href="a.png"/><a xlink:href="b"></svg>`, `[script]<svg><image xlink:href="/SEENim_/http://www.pku.edu.cn/news/a.png"/><a xlink:href="/ASKEDmp_/http://www.pku.edu.cn/news/b"></svg>`},
		{"no end", `<p>x<a href="http://e.example/`, `[script]<p>x<a href="http://e.example/`},
	} {
		if got := rewritten(t, Document, c.in, testPage()); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}

// TestOtherKinds shows what becomes of bodies other than HTML.
func TestOtherKinds(t *testing.T) {
	for _, c := range []struct {
		name     string
		kind     Kind
		in, want string
	}{
		{"css", Sheet, `@charset "utf-8"; /* url(x) */ a { background: url( "x)y" ) } b { content: "url(x)"; background: image-set("c.png" 1x type("image/png"), url(d) 2x) }`,
			`@charset "utf-8"; /* url(x) */ a { background: url( "/ASKEDim_/http://www.pku.edu.cn/news/x)y" ) } b { content: "url(x)"; background: image-set("/ASKEDim_/http://www.pku.edu.cn/news/c.png" 1x type("image/png"), url(/ASKEDim_/http://www.pku.edu.cn/news/d) 2x) }`},
		{"xhtml", XHTML, `<?xml version="1.0"?><!DOCTYPE html [ <!ENTITY a "<html><head>"> ]><html xmlns="http://www.w3.org/1999/xhtml"><head><link rel="&x;" href="&y;"/><style><![CDATA[ a { background: url(x) } ]]></style></head></html>`,
			`<?xml version="1.0"?><!DOCTYPE html [ <!ENTITY a "<html><head>"> ]><html xmlns="http://www.w3.org/1999/xhtml"><head>[script]<style><![CDATA[ a { background: url(/SEENim_/http://www.pku.edu.cn/news/x) } ]]></style></head></html>`},
		{"svg", SVG, `<svg:svg xmlns:svg="http://www.w3.org/2000/svg"><svg:image href='a.png'/></svg:svg>`,
			`<svg:svg xmlns:svg="http://www.w3.org/2000/svg">[script]<svg:image href='/SEENim_/http://www.pku.edu.cn/news/a.png'/></svg:svg>`},
		{"site map", XML, `<?xml-stylesheet type="text/css" href="/s.css"?><urlset><url><loc> http://a.example/?a=1&amp;b=2 </loc></url></urlset>`,
			`<?xml-stylesheet type="text/css" href="/SEENcs_/http://www.pku.edu.cn/s.css"?><urlset><url><loc> /ASKEDmp_/http://a.example/?a=1&amp;b=2 </loc></url></urlset>`},
		{"manifest", Manifest, `{"name": "src", "start_url" : "/?a=1", "icons": [{"src": "a.png", "sizes": "1x1"}]}`,
			`{"name": "src", "start_url" : "/ASKEDmp_/http://www.pku.edu.cn/?a=1", "icons": [{"src": "/SEENim_/http://www.pku.edu.cn/news/a.png", "sizes": "1x1"}]}`},
		{"script", Code, `location = "/x"`, `location = "/x"`},
	} {
		if got := rewritten(t, c.kind, c.in, testPage()); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}

// TestHeaderBytes shows that the value of a stored field keeps the bytes of its charset.
func TestHeaderBytes(t *testing.T) {
	const name = "attachment; filename=\"\xd6\xd0\xce\xc4.doc\"" // in GBK
	for _, f := range Header([][2]string{{"Content-Disposition", name + "\r\x00"}}, Plain, &Page{}) {
		if f[0] == "Content-Disposition" && f[1] != name+"  " {
			t.Errorf("the field is %q, want %q", f[1], name+"  ")
		}
	}
}

// TestWorkerProgram shows that the program of a worker stays strict.
func TestWorkerProgram(t *testing.T) {
	for body, strict := range map[string]bool{"x()": false, "\"use strict\"\nx()": true, "\ufeff \n'use strict'; x()": true, "": false} {
		got := string(WorkerProgram([]byte(body)))
		if first := strings.Trim(got[:min(len(got), len("'use strict'"))], "'\""); (first == "use strict") != strict || !strings.HasSuffix(got, "\n"+body) || !strings.Contains(got, Files+"worker-first.js") {
			t.Errorf("%q becomes %q", body, got)
		}
	}
}
