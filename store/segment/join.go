package segment

import (
	"cmp"
	"maps"
	"slices"
)

const (
	// recipeRunsMax is how many runs a page's blocks may come from. To read one
	// takes about half a millisecond.
	recipeRunsMax = 8
	// packedBytesMax is how many bytes those have that are in a packed segment,
	// counting the runs that they go on from. With fewer an archive grows: 104
	// months of one site by a twentieth at 2 MB.
	packedBytesMax = 2816 << 10
)

// RunRef refers to a run of any segment.
type RunRef struct{ Segment, Run uint32 }

// Part is a block of a body that is being stored.
type Part struct {
	ID   ID
	Size int
	// At is where the block is stored already. If its Segment is 0, it is not
	// stored.
	At BlockRef
	// Bytes is the block, Facts are its facts. If Bytes is nil, Read returns both.
	Bytes, Facts []byte
	Read         func() (bytes, facts []byte, err error)
}

// bytes returns the block and its facts.
func (p *Part) bytes() (b, facts []byte, err error) {
	if p.Bytes != nil || p.Read == nil {
		return p.Bytes, p.Facts, nil
	}
	return p.Read()
}

// join stores a divided body whose bytes are given.
func (w *Writer) join(e *Stored, c Content) (newBytes int64, err error) {
	layout := cutLayout(c.Layout)
	parts := w.run.mem.parts[:0]
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
	newBytes, err = w.assemble(e, parts)
	clear(parts) // parts refer to bodies
	w.run.mem.parts = parts
	return newBytes, err
}

// assemble returns the recipe of a body made of parts, and how many bytes it
// stored. It refers to parts that are stored already, and stores the others.
//
// If the body would come from too many runs, the runs from which it needs least are
// left out: their blocks are stored again, in this segment.
func (w *Writer) assemble(e *Stored, parts []Part) (newBytes int64, err error) {
	m := w.run.mem
	m.at, m.named = sized(m.at, len(parts)), sized(m.named, len(parts))
	at, named := m.at, m.named
	for i := range parts {
		p := &parts[i]
		if at[i], named[i] = w.blocks.find(p.ID, w.info.Pool); !named[i] && p.At.Segment != 0 {
			at[i], named[i] = Placed{p.At, int32(p.Size)}, true
		}
	}
	bytes := w.otherRuns(at, named)
	for r, n := range bytes {
		w.run.weight[r] += n
	}
	drop := w.surplus(bytes)
	again := make(map[ID]Placed) // blocks stored again for this page
	for i := range parts {
		p := at[i]
		if !named[i] || drop[RunRef{p.Segment, p.Run}] {
			// A block may occur twice in the page.
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

// otherRuns returns how many bytes of a page are in each run other than the current
// one.
func (w *Writer) otherRuns(at []Placed, named []bool) map[RunRef]int64 {
	bytes := make(map[RunRef]int64)
	for i, p := range at {
		if named[i] {
			bytes[RunRef{p.Segment, p.Run}] += int64(p.Size)
		}
	}
	delete(bytes, RunRef{w.info.ID, uint32(len(w.runEnds))})
	return bytes
}

// surplus returns the runs to leave out: those with the fewest bytes of the page,
// until half of the bound is left.
func (w *Writer) surplus(bytes map[RunRef]int64) map[RunRef]bool {
	if w.run.packed {
		return w.packedSurplus(bytes)
	}
	if len(bytes) <= recipeRunsMax {
		return nil
	}
	drop := make(map[RunRef]bool)
	for _, r := range byWeight(bytes)[recipeRunsMax/2:] {
		drop[r] = true
	}
	return drop
}

// packedSurplus returns the runs to leave out for a page of a packed segment.
func (w *Writer) packedSurplus(bytes map[RunRef]int64) map[RunRef]bool {
	drop := make(map[RunRef]bool)
	read := make(map[RunRef]int)
	for _, r := range byWeight(bytes) {
		if !takeRuns(read, w.needs(r), packedBytesMax) {
			drop[r] = true
		}
	}
	return drop
}

// needs returns the runs that must be read for a block of a run: the run, and the
// runs it builds on.
func (w *Writer) needs(r RunRef) []Need {
	if r.Segment == w.info.ID {
		return w.runNeeds[r.Run]
	}
	if d := w.dict(r); d != nil {
		return d.Needs
	}
	return []Need{{r, packedRunBytes}}
}

// takeRuns adds runs to a set, unless the set would then have more than most bytes.
func takeRuns(set map[RunRef]int, runs []Need, most int) bool {
	n := 0
	for _, bytes := range set {
		n += bytes
	}
	for _, r := range runs {
		if set[r.RunRef] == 0 {
			n += r.Bytes
		}
	}
	if n > most {
		return false
	}
	for _, r := range runs {
		set[r.RunRef] = max(r.Bytes, 1)
	}
	return true
}

// byWeight returns the runs, sorted by falling weight.
func byWeight(weight map[RunRef]int64) []RunRef {
	return slices.SortedFunc(maps.Keys(weight), func(a, b RunRef) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run))
	})
}
