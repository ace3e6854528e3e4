package crawl

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// quotaOver is how many bytes more than the limit of a crawl may come: pages that
// are under way when it is reached are received whole, and only what is much larger
// is cut.
const quotaOver = 1 << 20

// quota bounds the bytes of bodies that all workers receive together. The nil
// quota has no bound.
type quota struct {
	max  int64
	left atomic.Int64
}

// newQuota returns the quota of a crawl that may receive max bytes, of which it has
// received some; nil if max is 0.
func newQuota(max, received int64) *quota {
	if max == 0 {
		return nil
	}
	q := &quota{max: max}
	q.left.Store(max + quotaOver - received)
	return q
}

// spend takes n bytes that were received from the quota. The error is an
// *endedError once nothing is left.
func (q *quota) spend(n int) error {
	if q == nil || q.left.Add(-int64(n)) > 0 {
		return nil
	}
	return &endedError{fmt.Sprintf("the crawl reached its LIMIT of %d bytes", q.max)}
}

// spent reports whether nothing is left.
func (q *quota) spent() bool { return q != nil && q.left.Load() <= 0 }

// rate bounds the bytes a second that all workers read together. The nil rate
// has no bound.
type rate struct {
	bytes int64 // a second
	now   func() time.Time

	mu   sync.Mutex
	free time.Time // when all that was read so far is paid for
}

func newRate(bytes int64, now func() time.Time) *rate {
	if bytes == 0 {
		return nil
	}
	return &rate{bytes: bytes, now: now}
}

// spend waits until n bytes that were read are paid for, and tells how long that
// was.
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
