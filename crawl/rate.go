package crawl

import (
	"context"
	"sync"
	"time"
)

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
