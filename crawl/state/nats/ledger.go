package nats

import (
	"context"
	"time"
)

// ledger says how many pages each fetcher may fetch in all, by the name of the fetcher. The
// pages that it has fetched already count too. The sum is never above the limit of the crawl.
type ledger map[string]int64

// deniedFor is how long a fetcher does not ask again for pages after it got none.
const deniedFor = 500 * time.Millisecond

// granted returns how many pages the ledger allows to all fetchers together. For a fetcher that
// is not alive, it counts only the pages that the fetcher has fetched.
func (l ledger) granted(parts []part) (n int64) {
	for name, pages := range l {
		for i := range parts {
			if p := &parts[i]; p.Fetcher == name && !p.alive {
				pages = min(pages, p.Crawl.Fetched)
			}
		}
		n += pages
	}
	return n
}

// allows reports whether f may fetch this number of pages, counted over all its sessions. If the
// ledger does not allow that many yet, allows asks for the missing pages. To ask less often, it asks
// for more pages than are missing: for up to twice the number of workers, but for no more than half
// of a fair share of the pages left.
func (f *fetcher) allows(ctx context.Context, pages int64) (bool, error) {
	f.mu.Lock()
	granted, denied, parts := f.granted, f.denied, f.parts
	f.mu.Unlock()
	if pages <= granted {
		return true, nil
	}
	if time.Since(denied) < deniedFor {
		return false, nil
	}
	f.ledgerMu.Lock()
	defer f.ledgerMu.Unlock()
	l, _, err := change(ctx, f.run.at, keyLedger, func(l *ledger) error {
		if *l == nil {
			*l = make(ledger)
		}
		left := f.o.MaxPages - l.granted(parts)
		if left <= 0 {
			return errKeep
		}
		share := left / int64(2*max(1, len(alive(parts))))
		(*l)[f.name] += min(left, max(pages-(*l)[f.name], min(share, 2*int64(f.o.Workers))))
		return nil
	})
	if err != nil {
		return false, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.granted = l[f.name]
	if pages > f.granted {
		f.denied = time.Now()
	}
	return pages <= f.granted, nil
}

// giveBack gives up the pages that f may still fetch, if f has nothing to fetch, so that other
// fetchers can get them.
func (f *fetcher) giveBack(ctx context.Context) error {
	f.ledgerMu.Lock()
	defer f.ledgerMu.Unlock()
	f.mu.Lock()
	fetched, much := f.part.Crawl.Fetched, f.part.Idle && f.granted > f.part.Crawl.Fetched
	if much {
		f.granted = fetched // the engine asks again if it needs more
	}
	f.mu.Unlock()
	if !much {
		return nil
	}
	_, _, err := change(ctx, f.run.at, keyLedger, func(l *ledger) error {
		if *l == nil {
			*l = make(ledger)
		}
		(*l)[f.name] = fetched
		return nil
	})
	return err
}
