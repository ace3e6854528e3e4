package crawl

import (
	"context"
	"os"
	"sync"

	"infomall/crawl/fetch"
	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
)

// Bounds of the parts that a crawl keeps for further pages. When one is exceeded, all
// parts are forgotten.
const (
	partsBytesMax = 1 << 30
	partsMax      = 100_000
	partBytesMax  = 32 << 20 // of one response; a browser gets none that is larger
)

// parts are the responses to requests of pages that a browser showed. A crawl asks for
// each part once, however many pages have it: it is read again from a temporary file. The
// zero value has none. Several goroutines may use it.
type parts struct {
	mu     sync.Mutex
	file   *os.File                 // has no name any more; nil before the first part
	end    int64                    // length of file
	at     map[string]partPlace     // by URL
	flying map[string]chan struct{} // by URL: closed when the goroutine that asks for it is done
	forgot bool                     // parts were forgotten
}

// partPlace says where in the file of parts a response is stored.
type partPlace struct {
	at         int64
	head, body int // lengths
}

// close closes the file of parts, which frees its room on disk.
func (p *parts) close() {
	if p.file != nil {
		p.file.Close()
	}
}

// have returns the response to the URL url, or nil if p has none.
func (p *parts) have(url string) *render.Response {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.read(url)
}

// read is like have for a caller that has locked p.mu. A part that cannot be read counts
// as one that p does not have.
func (p *parts) read(url string) *render.Response {
	x, ok := p.at[url]
	if !ok {
		return nil
	}
	b := make([]byte, x.head+x.body)
	if _, err := p.file.ReadAt(b, x.at); err != nil {
		delete(p.at, url)
		return nil
	}
	return &render.Response{Head: b[:x.head:x.head], Body: b[x.head:]}
}

// take returns the response to the URL url. If p has none and another goroutine is asking the
// server for it, take waits until that goroutine is done or ctx ends. If no other goroutine is
// asking, the result is nil: the caller then asks the server and calls done.
func (p *parts) take(ctx context.Context, url string) (*render.Response, error) {
	for {
		p.mu.Lock()
		if r := p.read(url); r != nil {
			p.mu.Unlock()
			return r, nil
		}
		wait := p.flying[url]
		if wait == nil {
			if p.flying == nil {
				p.flying = make(map[string]chan struct{})
			}
			p.flying[url] = make(chan struct{})
			p.mu.Unlock()
			return nil, nil
		}
		p.mu.Unlock()
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// done says that the goroutine that got nil from take for the URL url has asked for it.
// Goroutines that wait for this URL in take go on.
func (p *parts) done(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.flying[url])
	delete(p.flying, url)
}

// put keeps the response r to the URL url. If the file cannot be written, p does not have
// the response, and the crawl asks for it again.
func (p *parts) put(url string, r *render.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	size := int64(len(r.Head) + len(r.Body))
	if p.end+size > partsBytesMax || len(p.at) >= partsMax {
		p.at, p.end, p.forgot = nil, 0, true
		if err := p.file.Truncate(0); err != nil {
			return
		}
	}
	if p.file == nil {
		f, err := os.CreateTemp("", "infomall-parts-*")
		if err != nil {
			return
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return
		}
		p.file = f
	}
	if p.at == nil {
		p.at = make(map[string]partPlace)
	}
	for i, b := range [][]byte{r.Head, r.Body} {
		if _, err := p.file.WriteAt(b, p.end+int64(i*len(r.Head))); err != nil {
			return
		}
	}
	p.at[url] = partPlace{at: p.end, head: len(r.Head), body: len(r.Body)}
	p.end += size
}

// mayHaveForgotten reports whether the crawl may have asked for parts that p does not have:
// because e.parts forgot them, or because an earlier run of the crawl asked for them.
func (e *engine) mayHaveForgotten() bool {
	e.parts.mu.Lock()
	defer e.parts.mu.Unlock()
	return e.resumed || e.parts.forgot
}

// recallPart returns the response to the URL url that this crawl stored in the archive, or
// nil if there is none. It finds only responses that the archive had when the crawl last
// pinned it.
func (e *engine) recallPart(ctx context.Context, url string) *render.Response {
	if !e.mayHaveForgotten() {
		return nil
	}
	k, r := e.lastStored(ctx, url)
	if r == nil || k.Time < e.crawlBegan {
		return nil
	}
	e.parts.put(url, r)
	return r
}

// lastStored returns the last response to the URL url in the archive. r is nil if there is
// none, if it is not whole, or if it is not reusable.
func (e *engine) lastStored(ctx context.Context, url string) (k record.Known, r *render.Response) {
	k, p, err := e.past.last(ctx, url, record.MaxTime)
	if err != nil || k.Time == record.NoTime || k.Truncated || p.NoBody != "" || p.Large != nil || len(p.Head) == 0 || !isReusable(k.Status) {
		return k, nil
	}
	return k, &render.Response{Head: p.Head, Body: p.Body}
}

// isReusable reports whether a response with this status is used again for further pages. Other
// statuses say that the server may answer differently the next time.
func isReusable(status int) bool {
	return status == 200 || status == 203 || status == 204 || status >= 300 && status < 400 && status != 304 || status == 404 || status == 410
}

// cameBefore uses a response that the crawl has stored already, if there is one: it sets the
// response of t, and t.had. Such a response was stored as a part of a page that a browser showed.
// Or an earlier run fetched it as a page, but was killed before a browser showed the page.
func (e *engine) cameBefore(ctx context.Context, t *fetchTask) {
	if e.o.Render == nil || t.u.Forced {
		return
	}
	if r := e.parts.have(t.u.URL); r != nil && t.after < e.crawlBegan {
		t.setBefore(r, record.At(e.now()), "it came as a part of a page that was shown")
		t.counted = true
		return
	}
	if !e.resumed {
		return
	}
	k, r := e.lastStored(ctx, t.u.URL)
	if r == nil || k.Visited < e.crawlBegan || k.Visited <= t.after {
		return
	}
	t.setBefore(r, k.Visited, "an earlier run of the crawl has stored it")
	if k.Time < e.crawlBegan {
		// The earlier run learnt that the page of the archive is unchanged.
		t.known = &record.Payload{Head: r.Head, Body: r.Body}
		t.res.Capture.Status, t.res.Capture.Head, t.res.Capture.Body = 304, nil, nil
		t.res.Outcome = report.OutcomeNotModified
	}
}

// setBefore makes r, which the crawl stored at the time at, the response of t. The
// parameter why is the reason in the log of attempts.
func (t *fetchTask) setBefore(r *render.Response, at record.Time, why string) {
	c := &record.Capture{AskedURL: t.u.URL, Origin: t.u.Origin, Time: at, Status: message.Status(r.Head), Head: r.Head, Body: r.Body, RefersTime: record.NoTime}
	t.res, t.had = fetch.Response{Capture: c, Outcome: fetch.OutcomeOf(c), Reason: why}, true
}
