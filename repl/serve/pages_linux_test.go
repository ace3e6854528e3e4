package serve_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// until returns a program that waits until the condition want holds in the page, and
// returns the text of result.
func until(want, result string) string {
	return `new Promise((done) => {
		const look = () => { if (` + want + `) { watcher.disconnect(); done(String(` + result + `)); } };
		const watcher = new MutationObserver(look);
		watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		look();
	})`
}

// TestPagesInBrowser shows what scripts add to the pages: the bar follows the links of
// the page in the frame, marks are drawn there, and the query page completes statements. It also
// shows that no page is wider than a narrow screen.
func TestPagesInBrowser(t *testing.T) {
	if !isolated(t) {
		return
	}
	w := watch(t)
	w.allow(interfacePort, replayPort)
	const site = "http://pages.example/"
	serveArchive(t, []capture{
		{url: site, body: `<!DOCTYPE html><title>first</title><p>The first page.</p><script>
addEventListener("load", () => {
	const el = document.querySelector("[data-infomall-mark]") || document.querySelector("p"), style = getComputedStyle(el);
	parent.postMessage({ outline: style.outlineStyle + " " + style.outlineWidth, label: getComputedStyle(el, "::before").content }, "*");
})</script>`},
		{url: site + "start", body: `<!DOCTYPE html><title>start</title><a href="/second">x</a><script>addEventListener("load", () => document.querySelector("a").click())</script>`},
		{url: site + strings.Repeat("long", 20), body: `<p>A page with a long address.</p>`},
		{url: site + "second", body: `<!DOCTYPE html><title>the second</title><p>The second page.</p>`},
		// Its address would be that of an API, if the bar asked for it.
		{url: site + "liar", body: `<!DOCTYPE html><title>liar</title><script>
addEventListener("load", () => {
	for (const url of ["http://x/../../../../api/query?statement=SHOW+POOLS", "http://x/<img src=x>"])
		parent.postMessage({ infomall: "page", url, asked: "20080710000000", captured: "20080707010203", title: "<b>" }, "*");
})</script>`},
	})
	browser := startBrowser(t)
	if err := chromedp.Do(browser, chromedp.Func(collectMessages)); err != nil {
		t.Fatal(err)
	}
	b := &hostileBrowser{t: t}
	if got := b.open(browser, interfaceOrigin+"/20080710/"+site, "m.outline"); got != `{"outline":"none 3px","label":"none"}` {
		t.Errorf("the page without a view has the style %s", got)
	}
	if got := b.open(browser, interfaceOrigin+"/20080710mp_blocks/"+site, "m.outline"); got != `{"outline":"solid 1px","label":"\"1 main: first page\""}` {
		t.Errorf("the page with its blocks has the style %s", got)
	}
	in := func(address, program, want string) {
		t.Helper()
		if err := chromedp.Do(browser, chromedp.Navigate(interfaceOrigin+address)); err != nil {
			t.Fatal(err)
		}
		if got, err := chromedp.Run(browser, chromedp.Evaluate[string](program, chromedp.EvalAwaitPromise)); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", address, got, err, want)
		}
	}
	const changes = `document.querySelector('#bar nav a[href*="mp_changes"]').getAttribute("href")`
	in("/20080710/"+site+"start", until(changes+`.endsWith("/second")`, changes+` + " " + location.pathname + " " + document.getElementById("url").textContent`),
		"/20080710120000mp_changes/"+site+"second /20080710120000/"+site+"second pages.example/second")
	in("/20080710/"+site+"liar", until(`document.getElementById("url").textContent.includes("<img")`, `location.pathname.startsWith("/20080710000000/http://x/") + " " + document.querySelectorAll("#bar img").length`), "true 0")
	in("/query", `(async () => {
		const box = document.getElementById("q"), list = document.getElementById("completions");
		const key = (key) => box.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
		box.focus();
		box.value = "SELECT asked_u FROM captures";
		box.setSelectionRange(14, 14);
		box.dispatchEvent(new Event("input"));
		await `+until(`!list.hidden`, `0`)+`;
		key("ArrowDown");
		key("Enter");
		return box.value + "|" + list.hidden;
	})()`, "SELECT asked_url FROM captures|true")
	// On a narrow screen, no page is wider than the screen.
	if err := chromedp.Do(browser, chromedp.EmulateViewport(390, 844)); err != nil {
		t.Fatal(err)
	}
	long := site + strings.Repeat("long", 20)
	for _, page := range []string{"/", "/history?url=" + long, "/diff?url=" + long, "/*/" + long, "/site?host=pages.example", "/query?q=SHOW+POOLS", "/search?q=page"} {
		in(page, `String(document.documentElement.scrollWidth)`, "390")
	}
	endBrowser(t, browser)
	if left := w.left(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
