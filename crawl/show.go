package crawl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"infomall/crawl/links"
	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/store/page"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// showing is the state of one page in a crawl with RENDER: whether a browser shows the page, and
// the result that the browser returned.
type showing struct {
	wanted bool // a browser shows the page
	row    report.Shown
	kind   string // of the URL; "" if a condition decides
	login  bool   // the page asks for a password although the crawl has a profile

	// These fields describe the response of the page. They are set only if wanted is true.
	main  render.Response // the response, with the bytes that came
	links map[string]bool // URLs to which it leads, with what it needs to be shown
	text  string          // text that it shows

	page  *render.Shown // what the browser made of it; nil if the browser failed
	ended bool          // a limit or STOP ended the visit

	mu             sync.Mutex // guards the fields below, which several requests of the page change
	asked          map[string]bool
	parts, refused int
}

// showing reports whether a browser shows the page of t, or showed it. The host of t stays
// taken meanwhile, so that no other page of the host is fetched.
func (t *fetchTask) showing() bool { return t.show != nil && t.show.wanted }

// small returns a showing with only those fields of s that are needed when its task is
// acknowledged. It returns nil if s is nil.
func (s *showing) small() *showing {
	if s == nil {
		return nil
	}
	return &showing{login: s.login}
}

// startBrowser starts the browser if the crawl has RENDER. Without a browser nothing of
// the crawl has begun yet.
func (e *engine) startBrowser(ctx context.Context, env Env) (err error) {
	if e.o.Render == nil {
		return nil
	}
	if env.Browser == nil {
		return errors.New("RENDER: this program has no browser")
	}
	e.newBrowser = func() (Browser, error) { return env.Browser(ctx, &e.o) }
	return e.openBrowser()
}

// openBrowser sets e.browser to a new browser. The crawl sends the cookies of its profile.
func (e *engine) openBrowser() error {
	b, err := e.newBrowser()
	if err != nil {
		e.browser = nil
		return err
	}
	e.browser = b
	for _, c := range b.Cookies() {
		e.client.AddCookie(c.URL, c.Line)
	}
	return nil
}

// reload replaces the browser, because the user has logged in: a browser reads its profile
// when it starts. After that it ends the waiting of the hosts in e.loggedIn. Pages that are
// being shown are shown to their end before, and others wait. ctx is that of the workers. If
// no host is in e.loggedIn, or the browser is already being replaced, reload does nothing.
func (e *engine) reload(ctx context.Context) {
	if len(e.loggedIn) == 0 || e.reloading {
		return
	}
	names := e.loggedIn
	e.loggedIn, e.reloading = nil, true
	e.reloads.Go(func() {
		e.screen.Lock()
		err := e.browser.Close()
		if err == nil {
			err = e.openBrowser()
		}
		e.screen.Unlock()
		_ = e.call(ctx, func(context.Context) error { // fails if the crawl ends
			e.reloading = false
			for _, name := range names {
				err = errors.Join(err, e.endLoginWait(name))
			}
			return err
		})
	})
}

// show has the browser show a page.
func (e *engine) show(ctx context.Context, p render.Page) (*render.Shown, error) {
	e.screen.RLock()
	defer e.screen.RUnlock()
	if e.browser == nil {
		return nil, errors.New("it could not be started again")
	}
	return e.browser.Show(ctx, p)
}

// closeBrowser ends the browser, if there is one, and forgets the parts of its pages.
func (e *engine) closeBrowser() error {
	e.reloads.Wait()
	e.parts.close()
	if e.browser == nil {
		return nil
	}
	return e.browser.Close()
}

// decideShow sets t.show if t is a page that RENDER concerns, and decides whether a browser shows
// it. The decision depends on the response.
func (e *engine) decideShow(t *fetchTask) {
	c := t.res.Capture
	if e.o.Render == nil || c == nil || t.robots || t.u.Sitemap || t.u.Guessed || !urlkey.IsHTTP(t.u.URL) {
		return
	}
	head, body := c.Head, c.Body
	if t.known != nil {
		head, body = t.known.Head, t.known.Body
	}
	status, kind := message.Status(head), contentType(c, head)
	if status >= 300 && status < 400 || !page.IsMarkup(message.Mime(kind)) || page.IsBinary(body) {
		return
	}
	s := new(showing)
	t.show = s
	switch {
	case c.Spool != nil:
		s.row.Why = "its body is too large to be in memory"
	case c.Truncated || t.res.Outcome == report.OutcomeIncomplete:
		s.row.Why = "it did not come whole"
	case e.o.Render.When != nil:
		s.wanted, t.err = e.o.Render.When.Holds(t.focusedPage(head, body, int64(len(body)), message.Mime(kind)))
		s.row.Why = "RENDER WHEN is not true of it"
		if s.wanted {
			s.row.Why = "RENDER WHEN is true of it"
		}
	case status != 200:
		s.row.Why = fmt.Sprintf("its status is %d", status)
	default:
		s.kind, s.wanted, s.row.Why = t.verdict.kind, t.verdict.show, t.verdict.why
	}
	if s.wanted {
		s.main = render.Response{Head: head, Body: body}
		s.asked = make(map[string]bool)
	}
}

// note records what the response of the page has: its text, and its links, which include the
// files that are needed to show the page. body is the response after content-decoding, and cs
// its charset.
func (s *showing) note(found []links.Link, body []byte, cs string) {
	s.links = make(map[string]bool, len(found))
	for i := range found {
		s.links[found[i].URL] = true
	}
	t := markup.NewTree(body)
	defer t.Free()
	s.text = t.Text(cs)
}

// display has the browser show the page of t. It returns when the browser is done.
func (e *engine) display(ctx context.Context, t *fetchTask) {
	s := t.show
	begun := e.now()
	p := &visitor{e: e, ctx: ctx, s: s, url: t.u.URL, layer: t.u.Layer}
	shown, err := e.show(ctx, render.Page{URL: t.u.URL, Send: p.send})
	s.mu.Lock()
	s.row.Parts, s.row.Refused = s.parts, s.refused
	s.mu.Unlock()
	t.took[report.StageFetch] += e.now().Sub(begun)
	switch {
	case err == nil:
		s.page = shown
	case ctx.Err() != nil:
		s.ended, s.row.Why = true, context.Cause(ctx).Error()
		return
	default:
		s.row.Why = "the browser failed: " + err.Error()
		return
	}
	s.row.Rendered, s.row.Sockets, s.row.Consent = true, len(shown.Sockets), shown.Consent
	var did []string
	for _, b := range shown.Behaviours {
		unit := "steps"
		if b.Steps == 1 {
			unit = "step"
		}
		did = append(did, fmt.Sprintf("%s: %d %s, %s", b.Name, b.Steps, unit, b.Ended))
	}
	s.row.Behaviours = strings.Join(did, "; ")
}

// mimeHTML is the media type of pages.
const mimeHTML = "text/html"

// domType is the media type of the document after load, as a header has it.
const domType = mimeHTML + "; charset=utf-8"

// domHead is the head of a document after load. It is used where the head of a response is
// expected.
const domHead = "HTTP/1.1 200 OK\r\nContent-Type: " + domType + "\r\n\r\n"

// extractShown adds the links of the document after load to t.links, and judges this
// document in place of the response. Without such a document it does nothing.
func (e *engine) extractShown(t *fetchTask) {
	if !t.showing() || t.show.page == nil {
		return
	}
	s := t.show
	found := links.Find(links.Document{
		URL: t.u.URL, ContentType: domType, Body: s.page.DOM, Anchors: e.o.Focus != nil, Shown: s.page.Links,
	})
	s.row.Gained = s.links != nil && textGained(s.text, s.page.Text)
	for _, l := range found.Links {
		if s.links[l.URL] {
			continue
		}
		if s.links != nil && e.rules.refuse(l.URL, false) == "" {
			s.row.Gained = true
		}
		if !t.leads() || l.Requisite && !e.o.Requisites || !l.Requisite && t.asks.NoFollow && !e.o.IgnoreRobots {
			continue
		}
		l.URL = e.withoutVisit(l.URL)
		t.links = append(t.links, l)
	}
	if t.err == nil {
		e.judge(t, []byte(domHead), s.page.DOM, int64(len(s.page.DOM)), mimeHTML)
	}
	if t.leads() {
		t.print = e.printOf(t.u.URL, domType, s.page.DOM)
	}
}

// Bounds above which the text of a document after load counts as more than the text of
// the response.
const (
	gainedMin   = 20 // how many characters the words that the response lacks must have together
	gainedShare = 20 // they must also have more than 1/gainedShare as many as the words of the response
)

// textGained reports whether the text shown has words that plain, the text of the response, lacks,
// and more than gainedMin and gainedShare demand. A greeting or a clock is too short to count. If
// plain has fewer than gainedMin characters, any new word counts. The case of letters does not
// matter, because style sheets change it.
func textGained(plain, shown string) bool {
	known := make(map[string]bool)
	all := 0
	for w := range strings.FieldsSeq(strings.ToLower(plain)) {
		known[w] = true
		all += len([]rune(w))
	}
	more := 0
	for w := range strings.FieldsSeq(strings.ToLower(shown)) {
		if !known[w] {
			known[w] = true
			more += len([]rune(w))
		}
	}
	return all < gainedMin && more > 0 || more >= gainedMin && more*gainedShare > all
}

// releaseHost lets other URLs of the host of t be fetched, not before the time next; zero
// means at once. While a browser shows the page of t, the host stays taken.
func (e *engine) releaseHost(t *fetchTask, next time.Time) error {
	if t.showing() {
		return nil
	}
	return e.f.Release(t.u.Host, next)
}

// handleShown handles what the browser made of the page of t, whose worker has ended. It
// releases the host, stores the document after load and the picture, and fills in the row
// of the log. It does nothing if RENDER does not concern the page.
func (e *engine) handleShown(ctx context.Context, t *fetchTask) error {
	s := t.show
	if s == nil || t.err != nil {
		return nil
	}
	h, err := e.host(t.u.Host)
	if err != nil {
		return err
	}
	came := t.res.Capture != nil && len(t.fetches) > 0
	if came && s.page != nil && s.page.Login && e.o.Render.Profile != "" {
		if s.login, err = e.locked(t, h); err != nil {
			return err
		}
	}
	if s.wanted {
		now := e.now()
		if free := now.Add(e.pause(t.u.Host, h, t.res.Elapsed)); free.After(h.free) && !t.had {
			h.free = free
		}
		if t.entered.IsValid() {
			e.manners.leave(t.entered, h.free)
		}
		if !s.login { // otherwise the host stays taken until e.awaitLogin
			if err := e.f.Release(t.u.Host, h.next(now)); err != nil {
				return err
			}
		}
	}
	if !came {
		return nil // there is no response, or it is not kept
	}
	if err := e.learn(t, h); err != nil {
		return err
	}
	if s.ended {
		e.uncount(t)
		t.retry = e.now() // the next run begins with it
	}
	t.fetches[0].Shown = &s.row
	if s.page == nil || s.login {
		return nil
	}
	return e.putShown(ctx, t)
}

// putShown stores the document after load of the page of t, and the picture if there is
// one, at the time of the page. It leaves out what an earlier run of the crawl has stored of
// the same page.
func (e *engine) putShown(ctx context.Context, t *fetchTask) error {
	begun := e.now()
	for _, x := range []struct {
		prefix, mime string
		body         []byte
	}{{urlkey.DOM, mimeHTML, t.show.page.DOM}, {urlkey.Screenshot, "image/png", t.show.page.Screenshot}} {
		if len(x.body) == 0 {
			continue
		}
		if t.had && e.past.has(ctx, x.prefix+t.u.URL, t.res.Capture.Time) {
			continue
		}
		c := &record.Capture{AskedURL: x.prefix + t.u.URL, Time: t.res.Capture.Time, Via: record.ViaResource, RefersTime: record.NoTime, Body: x.body, Mime: x.mime}
		if err := e.sink.Put(ctx, c); err != nil {
			return err
		}
	}
	t.took[report.StageWrite] += e.now().Sub(begun)
	return nil
}

// uncount removes the response of t, so that t counts as not fetched. The page is then fetched
// again.
func (e *engine) uncount(t *fetchTask) {
	if t.came && !t.counted {
		e.held -= t.fetches[0].Bytes
	}
	t.came = false
}
