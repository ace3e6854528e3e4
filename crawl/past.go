package crawl

import (
	"context"
	"strings"
	"sync"
	"time"

	"infomall/store/record"
)

// pastEvery is how often a crawl pins the archive anew. What is pinned keeps
// files that have been merged.
const pastEvery = 10 * time.Minute

// past is what the archive holds of pages. It is used by all workers, and
// pinned anew by the engine.
type past struct {
	mu sync.RWMutex
	p  Past
	at time.Time
}

// pin has p take the place of what was pinned.
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

// page gives what the archive has of a page that a server may call not
// modified, and the lines to ask it so; these are "" where there is nothing to go
// by. What cannot be read is as if it was not there: the page is fetched.
func (x *past) page(ctx context.Context, url string) (p record.Payload, ask string) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err := x.p.Known(ctx, url, record.MaxTime)
	if err != nil || k.Time == record.NoTime || k.Status != 200 && k.Status != 203 || k.Truncated {
		return p, ""
	}
	p, err = x.p.Payload(ctx, k.Ref)
	if err != nil || p.NoBody != "" || p.Large != nil {
		return p, ""
	}
	return p, validators(p.Head)
}

// last gives what the archive has of a page before a time. A body that is large
// or not there is left out.
func (x *past) last(ctx context.Context, url string, before record.Time) (k record.Known, p record.Payload, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err = x.p.Known(ctx, url, before)
	if err == nil && k.Time != record.NoTime {
		p, err = x.p.Payload(ctx, k.Ref)
	}
	return k, p, err
}

// validators are the lines that ask for a page only if it is another than the
// one that came with head; "" where that says nothing.
func validators(head []byte) string {
	lines := ""
	for _, v := range []struct{ from, to string }{{"ETag", "If-None-Match"}, {"Last-Modified", "If-Modified-Since"}} {
		if value := record.Header(head, v.from); isLine(value) {
			lines += v.to + ": " + value + "\r\n"
		}
	}
	return lines
}

// isLine reports whether a value that a server sent once may be sent back.
func isLine(v string) bool {
	return v != "" && len(v) <= 1024 && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f })
}
