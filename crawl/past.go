package crawl

import (
	"context"
	"strings"
	"sync"
	"time"

	"infomall/store/record"
	"infomall/store/record/message"
)

// pastEvery is how often a crawl pins the archive again. A pin keeps merged
// files on disk until it is released.
const pastEvery = 10 * time.Minute

// past is what the archive has of pages. All workers use it; the engine pins it
// again now and then.
type past struct {
	mu sync.RWMutex
	p  Past
	at time.Time
}

// pin replaces the pinned content of the archive by p.
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

// page returns what the archive has of a page, and the request lines that ask
// the server whether it changed. ask is "" if the archive has nothing that a
// server could compare. An unreadable page counts as missing, so that it is
// fetched.
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

// last returns the last capture of a page before a time. Its body is missing if
// it is large or not in the archive.
func (x *past) last(ctx context.Context, url string, before record.Time) (k record.Known, p record.Payload, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	k, err = x.p.Known(ctx, url, before)
	if err == nil && k.Time != record.NoTime {
		p, err = x.p.Payload(ctx, k.Ref)
	}
	return k, p, err
}

// validators returns the request lines that ask for a page only if it differs
// from the one that came with head. It returns "" if head has neither ETag nor
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

// isLine reports whether a value that a server sent may be sent back in a
// request line.
func isLine(v string) bool {
	return v != "" && len(v) <= 1024 && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f })
}
