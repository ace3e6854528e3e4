package serve_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// hostileTime is the time at which hostile pages are opened.
const hostileTime = "20080710"

// plainURL is the URL of the page that is opened after attacks. It reports its own
// bytes and its document.
const plainURL = hostileSite + "plain"

const plainBody = `<!DOCTYPE html><title>plain</title><body><p>as it was<script>
addEventListener("load", async () => {
	const dom = document.documentElement.outerHTML;
	const bytes = await (await fetch(location.href)).text();
	parent.postMessage({plain: bytes, dom}, "*");
});</script>`

// TestHostilePages opens each hostile page, in the frame of the interface and by
// its own address at replay, in a browser in a network of its own. Nothing may
// leave, nothing of the interface may be reached, no service worker of a page may be
// registered, and the page that is opened after each few attacks must be what it was.
func TestHostilePages(t *testing.T) {
	if !isolated(t) {
		return
	}
	w := watch(t)
	w.allow(interfacePort, replayPort)
	log := serveArchive(t, hostileCaptures())
	checkWatch(t, w)
	ctx := startBrowser(t)
	b := &hostileBrowser{t: t}
	tabs := make(chan context.Context, 3)
	for range cap(tabs) {
		tab, _ := chromedp.NewContext(ctx)
		if err := chromedp.Do(tab, chromedp.Func(collectMessages)); err != nil {
			t.Fatal(err)
		}
		tabs <- tab
	}
	tab := <-tabs
	b.plain = b.open(tab, interfaceOrigin+"/"+hostileTime+"/"+plainURL, `m.plain`)
	tabs <- tab
	replayed := replayOrigin(t, plainURL)
	var running sync.WaitGroup
	for first := 0; first < len(hostilePages); first += attacksMost {
		tab := <-tabs
		running.Go(func() {
			b.attack(tab, first, min(first+attacksMost, len(hostilePages)), interfaceOrigin+"/"+hostileTime+"/", replayed+"/"+hostileTime+"mp_/", interfaceOrigin+"/"+hostileTime+"mp_blocks/")
			tabs <- tab
		})
	}
	running.Wait()
	infos, err := chromedp.Targets(ctx)
	if err != nil {
		t.Fatal(err)
	}
	workers := 0
	for _, info := range infos {
		if info.Type == "service_worker" {
			workers++
			if !strings.Contains(info.URL, "/_infomall/worker.js") {
				t.Errorf("service worker %s is registered", info.URL)
			}
		}
	}
	t.Logf("%d pages, %d service workers of ours", len(hostilePages), workers)
	endBrowser(t, ctx)
	seen := map[string]int{}
	for _, what := range w.left() {
		seen[what]++
	}
	for what, n := range seen {
		t.Errorf("%s (%d times)", what, n)
	}
	for path := range requested(t, log) {
		if !strings.HasPrefix(path, "/static/") && !strings.HasPrefix(path, "/_infomall/") && !strings.HasPrefix(path, "/2008") {
			t.Errorf("the server was asked for %s", path)
		}
	}
}

// checkWatch shows that what leaves is seen: a page of the live web is asked for, and
// a page without protection connects by WebRTC.
func checkWatch(t *testing.T, w *wire) {
	t.Helper()
	tab := startBrowser(t)
	_ = chromedp.Do(tab, chromedp.Navigate("http://live.example/")) // nobody answers
	const connect = `new Promise((done) => {
		const p = new RTCPeerConnection({iceServers: [{urls: "stun:192.0.2.7:3478"}]});
		p.createDataChannel("x");
		p.onicegatheringstatechange = () => p.iceGatheringState === "complete" && done(true);
		p.createOffer().then((offer) => p.setLocalDescription(offer));
	})`
	if err := chromedp.Do(tab, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](connect, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	endBrowser(t, tab)
	left := w.left()
	for _, want := range []string{"look-up of live.example", "TCP connection to 192.0.2.80:80", "UDP packet to 192.0.2.7:3478"} {
		if !slices.Contains(left, want) {
			t.Fatalf("the test does not see a %s; it sees %q", want, left)
		}
	}
}

// hostileCaptures returns the captures of the hostile pages and what belongs to
// them.
func hostileCaptures() []capture {
	captures := []capture{{url: plainURL, body: plainBody}}
	for i, p := range hostilePages {
		body := hostileBody(i)
		if strings.Contains(p.contentType, "utf-16") {
			var b []byte
			for _, u := range utf16.Encode([]rune(body)) {
				b = append(b, byte(u), byte(u>>8))
			}
			body = string(b)
		}
		captures = append(captures, capture{url: hostileURL(i), contentType: p.contentType, header: inContext(p.header, i), body: body})
		for name, text := range p.more {
			contentType := map[string]string{".js": "text/javascript", ".xsl": "text/xml", ".css": "text/css", ".svg": "image/svg+xml", ".xml": "text/xml"}[filepath.Ext(name)]
			for _, folder := range []string{hostileURL(i), hostileSite} {
				captures = append(captures, capture{url: folder + name, contentType: contentType, body: inContext(text, i)})
			}
		}
		for _, query := range []string{"", "?", "?a=b"} {
			captures = append(captures, capture{url: "http://" + leakHost(i) + "/landed" + query, body: "<!DOCTYPE html><title>landed</title>"})
		}
	}
	return captures
}

// hostileBrowser opens pages in tabs and compares the plain page.
type hostileBrowser struct {
	t     *testing.T
	plain string // what the plain page reported before any attack
}

// collectMessages keeps the messages that the interface's page gets in the tab, so
// that a test can wait for one.
func collectMessages(ctx context.Context, t *chromedp.Target) error {
	script := `if (window.top === window) { window.testMessages = []; addEventListener("message", (e) => testMessages.push(e.data)) }`
	_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return err
}

// attacksMost is the most hostile pages that a tab opens before the plain page. To
// open the plain page after each of them takes a quarter more time.
const attacksMost = 6

// attack opens the hostile pages first <= i < end at addresses that begin with each
// of from, and waits for the end of each. Then it opens the plain page.
func (b *hostileBrowser) attack(tab context.Context, first, end int, from ...string) {
	for i := first; i < end; i++ {
		p := hostilePages[i]
		want := fmt.Sprintf("m.ended === %q", p.name)
		switch {
		case p.lands:
			want = fmt.Sprintf("m.infomall === 'page' && m.url.startsWith(%q)", "http://"+leakHost(i)+"/landed")
		case p.silent:
			want = "" // The frame has loaded when its page has.
		}
		for _, prefix := range from {
			b.open(tab, prefix+hostileURL(i), want)
		}
	}
	if plain := b.open(tab, interfaceOrigin+"/"+hostileTime+"/"+plainURL, "m.plain"); plain != b.plain {
		b.t.Errorf("after the hostile pages from %q to %q the plain page is\n%s\nand was\n%s", hostilePages[first].name, hostilePages[end-1].name, plain, b.plain)
	}
}

// open opens url in tab and waits for a message m for which the condition want
// holds. It returns the message as JSON.
func (b *hostileBrowser) open(tab context.Context, url, want string) string {
	ctx, stop := context.WithTimeout(tab, time.Minute)
	defer stop()
	expression := `new Promise((found) => {
		const look = () => { const m = (window.testMessages || []).find((m) => m && (` + want + `)); if (m) found(JSON.stringify(m)) };
		look();
		addEventListener("message", look);
	})`
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		b.t.Errorf("%s: %v", url, err)
		return ""
	}
	if want == "" {
		return ""
	}
	message, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		seen, _ := chromedp.Run(tab, chromedp.Evaluate[string](`JSON.stringify([location.href, window.testMessages])`))
		b.t.Errorf("%s: waiting for %s: %v; the page is %s", url, want, err, seen)
	}
	return message
}
