package fetch

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// quotaOver is the number of bytes by which a quota may be exceeded. So pages that are being
// received when the quota is reached are received whole, unless they are large.
const quotaOver = 1 << 20

// quota bounds the bytes of bodies that all requests together receive. A nil
// quota has no bound.
type quota struct {
	max  int64
	left atomic.Int64
}

// newQuota returns a quota of max bytes, of which received bytes are spent
// already. It returns nil if max is 0.
func newQuota(max, received int64) *quota {
	if max == 0 {
		return nil
	}
	q := &quota{max: max}
	q.left.Store(max + quotaOver - received)
	return q
}

// spend subtracts n received bytes from the quota. It returns an *EndedError
// if nothing is left then.
func (q *quota) spend(n int) error {
	if q == nil || q.left.Add(-int64(n)) > 0 {
		return nil
	}
	return &EndedError{fmt.Sprintf("the crawl reached its LIMIT of %d bytes", q.max)}
}

// spent reports whether nothing of the quota is left.
func (q *quota) spent() bool { return q != nil && q.left.Load() <= 0 }

// rate bounds the bytes per second that all requests together receive. A nil
// rate has no bound.
type rate struct {
	bytes int64 // a second
	now   func() time.Time

	mu   sync.Mutex
	free time.Time // the time from which on all bytes received so far are within the rate
}

// newRate returns a rate of the given number of bytes per second, or nil if
// bytes is 0.
func newRate(bytes int64, now func() time.Time) *rate {
	if bytes == 0 {
		return nil
	}
	return &rate{bytes: bytes, now: now}
}

// spend counts n received bytes, waits until they are within the rate, and
// returns how long it waited. If ctx ends meanwhile, it returns the cause.
func (r *rate) spend(ctx context.Context, n int) (time.Duration, error) {
	if r == nil {
		return 0, nil
	}
	r.mu.Lock()
	now := r.now()
	if r.free.Before(now) {
		r.free = now
	}
	r.free = r.free.Add(time.Duration(float64(n) / float64(r.bytes) * float64(time.Second)))
	wait := r.free.Sub(now)
	r.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return wait, nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}
