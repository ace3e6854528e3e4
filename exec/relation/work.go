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

	total Expected // only the goroutine that asks uses it
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

// Requests returns the requests whose work w is.
func (w *Work) Requests() []*Request {
	list := make([]*Request, len(w.parts))
	for i, p := range w.parts {
		list[i] = p.of
	}
	return list
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

// Measure notes how much is to be read: estimate returns it for each request. The caller
// calls it once, before Share.
func (w *Work) Measure(estimate func(*Request) Expected) {
	for _, p := range w.parts {
		p.total = estimate(p.of)
	}
}

// Expected is the expected work of a request: how many chunks of indexes the scan comes
// past, how many bytes of the archive are read for the rows, and how many seconds it takes
// to make the rows and all that is made of them alone.
type Expected struct {
	Chunks  int64
	Bytes   float64
	Seconds float64
}

// Share returns which share of the time of the work has passed, from 0 to 1, and how many
// bytes of the archive are to be read in total. It goes by the chunks of indexes that were
// read. The share never gets less from one call to the next, and is 1 when all requests
// were read. It is 0 if there are no bytes to read.
func (w *Work) Share() (share, total float64) {
	var done, seconds float64
	for _, p := range w.parts {
		part, read := 1., p.read.Chunks()
		if !p.ended.Load() && read < p.total.Chunks {
			part = float64(read) / float64(p.total.Chunks)
		}
		total += p.total.Bytes
		seconds += p.total.Seconds
		done += p.total.Seconds * part
	}
	if seconds == 0 || total == 0 {
		return 0, total
	}
	return min(1, done/seconds), total
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
	snap = KnownAt(snap, n.Known)
	read, err := snap.ToRead(ctx, n.Scan(0), part)
	if err != nil || !n.readsLater() {
		return read, err
	}
	all := n.Scan(0)
	all.To = n.Choice.Until
	later, err := snap.ToRead(ctx, all, record.FileNothing)
	later.FileBytes = read.FileBytes
	return later, err
}

// FromCaptures reports whether the rows that n asks for are made from captures.
func (n *Request) FromCaptures() bool { return n.Relation.Scoped && n.Relation.OwnTime == "" }
