package segment

import (
	"cmp"
	"maps"
	"slices"

	"infomall/store/segment/column"
)

const (
	// recipeRunsMax is how many runs a page's blocks may come from at most. To read
	// a run takes about half a millisecond.
	recipeRunsMax = 8
	// packedBytesMax is how many bytes of runs of packed segments must be read at most for a
	// page's blocks, including the runs on which these runs build. With a lower bound an
	// archive grows: 104 months of one site grow by a twentieth at 2 MB.
	packedBytesMax = 2816 << 10
	// packedRunsMax is how many runs of packed segments must be read at most for a page's
	// blocks, besides the page's own run. In a bucket each run takes a request. The bound
	// matters where pools are small: with it, 104 months of one site need 15 runs instead of
	// 44, for 3 % of their size (FORMAT.md 15.3).
	packedRunsMax = 15
)

// RunRef refers to run number Run of a segment, whichever segment that is.
type RunRef struct{ Segment, Run uint32 }

// BodyBlock is a block of a body that is being stored.
type BodyBlock struct {
	ID   ID
	Size int
	// At is the place where the block is stored already. Its Segment is 0 if the
	// block is not stored.
	At BlockRef
	// Bytes is the block, and Facts are its facts. If Bytes is nil, the function
	// Read returns both. The facts that it returns may be in short form only if short is set.
	Bytes, Facts []byte
	Read         func(short bool) (bytes, facts []byte, err error)
	// Describe returns ID and Size of a block that is stored at the place At. If Describe is not
	// nil, the fields ID and Size are not set. The writer calls Describe only if it needs them.
	Describe func() (ID, int, error)
}

// bytes returns the block of p and its facts. It reads them if they are not in memory. The
// facts are in short form only if the current run is packed.
func (w *Writer) bytes(p *BodyBlock) (b, facts []byte, err error) {
	if p.Bytes != nil || p.Read == nil {
		return p.Bytes, p.Facts, nil
	}
	return p.Read(w.run.packed)
}

// join stores c, a body divided into layout and leaves, and sets the recipe of e.
// newBytes is how many bytes it stored.
func (w *Writer) join(e *Stored, c Content) (newBytes int64, err error) {
	layout := cutLayout(c.Layout)
	parts := w.run.mem.parts[:0]
	for _, b := range layout {
		parts = append(parts, BodyBlock{ID: BlockID(b), Size: len(b), Bytes: b})
	}
	for i, b := range c.Leaves {
		p := BodyBlock{Size: len(b), Bytes: b, Facts: c.fact(i)}
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

// assemble stores a body that is made of parts, and sets the recipe of e. The
// recipe refers to parts that are stored already; assemble stores the others.
// newBytes is how many bytes it stored.
//
// If the body would come from too many runs, assemble leaves out the runs from
// which it needs least: their blocks are stored again, in this segment.
func (w *Writer) assemble(e *Stored, parts []BodyBlock) (newBytes int64, err error) {
	m := w.run.mem
	m.at, m.named = column.Sized(m.at, len(parts)), column.Sized(m.named, len(parts))
	at, named := m.at, m.named
	w.find(parts, at, named)
	bytes := w.otherRuns(at, named)
	if w.run.packed || len(bytes) > recipeRunsMax { // some parts may have to be stored again
		described, err := describe(parts)
		if err != nil {
			return 0, err
		}
		if described {
			w.find(parts, at, named)
			bytes = w.otherRuns(at, named)
		}
	}
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
				b, facts, err := w.bytes(&parts[i])
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

// find sets at[i] to the place where parts[i] is stored, and named[i] to true. If the part is not
// stored, named[i] is false.
func (w *Writer) find(parts []BodyBlock, at []Placed, named []bool) {
	for i := range parts {
		p := &parts[i]
		if p.Describe == nil {
			if at[i], named[i] = w.blocks.find(p.ID, w.info.Pool); named[i] {
				continue
			}
		}
		if p.At.Segment != 0 {
			at[i], named[i] = Placed{p.At, int32(p.Size)}, true
		}
	}
}

// describe sets ID and Size of the parts that have a function Describe. It reports whether there
// were any.
func describe(parts []BodyBlock) (any bool, err error) {
	for i := range parts {
		p := &parts[i]
		if p.Describe == nil {
			continue
		}
		if p.ID, p.Size, err = p.Describe(); err != nil {
			return any, err
		}
		p.Describe, any = nil, true
	}
	return any, nil
}

// otherRuns returns how many bytes of a page are in each run other than the current
// one. at[i] is the place of block i of the page, if named[i] is true.
func (w *Writer) otherRuns(at []Placed, named []bool) map[RunRef]int64 {
	bytes := make(map[RunRef]int64)
	for i, p := range at {
		if named[i] {
			bytes[RunRef{p.Segment, p.Run}] += int64(p.Size)
		}
	}
	delete(bytes, RunRef{w.info.ID, uint32(len(w.table.ends))})
	return bytes
}

// surplus returns the runs that a page should not refer to, or nil. bytes says how
// much of the page each run has. If there are more than recipeRunsMax runs, surplus
// returns those with the fewest bytes, so that half of recipeRunsMax remain.
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

// packedSurplus returns the runs that a page of a packed segment should not refer
// to. bytes says how much of the page each run has. Runs with more bytes are
// preferred, as long as all that must be read stays within packedBytesMax and packedRunsMax.
func (w *Writer) packedSurplus(bytes map[RunRef]int64) map[RunRef]bool {
	drop := make(map[RunRef]bool)
	read := make(map[RunRef]int)
	for _, r := range byWeight(bytes) {
		if !takeRuns(read, w.needs(r), packedBytesMax, packedRunsMax) {
			drop[r] = true
		}
	}
	return drop
}

// needs returns the runs that must be read for a block of run r: r itself, and the
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

// noteNeeds appends to w.runNeeds the runs that must be read for the run that was written last.
// These are this run, the runs in behind (the runs on which it builds), and the runs on which
// they build in turn. bytes is the size of the blocks of the run that was written last.
func (w *Writer) noteNeeds(behind []RunRef, bytes int) {
	if w.dict == nil {
		return
	}
	var all []Need
	for _, ref := range behind {
		for _, n := range w.needs(ref) {
			if !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	w.runNeeds = append(w.runNeeds, append(all, Need{RunRef{w.info.ID, uint32(len(w.runNeeds))}, bytes}))
}

// takeRuns adds runs to set, which maps each run to its size in bytes, and returns true. If set
// would then have more than mostRuns runs or mostBytes bytes, takeRuns changes nothing and
// returns false.
func takeRuns(set map[RunRef]int, runs []Need, mostBytes, mostRuns int) bool {
	bytes, count := 0, len(set)
	for _, n := range set {
		bytes += n
	}
	for _, r := range runs {
		if set[r.RunRef] == 0 {
			bytes, count = bytes+r.Bytes, count+1
		}
	}
	if bytes > mostBytes || count > mostRuns {
		return false
	}
	for _, r := range runs {
		set[r.RunRef] = max(r.Bytes, 1)
	}
	return true
}

// byWeight returns the runs that are keys of weight, sorted by falling weight.
func byWeight(weight map[RunRef]int64) []RunRef {
	return slices.SortedFunc(maps.Keys(weight), func(a, b RunRef) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), cmp.Compare(a.Segment, b.Segment), cmp.Compare(a.Run, b.Run))
	})
}

// Blocks remembers where blocks are stored, by their IDs. If an import meets such a
// block again, in the next version of a page, in another page or in a later pool,
// it refers to the block instead of storing it again. Blocks forgets blocks that
// were not met for long. Forgetting only costs space: the block is stored again.
// Only one goroutine may use it.
type Blocks struct {
	young, old map[ID]Placed
	max        int               // how many blocks each of young and old may have
	pools      map[uint32]string // pool of each segment to whose blocks new recipes may refer
	turns      int               // how often the blocks in old were forgotten
}

// Placed is the place of a block that is stored already, and the block's size in
// bytes.
type Placed struct {
	BlockRef
	Size int32
}

// BlocksMax is how many blocks an import remembers at most (see Blocks). They take
// about 40 MB.
const BlocksMax = 600_000

// NewBlocks returns an empty Blocks that remembers at most the given number of
// blocks.
func NewBlocks(most int) *Blocks {
	return &Blocks{young: make(map[ID]Placed), max: most / 2, pools: make(map[uint32]string)}
}

// Valid sets the segments that new recipes may refer to: the keys of pools, each
// with the name of its pool. Blocks of other segments are ignored.
func (b *Blocks) Valid(pools map[uint32]string) { b.pools = pools }

// Remember notes that the block with this ID is stored at p.
func (b *Blocks) Remember(id ID, p Placed) {
	if len(b.young) >= b.max {
		b.old, b.young = b.young, make(map[ID]Placed)
		b.turns++
	}
	b.young[id] = p
}

// May reports whether new recipes may refer to blocks of segment id.
func (b *Blocks) May(id uint32) bool {
	_, ok := b.pools[id]
	return ok
}

// Turn returns the current turn, a number that grows each time Blocks forgets its
// older half. A block that is remembered at turn t is forgotten at turn t+2, not
// before.
func (b *Blocks) Turn() int { return b.turns }

// find returns the place of the block with this ID. It reports false if the block
// is not remembered, or if a segment of pool may not refer to it. A segment may
// refer to blocks in its own pool and in pools with smaller names, which are
// earlier.
func (b *Blocks) find(id ID, pool string) (Placed, bool) {
	p, ok := b.young[id]
	if !ok {
		if p, ok = b.old[id]; !ok {
			return Placed{}, false
		}
		b.Remember(id, p)
	}
	at, ok := b.pools[p.Segment]
	return p, ok && at <= pool
}

// The bounds, in bytes, of the pieces into which a layout is cut. The content
// decides at which places the layout is cut, not the offset, so an insertion does
// not move the other cuts. Pages of a site, and versions of a page, therefore share
// most pieces of their layouts even if no two layouts are equal.
const (
	layoutPieceMin  = 256
	layoutPieceMax  = 8 << 10
	layoutPieceMask = 1<<10 - 1 // one place in 1024 is a cut
)

// cutLayout divides the layout b into pieces and returns them in order. It finds
// the cuts by the gear hash of Xia et al., "FastCDC" (2016).
func cutLayout(b []byte) [][]byte {
	var out [][]byte
	for len(b) > layoutPieceMin {
		n := layoutPieceMin
		h := uint64(0)
		for ; n < len(b) && n < layoutPieceMax; n++ {
			h = h<<1 + gear[b[n]]
			if h>>32&layoutPieceMask == 0 {
				n++
				break
			}
		}
		out, b = append(out, b[:n]), b[n:]
	}
	return append(out, b)
}

// gear maps each byte to a fixed random-looking number: splitmix64 of its value.
var gear = func() (g [256]uint64) {
	x := uint64(0)
	for i := range g {
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		g[i] = z ^ z>>31
	}
	return g
}()
