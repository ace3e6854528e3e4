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
	lookupWaitMin = time.Second // wait after the first failure; it doubles with each further one
	lookupWaitMax = 90 * time.Second
	namesMax      = 100_000
	lookupMax     = 30 * time.Second // duration of one look-up
)

// names looks up the addresses of hosts and remembers them. For one host
// only one look-up runs at a time. It may be used from many goroutines.
type names struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	now    func() time.Time

	mu   sync.Mutex
	host map[string]*name
}

// name is the result of looking up one host. When done is closed, the
// look-up is complete, and the other fields may be read.
type name struct {
	done    chan struct{}
	addrs   []netip.Addr
	err     error
	fails   int // number of look-ups in a row that failed
	expires time.Time
}

// addrsOf returns the addresses of a host, at least one, from memory or by a
// look-up. The error of a failed look-up is remembered for a while too.
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

// claim returns the entry of a host. ours reports that the caller must look
// up the host and complete the entry. Otherwise the entry is complete, or
// another caller is completing it.
func (n *names) claim(host string) (x *name, ours bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fails := 0
	if x = n.host[host]; x != nil {
		select {
		case <-x.done:
		default:
			return x, false // another caller is looking it up
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

// find looks up a host, completes its entry x, and closes x.done.
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

// LookupWait returns how long to wait before a host is looked up again, after
// fails failures in a row; fails is at least 1.
func LookupWait(fails int) time.Duration {
	return min(lookupWaitMin<<min(fails-1, 10), lookupWaitMax)
}
