package relation

import (
	"context"
	"sync/atomic"

	"infomall/store/record"
)

// Work measures how much of what some requests read was already read. One goroutine reads, and
// another may ask for the share. A nil Work counts nothing.
type Work struct {
	parts []*requested
	rows  atomic.Int64
}

// requested is the part of a Work that belongs to one request.
type requested struct {
	of    *Request
	read  record.Work
	begun bool        // only the reading goroutine uses it
	ended atomic.Bool // nothing more is read

	total Expected // only the goroutine that asks uses it
}

// NewWork returns a Work for these requests, of which nothing was read yet. If a request is read
// twice, pass it twice.
func NewWork(requests ...*Request) *Work {
	w := new(Work)
	for _, n := range requests {
		w.parts = append(w.parts, &requested{of: n})
	}
	return w
}

// Requests returns the requests that were passed to NewWork.
func (w *Work) Requests() []*Request {
	list := make([]*Request, len(w.parts))
	for i, p := range w.parts {
		list[i] = p.of
	}
	return list
}

// Begin returns a copy of the request n that counts in w what is read for it. The caller reads the
// copy, and calls end when nothing more is read for it. If w does not have n, or n was begun
// before, Begin returns a request that does not count.
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

// AddRows adds n to the number of rows that the relations have yielded.
func (w *Work) AddRows(n int64) {
	if w != nil {
		w.rows.Add(n)
	}
}

// Rows returns how many rows the relations yielded so far.
func (w *Work) Rows() int64 { return w.rows.Load() }

// Measure calls estimate for each request, and stores how much is expected to be read for it. The
// caller calls Measure once, before Share.
func (w *Work) Measure(estimate func(*Request) Expected) {
	for _, p := range w.parts {
		p.total = estimate(p.of)
	}
}

// Expected is the expected work of a request: how many chunks of indexes the scan reads or skips,
// how many bytes of the archive are read for the rows, and how many seconds the computation takes:
// of the rows, and of what the query makes from these rows alone.
type Expected struct {
	Chunks  int64
	Bytes   float64
	Seconds float64
}

// Share returns which share of the expected time has passed, from 0 to 1, and how many bytes of the
// archive are to be read in total. It computes the share from the number of index chunks that were
// read. The share never decreases from one call to the next, and is 1 when all requests were read.
// It is 0 if there are no bytes to read.
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

// ToRead returns how much of the archive is read for n, as if no cache had any of it. It returns
// zeros for relations that are not made from captures.
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
