package crawl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// call is a function that another goroutine hands to the engine. The engine runs it, because the
// function uses the state of the crawl. An error of the function ends the crawl.
type call struct {
	run  func(ctx context.Context) error // ctx is that of the crawl
	done chan struct{}                   // closed when the function has returned
}

// call has the engine run f, and returns when f has returned. It returns the error of ctx,
// and does not run f, if ctx ends before the engine has time.
func (e *engine) call(ctx context.Context, f func(context.Context) error) error {
	c := &call{f, make(chan struct{})}
	select {
	case e.calls <- c:
		<-c.done
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// visitor answers the requests that a browser makes for one page. It decides like the
// crawl: robots.txt, the rules, the limits and the guard hold for every request.
type visitor struct {
	e     *engine
	ctx   context.Context // of the worker
	s     *showing
	url   string // of the page
	layer int
}

// refusal is the error for a request that is not sent. Its text is the reason.
type refusal struct {
	outcome report.Outcome
	why     string
}

func (r *refusal) Error() string { return r.why }

// send answers the request r; see render.Page. The page itself, and every part that the
// crawl has already, is answered without asking a server.
func (v *visitor) send(ctx context.Context, r *render.Request) (*render.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(v.ctx, func() { cancel(context.Cause(v.ctx)) })()
	u, err := urlkey.Canonical(r.URL)
	if err != nil {
		return nil, v.count(err)
	}
	get := r.Method == "GET" && !r.Socket
	if get && u == v.url {
		return &v.s.main, nil
	}
	if err := v.allow(ctx, u, r); err != nil {
		var no *refusal
		if errors.As(err, &no) {
			err = errors.Join(v.log(ctx, u, no), err)
		}
		return nil, v.count(err)
	}
	if !get || v.mustAskAgain(u) {
		res, err := v.fetch(ctx, u, r)
		return res, v.count(err)
	}
	res, err := v.e.parts.take(ctx, u)
	if res != nil || err != nil {
		return res, v.count(err)
	}
	defer v.e.parts.done(u)
	if res = v.e.recallPart(ctx, u); res != nil {
		return res, v.count(nil)
	}
	res, err = v.fetch(ctx, u, r)
	return res, v.count(err)
}

// count counts a request of the page. err is nil if the request was answered; count returns err.
func (v *visitor) count(err error) error {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	if err == nil {
		v.s.parts++
	} else {
		v.s.refused++
	}
	return err
}

// mustAskAgain notes that the page requests the part u, and reports whether the server must be
// asked for it although the crawl has it. It must be asked if the same page has requested the
// part before, and the response says that it must not be stored or used again.
func (v *visitor) mustAskAgain(u string) bool {
	v.s.mu.Lock()
	before := v.s.asked[u]
	v.s.asked[u] = true
	v.s.mu.Unlock()
	if !before {
		return false
	}
	r := v.e.parts.have(u)
	if r == nil {
		return false
	}
	control := strings.ToLower(message.Header(r.Head, "Cache-Control"))
	return strings.Contains(control, "no-store") || strings.Contains(control, "no-cache") || strings.Contains(control, "max-age=0")
}

// methods are the methods of requests that a page may send. Other methods, such as DELETE, are
// meant to change something on the server.
var methods = []string{"GET", "HEAD", "POST", "OPTIONS"}

// allow returns nil if the request r for the URL u may be sent, a *refusal if not, and
// otherwise the error of ctx. It may fetch the robots.txt of the host.
func (v *visitor) allow(ctx context.Context, u string, r *render.Request) error {
	e := v.e
	if !slices.Contains(methods, r.Method) {
		return &refusal{report.OutcomeFiltered, "a crawl sends no " + r.Method}
	}
	// A document that takes the place of the page is a page, and no part.
	document := r.Main || strings.EqualFold(header(r.Head, "Sec-Fetch-Dest"), "document")
	for {
		var no *refusal
		var wait chan struct{}
		var fetchRobots bool
		err := e.call(ctx, func(context.Context) (err error) {
			var h *host
			if no, h, err = e.refusePart(u, document); no != nil || err != nil {
				return err
			}
			if e.o.IgnoreRobots {
				return nil
			}
			if h.stale(e.now()) {
				if fetchRobots = h.asking == nil; fetchRobots {
					h.asking = make(chan struct{})
				}
				wait = h.asking
				return nil
			}
			if d := h.group.Decide(u); !d.Allowed {
				no = &refusal{report.OutcomeRobotsDenied, d.Reason}
			}
			return nil
		})
		switch {
		case err != nil:
			return err
		case no != nil:
			return no
		case wait == nil:
			return nil
		case fetchRobots:
			if err := v.fetchRobots(u); err != nil {
				return err
			}
		default:
			select {
			case <-wait:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}

// refusePart returns why the URL u, which a page needs, is not requested, or nil if only
// robots.txt may forbid it. h is its host. document says that u would replace the page; u must
// then be in the scope of the crawl, while other parts may be outside of it.
func (e *engine) refusePart(u string, document bool) (no *refusal, h *host, err error) {
	now := e.now()
	filtered := func(why string) (*refusal, *host, error) {
		return &refusal{report.OutcomeFiltered, why}, nil, nil
	}
	if !urlkey.IsHTTP(u) {
		return filtered("neither http nor https")
	}
	if why := e.rules.refuse(u, !document); why != "" {
		return filtered(why)
	}
	if why, err := e.past.blocked(u, now); why != "" || err != nil {
		return &refusal{report.OutcomeFiltered, why}, nil, err
	}
	if why := e.over(); why != "" {
		return filtered(why)
	}
	if e.client.QuotaSpent() || e.o.MaxBytes > 0 && e.crawl.Bytes+e.held >= e.o.MaxBytes {
		return filtered("the crawl reached its LIMIT of bytes")
	}
	if h, err = e.host(hostOf(u)); err != nil {
		return nil, nil, err
	}
	if now.Before(h.shut) {
		return h.shutBy, nil, nil
	}
	return nil, h, nil
}

// Bounds of requests for parts of pages.
const (
	robotsWait = 30 * time.Second // for a robots.txt that a part waits for
	shutFor    = time.Minute      // how long no part is requested from a host that does not answer
)

// fetchRobots fetches the robots.txt for u, the URL of a part, and has the engine store and
// obey it. Other requests for parts of the host wait for it.
func (v *visitor) fetchRobots(u string) error {
	e := v.e
	t := &fetchTask{u: report.Queued{URL: u, Host: hostOf(u), Via: v.url, Layer: v.layer}, robots: true, part: true}
	ctx, cancel := context.WithTimeout(v.ctx, robotsWait)
	defer cancel()
	e.fetchRobots(ctx, t)
	err := e.call(v.ctx, func(ctx context.Context) error { return e.robotsOfPart(ctx, t) })
	if err != nil {
		for _, c := range t.captures {
			c.Close()
		}
	}
	return err
}

// robotsOfPart handles the robots.txt that t has fetched for a part of a page.
func (e *engine) robotsOfPart(ctx context.Context, t *fetchTask) error {
	h, err := e.host(t.u.Host)
	if err != nil {
		return err
	}
	close(h.asking)
	h.asking = nil
	if len(t.captures) == 0 {
		h.shut, h.shutBy = e.now().Add(shutFor), &refusal{t.res.Outcome, "robots.txt does not come: " + t.res.Reason}
		asked, err := urlkey.Resolve(t.u.URL, "/robots.txt")
		if err != nil {
			return err
		}
		row := e.row(&t.u, &t.res, asked, 0)
		return e.q.Log(&row)
	}
	f, err := e.storeRobots(ctx, t, h)
	if err != nil {
		return err
	}
	if f != nil && e.rules.refuse(t.u.URL, false) == "" {
		if err := e.sitemaps(t, t.fetches[0].URL, f, h); err != nil {
			return err
		}
	}
	for i := range t.fetches {
		if err := e.q.Log(&t.fetches[i]); err != nil {
			return err
		}
	}
	return nil
}

// log logs that the request for the URL u was refused, once for each URL in a crawl.
func (v *visitor) log(ctx context.Context, u string, no *refusal) error {
	return v.e.call(ctx, func(context.Context) error {
		before, err := v.e.q.Leave(u)
		if before || err != nil {
			return err
		}
		return v.e.q.Log(&report.Fetch{
			URL: u, Time: record.At(v.e.now()), Outcome: no.outcome, Bytes: -1, Via: v.url, Layer: v.layer, Reason: no.why,
		})
	})
}

// fetch sends the request r for the URL u, has the engine store the response, and returns
// the response for the browser.
func (v *visitor) fetch(ctx context.Context, u string, r *render.Request) (*render.Response, error) {
	e := v.e
	parsed, err := fetch.ParseURL(u)
	if err != nil {
		return nil, err
	}
	send := fetch.Request{
		URL: parsed, Method: r.Method, Header: partHeader(r.Head, r.Socket), Body: r.Body, Browser: true, Socket: r.Socket,
	}
	var res fetch.Response
	if send.Addr, err = e.client.Resolve(ctx, parsed); err != nil {
		res = fetch.Failed(ctx, err)
	} else {
		res = e.client.Do(ctx, send)
	}
	if res.Capture == nil && ctx.Err() != nil {
		return nil, context.Cause(ctx) // the page is gone, or the crawl ends
	}
	if res.Unsent {
		return nil, errors.New(res.Reason)
	}
	var answer *render.Response
	if c := res.Capture; c != nil {
		if answer, err = answerOf(c); err != nil {
			c.Close()
			return nil, err
		}
	}
	var no error
	err = e.call(v.ctx, func(ctx context.Context) (err error) {
		no, err = e.takePart(ctx, v, u, r, &res, answer)
		return err
	})
	switch {
	case err != nil:
		if res.Capture != nil {
			res.Capture.Close()
		}
		return nil, err
	case no != nil:
		return nil, no
	case answer == nil:
		return nil, errors.New(res.Outcome.String() + ": " + res.Reason)
	}
	return answer, nil
}

// answerOf returns the response c as the browser gets it. The result is nil, without an
// error, if the body is larger than partBytesMax.
func answerOf(c *record.Capture) (*render.Response, error) {
	if c.Spool == nil {
		return &render.Response{Head: c.Head, Body: c.Body}, nil
	}
	if c.Spool.Size > partBytesMax {
		return nil, nil
	}
	body, err := io.ReadAll(io.NewSectionReader(c.Spool.File, 0, c.Spool.Size))
	return &render.Response{Head: c.Head, Body: body}, err
}

// takePart stores res, the response to the request r for the URL u that the page of v needs, and
// logs it. answer is the response for the browser; nil if there is none. no is the reason why
// the browser does not get the response, or nil if it gets the response.
func (e *engine) takePart(ctx context.Context, v *visitor, u string, r *render.Request, res *fetch.Response, answer *render.Response) (no, err error) {
	row := e.row(&report.Queued{Via: v.url, Layer: v.layer}, res, u, 0)
	c := res.Capture
	whole := c != nil && !c.Truncated && (res.Outcome == report.OutcomeOK || res.Outcome == report.OutcomeRedirect || res.Outcome == report.OutcomeHTTPError)
	why := "a part of the page"
	switch {
	case c == nil:
		why = ""
	case r.Method == "HEAD" || r.Method == "OPTIONS":
		why = r.Method + ", whose response is not stored"
	case e.o.SkipNoArchive && e.asks(c.Head).NoArchive:
		why = noArchiveReason
		row.Outcome = report.OutcomeFiltered
	default:
		row.URL = urlkey.WithBody(u, r.Method, header(r.Head, "Content-Type"), r.Body)
		c.AskedURL = row.URL
		if err := e.sink.Put(ctx, c); err != nil {
			return nil, err
		}
		res.Capture = nil // it belongs to the sink
		if whole && r.Method == "GET" && !e.leadsOn(u, c) {
			if _, err := e.q.Meet(u); err != nil {
				return nil, err
			}
		}
	}
	if row.Reason == "" {
		row.Reason = why
	}
	if h := e.hosts[hostOf(u)]; h != nil && c != nil {
		if wait := fetch.RetryAfter(c, e.now()); wait > 0 {
			h.shut, h.shutBy = e.now().Add(wait), &refusal{report.OutcomeHTTPError, fmt.Sprintf("its host asked for a pause with status %d", c.Status)}
		}
	} else if h != nil && fetch.Transient(res.Outcome) && res.Outcome != report.OutcomeTimeout {
		h.shut, h.shutBy = e.now().Add(shutFor), &refusal{res.Outcome, "its host did not answer: " + res.Reason}
	}
	if res.Capture != nil {
		res.Capture.Close()
		res.Capture = nil
	}
	e.crawl.Bytes += max(row.Bytes, 0)
	if whole && answer != nil && r.Method == "GET" && !r.Socket && isReusable(c.Status) {
		e.parts.put(u, answer)
	}
	if c != nil && answer == nil {
		no = fmt.Errorf("its body is larger than %d bytes", partBytesMax)
	}
	return no, e.q.Log(&row)
}

// leadsOn reports whether c, the response to a request for the URL u, may be a page of the
// crawl as well as a part of another one. The URL then stays new to the crawl.
func (e *engine) leadsOn(u string, c *record.Capture) bool {
	return mayLead(message.Mime(contentType(c, c.Head))) && e.rules.refuse(u, false) == ""
}

// header returns the value of the header called name in lines, header lines without a
// status line; "" if there is none.
func header(lines []byte, name string) string {
	for line := range bytes.Lines(lines) {
		key, value, ok := bytes.Cut(line, []byte(":"))
		if ok && strings.EqualFold(string(key), name) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

// ownHeaders are the headers that are removed from the requests of a browser: the client sets
// them itself, or they would make the server send only a part of the response, or none.
var ownHeaders = []string{
	"host", "user-agent", "connection", "content-length", "transfer-encoding", "keep-alive", "te", "trailer", "expect", "upgrade",
	"proxy-connection", "proxy-authorization", "range", "if-range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
}

// partHeader returns the header lines of a browser's request that are sent to the server.
// socket says that the request begins a WebSocket, which keeps its Upgrade.
func partHeader(lines []byte, socket bool) string {
	var b strings.Builder
	for line := range bytes.Lines(lines) {
		key, _, ok := bytes.Cut(line, []byte(":"))
		name := strings.ToLower(string(key))
		if !ok || slices.Contains(ownHeaders, name) && !(socket && name == "upgrade") {
			continue
		}
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteString("\r\n")
	}
	return b.String()
}
