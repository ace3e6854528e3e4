package serve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// scriptChecks are programs of an archived page, each with the value that it must
// have.
var scriptChecks = []struct{ name, program, want string }{
	{"document.URL", `document.URL`, "http://scripts.example/dir/"},
	{"document.domain", `document.domain`, "scripts.example"},
	{"the document is as captured", `document.head.outerHTML.slice(0, 30) + document.scripts[0].outerHTML.length`, `<head><title>scripts</title><s95`},
	{"fetch of a path", `await (await fetch("/api/x.json?a=1")).text()`, `{"a":1}`},
	{"fetch of a relative address", `await (await fetch("x.json")).text()`, `{"dir":1}`},
	{"fetch of another site", `await (await fetch("http://other.example/o.json")).text()`, `{"other":1}`},
	{"fetch of the page's own origin", `await (await fetch(location.origin + "/api/x.json?a=1")).text()`, `{"a":1}`},
	{"a request object", `await (await fetch(new Request("/api/x.json?a=1"))).text()`, `{"a":1}`},
	{"fetch of a page", `await (await fetch("/other.html")).text()`, `<a href="/x">x</a>`},
	{"XMLHttpRequest", `await new Promise(r => { const x = new XMLHttpRequest(); x.onload = () => r(x.responseText); x.open("GET", "/api/x.json?a=1"); x.send() })`, `{"a":1}`},
	{"a time stamp in the query", `await (await fetch("/api/x.json?a=1&_=1700000000000")).text()`, `{"a":1}`},
	{"image", `await new Promise(r => { const i = new Image(); i.onload = () => r("loaded " + i.width); i.onerror = () => r("failed"); i.src = "/dot.gif" })`, "loaded 1"},
	{"setAttribute", `(() => { const i = document.createElement("img"); i.setAttribute("src", "//other.example/dot.gif"); return i.getAttribute("src") })()`, "/20080707010203im_/http://other.example/dot.gif"},
	{"srcset", `(() => { const i = document.createElement("img"); i.srcset = "/a.gif 1x, b.gif 2x"; return i.srcset })()`, "/20080707010203im_/http://scripts.example/a.gif 1x, /20080707010203im_/http://scripts.example/dir/b.gif 2x"},
	{"innerHTML", `(() => { const d = document.createElement("div"); d.innerHTML = '<a href="/x"><img src=y.gif></a><noscript><img src=z></noscript>'; return d.innerHTML })()`,
		`<a href="/20080710120000mp_/http://scripts.example/x"><img src="/20080707010203im_/http://scripts.example/dir/y.gif"></a><noscript><img src="z"></noscript>`},
	{"insertAdjacentHTML", `(() => { const d = document.createElement("div"); d.innerHTML = "<b>1</b>"; d.firstChild.insertAdjacentHTML("beforebegin", "<i title='a'>0</i>"); d.insertAdjacentHTML("beforeend", "<i title='b'>2</i>"); return d.innerHTML })()`, `<i title="a">0</i><b>1</b><i title="b">2</i>`},
	{"a table row", `(() => { const t = document.createElement("table"); t.innerHTML = "<tbody></tbody>"; t.firstChild.innerHTML = "<tr><td title='x'>y</td></tr>"; return t.innerHTML })()`, `<tbody><tr><td title="x">y</td></tr></tbody>`},
	{"template", `(() => { const t = document.createElement("template"); t.innerHTML = "<a href='/x'>x</a>"; return t.content.firstChild.getAttribute("href") })()`, "/20080710120000mp_/http://scripts.example/x"},
	{"a script that is inserted", `await new Promise(r => { const s = document.createElement("script"); s.src = "/set.js"; s.onload = () => r(String(window.wasSet)); s.onerror = () => r("failed"); document.head.append(s) })`, "true"},
	{"a script of an old type", `String(window.oldScript)`, "true"},
	{"an inserted frame and script", `(() => { const f = document.createDocumentFragment(), s = document.createElement("script"); s.textContent = "window.ran = (window.ran || 0) + 1"; f.append(document.createElement("iframe"), s); document.body.append(f); return String(window.ran) + s.isConnected + s.hasAttribute("type") })()`, "1truefalse"},
	{"eval", `String(eval("1+1") + new Function("return 3")())`, "5"},
	{"document.write", `document.getElementById("written").outerHTML`, `<p id="written"><a href="/20080710120000mp_/http://scripts.example/dir/w.html">w</a></p>`},
	{"worker", `await new Promise(r => { const w = new Worker("/worker.js"); w.onmessage = (e) => r(e.data); w.onerror = () => r("failed") })`, "worker imported"},
	{"worker that loads by whole addresses", `await new Promise(r => { const w = new Worker("/loads.js"); w.onmessage = (e) => r(e.data); w.onerror = (e) => r("failed " + e.message) })`, `undefined imported {"other":1} {"a":1} {"a":1} {"dir":1}`},
	{"blob worker that loads", `await new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob(["importScripts('http://scripts.example/imported.js'); fetch('http://other.example/o.json').then(a => a.text()).then(t => postMessage(self.imported + ' ' + t + self._infomall))"]))); w.onmessage = (e) => r(e.data); w.onerror = (e) => r("failed " + e.message) })`, `imported {"other":1}undefined`},
	{"blob worker", `await new Promise(r => { const w = new Worker(URL.createObjectURL(new Blob(["postMessage('blob ' + eval('1+1'))"]))); w.onmessage = (e) => r(e.data); w.onerror = () => r("failed") })`, "blob 2"},
	{"blob worker whose address is revoked", `await new Promise(r => { const u = URL.createObjectURL(new Blob(["postMessage('blob')"])), w = new Worker(u); URL.revokeObjectURL(u); w.onmessage = (e) => r(e.data); w.onerror = () => r("failed") })`, "blob"},
	{"a blob is revoked", `await (async () => { const u = URL.createObjectURL(new Blob(["x"])); URL.revokeObjectURL(u); try { await fetch(u); return "there" } catch { return "gone" } })()`, "gone"},
	{"a program that is written", `window.wrote + document.getElementById("after").firstChild.getAttribute("href")`, `<img src="7" srcdoc="<link">x<y/20080710120000mp_/http://scripts.example/a`},
	{"a program that is written in pieces", `String(window.pieces)`, `<img src="8">`},
	{"cookie", `(() => { document.cookie = "k=v; domain=scripts.example; path=/; Secure; SameSite=Lax"; document.cookie = "a=b"; const got = document.cookie; document.cookie = "a=; max-age=0"; return got + " " + document.cookie })()`, "a=b; k=v k=v"},
	{"history", `(() => { const before = location.href; history.replaceState(null, "", "/other?q"); const at = document.URL; history.replaceState(null, "", before); return at })()`, "http://scripts.example/other?q"},
	{"web socket", `await new Promise(r => { const w = new WebSocket("ws://scripts.example/"); w.onclose = (e) => r("closed " + e.code + " " + w.readyState) })`, "closed 1006 3"},
	{"storage", `(() => { localStorage.setItem("a", "b"); return localStorage.getItem("a") })()`, "b"},
	{"custom element", `(() => { customElements.define("x-y", class extends HTMLElement { connectedCallback() { this.title = "up" } }); const d = document.createElement("div"); document.body.append(d); d.innerHTML = "<x-y id='e'></x-y>"; return d.innerHTML })()`, `<x-y id="e" title="up"></x-y>`},
	{"style", `(() => { const s = document.createElement("style"); s.textContent = "p { background: url(/b.gif) }"; document.head.append(s); return s.sheet.cssRules[0].style.backgroundImage })()`, `url("/20080707010203im_/http://scripts.example/b.gif")`},
	{"text in a style", `(() => { const s = document.createElement("style"); s.append("p { background: url(/b.gif) }"); document.head.append(s); return s.sheet.cssRules[0].style.backgroundImage })()`, `url("/20080707010203im_/http://scripts.example/b.gif")`},
	{"innerHTML of a style", `(() => { const s = document.createElement("style"); document.head.append(s); s.innerHTML = "p[title='x=y'] { background: url(/b.gif) }"; return s.sheet.cssRules[0].style.backgroundImage })()`, `url("/20080707010203im_/http://scripts.example/b.gif")`},
	{"data in a style", `(() => { const s = document.createElement("style"); s.append("p {}"); document.head.append(s); s.firstChild.data = "p { background: url(/b.gif) }"; return s.sheet.cssRules[0].style.backgroundImage })()`, `url("/20080707010203im_/http://scripts.example/b.gif")`},
	{"a form that a script submits", `(() => { const f = document.createElement("form"); f.action = "/s"; return f.getAttribute("action") })()`, "/20080710120000mp_/http://scripts.example/s"},
	{"forms that want a new window", `await (async () => { const ends = []; for (const [html, send] of [["<form action=/framed.html target=_blank>", d => d.forms[0].submit()], ["<form action=/framed.html><button formtarget=_blank>", d => d.querySelector("button").click()], ["<base target=_blank><form action=/framed.html><button>", d => d.querySelector("button").click()]]) { const f = document.createElement("iframe"); f.src = "/framed.html"; document.body.append(f); await new Promise(r => f.onload = r); f.contentDocument.body.innerHTML = html; const loaded = new Promise(r => f.onload = () => r("sent")); send(f.contentDocument); ends.push(await Promise.race([loaded, new Promise(r => setTimeout(r, 5000, "blocked"))])) } return ends.join(" ") })()`, "sent sent sent"},
	{"a frame's page", `await new Promise(r => { const f = document.createElement("iframe"); f.onload = () => r(f.contentDocument.URL + " " + f.contentDocument.body.textContent.trim()); f.src = "/framed.html"; document.body.append(f) })`, "http://scripts.example/framed.html framed"},
	{"a document in an attribute", `await new Promise(r => { const f = document.createElement("iframe"); f.onload = () => r(f.contentDocument.querySelector("a").getAttribute("href") + typeof f.contentWindow.RTCPeerConnection); f.srcdoc = "<!DOCTYPE html><a href='/x'>x</a>"; document.body.append(f) })`, "/20080710120000mp_/http://scripts.example/xundefined"},
	{"service worker", `String("serviceWorker" in navigator)`, "false"},
	{"a path in a module, once the service worker is there", `await (async () => { for (let i = 0; ; i++) try { return (await import("/module.js?_=" + (1700000000000 + i))).value } catch {} })()`, "of a module"},
	{"a name of an import map", `(await import("named")).value`, "of the map"},
	{"open", `String(open("/new.html"))`, "null"},
}

// TestScriptsOfPages runs the programs of scriptChecks in an archived page. What
// they load must come from the archive, from the capture of the page's time.
func TestScriptsOfPages(t *testing.T) {
	if !isolated(t) {
		return
	}
	w := watch(t)
	w.allow(interfacePort, replayPort)
	var programs strings.Builder
	for _, c := range scriptChecks {
		name, err := json.Marshal(c.name)
		if err != nil {
			t.Fatal(err)
		}
		programs.WriteString("results[" + string(name) + "] = await check(async () => " + c.program + ");\n")
	}
	const page = "http://scripts.example/dir/"
	dot := "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
	captures := []capture{
		{url: page, body: `<!DOCTYPE html><html><head><title>scripts</title><script src="/old.js" type="text/javascript" integrity="sha256-x"></script>
<script type="importmap">{"imports":{"named":"http://other.example/named.js"}}</script>
<script>document.write("<p id=written><a href='w.html'>w</a></p>")</script>
<script>document.write("<script>window.wrote = '<img src=\"' + 7 + '\" srcdoc=\"<link\">' + (1<2 ? 'x<y' : 'it\\'s')<\/script><p id=after><a href='/a'>a</a>")</script>
<script>document.write("<script>window.pieces = '<img src"); document.write("=\"' + 8 + '\">'</scr"); document.write("ipt>")</script><body><script>
const check = async (f) => { try { return await f() } catch (e) { return "error: " + e } };
addEventListener("load", async () => { const results = {}; ` + programs.String() + `parent.postMessage({ results }, "*") });
</script>`},
		{url: "http://scripts.example/old.js", contentType: "text/html", body: "window.oldScript = true"},
		{url: "http://scripts.example/set.js", contentType: "application/x-javascript", body: "window.wasSet = true"},
		{url: "http://scripts.example/api/x.json?a=1", contentType: "application/json", body: `{"a":1}`},
		{url: "http://scripts.example/dir/x.json", contentType: "application/json", body: `{"dir":1}`},
		{url: "http://other.example/o.json", contentType: "application/json", body: `{"other":1}`},
		{url: "http://scripts.example/other.html", body: `<a href="/x">x</a>`},
		{url: "http://scripts.example/framed.html", body: "<!DOCTYPE html><p>framed"},
		{url: "http://scripts.example/dot.gif", contentType: "image/gif", body: dot},
		{url: "http://scripts.example/module.js", contentType: "text/javascript", body: `export { value } from "/inner.js?_=1700000000000"`},
		{url: "http://other.example/named.js", contentType: "text/javascript", body: `export const value = "of the map"`},
		{url: "http://scripts.example/inner.js", contentType: "text/javascript", body: `export const value = "of a module"`},
		{url: "http://scripts.example/worker.js", contentType: "text/javascript", body: `importScripts("imported.js"); postMessage("worker " + self.imported)`},
		{url: "http://scripts.example/loads.js", contentType: "text/javascript", body: ` "use strict";
const strict = String((function () { return this })());
importScripts("http://scripts.example/imported.js");
const get = (a) => fetch(a).then((r) => r.text());
const sent = (a) => new Promise((done) => { const x = new XMLHttpRequest(); x.onload = () => done(x.responseText); x.open("GET", a); x.send() });
(async () => postMessage([strict, self.imported, await get("http://other.example/o.json"), await get(new Request("http://scripts.example/api/x.json?a=1")), await sent("/api/x.json?a=1"), await get("dir/x.json")].join(" ")))();`},
		{url: "http://scripts.example/imported.js", contentType: "text/javascript", body: `self.imported = "imported"`},
	}
	serveArchive(t, captures)
	browser := startBrowser(t)
	if err := chromedp.Do(browser, chromedp.Func(collectMessages)); err != nil {
		t.Fatal(err)
	}
	b := &hostileBrowser{t: t}
	var message struct{ Results map[string]string }
	if err := json.Unmarshal([]byte(b.open(browser, interfaceOrigin+"/20080710/"+page, "m.results")), &message); err != nil {
		t.Fatal(err)
	}
	for _, c := range scriptChecks {
		if got := message.Results[c.name]; got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.program, got, c.want)
		}
	}
	endBrowser(t, browser)
	if left := w.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
