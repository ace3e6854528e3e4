package fetch

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// Bounds of the addresses that a client remembers. A host is looked up again after
// addrLifetime, because sites move. A failed look-up is repeated soon, because the
// fault may be temporary.
const (
	addrLifetime  = 10 * time.Minute
	lookupWaitMin = time.Second // after the first failure; the wait doubles with each further one
	lookupWaitMax = 90 * time.Second
	namesMax      = 100_000
	lookupMax     = 30 * time.Second // duration of one look-up
)

// names looks up the addresses of hosts and remembers them. It looks up a host once
// at a time. It may be used from many goroutines.
type names struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	now    func() time.Time

	mu   sync.Mutex
	host map[string]*name
}

// name is a host and the outcome of its look-up. All fields but done may be read
// once done is closed.
type name struct {
	done    chan struct{}
	addrs   []netip.Addr
	err     error
	fails   int // in a row
	expires time.Time
}

// addrsOf returns the addresses of a host, at least one.
func (n *names) addrsOf(ctx context.Context, host string) ([]netip.Addr, error) {
	for {
		x, ours := n.claim(host)
		if ours {
			n.find(ctx, host, x)
			return x.addrs, x.err
		}
		select {
		case <-x.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if x.err == nil || !errors.Is(x.err, context.Canceled) {
			return x.addrs, x.err
		}
	}
}

// claim returns the entry of a host. It reports ours if the caller must look up the
// host; else the entry is complete, or another caller looks it up.
func (n *names) claim(host string) (x *name, ours bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fails := 0
	if x = n.host[host]; x != nil {
		select {
		case <-x.done:
		default:
			return x, false // another looks it up
		}
		if n.now().Before(x.expires) {
			return x, false
		}
		fails = x.fails
	}
	if n.host == nil || len(n.host) >= namesMax {
		n.host = make(map[string]*name)
	}
	x = &name{done: make(chan struct{}), fails: fails}
	n.host[host] = x
	return x, true
}

// find looks up a host and completes its entry x.
func (n *names) find(ctx context.Context, host string, x *name) {
	defer close(x.done)
	limited, cancel := context.WithTimeout(ctx, lookupMax)
	defer cancel()
	x.addrs, x.err = n.lookup(limited, host)
	if x.err == nil && len(x.addrs) == 0 {
		x.err = errors.New("no address")
	}
	switch {
	case x.err == nil:
		x.fails, x.expires = 0, n.now().Add(addrLifetime)
	case ctx.Err() != nil: // the caller gave up, which says nothing about the host
		x.err = context.Canceled
	default:
		x.fails++
		x.expires = n.now().Add(LookupWait(x.fails))
	}
}

// LookupWait returns how long to wait before a host is looked up again after so
// many failures in a row.
func LookupWait(fails int) time.Duration {
	return min(lookupWaitMin<<min(fails-1, 10), lookupWaitMax)
}
