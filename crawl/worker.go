package crawl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// Bounds on redirects and on further attempts.
const (
	hopsMax       = 10
	robotsHopsMax = 5
	triesMax      = 3
	backoffMin    = 200 * time.Millisecond // least pause after the first failure, if DELAY is shorter
	backoffMax    = 5 * time.Second        // longest pause after the first failure; the pause doubles with each further one
	failsMax      = 10                     // requests in a row without a response, after which a URL of the host is not tried again
	lookupsMax    = 5                      // look-ups of a host without an address
)

// newClient returns the HTTP client of a crawl with options o. The client sends
// a request only if may returns true at that moment. The caller closes it.
func newClient(o *report.CrawlOptions, env Env, now func() time.Time, may func() bool) (*fetch.Client, error) {
	return fetch.New(fetch.Options{
		Agent: o.Agent, BodyMax: o.BodyMax, Requests: o.Requests, Rate: o.Rate, Private: o.AllowPrivate, Proxy: o.Proxy, Netrc: o.Netrc,
		Dial: env.Dial, Lookup: env.Lookup, Now: now, May: may,
	})
}

// work runs one worker. It fetches the URL of t and reports t to the engine.
// It then has a browser show the page, if the crawl wants that, reads the links, and
// reports t again, with t.final set.
func (e *engine) work(ctx context.Context, t *fetchTask) {
	switch {
	case t.robots:
		e.fetchRobots(ctx, t)
	case e.o.FromArchive:
		t.res = e.recall(ctx, t.u.URL)
	case strings.HasPrefix(t.u.URL, fileScheme):
		t.res = e.readFile(t.u.URL)
	default:
		e.fetchPage(ctx, t)
	}
	e.decideShow(t)
	t.final = t.robots || !t.leads() && !t.showing()
	if t.u.Sitemap {
		e.sitemap.Lock() // until the links are read, which is before the report
	}
	if !t.final && t.known == nil {
		t.keepFirst()
	}
	early := e.o.SkipNoArchive || t.u.Guessed || t.u.Sitemap
	if !t.final && early && t.leads() {
		e.extract(ctx, t) // the content of the page decides whether it is stored
		t.final = !t.showing()
	}
	if t.u.Sitemap {
		t.first = nil
		e.sitemap.Unlock()
	}
	e.report(ctx, t)
	if t.final {
		return
	}
	<-t.fetched
	if t.res.Capture != nil { // nil if the crawl ends
		if t.showing() {
			e.display(ctx, t)
		}
		if !early && t.leads() {
			e.extract(ctx, t)
		}
		e.extractShown(t)
	}
	t.final = true
	e.report(ctx, t)
}

// report sends t to the engine. While the engine is busy, report starts a spare
// task in place of t, once. There are therefore never more running requests
// than workers.
func (e *engine) report(ctx context.Context, t *fetchTask) {
	if !t.relieved {
		select {
		case e.results <- t:
			return
		case next := <-e.spare:
			t.relieved = true
			go e.work(ctx, next)
		}
	}
	e.results <- t
}

// leads reports whether the response of t may have links.
func (t *fetchTask) leads() bool {
	c := t.res.Capture
	switch {
	case c == nil:
		return false
	case c.Status == 304:
		return t.known != nil
	}
	return (c.Status == 200 || c.Status == 203 || c.Via == record.ViaResource) && (!c.Truncated || len(c.Body) > 0 || c.Spool != nil)
}

// fetchPage fetches the URL of t into t.res. If the archive has the page,
// the request asks the server to send it only if it has changed. If it has
// not, t.known is the archive's copy.
func (e *engine) fetchPage(ctx context.Context, t *fetchTask) {
	u, err := fetch.ParseURL(t.u.Asked())
	if err != nil {
		t.res = fetch.Response{Outcome: report.OutcomeInternal, Reason: err.Error()}
		return
	}
	if e.cameBefore(ctx, t); t.had {
		return
	}
	r := fetch.Request{URL: u, Referer: t.u.Via}
	if page, _, _, posted := urlkey.Method(r.Referer); posted {
		r.Referer = page
	}
	var ref record.Ref
	ask := ""
	if p := t.u.Post; p != nil {
		r.Method, r.Header, r.Body = "POST", "Content-Type: "+p.Media+"\r\n", p.Body
	} else if ref, ask = e.past.validators(ctx, t.u.URL); ask != "" {
		r.Header = ask
	}
	t.res, t.again = e.ask(ctx, t, r)
	if c := t.res.Capture; c != nil && c.Status == 304 && ask != "" {
		if p, ok := e.past.unchanged(ctx, ref); ok {
			t.known = &p
		} else {
			c.Close()
			t.res = e.getAgain(ctx, u) // without the lines that ask
		}
	}
	if c := t.res.Capture; c != nil {
		c.AskedURL, c.Origin = t.u.URL, t.u.Origin
	}
}

// ask sends the request r for t and returns the response; again is then zero.
// If the address of the host may not be asked yet, or this process no longer
// holds its hosts, ask sends nothing, and again is the time at which to try
// again. After a request the engine calls manners.leave for t.entered.
func (e *engine) ask(ctx context.Context, t *fetchTask, r fetch.Request) (res fetch.Response, again time.Time) {
	addr, err := e.client.Resolve(ctx, r.URL)
	if err != nil {
		return fetch.Failed(ctx, err), again
	}
	r.Addr = addr
	if e.client.ViaProxy() || t.part {
		return e.client.Do(ctx, r), again
	}
	if again = e.manners.enter(addr.Addr(), e.now()); !again.IsZero() {
		return res, again
	}
	if res = e.client.Do(ctx, r); res.Unsent {
		again = e.now()
		e.manners.leave(addr.Addr(), again)
		return res, again
	}
	t.entered = addr.Addr()
	return res, again
}

// fetchRobots fetches the robots.txt for the URL of t and follows its
// redirects. t.captures gets every response on the way, t.res the last one.
func (e *engine) fetchRobots(ctx context.Context, t *fetchTask) {
	u, err := fetch.ParseURL(t.u.URL)
	if err != nil {
		t.res = fetch.Response{Outcome: report.OutcomeInternal, Reason: err.Error()}
		return
	}
	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	t.res, t.again = e.ask(ctx, t, fetch.Request{URL: u})
	if t.res.Capture != nil && t.res.Outcome == report.OutcomeIncomplete {
		// Try once more: an incomplete robots.txt denies every URL for an hour.
		t.discard()
		t.res = e.getAgain(ctx, u)
	}
	for hop := 0; t.res.Capture != nil; hop++ {
		c := t.res.Capture
		t.captures = append(t.captures, c)
		t.fetches = append(t.fetches, e.row(&t.u, &t.res, u.String(), hop))
		to, ok := location(u.String(), c)
		if !ok || hop == robotsHopsMax {
			return
		}
		if u, err = fetch.ParseURL(to); err != nil {
			return
		}
		next := e.getAgain(ctx, u)
		switch {
		case next.Unsent: // this process holds the host no more; the URL counts as not answered
			for _, c := range t.captures {
				c.Close()
			}
			t.captures, t.res = nil, next
			return
		case next.Outcome == report.OutcomeFiltered:
			return // the crawl may not follow this redirect, so it counts as leading nowhere
		case next.Capture == nil:
			t.unread = fmt.Sprintf("leads to %s, which does not answer (%s)", u, next.Reason)
			return
		}
		t.res = next
	}
}

// getAgain sends one more request for u, without a pause.
// It does not ask manners for permission, because the task has it already.
func (e *engine) getAgain(ctx context.Context, u *url.URL) fetch.Response {
	addr, err := e.client.Resolve(ctx, u)
	if err != nil {
		return fetch.Failed(ctx, err)
	}
	return e.client.Do(ctx, fetch.Request{URL: u, Addr: addr})
}

// location returns the target of the redirect c, resolved against the URL
// base. The target is a canonical URL of http or https. ok is false if c is
// no redirect, or has no such target.
func location(base string, c *record.Capture) (to string, ok bool) {
	if c.Status < 300 || c.Status > 399 || c.Status == 304 {
		return "", false
	}
	written := message.Header(c.Head, "Location")
	if written == "" {
		return "", false
	}
	to, err := urlkey.Resolve(base, written)
	if err != nil || !urlkey.IsHTTP(to) {
		return "", false
	}
	return to, true
}

// row returns an attempt to fetch u as a row of the relation fetches. res is
// its response, asked the URL that was requested, and hop the number of
// redirects before it.
func (e *engine) row(u *report.Queued, res *fetch.Response, asked string, hop int) report.Fetch {
	f := report.Fetch{
		URL: asked, Time: record.At(e.now()), Outcome: res.Outcome, Reason: res.Reason,
		Elapsed: res.Elapsed, Bytes: -1, Hop: hop, Via: u.Via, Layer: u.Layer, Score: u.Score,
	}
	if c := res.Capture; c != nil {
		f.Time, f.Status, f.IP, f.Bytes = c.Time, c.Status, c.IP, int64(len(c.Body))
		if c.Spool != nil {
			f.Bytes = c.Spool.Size
		}
	}
	return f
}

// take receives t from its worker. After the first report it stores the
// response; after the last one it queues the links and moves t to e.done.
func (e *engine) take(ctx context.Context, t *fetchTask) error {
	if ctx.Err() != nil {
		e.abandon(t)
		return context.Cause(ctx)
	}
	if t.step == "fetch" {
		t.step = "extract"
		if err := e.handleResponse(ctx, t); err != nil {
			e.drop(t)
			return err
		}
	}
	if !t.final {
		close(t.fetched)
		return nil
	}
	e.free(t)
	if err := e.handleShown(ctx, t); err != nil {
		return err
	}
	if !t.again.IsZero() {
		e.unlimit(t)
		return nil
	}
	if t.err != nil {
		return t.err
	}
	begun := e.now()
	if err := e.queueLinks(t); err != nil {
		return err
	}
	t.took[report.StagePost] = e.now().Sub(begun)
	e.fillRow(t)
	t.res, t.first, t.known, t.links, t.forms, t.show = fetch.Response{}, nil, nil, nil, nil, t.show.small() // these are large, and t may wait long to be acknowledged
	e.done = append(e.done, t)
	return nil
}

// drop lets the worker of t end. It is called after storing the response of t has failed.
func (e *engine) drop(t *fetchTask) {
	if t.final {
		e.free(t)
		return
	}
	t.res.Capture = nil // it belongs to the sink
	close(t.fetched)
}

// handleResponse handles the response of t: it stores the response, or decides to
// try again, and says when the host may be asked again.
func (e *engine) handleResponse(ctx context.Context, t *fetchTask) error {
	h, err := e.host(t.u.Host)
	if err != nil {
		return err
	}
	if !t.again.IsZero() {
		return e.f.Return(t.u, t.again)
	}
	if t.had || e.unasked(t.u.URL) {
		return e.handleLocal(ctx, t)
	}
	now := e.now()
	if err := e.noteRequest(t, h, now); err != nil {
		return err
	}
	if t.entered.IsValid() && !t.showing() {
		e.manners.leave(t.entered, h.free)
	}
	e.countEnded(t)
	if t.robots {
		return e.handleRobots(ctx, t, h)
	}
	if err := e.releaseHost(t, h.next(now)); err != nil {
		return err
	}
	t.fetches = append(t.fetches, e.row(&t.u, &t.res, t.u.URL, t.u.Hop))
	switch {
	case t.u.Guessed && (t.missed || !t.leads()):
		e.miss(t)
		return nil
	case t.res.Capture == nil:
		e.planRetry(t, h)
		return nil
	case e.planRepeat(t, now):
		t.discard()
		return nil
	}
	t.came = true
	e.held += t.fetches[0].Bytes
	if e.o.SkipNoArchive && (t.asks.NoArchive || e.asks(t.res.Capture.Head).NoArchive) {
		row := &t.fetches[0]
		row.Outcome, row.Reason = report.OutcomeFiltered, noArchiveReason
		t.discard()
		return nil
	}
	return e.put(ctx, t)
}

// noArchiveReason is why a response is not stored if the crawl has the option SkipNoArchive.
const noArchiveReason = "it asks for no copy to be kept (noarchive)"

// discard closes and removes the response of t, which is not stored.
func (t *fetchTask) discard() {
	t.res.Capture.Close()
	t.res.Capture = nil
}

// noteRequest notes for h, the host of t, that a request of t ended at the time now: whether the
// host responded, and when it may be asked again.
func (e *engine) noteRequest(t *fetchTask, h *host, now time.Time) error {
	t.took[report.StageFetch] = t.res.Elapsed
	h.asked, h.took, h.polite, h.addr = now, t.res.Elapsed, true, t.entered
	h.tally.Delay = e.pause(t.u.Host, h, t.res.Elapsed)
	h.free = now.Add(h.tally.Delay)
	if e.shared != nil {
		e.monitor.touched[t.u.Host] = h // the next process that fetches from the host must know h.free
	}
	switch c := t.res.Capture; {
	case c == nil && fetch.Transient(t.res.Outcome):
		h.fails++
		h.polite = false
		h.free = now.Add(max(e.backoff(h.fails), h.free.Sub(now)))
		if !t.res.Ended {
			return e.noteUnanswered(t.u.Host, h, t.res.Outcome.String()+": "+t.res.Reason)
		}
	case c != nil:
		h.fails = 0
		if wait := fetch.RetryAfter(c, now); wait > 0 {
			h.polite = false
			h.free = now.Add(max(wait, h.free.Sub(now)))
		}
		return e.noteAnswered(t.u.Host, h)
	}
	return nil
}

// planRepeat decides whether the URL of t is requested again although there was a response, and
// sets t.retry to that time. discard reports whether the response is not stored, because the next
// one takes its place.
func (e *engine) planRepeat(t *fetchTask, now time.Time) (discard bool) {
	if t.u.Tries+1 >= triesMax {
		return false
	}
	c := t.res.Capture
	switch {
	case t.res.Outcome == report.OutcomeIncomplete && t.u.Tries == 0:
		t.retry = now.Add(e.backoff(1)) // the second response is kept, whole or not
		return true
	case c.Status >= 500, c.Status == 429, c.Status == 202:
		t.retry = now.Add(max(e.backoff(t.u.Tries+1), fetch.RetryAfter(c, now)))
	}
	return c.Status >= 500 || c.Status == 429
}

// miss records that t was guessed to be a sitemap and is none. The response
// is not stored, does not count as a page, and is not requested again. If it
// is a redirect, the redirect is followed.
func (e *engine) miss(t *fetchTask) {
	t.missed = true
	if t.res.Ended {
		t.retry = e.now() // the next run begins with it
	}
	row := &t.fetches[0]
	if row.Outcome == report.OutcomeOK {
		row.Reason = "it is not a sitemap, and is not stored"
	}
	c := t.res.Capture
	if c == nil {
		return
	}
	c.Close()
	if row.Outcome != report.OutcomeRedirect {
		t.res.Capture = nil
	}
}

// put stores the capture of t in the sink.
func (e *engine) put(ctx context.Context, t *fetchTask) error {
	begun := e.now()
	err := e.sink.Put(ctx, t.res.Capture)
	t.took[report.StageWrite] = e.now().Sub(begun)
	return err
}

// fillRow writes into the first row that t adds to the log of attempts how long t took in each
// stage, and how many links it had.
func (e *engine) fillRow(t *fetchTask) {
	if t.robots || len(t.fetches) == 0 {
		return
	}
	row := &t.fetches[0]
	row.Took, row.RobotsLine, row.Links, row.Queued, row.LeftOut = t.took, t.line, len(t.links), t.queued, t.leftOut
}

// unasked reports whether the URL u is fetched without asking a server: from
// the archive or from a file. For such a URL there are no pauses, and a
// failed attempt is not repeated.
func (e *engine) unasked(u string) bool {
	return e.o.FromArchive || strings.HasPrefix(u, fileScheme)
}

// handleLocal handles the result of t if it came from a file or from the archive, or if the crawl
// has stored it already. handleResponse does the same for a result that came from a server.
func (e *engine) handleLocal(ctx context.Context, t *fetchTask) error {
	t.fetches = append(t.fetches, e.row(&t.u, &t.res, t.u.URL, t.u.Hop))
	if err := e.releaseHost(t, time.Time{}); err != nil {
		return err
	}
	if t.res.Capture == nil {
		t.failed = true
		return nil
	}
	t.came = true
	if !t.counted {
		e.held += t.fetches[0].Bytes
	}
	if t.had {
		return nil
	}
	t.took[report.StageFetch] = t.res.Elapsed
	return e.put(ctx, t)
}

// countEnded records whether a limit or STOP ended the fetch of t.
func (e *engine) countEnded(t *fetchTask) {
	switch {
	case !t.res.Ended:
	case t.res.Capture != nil && !t.robots:
		e.ended.Cut++
	default:
		e.ended.Left++
	}
	if t.res.Ended {
		e.ended.Why = t.res.Reason
	}
}

// planRetry decides whether the URL of t, which got no response, is requested
// again, and sets t.retry to that time. h is its host.
func (e *engine) planRetry(t *fetchTask, h *host) {
	if t.res.Ended {
		t.retry = e.now() // the next run begins with it
		return
	}
	t.failed = true
	if t.res.Outcome == report.OutcomeDNSFailed {
		if t.u.Tries+1 < lookupsMax && h.fails < failsMax {
			t.retry = e.now().Add(fetch.LookupWait(t.u.Tries + 1))
		}
	} else if fetch.Transient(t.res.Outcome) && t.u.Tries+1 < triesMax && h.fails < failsMax {
		t.retry = e.now().Add(e.backoff(t.u.Tries + 1))
	}
}

// backoff returns how long to wait after n failures in a row. The result is
// random, between half and one and a half of a length that doubles with n.
func (e *engine) backoff(n int) time.Duration {
	first := backoffMax
	if e.o.Delay >= 0 {
		first = min(max(e.o.Delay, backoffMin), backoffMax)
	}
	d := first << min(n-1, 8)
	return d/2 + time.Duration(rand.Int64N(int64(d)))
}

// queueLinks queues the links of t, or the target if t is a redirect. It leaves out a
// link that a rule or the topic of the crawl excludes.
func (e *engine) queueLinks(t *fetchTask) error {
	if err := e.noteSoft(t); err != nil {
		return err
	}
	if t.missed {
		t.print = nil
	}
	barren, err := e.noteContent(t)
	if err != nil {
		return err
	}
	if err := e.countCharset(t); err != nil {
		return err
	}
	if c := t.res.Capture; c != nil && !t.robots && t.res.Outcome == report.OutcomeRedirect {
		return e.followRedirect(t, c)
	}
	if t.u.Guessed && t.came {
		if _, err := e.q.Meet(t.u.URL); err != nil {
			return err
		}
	}
	if err := e.submit(t); err != nil {
		return err
	}
	for i := range t.links {
		if err := e.queueLink(t, i, barren); err != nil {
			return err
		}
	}
	return nil
}

// queueLink queues the target of link i of t, unless a rule or the topic of the crawl excludes it.
// barren is the result of noteContent.
func (e *engine) queueLink(t *fetchTask, i, barren int) error {
	l := &t.links[i]
	u := report.Queued{URL: l.URL, Layer: t.u.Layer + 1, Via: t.u.URL, Sitemap: l.Sitemap, Score: t.u.Score, Hint: max(l.Priority, 0), Barren: barren}
	if t.focus.Promise != nil {
		u.Hint += order.Topic(t.focus.Similarity, t.focus.Promise[i])
	}
	if l.Requisite || l.Sitemap {
		u.Layer = t.u.Layer
	}
	if e.o.Depth >= 0 && u.Layer > e.o.Depth {
		return nil
	}
	if l.Unchanged {
		before, err := e.q.Meet(u.URL)
		if !before && err == nil {
			t.logFiltered(&u, "the archive has visited it since the date that "+t.u.URL+" gives for it")
		}
		return err
	}
	off, follow := e.follows(t, i)
	if !follow {
		return e.logNotFollowed(t, &u)
	}
	u.Off = off
	added, err := e.offer(t, u, l.Requisite)
	if !added && err == nil && l.Kind == markup.LinkRefresh && t.res.NewCookie {
		_, err = e.offerAgain(t, u)
	}
	return err
}

// followRedirect queues the target of the redirect c, which is the response of
// t. If the target is not queued, the row of t in the log of attempts says
// why.
func (e *engine) followRedirect(t *fetchTask, c *record.Capture) (err error) {
	row := &t.fetches[0]
	to, ok := location(t.u.Asked(), c)
	switch {
	case !ok:
		row.Reason = "a redirect that leads nowhere"
		return nil
	case t.u.Hop >= hopsMax:
		row.Reason = fmt.Sprintf("more than %d redirects", hopsMax)
		return nil
	}
	origin := t.u.Origin
	if origin == "" {
		origin = t.u.URL
	}
	u := report.Queued{
		URL: e.withoutVisit(to), Layer: t.u.Layer, Via: t.u.Via, Origin: origin, Hop: t.u.Hop + 1, Sitemap: t.u.Sitemap, Guessed: t.u.Guessed, Score: t.u.Score, Hint: t.u.Hint, Off: t.u.Off, Barren: t.u.Barren,
		Cookie: t.u.Cookie || t.res.NewCookie,
	}
	if t.u.Post != nil && (c.Status == 307 || c.Status == 308) {
		if u.URL, ok = postedTo(to, t.u.Post); ok {
			u.Post = t.u.Post
		}
	}
	loops := u.URL == t.u.URL || u.URL == origin
	added := false
	if !loops || !u.Guessed {
		added, err = e.offer(t, u, false)
	}
	if !added && err == nil && (u.Cookie || loops && t.res.ChangedCookie) {
		added, err = e.offerAgain(t, u)
	}
	if !added {
		row.Reason = "leads to " + to + ", which the crawl has met before or leaves out"
	}
	return err
}

// offerAgain queues a URL although the crawl has met it, because a new
// cookie may bring another response. It does so once per URL in a crawl,
// even if further cookies come. added reports whether u was queued.
func (e *engine) offerAgain(t *fetchTask, u report.Queued) (added bool, err error) {
	if e.refuses(&u, false) != "" {
		return false, nil
	}
	before, err := e.q.Meet(keyCookie + u.URL)
	if before || err != nil {
		return false, err
	}
	u.Forced = true
	if added, err = e.add(u); added {
		t.queued++
	}
	return added, err
}

// offer queues the URL u, which t led to, unless a rule leaves it out. added
// reports whether u was queued. A URL that is left out is logged once, but a
// guessed URL is not logged. A requisite (a file that is needed to show a
// page) may be outside the scope of the crawl.
func (e *engine) offer(t *fetchTask, u report.Queued, requisite bool) (added bool, err error) {
	why := e.refuses(&u, requisite)
	if u.Guessed {
		if why == "" {
			added, err = e.add(u)
		}
		return added, err
	}
	if why == "" {
		if met, err := e.metBefore(&u); met || err != nil {
			return false, err
		}
		if added, err = e.add(u); added {
			t.queued++
		} else if err == nil {
			err = e.raisePriority(&u)
		}
		return added, err
	}
	before, err := e.q.Meet(u.URL)
	if !before && err == nil {
		t.logFiltered(&u, why)
	}
	return false, err
}
