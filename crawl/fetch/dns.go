package crawl

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"
)

// Bounds of what is remembered of names. Addresses are asked for again after a
// while, as sites move; a name without one soon, as it may be a fault.
const (
	addrLifetime = 10 * time.Minute
	addrFailed   = time.Second // the first time; each doubles
	dnsWaitMax   = 90 * time.Second
	dnsTriesMax  = 5
	namesMax     = 100_000
	lookupMax    = 30 * time.Second // that one look-up takes
)

// names looks up the addresses of hosts, one look-up a host at a time, and
// remembers what it found. It may be used from many goroutines.
type names struct {
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	now    func() time.Time

	mu   sync.Mutex
	host map[string]*name
}

// name is what is known of one. Its other fields may be read once done is
// closed.
type name struct {
	done    chan struct{}
	addrs   []netip.Addr
	err     error
	fails   int // in a row
	expires time.Time
}

// addrsOf gives the addresses of a host, one or more.
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

// claim gives what is known of a host, or about to be. Ours says that the caller
// is to find it.
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

// find looks up a host.
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
	case ctx.Err() != nil: // it says nothing of the name
		x.err = context.Canceled
	default:
		x.fails++
		x.expires = n.now().Add(dnsWait(x.fails))
	}
}

// dnsWait is how long a name is left alone that had no address so many times in
// a row.
func dnsWait(fails int) time.Duration {
	return min(addrFailed<<min(fails-1, 10), dnsWaitMax)
}
