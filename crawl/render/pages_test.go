package render

// shownPage is a page that is shown in a test, with what must come out.
type shownPage struct {
	name  string
	url   string            // "" means https://a.test/
	pages map[string]string // further resources, by URL or by path at https://a.test
	text  []string          // parts of the text, in order
	lacks []string          // what the text must not have
	dom   []string          // parts of the document
	links []string          // must be among the links
	parts []string          // URLs or paths that must be asked for, beside the page and those in pages
	end   string            // URL at the end; "" means url
	rule  string            // name of the consent rule
	does  []Behaviour
	login bool
	ended string // "" means done
	limit Limits
}

// pixel is a picture of one pixel.
const pixel = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40"/></svg>`

// tall is an element that fills more than a window.
const tall = `<div style="height:2000px">tall</div>`

// consentRules are the rules of the tests.
var consentRules = []Rule{
	{Name: "elsewhere", Selector: "#agree", Host: "other.test"},
	{Name: "agree", Selector: "#agree", Host: "a.test"},
}

var shownPages = []shownPage{
	{name: "plain", pages: map[string]string{"/": `<p>plain <b>text</b><a href="sub/x">x</a><a href="mailto:x@a.test">m</a>`},
		text: []string{"plain text"}, links: []string{"https://a.test/sub/x"}},
	{name: "fetch", pages: map[string]string{
		"/":             `<p id=p><script src=/a.js></script>`,
		"/a.js":         `fetch("/one.json").then((r) => r.json()).then((d) => fetch(d.next)).then((r) => r.json()).then((d) => { p.innerHTML = d.text + "<a href=/found>f</a>" })`,
		"/one.json":     `{"next": "/two.json?x=1"}`,
		"/two.json?x=1": `{"text": "from the second"}`},
		text: []string{"from the second"}, links: []string{"https://a.test/found"}},
	{name: "xhr", url: "http://a.test/xhr", pages: map[string]string{
		"http://a.test/xhr":    `<p id=p><script>var x = new XMLHttpRequest(); x.open("GET", "/x.json"); x.onload = () => { p.textContent = JSON.parse(x.responseText).text }; x.send()</script>`,
		"http://a.test/x.json": `{"text": "by XHR"}`},
		text: []string{"by XHR"}},
	{name: "route", pages: map[string]string{
		"/":           `<div id=app></div><script type=module src=/m.js></script>`,
		"/m.js":       `import {view} from "/view.js"; history.replaceState(null, "", "/inbox/5"); fetch("/inbox.json").then((r) => r.json()).then(view)`,
		"/view.js":    `export const view = (d) => { document.title = d.title; app.innerHTML = d.list.map((x) => "<a href='/inbox/" + x + "'>letter " + x + "</a>").join(" ") }`,
		"/inbox.json": `{"title": "Inbox", "list": [6, 7]}`},
		end: "https://a.test/inbox/5", text: []string{"letter 6", "letter 7"}, links: []string{"https://a.test/inbox/7"}},
	{name: "lazy images", pages: map[string]string{
		"/":      `<style>img{display:block;margin-bottom:3000px}</style><img src=/1.svg><img loading=lazy src=/2.svg><img loading=lazy src=/3.svg><img id=i data-src=/4.svg alt=i><script>new IntersectionObserver((l) => { if (l[0].isIntersecting) i.src = i.dataset.src }).observe(i)</script>`,
		"/1.svg": pixel, "/2.svg": pixel, "/3.svg": pixel, "/4.svg": pixel}},
	{name: "css", pages: map[string]string{
		"/":       `<link rel=stylesheet href=/a.css><p class=x>styled`,
		"/a.css":  `@import "/b.css"; .x { background: url(/bg.svg) }`,
		"/b.css":  `.x { border-image: url(/border.svg) 30 }`,
		"/bg.svg": pixel, "/border.svg": pixel}, text: []string{"styled"}},
	{name: "rules of scripts", pages: map[string]string{
		"/": `<p>x<script>const s = document.createElement("style"); document.head.append(s); s.sheet.insertRule("p { color: rgb(1, 2, 3) }"); const a = new CSSStyleSheet(); a.replaceSync("p { margin: 77px }"); document.adoptedStyleSheets = [a]</script>`},
		dom: []string{"rgb(1, 2, 3)", "margin: 77px"}},
	{name: "shadow trees", pages: map[string]string{
		"/": `<x-a>given <b slot=s>named</b></x-a><x-c></x-c><div><template shadowrootmode=open><p>declared</p></template></div>
			<script>customElements.define("x-a", class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: "open"}); r.innerHTML = "<p>before <slot></slot> between <slot name=s></slot></p><x-b></x-b><a href=/in>i</a>"; fetch("/s.json").then((x) => x.text()).then((x) => r.append(x)) } });
			customElements.define("x-b", class extends HTMLElement { constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<style>p{color:red}</style><p>inner</p>" } });
			customElements.define("x-c", class extends HTMLElement { constructor() { super(); this.attachShadow({mode: "closed"}).innerHTML = "<p>closed " + this.shadowRoot + "</p>" } })</script>`,
		"/s.json": `appended`},
		text:  []string{"before", "given", "between", "named", "inner", "appended", "closed null", "declared"},
		dom:   []string{`<x-a><template shadowrootmode="open"><p>before <slot></slot>`, `<x-b><template shadowrootmode="open"><style>p{color:red}</style><p>inner</p></template></x-b>`, `<x-c><template shadowrootmode="open"><p>closed null</p></template></x-c>`, `<template shadowrootmode="open"><p>declared</p></template>`},
		links: []string{"https://a.test/in"}},
	{name: "frames", pages: map[string]string{
		"/":                         `<p>outer<iframe src=/frame/in.html></iframe><iframe src=https://b.test/other.html></iframe><iframe srcdoc="<p>doc<script>document.write('written')</script>"></iframe><iframe id=f></iframe><script>f.contentDocument.body.innerHTML = "<p>by script</p>"</script>`,
		"/frame/in.html":            `<head><title>t</title></head><p id=p><a href=rel>r</a><script>fetch("f.json").then((r) => r.text()).then((x) => p.append(x))</script>`,
		"/frame/f.json":             `in the frame`,
		"https://b.test/other.html": `<p>other<img src=/o.svg><iframe src=https://a.test/frame/deep.html></iframe><x-a></x-a><script>document.querySelector("x-a").attachShadow({mode: "closed"}).innerHTML = "shadow of b"</script>`,
		"/frame/deep.html":          `<p id=p><script>p.textContent = "deep " + "within"</script>`,
		"https://b.test/o.svg":      pixel},
		text:  []string{"outer", "in the frame", "doc", "written", "by script"},
		dom:   []string{`srcdoc="&lt;html&gt;&lt;head&gt;&lt;base href=&quot;https://a.test/frame/in.html&quot;&gt;`, `in the frame`, `by script`, `src="https://b.test/other.html" srcdoc="&lt;html&gt;&lt;head&gt;&lt;base href=&quot;https://b.test/other.html&quot;&gt;`, `deep within`, `shadow of b`},
		lacks: []string{"other"},
		links: []string{"https://a.test/frame/rel"}},
	{name: "service worker", pages: map[string]string{
		"/":        `<p id=p>waits<script>navigator.serviceWorker.register("/w.js").then(() => navigator.serviceWorker.ready).then((r) => { navigator.serviceWorker.onmessage = (e) => { p.textContent = e.data }; r.active.postMessage("ask") })</script>`,
		"/w.js":    `self.onmessage = (e) => fetch("/sw.json").then((r) => r.text()).then((x) => e.source.postMessage(x))`,
		"/sw.json": `from the service worker`}, text: []string{"from the service worker"}},
	{name: "worker", pages: map[string]string{
		"/":       `<p id=p><script>const w = new Worker("/w.js"); w.onmessage = (e) => { p.textContent = e.data }</script>`,
		"/w.js":   `fetch("/x.json").then((r) => r.text()).then((x) => postMessage(x))`,
		"/x.json": `from the worker`}, text: []string{"from the worker"}},
	{name: "endless list", pages: map[string]string{
		"/":            `<div id=l></div><p id=end>end</p><script>let n = 0; const load = () => fetch("/list.json?" + n).then((r) => r.json()).then((d) => { for (const x of d) l.insertAdjacentHTML("beforeend", "<p style='height:400px'>item " + x + "</p>"); n++; if (n == 4) o.disconnect(); else if (end.getBoundingClientRect().top < innerHeight) load() }); const o = new IntersectionObserver((x) => { if (x[0].isIntersecting) load() }); o.observe(end)</script>`,
		"/list.json?0": `["a", "b", "c", "d"]`, "/list.json?1": `["e", "f", "g", "h"]`, "/list.json?2": `["i", "j", "k"]`, "/list.json?3": `["l"]`},
		text: []string{"item a", "item e", "item i", "item l", "end"}},
	{name: "consent", pages: map[string]string{
		"/":             `<div id=wall><button id=agree>agree</button></div><script>agree.onclick = () => fetch("/article.json").then((r) => r.text()).then((x) => { wall.innerHTML = x })</script>`,
		"/article.json": `<p>the article</p>`}, rule: "agree", text: []string{"the article"}, lacks: []string{"agree"}},
	{name: "consent in a frame", pages: map[string]string{
		"/":  `<p id=p>closed<iframe src=/f></iframe><script>onmessage = (e) => { p.textContent = e.data }</script>`,
		"/f": `<button id=agree onclick="parent.postMessage('open', '*')">agree</button>`}, rule: "agree", text: []string{"open"}},
	{name: "details", pages: map[string]string{
		"/":       `<details id=d><summary>more</summary><p>hidden<img loading=lazy src=/in.svg></details><script>d.addEventListener("toggle", () => d.insertAdjacentHTML("beforeend", "<p>filled"))</script>`,
		"/in.svg": pixel}, text: []string{"hidden", "filled"}, does: []Behaviour{{"open", 1, "done"}}},
	{name: "load more", pages: map[string]string{
		"/":            `<ul id=l><li>one</ul><button id=b>Load more…</button><a href=/elsewhere>Show more</a><form><button>More</button></form><script>let n = 0; b.onclick = () => fetch("/more.json?" + ++n).then((r) => r.text()).then((x) => { l.insertAdjacentHTML("beforeend", x); if (n == 2) b.remove() })</script>`,
		"/more.json?1": `<li>two`, "/more.json?2": `<li>three`},
		text: []string{"one", "two", "three"}, does: []Behaviour{{"more", 2, "done"}}},
	{name: "load more in Chinese", pages: map[string]string{
		"/":       `<meta charset=utf-8><p id=p><a href="#" role=button id=b>加载更多</a><script>b.onclick = () => fetch("/m.json").then((r) => r.text()).then((x) => { b.remove(); p.append(x) })</script>`,
		"/m.json": `second`}, end: "https://a.test/#", text: []string{"second"}},
	{name: "load more by a rule", pages: map[string]string{
		"/":       `<p id=p><span id=b class=next>⟱</span><script>b.onclick = () => fetch("/m.json").then((r) => r.text()).then((x) => { b.remove(); p.append(x) })</script>`,
		"/m.json": `second`}, text: []string{"second"}, does: []Behaviour{{"more", 1, "done"}}},
	{name: "dialogs", pages: map[string]string{
		"/": `<p id=p><script>alert("x"); p.textContent = confirm("y") + " " + prompt("z")</script>`},
		text: []string{"false null"}, does: []Behaviour{{"dismiss", 3, "done"}}},
	{name: "dialogs without end", pages: map[string]string{
		"/": `<p>before<script>for (;;) alert("x")</script><p>after`}, limit: Limits{Steps: 5},
		text: []string{"before"}, does: []Behaviour{{"dismiss", 5, "steps"}}},
	{name: "leaving is asked", pages: map[string]string{
		"/": `<p>stays<script>onbeforeunload = (e) => { e.preventDefault(); return "x" }</script>`}, text: []string{"stays"}},
	{name: "list without end", pages: map[string]string{
		"/": `<div id=l></div><script>const add = () => { l.insertAdjacentHTML("beforeend", "<p style='height:2000px'>row") }; add(); onscroll = add</script>`},
		limit: Limits{Steps: 4}, text: []string{"row", "row"}, does: []Behaviour{{"scroll", 4, "steps"}}},
	{name: "too many requests", pages: map[string]string{
		"/":         `<p id=p>x<script>(async () => { for (let i = 0; ; i++) { try { await fetch("/n.json?" + i) } catch (e) { p.textContent = "refused at " + i; return } } })()</script>`,
		"/n.json?0": `0`, "/n.json?1": `1`, "/n.json?2": `2`},
		limit: Limits{Requests: 4}, text: []string{"refused at 3"}, ended: "requests"},
	{name: "too many bytes", pages: map[string]string{
		"/":         `<p id=p>x<script>fetch("/big.json").then((r) => r.text()).then(() => fetch("/more.json")).catch(() => { p.textContent = "refused" })</script>`,
		"/big.json": tall + tall + tall + tall + tall + tall}, limit: Limits{Bytes: 400}, text: []string{"refused"}, ended: "bytes"},
	{name: "never quiet", pages: map[string]string{"/": `<p>content<script>fetch("/hangs")</script>`},
		limit: Limits{Time: 12e9}, text: []string{"content"}, ended: "time"},
	{name: "late redirect", pages: map[string]string{
		"/":  `<script>location.href = "/b"</script>`,
		"/b": `<meta http-equiv=refresh content="0;url=/c">`,
		"/c": `<p>arrived`}, end: "https://a.test/c", text: []string{"arrived"}},
	{name: "write", pages: map[string]string{
		"/":     `<script>document.write("<p>written<script src=/w.js><\/script>")</script>`,
		"/w.js": `document.write("<p>twice<img src=/w.svg>")`, "/w.svg": pixel}, text: []string{"written", "twice"}},
	{name: "post", pages: map[string]string{
		"/": `<p id=p><script>fetch("/post", {method: "POST", body: "a=1"}).then((r) => r.text()).then((x) => { p.textContent = x })</script>`},
		parts: []string{"/post"}, text: []string{"got POST a=1"}},
	{name: "other origin", pages: map[string]string{
		"/": `<p id=p><script>fetch("https://api.test/cors", {headers: {"X-Own": "1"}}).then((r) => r.text()).then((x) => { p.textContent = x })</script>`},
		parts: []string{"https://api.test/cors", "https://api.test/cors"}, text: []string{"shared"}},
	{name: "login", pages: map[string]string{
		"/": `<form><input name=u><input type=password name=p></form>`}, login: true},
	{name: "hidden text", pages: map[string]string{
		"/": `<p>seen<p style="display:none">unseen<p style="visibility:hidden">neither<script>var x = "code"</script><noscript>without</noscript><template>kept</template>`},
		text: []string{"seen"}, lacks: []string{"unseen", "neither", "code", "without", "kept"}, dom: []string{"<template>kept", "<noscript>without"}},
	{name: "windows", pages: map[string]string{
		"/": `<p id=p><script>const w = open("/other"); p.textContent = "window " + (w === null)</script>`}, text: []string{"window true"}},
	{name: "permissions", pages: map[string]string{
		"/": `<p id=p><script>Promise.all(["geolocation", "notifications", "camera", "microphone"].map((name) => navigator.permissions.query({name}))).then((l) => { p.textContent = l.map((x) => x.state).join(" ");
			navigator.geolocation.getCurrentPosition(() => p.append(" found"), () => p.append(" no place")) })</script>`},
		text: []string{"denied denied denied denied", "no place"}},
	{name: "loop without end", pages: map[string]string{
		"/": `<p>before<script>fetch("/late").then(() => { for (;;) {} })</script><p>after`}, limit: Limits{Time: 12e9},
		text: []string{"before", "after"}, ended: "time"},
	{name: "download", pages: map[string]string{
		"/": `<p>x<a id=a href=/file.zip download>f</a><script>a.click()</script>`}, parts: []string{"/file.zip"}, text: []string{"x"}},
}
