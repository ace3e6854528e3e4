package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
)

// The visits of a URL bound what is known about its state at a moment. The state was seen at the
// last visit at the moment or before. It was still there, or had changed, at the first visit at the
// moment or later. Between these two visits nothing is known.

// bounded yields the batches that in yields. If n has AT, a moment, bounded sets between which
// visits the state of each version at AT is known. With WITHIN, it leaves out the versions for
// which these visits lie too far apart.
//
// The captures from which in is made end at AT, so the first visit after AT is not among them. If n
// asks for it, bounded reads it by a second scan, side by side with the first.
func (r *Reader) bounded(ctx context.Context, n *Request, in iter.Seq2[*spanBatch, error]) iter.Seq2[*spanBatch, error] {
	if !n.Choice.at() || !n.Choice.Bounded && !n.Asks("known_from", "known_until", "gap") {
		return in
	}
	return func(yield func(*spanBatch, error) bool) {
		later := visitsAfter{done: true} // no visit is asked for
		if n.readsLater() {
			next, stop := iter.Pull2(r.Snapshot.Scan(ctx, n.laterScan()))
			defer stop()
			later = visitsAfter{next: next}
		}
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			kept := 0
			for i := range b.N {
				next, err := later.of(b.Key[i])
				if err != nil {
					yield(nil, err)
					return
				}
				b.know(i, next)
				if n.Choice.Bounded {
					if gap, ok := b.gap(i); !ok || gap > n.Choice.Within {
						continue
					}
				}
				if kept < i {
					b.move(kept, i)
				}
				kept++
			}
			if b.N = kept; kept > 0 && !yield(b, nil) {
				return
			}
		}
	}
}

// readsLater reports whether n reads the visits after AT, which say until when a state
// is known.
func (n *Request) readsLater() bool {
	return n.Choice.at() && (n.Choice.Bounded || n.Asks("known_until", "gap")) && n.Choice.AsOf < n.Choice.Until
}

// laterScan returns the scan that reads the visits from AT on, of the URLs that n
// selects.
func (n *Request) laterScan() record.Scan {
	s := n.Scan(0)
	s.From, s.To = n.Choice.AsOf, n.Choice.Until
	s.Columns, s.Work = 0, nil // the other scan counts
	return s
}

// visitsAfter finds the first visit of each URL in a scan of captures. next yields the batches of
// the scan.
type visitsAfter struct {
	next  func() (*record.Batch, error, bool)
	batch *record.Batch
	row   int
	done  bool
}

// of returns the time of the first visit of the URL with this key in the scan, or
// NoTime if there is none. It must be called with ascending keys.
func (v *visitsAfter) of(key string) (record.Time, error) {
	for !v.done {
		if v.batch == nil || v.row == v.batch.N {
			b, err, ok := v.next()
			if err != nil {
				return 0, err
			}
			v.batch, v.row, v.done = b, 0, !ok
			continue
		}
		if at := v.batch.Key[v.row]; at >= key {
			if at == key {
				return v.batch.Time[v.row], nil
			}
			break
		}
		v.row++
	}
	return record.NoTime, nil
}

// know sets KnownFrom and KnownUntil of the span at row i: the visits between which the state of
// its URL at b.AsOf is known. The parameter next is the first visit of the URL at b.AsOf or
// later, or NoTime.
func (b *spanBatch) know(i int, next record.Time) {
	b.KnownFrom[i], b.KnownUntil[i] = b.Last[i], next
	if b.Last[i] == b.AsOf[i] {
		b.KnownUntil[i] = b.Last[i]
	}
}

// gap returns how many milliseconds lie between the visits before and after b.AsOf for the span at
// row i. It reports false if one of these visits does not exist.
func (b *spanBatch) gap(i int) (int64, bool) {
	if b.KnownFrom[i] == record.NoTime || b.KnownUntil[i] == record.NoTime {
		return 0, false
	}
	return int64(b.KnownUntil[i] - b.KnownFrom[i]), true
}

// gaps sets v to the gap of each version in b, as gap returns it. The value is NULL without a gap.
func gaps(v *value.Vector, b *spanBatch) {
	v.Resize(value.Duration, b.N)
	for i := range b.N {
		var ok bool
		if v.Ints[i], ok = b.gap(i); !ok {
			v.SetNull(i)
		}
	}
}
