package segment

import "slices"

// recipeRunsMax is how many runs a page may have to be put together from.
// Reading one takes about half a millisecond.
const recipeRunsMax = 8

// runID names a run of any segment.
type runID struct{ segment, run uint32 }

// join stores a divided body: what of it is in the segment or in prior is
// named, the rest stored. It tells how many bytes that was.
//
// Where the page would come from too many runs, those of which it needs least
// are not named: their blocks are stored once more, here.
func (w *Writer) join(e *Stored, c Content, prior Prior) (newBytes int64) {
	parts := append([][]byte{c.Layout}, c.Leaves...)
	ids := make([]ID, len(parts))
	at := make([]*Placed, len(parts))
	for i, b := range parts {
		ids[i] = BlockID(b)
		if p, ok := w.known[ids[i]]; ok {
			at[i] = &p
		} else if p, ok := prior[ids[i]]; ok {
			at[i] = &p
		}
	}
	drop := w.surplus(at)
	e.Recipe = Recipe{Joined: true}
	clear(prior)
	for i, b := range parts {
		p := at[i]
		if p == nil || drop[runID{p.Segment, p.Run}] {
			// A block may stand in the page twice.
			q, ok := w.known[ids[i]]
			if !ok || drop[runID{q.Segment, q.Run}] {
				q = w.block(ids[i], b)
				newBytes += int64(len(b))
			}
			p = &q
		}
		e.Recipe.add(p.BlockRef)
		if p.Segment != w.info.ID {
			w.uses[p.Segment] = true
		}
		if prior != nil {
			prior[ids[i]] = *p
		}
	}
	return newBytes
}

// surplus chooses the runs to do without: those with the fewest bytes of the
// page, so many that half of the bound is left.
func (w *Writer) surplus(at []*Placed) map[runID]bool {
	here := runID{w.info.ID, uint32(len(w.runEnds))}
	bytes := make(map[runID]int64)
	for _, p := range at {
		if p != nil {
			bytes[runID{p.Segment, p.Run}] += int64(p.Size)
		}
	}
	delete(bytes, here)
	if len(bytes) <= recipeRunsMax {
		return nil
	}
	runs := make([]runID, 0, len(bytes))
	for r := range bytes {
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b runID) int {
		switch {
		case bytes[a] != bytes[b]:
			return int(bytes[a] - bytes[b])
		case a.segment != b.segment:
			return int(int64(a.segment) - int64(b.segment))
		}
		return int(int64(a.run) - int64(b.run))
	})
	drop := make(map[runID]bool)
	for _, r := range runs[:len(runs)-recipeRunsMax/2] {
		drop[r] = true
	}
	return drop
}

// remember makes prior the blocks of a page that is stored already.
func (w *Writer) remember(c Content, prior Prior) {
	clear(prior)
	if c.Layout == nil {
		return
	}
	for _, b := range append([][]byte{c.Layout}, c.Leaves...) {
		id := BlockID(b)
		if p, ok := w.known[id]; ok {
			prior[id] = p
		}
	}
}
