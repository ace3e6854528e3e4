package dedup

import (
	"math"
	"math/bits"
	"sort"
)

// cells cover fingerprints: each is in one of them, within its radius of its
// middle, which need not be one of them. The members of a cell stand together.
type cells struct {
	items
	first  []uint32 // of each cell, the place of the one that the others were put to
	end    []uint32 // of each cell, where its members end
	middle []uint64
	radius []uint8
	widest int // radius
}

// members gives those of a cell.
func (c *cells) members(n uint32) items {
	from := uint32(0)
	if n > 0 {
		from = c.end[n-1]
	}
	return c.part(from, c.end[n])
}

// near reports whether a member of a cell is near one of another.
func (c *cells) near(a, b uint32, distance int) bool {
	few, many := c.members(a), c.members(b)
	for _, h := range few.hash {
		if bits.OnesCount64(h^c.middle[b]) > distance+int(c.radius[b]) {
			continue
		}
		for _, o := range many.hash {
			if bits.OnesCount64(h^o) <= distance {
				return true
			}
		}
	}
	return false
}

const (
	// reach is how far from the first of a cell others are that are put into it, and
	// reachMiddle how far from its middle, where that is known.
	reach       = 6
	reachMiddle = 4
	// radiusMost is how wide a cell may be.
	radiusMost = 4
	// coverMost: where there is a cell for no more than as many, they are left as they
	// are.
	coverMost = 16
	// middleMembers is of how many members the middle is likely that of a cluster.
	middleMembers = 9
)

// cover makes cells: of fingerprints near each other, and then once more of these by
// their middles, which are nearer to what belongs to a cluster than another of its
// members is. Which cells there are does not matter to what is found, only to how
// soon: where a table leaves most fingerprints alone, each is one.
func (p *pairing) cover() error {
	n := len(p.hashes)
	of := make([]uint32, n)
	left, err := p.put(items{hash: p.hashes}, of, reach, .5)
	if err != nil {
		return err
	}
	if left > n/2 {
		p.cells = eachAlone(p.hashes, of)
		return nil
	}
	c := cells{items: p.members}
	c.gather(p.hashes, of)
	if len(c.end) > n/coverMost {
		if _, err := p.put(c.middles(), of, reachMiddle, 1); err != nil {
			return err
		}
		c.gather(p.hashes, of)
	}
	p.cells = c.trimmed(p.distance)
	return nil
}

// put puts items to others that they are near, of which of has the places then. In
// a table each is put to the first one that came to its slot, if that is within
// reach, and only what is not put to another is looked at in the next table, if that
// is no more than a share of what there was. It returns how many there are in the
// end.
func (p *pairing) put(left items, of []uint32, reach int, share float64) (int, error) {
	var keep items
	for _, t := range byTurns(layoutFor(len(p.hashes), p.distance).tables) {
		list := parting{from: left, placed: true}
		n := 0
		if _, err := list.each(p.ctx, &t, func(s items) bool {
			n += p.sweep(s, t.mask, of, reach)
			return true
		}); err != nil {
			return 0, err
		}
		if p.members.hash == nil {
			p.members = list.work // has room for all, and will not be used
		}
		if keep.hash == nil {
			keep = makeItems(n + 1)
		}
		enough := float64(n) > share*float64(len(left.hash))
		left = left.heads(keep, of)
		if enough {
			break
		}
	}
	return len(left.hash), nil
}

// byTurns takes tables from both halves of a list in turn, as these have fewest bits
// in common.
func byTurns(tables []table) []table {
	out := make([]table, 0, len(tables))
	half := (len(tables) + 1) / 2
	for i := range half {
		out = append(out, tables[i])
		if half+i < len(tables) {
			out = append(out, tables[half+i])
		}
	}
	return out
}

// heads copies to keep, which has room for one more, the items that are not put to
// another.
func (s items) heads(keep items, of []uint32) items {
	n := uint32(0)
	for i, h := range s.hash {
		at := uint32(i)
		if s.at != nil {
			at = s.at[i]
		}
		keep.hash[n], keep.at[n] = h, at
		if of[at] == at {
			n++
		}
	}
	return keep.part(0, n)
}

// sweep puts the items of a part to others of it, and returns how many are not. It
// has no branches that a processor would have to guess.
func (p *pairing) sweep(s items, mask uint64, of []uint32, reach int) (heads int) {
	first := p.number(len(s.hash))
	hash, at, last := s.hash, s.at[:len(s.hash)], &p.last
	for i, h := range hash {
		slot := &last[slotOf(h, mask)]
		j := min(*slot-first, uint32(i)) // i, if none of the part came there
		*slot = first + j
		if bits.OnesCount64(h^hash[j]) > reach {
			j = uint32(i)
		}
		of[at[i]] = at[j]
		if j == uint32(i) {
			heads++
		}
	}
	return heads
}

// eachAlone makes a cell of each fingerprint. It writes to places.
func eachAlone(hashes []uint64, places []uint32) cells {
	end := make([]uint32, len(hashes))
	for i := range hashes {
		places[i], end[i] = uint32(i), uint32(i)+1
	}
	return cells{items: items{hashes, places}, end: end, middle: hashes, radius: make([]uint8, len(hashes))}
}

// gather makes cells of fingerprints of which each is put to one, or to itself. It
// changes of.
func (c *cells) gather(hashes []uint64, of []uint32) {
	next := make([]uint32, len(hashes))
	for i, to := range of {
		for of[to] != to {
			to = of[to]
		}
		of[i] = to
		next[to]++
	}
	c.first, c.end, c.middle = c.first[:0], c.end[:0], c.middle[:0]
	sum := uint32(0)
	for i, n := range next {
		next[i] = sum
		if n > 0 {
			sum += n
			c.first, c.end = append(c.first, uint32(i)), append(c.end, sum)
		}
	}
	for i, h := range hashes {
		to := &next[of[i]]
		c.hash[*to], c.at[*to] = h, uint32(i)
		*to++
	}
	for n := range c.end {
		c.middle = append(c.middle, middleOf(c.members(uint32(n)).hash))
	}
}

// middles gives the middles of cells, with what their members are put to: of larger
// cells first, so that what is near each other is put to these.
func (c *cells) middles() items {
	s := items{make([]uint64, 0, len(c.end)), make([]uint32, 0, len(c.end))}
	for _, large := range []bool{true, false} {
		from := uint32(0)
		for n, end := range c.end {
			if (end-from >= middleMembers) == large {
				s.hash, s.at = append(s.hash, c.middle[n]), append(s.at, c.first[n])
			}
			from = end
		}
	}
	return s
}

// middleOf is a fingerprint in the midst of some: of two half way between them, of
// more by the majority in each bit of three such of nine.
func middleOf(hash []uint64) uint64 {
	switch len(hash) {
	case 1:
		return hash[0]
	case 2:
		x := hash[0]
		for range bits.OnesCount64(x^hash[1]) / 2 {
			d := x ^ hash[1]
			x ^= d & -d
		}
		return x
	}
	var three [3]uint64
	step := max(1, len(hash)/9)
	for i := range three {
		three[i] = majority(hash[3*i*step%len(hash)], hash[(3*i+1)*step%len(hash)], hash[(3*i+2)*step%len(hash)])
	}
	return majority(three[0], three[1], three[2])
}

// majority has each bit as two of three have it.
func majority(a, b, c uint64) uint64 { return a&b | (a|b)&c }

// trimmed makes cells of their own of members that are far from the middle: one of
// those that are the same. It changes the order of members, which both share.
func (c *cells) trimmed(distance int) cells {
	out := cells{items: c.items}
	add := func(end int, middle uint64, radius int) {
		out.end, out.middle, out.radius = append(out.end, uint32(end)), append(out.middle, middle), append(out.radius, uint8(radius))
		out.widest = max(out.widest, radius)
	}
	widest := c.widestFor(distance)
	for n, end := range c.end {
		s := c.members(uint32(n))
		from := int(end) - len(s.hash)
		kept, radius := s.parted(c.middle[n], keptWithin(len(s.hash), widest))
		if kept > 0 {
			add(from+kept, c.middle[n], radius)
		}
		if kept < len(s.hash)-1 {
			sort.Sort(s.part(uint32(kept), uint32(len(s.hash))))
		}
		for i := kept; i < len(s.hash); i++ {
			if i+1 == len(s.hash) || s.hash[i+1] != s.hash[i] {
				add(from+i+1, s.hash[i], 0)
			}
		}
	}
	return out
}

// keptWithin is how far from the middle members are that a cell keeps, if that is
// widest at most: two large cells are not compared one by one.
func keptWithin(members, widest int) int {
	if members > amongItems {
		return 0
	}
	return widest
}

// parted puts those within a distance of a fingerprint first, and gives their number
// and how far the farthest of them is.
func (s items) parted(middle uint64, distance int) (n, radius int) {
	for i, h := range s.hash {
		d := bits.OnesCount64(h ^ middle)
		if d > distance {
			continue
		}
		radius = max(radius, d)
		if n < i {
			s.Swap(n, i)
		}
		n++
	}
	return n, radius
}

// widestFor is the radius with which it takes least to join cells: the wider they
// are, the more tables it takes to find those that may be near each other; the more
// there are, the more come to each table.
func (c *cells) widestFor(distance int) (widest int) {
	var apart [65]int // how many are so far from the middle
	for n := range c.end {
		hash, middle := c.members(uint32(n)).hash, c.middle[n]
		for _, h := range hash {
			d := bits.OnesCount64(h ^ middle)
			if d > keptWithin(len(hash), radiusMost) {
				d = len(apart) - 1
			}
			apart[d]++
		}
	}
	least, left := math.Inf(1), len(c.hash)
	for r := 0; r <= radiusMost && (r == 0 || distance+2*r <= DistanceMax); r++ {
		left -= apart[r]
		n := len(c.end) + left
		l := layoutFor(n, distance+2*r)
		if cost := l.pairsCost(n) + float64(left*len(l.tables))*joinCost; cost < least {
			least, widest = cost, r
		}
	}
	return widest
}
