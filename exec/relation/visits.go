package relation

import (
	"context"

	"infomall/store/block/divide"
	"infomall/store/record"
)

// Visits yields the captures that n selects, with the columns Change and Sense, sorted by URL and
// time. It ignores the DURING clause of n. If n divides pages into blocks in another way than the
// import, each Sense is record.SenseUnknown. While the captures are read, r.Watch is told how far
// the reading has come.
func (r *Reader) Visits(ctx context.Context, n *Request) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		work := NewWork(n)
		if r.Watch != nil {
			defer r.Watch(ctx, work)()
		}
		counted, end := work.Begin(n)
		defer end()
		plain := options(n) == (divide.Options{})
		for b, err := range r.Snapshot.Scan(ctx, counted.Scan(record.ColChange|record.ColSense)) {
			if err == nil && !plain {
				clear(b.Sense)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}
