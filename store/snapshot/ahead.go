package snapshot

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"infomall/store/record"
)

// How much work is spread over several goroutines, and when.
const (
	// aheadAfter is how many batches a scan makes one by one before it begins to
	// make batches in advance. A caller who wants only a few rows then causes no
	// further reading.
	aheadAfter = 4
	// aheadBatches is how many batches a scan has at most, full and empty together. aheadBundle
	// is how many full batches a scan hands to the caller's goroutine at once. With one batch
	// at a time, waking that goroutine took a fifth of a scan's CPU time.
	aheadBatches = 16
	aheadBundle  = 8
	// sharedCaptures is how many captures a tally must count before a second
	// goroutine is worth its cost.
	sharedCaptures = 1 << 16
	// goroutinesMax is the greatest number of goroutines that count for one tally.
	goroutinesMax = 4
)

// filler is a function that fills batches with rows. It fills the batch first and
// passes it to put, then fills the batch that put returns, and so on. It ends when
// put returns nil.
type filler func(ctx context.Context, first *record.Batch, put func(full *record.Batch) (next *record.Batch)) error

// here runs fill in the caller's goroutine. It yields each full batch before fill
// makes the next. An error of fill is yielded last.
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

// ahead runs fill in a goroutine of its own, and yields the full batches in order. ahead yields
// an error of fill last. After each of the first batches (the parameter after is their number),
// fill waits until yield has returned. From then on fill makes further batches while the caller
// uses earlier ones. The goroutine has ended when ahead returns.
func ahead(ctx context.Context, after int, fill filler, yield func(*record.Batch, error) bool) {
	within, cancel := context.WithCancel(ctx)
	full, empty := make(chan []*record.Batch, aheadBatches), make(chan *record.Batch, aheadBatches)
	var err error
	go func() {
		defer close(full)
		var bundle []*record.Batch
		send := func() {
			if len(bundle) > 0 {
				full <- bundle // never blocks: full has room for every batch
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
				send() // no batch comes back before those in bundle are yielded
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
		err = ctx.Err() // fill did not report it
	}
	if err != nil {
		yield(nil, err)
	}
}

// workPart is a part of the work of a tally: one segment, or several segments that
// overlap. Each part can be counted in its own goroutine.
type workPart struct {
	captures int64
	count    func(*tallier) error
}

// sharers returns how many goroutines should count the parts of tally t. The result
// is 1 if t.Skip is set or if the captures are few.
func (v *Snapshot) sharers(parts []workPart, t *record.Tally) int {
	var captures int64
	for _, p := range parts {
		captures += p.captures
	}
	if t.Skip != nil || captures < v.from.SharedCaptures {
		return 1 // Skip is the caller's, and two goroutines must not call it
	}
	return max(1, min(v.from.Goroutines, len(parts)))
}

// share lets n goroutines count the parts of tally t, and yields the batches they
// make, in no particular order. The goroutines have ended when share returns. It
// returns ErrStop if yield returned false.
func (v *Snapshot) share(ctx context.Context, t record.Tally, parts []workPart, n int, yield func(*record.Batch, error) bool) error {
	// The largest parts first, so that all goroutines end at about the same time.
	slices.SortStableFunc(parts, func(a, b workPart) int { return cmp.Compare(b.captures, a.captures) })
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
			return ErrStop
		}
	}
	for _, err := range errs {
		if err != nil && !errors.Is(err, ErrStop) && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return ctx.Err()
}
