package render

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	quietTime  = 500 * time.Millisecond // without a request, after which a page has loaded
	answerTime = 10 * time.Second       // for reading the document, before scripts of the page are stopped
	tabTime    = time.Minute            // for opening a tab
)

// withDefaults returns l with the defaults in place of zeros.
func (l Limits) withDefaults() Limits {
	if l.Time == 0 {
		l.Time = time.Minute
	}
	if l.Steps == 0 {
		l.Steps = 50
	}
	if l.Requests == 0 {
		l.Requests = 1000
	}
	if l.Bytes == 0 {
		l.Bytes = 100 << 20
	}
	if l.DOM == 0 {
		l.DOM = 16 << 20
	}
	return l
}

// tab is a page that is shown.
type tab struct {
	pool   *Pool
	proxy  *proxy
	page   *Page
	limits Limits
	ctx    context.Context // of the tab; Target is in it
	target *chromedp.Target

	loaded  chan struct{} // closed when a document has loaded after the empty one of the tab
	crashed chan struct{} // closed when the process of the page ends
	once    struct{ loaded, crashed sync.Once }

	mu        sync.Mutex
	main      cdp.FrameID  // the frame of the page; "" before it is known
	empty     cdp.LoaderID // of the empty document; "" before it is known
	dialogs   int          // dialogs that were dismissed
	answering sync.WaitGroup
}

// closedScript lets collectScript read closed shadow trees.
//
//go:embed closed.js
var closedScript string

// Show opens a page in a browser context of its own, waits until it has loaded, lets
// the behaviours load the rest, and returns the result. It waits while Options.Pages
// other pages are shown. A page that is not ready after Limits.Time is returned as it
// then is. The error is that of Send if the page itself was not received.
func (p *Pool) Show(ctx context.Context, g Page) (*Shown, error) {
	return p.showWith(ctx, g, p.options.Limits)
}

// showWith does what Show does, with the given limits instead of those of the pool.
func (p *Pool) showWith(ctx context.Context, g Page, limits Limits) (*Shown, error) {
	u, err := url.Parse(g.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("show %s: a page has an address with http or https", g.URL)
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	whole, err := p.start(ctx)
	if err != nil {
		return nil, err
	}
	x, err := newProxy(ctx, p.authority, p.refuser, &g, limits)
	if err != nil {
		return nil, err
	}
	defer x.close()
	t := &tab{pool: p, proxy: x, page: &g, limits: limits, loaded: make(chan struct{}), crashed: make(chan struct{})}
	s, err := t.show(ctx, whole)
	if err == nil || ctx.Err() != nil {
		return s, ctx.Err()
	}
	if whole.Err() != nil {
		err = fmt.Errorf("the browser ended: %w", err)
	}
	return nil, fmt.Errorf("show %s: %w", g.URL, err)
}

// show opens the tab, visits the page, and closes the tab at the end. ctx is the context of the
// visit, whole that of the browser.
func (t *tab) show(ctx, whole context.Context) (*Shown, error) {
	own, end := chromedp.NewContext(whole,
		chromedp.WithNewBrowserContext(func(c *target.CreateBrowserContextParams) {
			c.ProxyServer, c.ProxyBypassList = "http://"+t.proxy.addr(), "<-loopback>"
		}),
		chromedp.WithListener(t.event))
	defer t.answering.Wait()
	defer end()
	defer context.AfterFunc(ctx, end)()
	t.ctx = own
	begun := time.AfterFunc(tabTime, end)
	err := t.open()
	if err == nil && t.pool.options.Profile != "" {
		err = t.login(whole)
	}
	if !begun.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		return nil, fmt.Errorf("open a tab: %w", err)
	}

	visit, stop := context.WithTimeout(own, t.limits.Time)
	defer stop()
	s := &Shown{}
	err = t.load(visit)
	if err == nil {
		t.behave(visit, s)
	} else if visit.Err() == nil || own.Err() != nil {
		return nil, err
	}
	if s.Ended = t.ended(visit); s.Ended == "time" {
		t.terminate(own)
	}
	if err := t.collect(own, s); err != nil {
		return nil, err
	}
	return s, nil
}

// open opens the tab and sets what the page may not do.
func (t *tab) open() error {
	if err := chromedp.Do(t.ctx); err != nil {
		return err
	}
	c := chromedp.FromContext(t.ctx)
	t.target = c.Target
	for _, do := range []func() error{
		func() error {
			_, err := cdp.Call(t.ctx, c.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: c.BrowserContextID})
			return err
		},
		func() error {
			_, err := cdp.Call(t.ctx, t.target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
			return err
		},
		func() error {
			_, err := cdp.Call(t.ctx, t.target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: closedScript})
			return err
		},
		func() error { return t.deny(c) },
		// Events that nobody reads cost time.
		func() error { return t.target.Call(t.ctx, runtime.Disable.Method, nil, nil) },
		func() error { return t.target.Call(t.ctx, network.Disable.Method, nil, nil) },
		func() error { return t.target.Call(t.ctx, log.Disable.Method, nil, nil) },
		func() error { return t.target.Call(t.ctx, css.Disable.Method, nil, nil) },
		func() error { return t.target.Call(t.ctx, dom.Disable.Method, nil, nil) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	tree, err := cdp.Call(t.ctx, t.target, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.main, t.empty = tree.FrameTree.Frame.ID, tree.FrameTree.Frame.LoaderID
	return nil
}

// denied lists the permissions for which a page may ask its user. The browser refuses all of
// them.
var denied = []string{"geolocation", "notifications", "camera", "microphone", "midi", "clipboard-read", "persistent-storage",
	"idle-detection", "window-management", "local-fonts", "storage-access", "local-network-access"}

// deny makes the browser refuse the page all permissions in denied. A name that this version of
// the browser does not know is left out: the browser denies what it would have to ask for.
func (t *tab) deny(c *chromedp.Context) error {
	for _, name := range denied {
		_, err := cdp.Call(t.ctx, c.Browser, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingDenied, BrowserContextID: c.BrowserContextID})
		if unknown := new(cdproto.Error); err != nil && !errors.As(err, &unknown) {
			return err
		}
	}
	return nil
}

// event notes an event of the page.
func (t *tab) event(ev any) {
	switch ev := ev.(type) {
	case *page.EventLifecycleEvent:
		t.mu.Lock()
		visited := t.main == ev.FrameID && t.empty != ev.LoaderID
		t.mu.Unlock()
		if visited && ev.Name == "load" {
			t.once.loaded.Do(func() { close(t.loaded) })
		}
	case *inspector.EventTargetCrashed:
		t.once.crashed.Do(func() { close(t.crashed) })
	case *page.EventJavascriptDialogOpening:
		t.answering.Go(t.dismiss)
	}
}

// load visits the page and waits until it has loaded and asks for nothing more.
func (t *tab) load(ctx context.Context) error {
	type result struct {
		page.NavigateResult
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, err := cdp.Call(ctx, t.target, page.Navigate, page.NavigateParams{URL: t.page.URL})
		done <- result{r, err}
	}()
	var r result
	select {
	case r = <-done:
	case <-t.crashed:
		return errCrashed
	}
	if err := t.proxy.failed(); err != nil {
		return err
	}
	switch {
	case r.err != nil:
		return r.err
	case r.IsDownload:
		return errors.New("the browser does not show it but would store it as a file")
	case r.ErrorText != "":
		return fmt.Errorf("the browser does not show it: %s", r.ErrorText)
	}
	select {
	case <-t.loaded:
	case <-t.crashed:
		return errCrashed
	case <-ctx.Done():
		return ctx.Err()
	}
	return t.settle(ctx)
}

// settle waits until no request has been made or answered for quietTime, and the page has
// nothing to do. On a busy machine, a page needs longer than quietTime to go on after an
// answer.
func (t *tab) settle(ctx context.Context) error {
	for failed := false; ; {
		if err := t.proxy.quiet(ctx, quietTime); err != nil {
			return err
		}
		before := t.proxy.activity()
		err := t.act(ctx, nil, "idle")
		if err != nil && (failed || ctx.Err() != nil) {
			return err
		}
		failed = err != nil // the page goes elsewhere
		if !failed && t.proxy.activity() == before {
			return nil
		}
	}
}

var errCrashed = errors.New("the page ended its process in the browser")

// ended returns why the visit of the page ended: "done", or the limit that it reached, which is
// "requests", "bytes" or "time". visit is the context of the visit, which ends with its time.
func (t *tab) ended(visit context.Context) string {
	if visit.Err() != nil {
		return "time"
	}
	return t.proxy.limit("done")
}

// script runs an expression in the document of the page; see scriptIn.
func (t *tab) script(ctx context.Context, expression string, v any) error {
	return t.scriptIn(ctx, t.main, expression, v)
}

// scriptIn runs an expression in the document of a frame, in a world of our own: scripts of
// the page do not see it and cannot change what it calls. It waits for a promise and decodes
// the result into v, if v is not nil.
func (t *tab) scriptIn(ctx context.Context, frame cdp.FrameID, expression string, v any) error {
	world, err := cdp.Call(ctx, t.target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: frame, WorldName: "infomall"})
	if err != nil {
		return err
	}
	yes := true
	r, err := cdp.Call(ctx, t.target, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ContextID: world.ExecutionContextID, ReturnByValue: &yes, AwaitPromise: &yes})
	switch {
	case err != nil:
		return err
	case r.ExceptionDetails != nil:
		text := r.ExceptionDetails.Text
		if e := r.ExceptionDetails.Exception; e != nil {
			text = e.Description
		}
		return fmt.Errorf("a script failed: %s", text)
	case v == nil:
		return nil
	}
	return json.Unmarshal(r.Result.Value, v)
}
