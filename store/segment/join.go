package segment

import "slices"

// recipeRunsMax is how many runs a page may have to be put together from.
// Reading one takes about half a millisecond.
const recipeRunsMax = 8

// RunRef names a run of any segment.
type RunRef struct{ Segment, Run uint32 }

// Part is a block of a body on its way into a segment.
type Part struct {
	ID   ID
	Size int
	// At is where the block lies already, and may be named; where its Segment
	// is 0, nowhere.
	At BlockRef
	// Bytes is the block, Facts what is kept beside it. Where Bytes is nil, Read
	// gives both.
	Bytes, Facts []byte
	Read         func() (bytes, facts []byte, err error)
}

// bytes gives the part and its facts.
func (p *Part) bytes() (b, facts []byte, err error) {
	if p.Bytes != nil || p.Read == nil {
		return p.Bytes, p.Facts, nil
	}
	return p.Read()
}

// join stores a divided body that comes with its bytes.
func (w *Writer) join(e *Stored, c Content) (newBytes int64, err error) {
	layout := cutLayout(c.Layout)
	parts := make([]Part, 0, len(layout)+len(c.Leaves))
	for _, b := range layout {
		parts = append(parts, Part{ID: BlockID(b), Size: len(b), Bytes: b})
	}
	for i, b := range c.Leaves {
		p := Part{Size: len(b), Bytes: b, Facts: c.fact(i)}
		if c.IDs != nil {
			p.ID = c.IDs[i]
		} else {
			p.ID = BlockID(b)
		}
		parts = append(parts, p)
	}
	e.Recipe.Layout = uint32(len(layout))
	return w.assemble(e, parts)
}

// assemble makes the recipe of a body out of its parts: what of it is stored
// already is named, the rest stored. It tells how many bytes that was.
//
// Where the page would come from too many runs, those of which it needs least
// are not named: their blocks are stored once more, here.
func (w *Writer) assemble(e *Stored, parts []Part) (newBytes int64, err error) {
	at := make([]Placed, len(parts))
	named := make([]bool, len(parts))
	for i := range parts {
		p := &parts[i]
		if at[i], named[i] = w.blocks.find(p.ID, w.info.Pool); !named[i] && p.At.Segment != 0 {
			at[i], named[i] = Placed{p.At, int32(p.Size)}, true
		}
	}
	drop := w.surplus(at, named)
	again := make(map[ID]Placed) // stored once more for this page
	for i := range parts {
		p := at[i]
		if !named[i] || drop[RunRef{p.Segment, p.Run}] {
			// A block may stand in the page twice.
			q, ok := again[parts[i].ID]
			if !ok {
				b, facts, err := parts[i].bytes()
				if err != nil {
					return newBytes, err
				}
				q = w.block(parts[i].ID, b, facts)
				again[parts[i].ID] = q
				newBytes += int64(len(b))
			}
			p = q
		}
		e.Recipe.Add(p.BlockRef)
		if p.Segment != w.info.ID {
			w.uses[p.Segment] = true
		}
	}
	return newBytes, nil
}

// surplus chooses the runs to do without: those with the fewest bytes of the
// page, so many that half of the bound is left.
func (w *Writer) surplus(at []Placed, named []bool) map[RunRef]bool {
	bytes := make(map[RunRef]int64)
	for i, p := range at {
		if named[i] {
			bytes[RunRef{p.Segment, p.Run}] += int64(p.Size)
		}
	}
	delete(bytes, RunRef{w.info.ID, uint32(len(w.runEnds))})
	if len(bytes) <= recipeRunsMax {
		return nil
	}
	runs := make([]RunRef, 0, len(bytes))
	for r := range bytes {
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b RunRef) int {
		switch {
		case bytes[a] != bytes[b]:
			return int(bytes[a] - bytes[b])
		case a.Segment != b.Segment:
			return int(int64(a.Segment) - int64(b.Segment))
		}
		return int(int64(a.Run) - int64(b.Run))
	})
	drop := make(map[RunRef]bool)
	for _, r := range runs[:len(runs)-recipeRunsMax/2] {
		drop[r] = true
	}
	return drop
}
