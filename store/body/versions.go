package body

import (
	"cmp"
	"container/heap"
	"context"
	"crypto/sha256"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Version is a stored version, as Runs.Versions reads it. It shares no memory with the
// runs.
type Version struct {
	Digest  record.Digest // digest of the body, from the entry of the version
	Fold    []byte        // how its blocks relate to those of earlier versions; nil if that is not stored
	Body    []byte
	HasBody bool   // the archive has the body
	Blocks  Blocks // the blocks of the body, if the version stores it itself
	Read    bool   // the other fields are complete; if it is false, do not use them
}

// Blocks describes the blocks of a body: where they are stored, their IDs and their
// sizes. The blocks of all spans together are numbered from 0.
type Blocks struct {
	Spans []segment.Span
	IDs   []segment.ID // by number of the block
	Sizes []int32      // by number of the block, in bytes
}

// Versions reads the versions that begin at the given captures, and returns them in the
// same order. For each capture it calls the function owner with the index of the capture
// and its entry, which is valid until owner returns. If the entry stores its body, it has only what
// segment.Meta.Body sets. owner returns the entry that stores the body, or nil if the archive does
// not have the body. The field Read of a version is false if its body is larger than most bytes, is not
// divided into blocks, or is damaged. The caller must limit the total size of the bodies.
//
// Versions reads each run once, whatever the order of the captures. It goes from the
// newest run to the oldest. The blocks of a body are in the run of its entry or in older
// runs, so when it comes to a run, it knows everything that it needs from that run. Only
// after segments were merged may blocks be in a newer run, which is then read again.
func (r *Runs) Versions(ctx context.Context, captures []*timeline.Capture, most int64, owner func(i int, e *segment.Stored) (*segment.Stored, error)) ([]Version, error) {
	v := &versionReader{runs: r, most: most, owner: owner, captures: captures, out: make([]Version, len(captures)), parts: make([]partsOf, len(captures)), wanted: make(map[segment.RunRef]*wantedOfRun)}
	for i, c := range captures {
		w := v.want(segment.RunRef{Segment: c.Seg.Info.ID, Run: c.Run})
		w.entries = append(w.entries, i)
	}
	for len(v.order) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ref := heap.Pop(&v.order).(segment.RunRef)
		w := v.wanted[ref]
		delete(v.wanted, ref)
		v.visit(ref, w)
	}
	for i := range v.out {
		v.finish(i)
	}
	return v.out, nil
}

// versionReader is the state of one call of Runs.Versions.
type versionReader struct {
	runs     *Runs
	most     int64
	owner    func(int, *segment.Stored) (*segment.Stored, error)
	captures []*timeline.Capture
	out      []Version
	parts    []partsOf                       // for each version
	copies   arena                           // has the blocks in parts
	memory   segment.RunMemory               // memory of the run that visit reads
	stored   segment.Stored                  // working memory of entry
	wanted   map[segment.RunRef]*wantedOfRun // what is still to be read from each run
	order    newestFirst                     // the keys of wanted as a heap
}

// partsOf has the blocks of a version's body. The first blocks are the layout of the page; the
// field layout is their number.
type partsOf struct {
	blocks [][]byte // nil for a block that was not read yet
	layout uint32
	digest record.Digest // of the body
}

// wantedOfRun lists what to read from a run: the entries of some versions, and blocks.
type wantedOfRun struct {
	entries []int // indexes of the versions
	blocks  []wantedBlocks
}

// wantedBlocks is a span of blocks that the body of a version needs. The field of is the
// index of that version, and first is the number of the first block among all blocks of
// the body.
type wantedBlocks struct {
	segment.Span
	of, first int
}

// newestFirst is a heap of runs with the newest run first.
type newestFirst []segment.RunRef

func (h newestFirst) Len() int { return len(h) }
func (h newestFirst) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(h[j].Segment, h[i].Segment), cmp.Compare(h[j].Run, h[i].Run)) < 0
}
func (h newestFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *newestFirst) Push(x any)   { *h = append(*h, x.(segment.RunRef)) }
func (h *newestFirst) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// want returns the list of what to read from the run ref. It creates an empty list if
// there is none.
func (v *versionReader) want(ref segment.RunRef) *wantedOfRun {
	w := v.wanted[ref]
	if w == nil {
		w = &wantedOfRun{}
		v.wanted[ref] = w
		heap.Push(&v.order, ref)
	}
	return w
}

// visit reads from the run ref everything that w lists. If a part of a version cannot be
// read, the field Read of that version stays false.
func (v *versionReader) visit(ref segment.RunRef, w *wantedOfRun) {
	s := v.runs.Segment(ref.Segment)
	if s == nil || len(w.entries)+len(w.blocks) == 0 { // its entries added blocks of the run itself
		return
	}
	run, err := v.runs.once(s, ref.Run, len(w.entries) > 0, &v.memory)
	if err != nil {
		return
	}
	for _, i := range w.entries {
		v.entry(i, run)
	}
	// Entries add blocks of their own run, which are then read with the others.
	if own := v.wanted[ref]; own != nil {
		w.blocks = append(w.blocks, own.blocks...)
		own.blocks = nil
	}
	if len(w.blocks) == 0 {
		return
	}
	count := 0
	for _, b := range w.blocks {
		count += int(b.Count)
	}
	var ids []segment.ID
	if !run.Packed() && count > run.BlockCount()/idsShare {
		if ids, err = run.BlockIDs(); err != nil {
			return
		}
	}
	for _, b := range w.blocks {
		x := &v.out[b.of]
		parts := v.parts[b.of].blocks[b.first:]
		if v.copies.take(parts, run, b.Span, true) != nil || x.Blocks.IDs == nil {
			continue
		}
		for n := range b.Count {
			id := &x.Blocks.IDs[b.first+int(n)]
			if ids != nil {
				*id = ids[b.N+n]
			} else {
				*id = segment.BlockID(parts[n])
			}
		}
	}
}

// idsShare decides how visit gets the IDs of the wanted blocks of a run. If they are at most one
// in idsShare of the blocks of the run, visit computes the ID of each. For more blocks it is
// faster to decode the stored IDs of all, unless the run is packed and stores none.
const idsShare = 4

// entry reads the entry and the fold of version i from the run. It adds the blocks that the
// body of the version needs to v.wanted.
func (v *versionReader) entry(i int, run *segment.Run) {
	c, x := v.captures[i], &v.out[i]
	facts, err := factsOf(c.Seg, run)
	if err != nil {
		return
	}
	e := &v.stored
	if c.Body == segment.BodyOwn {
		err = run.Meta.Body(c.N, &c.Entry, e)
	} else {
		e, err = run.Meta.Entry(c.N)
	}
	if err != nil {
		return
	}
	owner, err := v.owner(i, e)
	if err != nil {
		return
	}
	x.Fold, x.HasBody = slices.Clone(facts.Fold(c.N)), owner != nil
	if owner == nil {
		x.Read = true
		return
	}
	if owner.Bytes > v.most || owner.Recipe.Layout == 0 {
		return
	}
	spans, err := v.runs.Spans(owner.Recipe)
	total := countBlocks(spans)
	if err != nil || total > segment.DividedMax || uint64(owner.Recipe.Layout) > total {
		return
	}
	x.Digest = e.Digest
	if owner == e {
		x.Blocks = Blocks{Spans: slices.Clone(spans), IDs: make([]segment.ID, total), Sizes: make([]int32, total)}
	}
	v.parts[i] = partsOf{make([][]byte, total), owner.Recipe.Layout, owner.Digest}
	first := 0
	for _, s := range spans {
		w := v.want(segment.RunRef{Segment: s.Segment, Run: s.Run})
		w.blocks = append(w.blocks, wantedBlocks{s, i, first})
		first += int(s.Count)
	}
}

// finish makes the body of version i from the blocks that were read, and sets Read if the
// body is right.
func (v *versionReader) finish(i int) {
	x, parts := &v.out[i], v.parts[i]
	if parts.blocks == nil {
		return
	}
	for n, b := range parts.blocks {
		if b == nil {
			return // its run is damaged
		}
		if x.Blocks.Sizes != nil {
			x.Blocks.Sizes[n] = int32(len(b))
		}
	}
	body, err := join(parts.blocks, parts.layout)
	if err == nil && sha256.Sum256(body) == parts.digest {
		x.Body, x.Read = body, true
	}
	v.parts[i] = partsOf{}
}
