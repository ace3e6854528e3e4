package segment

// Blocks remembers where blocks are stored. A block that an import meets again, in
// the next version of a page, in another page or in a later pool, is then referred
// to instead of stored again. It forgets blocks that were not met for long.
// Forgetting only costs space: the block is stored again. Only one goroutine may
// use it.
type Blocks struct {
	young, old map[ID]Placed
	max        int               // of each of the two generations
	pools      map[uint32]string // of the segments whose blocks may be named
	turns      int               // how often the old ones were forgotten
}

// Placed is a block that is stored already, and its size in bytes.
type Placed struct {
	BlockRef
	Size int32
}

// BlocksMax is how many blocks an import remembers at most: they take about 40 MB.
const BlocksMax = 600_000

// NewBlocks returns an empty memory for up to most blocks.
func NewBlocks(most int) *Blocks {
	return &Blocks{young: make(map[ID]Placed), max: most / 2, pools: make(map[uint32]string)}
}

// Valid sets the segments that new recipes may refer to, each with its pool. Blocks
// of other segments are ignored.
func (b *Blocks) Valid(pools map[uint32]string) { b.pools = pools }

// Remember adds a block that is stored at p.
func (b *Blocks) Remember(id ID, p Placed) {
	if len(b.young) >= b.max {
		b.old, b.young = b.young, make(map[ID]Placed)
		b.turns++
	}
	b.young[id] = p
}

// May reports whether new recipes may refer to blocks of the segment.
func (b *Blocks) May(id uint32) bool {
	_, ok := b.pools[id]
	return ok
}

// Turn returns the current turn. A block that is remembered at turn t is forgotten
// at turn t+2, not before.
func (b *Blocks) Turn() int { return b.turns }

// find returns the place of a block to which a segment of pool may refer: in that
// pool or an earlier one.
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
// decides where a cut is, not the offset, so an insertion does not move the other
// cuts. Pages of a site, and versions of a page, therefore share most pieces of
// their layouts even if no two layouts are equal.
const (
	layoutPieceMin  = 256
	layoutPieceMax  = 8 << 10
	layoutPieceMask = 1<<10 - 1 // one place in 1024 is a cut
)

// cutLayout divides a layout into pieces, by the gear hash of Xia et al.,
// "FastCDC" (2016).
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

// gear maps each byte to a random number: splitmix64 of its value.
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
