package render

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// session is the part of a user's profile that pages get: its cookies, and its local storage.
// The browser has the copy of the profile in its default context, in which no page is shown. So
// changes that a page makes to its session are lost, and no other page sees them.
type session struct {
	cookies []*network.CookieParam
	local   map[string]string // by origin: the items of the local storage, as JSON
}

// originsMax bounds the origins whose local storage is kept in memory.
const originsMax = 100

// readSession reads the cookies of the profile from the browser that has just started.
func readSession(browser context.Context) (*session, error) {
	r, err := cdp.Call(browser, chromedp.FromContext(browser).Browser, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		return nil, fmt.Errorf("read the cookies of the profile: %w", err)
	}
	s := &session{local: make(map[string]string)}
	for _, c := range r.Cookies {
		s.cookies = append(s.cookies, &network.CookieParam{Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Secure: c.Secure,
			HTTPOnly: c.HTTPOnly, SameSite: c.SameSite, Priority: c.Priority, SourceScheme: c.SourceScheme, SourcePort: c.SourcePort, PartitionKey: c.PartitionKey})
	}
	if _, err := cdp.Call(browser, chromedp.FromContext(browser).Target, fetch.Enable, fetch.EnableParams{}); err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	err = chromedp.Listen(browser, func(ev any) {
		if e, ok := ev.(*fetch.EventRequestPaused); ok {
			go fulfil(browser, e.RequestID) // ends with the browser
		}
	})
	return s, err
}

// fulfil answers the request id, which a page in the default context has made, with an empty
// page. No request of the default context leaves the browser.
func fulfil(browser context.Context, id fetch.RequestID) {
	_, _ = cdp.Call(browser, chromedp.FromContext(browser).Target, fetch.FulfillRequest, fetch.FulfillRequestParams{
		RequestID: id, ResponseCode: 200, ResponseHeaders: []*fetch.HeaderEntry{{Name: "Content-Type", Value: "text/html"}}})
}

// localStorage returns the local storage that the profile has for an origin, as a JSON
// array of names and values.
func (p *Pool) localStorage(ctx, browser context.Context, origin string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if items, ok := p.session.local[origin]; ok {
		return items, nil
	}
	items, err := inOrigin(ctx, browser, origin, "JSON.stringify(Object.entries(localStorage))")
	if err != nil {
		return "", fmt.Errorf("read the local storage of the profile for %s: %w", origin, err)
	}
	if len(p.session.local) >= originsMax {
		clear(p.session.local)
	}
	p.session.local[origin] = items
	return items, nil
}

// inOrigin evaluates an expression whose value is a string in an empty page of an origin,
// in the default context.
func inOrigin(ctx, browser context.Context, origin, expression string) (string, error) {
	t := chromedp.FromContext(browser).Target
	r, err := cdp.Call(ctx, t, page.Navigate, page.NavigateParams{URL: origin + "/"})
	if err != nil {
		return "", err
	}
	if r.ErrorText != "" {
		return "", fmt.Errorf("%s", r.ErrorText)
	}
	v, err := cdp.Call(ctx, t, runtime.Evaluate, runtime.EvaluateParams{Expression: expression})
	if err != nil {
		return "", err
	}
	if v.ExceptionDetails != nil {
		return "", fmt.Errorf("%s", v.ExceptionDetails.Text)
	}
	var s string
	return s, json.Unmarshal(v.Result.Value, &s)
}

// fillScript is a function of an origin and of items, which puts the items into the local
// storage of a page of the origin.
const fillScript = `(origin, items) => {
	if (location.origin !== origin) return;
	try {
		for (const [name, value] of items) if (localStorage.getItem(name) === null) localStorage.setItem(name, value);
	} catch {} // the page may keep nothing
}`

// login gives the tab the cookies of the profile, and the local storage for the origins of its
// page and of the frames. The browser accepts no script while it goes to another page. So if a
// script leads the tab to another page, that page gets the local storage only if it has one of
// these origins.
func (t *tab) login(browser context.Context) error {
	c := chromedp.FromContext(t.ctx)
	_, err := cdp.Call(t.ctx, c.Browser, storage.SetCookies, storage.SetCookiesParams{Cookies: t.pool.session.cookies, BrowserContextID: c.BrowserContextID})
	if err != nil {
		return fmt.Errorf("set the cookies of the profile: %w", err)
	}
	var mu sync.Mutex
	filled := make(map[string]bool)
	fill := func(ctx context.Context, address string) error {
		mu.Lock()
		defer mu.Unlock()
		return t.fill(ctx, browser, address, filled)
	}
	t.proxy.beforeFrame(fill)
	return fill(t.ctx, t.page.URL)
}

// fill puts the local storage of the profile into documents of the origin of address, before
// their scripts run, in the page and in its frames. filled holds the origins for which this was
// done; fill adds the origin, and does nothing if it is there.
func (t *tab) fill(ctx, browser context.Context, address string, filled map[string]bool) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	origin := u.Scheme + "://" + u.Host
	if filled[origin] {
		return nil
	}
	items, err := t.pool.localStorage(ctx, browser, origin)
	if err != nil {
		return err
	}
	filled[origin] = true
	if items == "[]" {
		return nil
	}
	_, err = cdp.Call(ctx, t.target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: fmt.Sprintf("(%s)(%q, %s)", fillScript, origin, items)})
	return err
}
