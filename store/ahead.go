package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"infomall/store/record"
)

// How much is read by several goroutines.
const (
	// aheadAfter is after how many batches a scan begins to make the next ones
	// while the one before is looked at: who wants a few rows has only these
	// read for him.
	aheadAfter = 4
	// aheadBatches is how many batches of a scan there are at most, and
	// aheadBundle how many are handed over at once: whoever waits for each wakes
	// for each, which took a fifth of a scan's CPU time.
	aheadBatches = 16
	aheadBundle  = 8
	// sharedCaptures is how many captures a tally counts before it is worth a
	// second goroutine.
	sharedCaptures = 1 << 16
	// goroutinesMax is how many goroutines count.
	goroutinesMax = 4
)

// filler makes batches: it fills first, and then what put gives for a full one. It
// ends where that is nil.
type filler func(ctx context.Context, first *record.Batch, put func(full *record.Batch) (next *record.Batch)) error

// here yields the batches of fill, each before the next is made.
func here(ctx context.Context, fill filler, yield func(*record.Batch, error) bool) {
	err := fill(ctx, new(record.Batch), func(b *record.Batch) *record.Batch {
		if !yield(b, nil) {
			return nil
		}
		b.Reset()
		return b
	})
	if err != nil {
		yield(nil, err)
	}
}

// ahead is here with fill in a goroutine of its own, which has ended when ahead
// returns. After some batches it is ahead of yield.
func ahead(ctx context.Context, after int, fill filler, yield func(*record.Batch, error) bool) {
	within, cancel := context.WithCancel(ctx)
	full, empty := make(chan []*record.Batch, aheadBatches), make(chan *record.Batch, aheadBatches)
	var err error
	go func() {
		defer close(full)
		var bundle []*record.Batch
		send := func() {
			if len(bundle) > 0 {
				full <- bundle // there is room for all that there are
				bundle = nil
			}
		}
		err = fill(within, new(record.Batch), func(b *record.Batch) *record.Batch {
			if bundle = append(bundle, b); len(bundle) == aheadBundle {
				send()
			}
			select {
			case b = <-empty:
				return b
			default:
				send() // none comes back before these are looked at
			}
			select {
			case b = <-empty:
				return b
			case <-within.Done():
				return nil
			}
		})
		send()
	}()
	defer func() {
		cancel()
		for range full {
		}
	}()
	n := 0
	for bundle := range full {
		for _, b := range bundle {
			if n == after {
				for range aheadBatches - 1 {
					empty <- new(record.Batch)
				}
			}
			n++
			if !yield(b, nil) {
				return
			}
			b.Reset()
			empty <- b
		}
	}
	if err == nil {
		err = ctx.Err() // of which fill was not told an error
	}
	if err != nil {
		yield(nil, err)
	}
}

// part is a part of a tally that any goroutine can count.
type part struct {
	captures int64
	count    func(*tallier) error
}

// sharers is how many goroutines are to count parts.
func (v *Snapshot) sharers(parts []part, t *record.Tally) int {
	var captures int64
	for _, p := range parts {
		captures += p.captures
	}
	if t.Skip != nil || captures < v.a.sharedCaptures {
		return 1 // Skip is the caller's, and may not be called by two
	}
	return max(1, min(v.a.goroutines, len(parts)))
}

// share has n goroutines count parts, and yields what they make, in no order.
// They have ended when it returns.
func (v *Snapshot) share(ctx context.Context, t record.Tally, parts []part, n int, yield func(*record.Batch, error) bool) error {
	// The largest first, such that all are done at about the same time.
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.captures, a.captures) })
	within, cancel := context.WithCancel(ctx)
	type handed struct {
		b     *record.Batch
		taken chan<- struct{}
	}
	out := make(chan handed)
	errs := make([]error, n)
	var next atomic.Int64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			taken := make(chan struct{})
			w := newTallier(within, v, t, func(b *record.Batch, _ error) bool {
				select {
				case out <- handed{b, taken}:
					<-taken
					return true
				case <-within.Done():
					return false
				}
			})
			for errs[i] == nil {
				k := int(next.Add(1)) - 1
				if k >= len(parts) {
					break
				}
				errs[i] = parts[k].count(w)
			}
			if errs[i] == nil {
				errs[i] = w.flush()
			}
			if errs[i] != nil {
				cancel() // the others need not go on
			}
		})
	}
	go func() {
		all.Wait()
		close(out)
	}()
	defer func() {
		cancel()
		for h := range out {
			h.taken <- struct{}{}
		}
	}()
	for h := range out {
		more := yield(h.b, nil)
		h.taken <- struct{}{}
		if !more {
			return errStop
		}
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, errStop) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return ctx.Err()
}
