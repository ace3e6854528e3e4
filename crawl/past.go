package crawl

import (
	"context"
	"strings"
	"sync"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/message"
)

// pastEvery is how often a crawl pins the archive again, to see what was
// added. As long as a pin is held, the archive keeps files that it has
// merged into others.
const pastEvery = 10 * time.Minute

// past is the archive's content when the crawl last pinned it. All workers
// use it. The engine replaces the pin from time to time.
type past struct {
	mu sync.RWMutex
	p  Past
	at time.Time
}

// pin replaces the pinned content of the archive by p, which may be nil, and
// closes the old pin. now is the current time.
func (x *past) pin(p Past, now time.Time) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	old := x.p
	x.p, x.at = p, now
	if old == nil {
		return nil
	}
	return old.Close()
}

// validators returns the last response that the archive has for a URL, and header
// lines for a request that ask the server to send the page only if it has changed.
// The lines are "" if the archive lacks the page or its body, or if the stored
// response has nothing to compare with. The body is not read yet, because most
// servers send the page anyway.
func (x *past) validators(ctx context.Context, url string) (ref record.Ref, lines string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err := x.p.Known(ctx, url, record.MaxTime)
	if err != nil || k.Time == record.NoTime || k.Status != 200 && k.Status != 203 || k.Truncated || k.Bytes < 0 || k.Bytes > record.LargeBody {
		return ref, ""
	}
	head, err := x.p.Head(ctx, k.Ref)
	if err != nil {
		return ref, ""
	}
	return k.Ref, validators(head)
}

// unchanged returns the stored response that ref identifies; validators returned ref before. ok
// is false if the body of the response cannot be read, for example because it was deleted since.
func (x *past) unchanged(ctx context.Context, ref record.Ref) (p record.Payload, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, err := x.p.Payload(ctx, ref)
	return p, err == nil && p.NoBody == "" && p.Large == nil
}

// visitedSince reports whether the archive has a response for a URL from t or later that
// is no error. It returns false for the zero time.
func (x *past) visitedSince(ctx context.Context, url string, t time.Time) bool {
	if t.IsZero() {
		return false
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err := x.p.Known(ctx, url, record.MaxTime)
	return err == nil && k.Time != record.NoTime && k.Time >= record.At(t) && k.Status < 400 && !k.Truncated
}

// has reports whether the last capture of a URL has the time t.
func (x *past) has(ctx context.Context, url string, t record.Time) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err := x.p.Known(ctx, url, record.MaxTime)
	return err == nil && k.Time == t
}

// last returns the last capture of a URL before a time, and its stored
// response. If there is none, k.Time is NoTime. p has no body if the body is
// large or not in the archive.
func (x *past) last(ctx context.Context, url string, before record.Time) (k record.Known, p record.Payload, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err = x.p.Known(ctx, url, before)
	if err == nil && k.Time != record.NoTime {
		p, err = x.p.Payload(ctx, k.Ref)
	}
	return k, p, err
}

// blocked returns why the block-list of the archive keeps a URL out that is fetched at
// time t, or "" if it does not.
func (x *past) blocked(url string, t time.Time) (why string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, err := x.p.Blocked(context.Background(), url, record.At(t))
	if n == 0 || err != nil {
		return "", err
	}
	return report.BlockedBy(n), nil
}

// validators returns header lines for a request that ask for a page only if
// it has changed since the response with the given head: If-None-Match and
// If-Modified-Since. It returns "" if head has neither ETag nor
// Last-Modified.
func validators(head []byte) string {
	lines := ""
	for _, v := range []struct{ from, to string }{{"ETag", "If-None-Match"}, {"Last-Modified", "If-Modified-Since"}} {
		if value := message.Header(head, v.from); isLine(value) {
			lines += v.to + ": " + value + "\r\n"
		}
	}
	return lines
}

// isLine reports whether the header value v, which a server sent, may be
// sent back in a header line of a request: it is not empty or too long, and
// has no control characters.
func isLine(v string) bool {
	return v != "" && len(v) <= 1024 && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f })
}
