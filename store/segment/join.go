package segment

import "slices"

// recipeRunsMax is how many runs a page may have to be put together from.
// Reading one takes about half a millisecond.
const recipeRunsMax = 8

// runID names a run of any segment.
type runID struct{ segment, run uint32 }

// join stores a divided body: what of it is stored already is named, the rest
// stored. It tells how many bytes that was.
//
// Where the page would come from too many runs, those of which it needs least
// are not named: their blocks are stored once more, here.
func (w *Writer) join(e *Stored, c Content) (newBytes int64) {
	parts := cutLayout(c.Layout)
	e.Recipe = Recipe{Layout: uint32(len(parts))}
	parts = append(parts, c.Leaves...)
	ids := make([]ID, len(parts))
	at := make([]Placed, len(parts))
	named := make([]bool, len(parts))
	for i, b := range parts {
		ids[i] = BlockID(b)
		at[i], named[i] = w.blocks.find(ids[i], w.info.Pool)
	}
	drop := w.surplus(at, named)
	again := make(map[ID]Placed) // stored once more for this page
	for i, b := range parts {
		p := at[i]
		if !named[i] || drop[runID{p.Segment, p.Run}] {
			// A block may stand in the page twice.
			q, ok := again[ids[i]]
			if !ok {
				q = w.block(ids[i], b, c.fact(i-int(e.Recipe.Layout)))
				again[ids[i]] = q
				newBytes += int64(len(b))
			}
			p = q
		}
		e.Recipe.add(p.BlockRef)
		if p.Segment != w.info.ID {
			w.uses[p.Segment] = true
		}
	}
	return newBytes
}

// surplus chooses the runs to do without: those with the fewest bytes of the
// page, so many that half of the bound is left.
func (w *Writer) surplus(at []Placed, named []bool) map[runID]bool {
	bytes := make(map[runID]int64)
	for i, p := range at {
		if named[i] {
			bytes[runID{p.Segment, p.Run}] += int64(p.Size)
		}
	}
	delete(bytes, runID{w.info.ID, uint32(len(w.runEnds))})
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
