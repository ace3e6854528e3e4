package s3

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Stats counts what a client has done.
type Stats struct {
	Requests int64 // HTTP requests, with repetitions
	Repeated int64 // requests that repeated a failed one
	In       int64 // bytes of bodies received
	// Rounds is how many requests had to wait for one another: the number of requests in
	// the longest chain in which each request began after the one before it had ended.
	Rounds int64
}

// meter is an http.RoundTripper that counts requests and bytes.
type meter struct {
	base *http.Transport
	mu   sync.Mutex
	sum  Stats     // the counts so far
	date time.Time // the Date of the last answer
	seen time.Time // when that answer came, by the clock of this machine
}

// now returns the present time by the clock of the store, or the time of this machine if the
// store has not answered yet.
func (m *meter) now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.date.IsZero() {
		return time.Now()
	}
	return m.date.Add(time.Since(m.seen))
}

func (m *meter) stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sum
}

func (m *meter) repeat() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Repeated++
}

// dateKey is the key in a context under which withDate stores the address of a variable for the
// date of an answer.
type dateKey struct{}

// withDate returns a context for one request. When the answer comes, RoundTrip sets *date to its
// time, by the clock of the store.
func withDate(ctx context.Context, date *time.Time) context.Context {
	return context.WithValue(ctx, dateKey{}, date)
}

// RoundTrip implements http.RoundTripper, and counts the request and its bytes. The request
// counts as ended when the body of its answer was read to the end or closed.
func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.mu.Lock()
	m.sum.Requests++
	depth := m.sum.Rounds + 1
	m.mu.Unlock()
	resp, err := m.base.RoundTrip(r)
	if err != nil {
		m.end(depth, 0)
		return nil, err
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		m.mu.Lock()
		m.date, m.seen = at, time.Now()
		m.mu.Unlock()
		if date, ok := r.Context().Value(dateKey{}).(*time.Time); ok {
			*date = at
		}
	}
	resp.Body = &meteredBody{ReadCloser: resp.Body, end: sync.OnceFunc(func() { m.end(depth, 0) }), add: func(n int) { m.end(0, n) }}
	return resp, nil
}

// end adds n received bytes to the statistics. depth is the number of the ended request in its
// chain of requests (see Stats.Rounds), or 0 if no request has ended.
func (m *meter) end(depth int64, n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum.Rounds = max(m.sum.Rounds, depth)
	m.sum.In += int64(n)
}

type meteredBody struct {
	io.ReadCloser
	end func()
	add func(n int)
}

func (b *meteredBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.add(n)
	if err != nil {
		b.end()
	}
	return n, err
}

func (b *meteredBody) Close() error {
	b.end()
	return b.ReadCloser.Close()
}
