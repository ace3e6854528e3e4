package relation

import (
	"context"
	"sync/atomic"

	"infomall/store/record"
)

// Work is how much of what some requests read was read so far. One goroutine
// reads, and another may ask for the share that is done. A nil Work counts nothing.
type Work struct {
	parts []*requested
	rows  atomic.Int64
}

// requested is the Work of one request.
type requested struct {
	of    *Request
	read  record.Work
	begun bool        // only the reading goroutine uses it
	ended atomic.Bool // nothing more is read

	total record.Reading // only the goroutine that asks uses it
}

// NewWork returns the Work of the requests, of which nothing was read. A request
// that is read twice is given twice.
func NewWork(requests ...*Request) *Work {
	w := new(Work)
	for _, n := range requests {
		w.parts = append(w.parts, &requested{of: n})
	}
	return w
}

// Begin returns the request n such that reading it counts in w, and a function to
// call when no more of n is read. A request that w does not have, or that was read
// already, does not count.
func (w *Work) Begin(n *Request) (counted *Request, end func()) {
	if w != nil {
		for _, p := range w.parts {
			if p.of == n && !p.begun {
				p.begun = true
				copied := *n
				copied.Work = &p.read
				return &copied, func() { p.ended.Store(true) }
			}
		}
	}
	return n, func() {}
}

// AddRows counts n more rows of the relations.
func (w *Work) AddRows(n int64) {
	if w != nil {
		w.rows.Add(n)
	}
}

// Rows returns how many rows the relations yielded so far.
func (w *Work) Rows() int64 { return w.rows.Load() }

// Measure finds out from snap how much is to be read. The caller calls it once,
// before Share.
func (w *Work) Measure(ctx context.Context, snap Snapshot) error {
	for _, p := range w.parts {
		var err error
		if p.total, err = ToRead(ctx, snap, p.of); err != nil {
			return err
		}
	}
	return nil
}

// Share returns how many bytes of the archive were read, as far as can be known
// from the chunks of the indexes, and how many are to be read in total. done never
// gets less from one call to the next, and equals total when all requests were read.
func (w *Work) Share() (done, total int64) {
	for _, p := range w.parts {
		bytes, read := p.total.Bytes(), p.read.Chunks()
		total += bytes
		switch {
		case p.ended.Load() || read >= p.total.Chunks:
			done += bytes
		default:
			done += int64(float64(bytes) * float64(read) / float64(p.total.Chunks))
		}
	}
	return done, total
}

// ToRead returns how much of the archive is read for n, before it is known what is
// in the caches. It is nothing for relations that are not made from captures.
func ToRead(ctx context.Context, snap Snapshot, n *Request) (record.Reading, error) {
	if !n.FromCaptures() || n.Window.Empty() || n.Ranges != nil && len(n.Ranges) == 0 {
		return record.Reading{}, nil
	}
	part := record.FileNothing
	if n.Relation.OfStored {
		part = record.FileWhole
	}
	for _, f := range n.Fields {
		if f.Late() {
			part = record.FileWhole
		}
	}
	return KnownAt(snap, n.Known).ToRead(ctx, n.Scan(0), part)
}

// FromCaptures reports whether the rows that n asks for are made from captures.
func (n *Request) FromCaptures() bool { return n.Relation.Scoped && n.Relation.OwnTime == "" }
