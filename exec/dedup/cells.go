package dedup

import (
	"math"
	"math/bits"
	"sort"
)

// cells divide fingerprints into cells: sets of fingerprints that lie within a
// small distance (the cell's radius) of one fingerprint, the cell's middle.
// Each fingerprint is in one cell. The middle need not be one of the
// fingerprints. The items hold the members of all cells, cell by cell.
type cells struct {
	items
	first  []uint32 // for each cell, the place of the fingerprint around which it was made
	end    []uint32 // for each cell, the end of its members in items
	middle []uint64
	radius []uint8
	widest int // the greatest radius
}

// members returns the items of cell n: its fingerprints with their places
// (indexes in the caller's slice).
func (c *cells) members(n uint32) items {
	from := uint32(0)
	if n > 0 {
		from = c.end[n-1]
	}
	return c.part(from, c.end[n])
}

// near reports whether some member of cell a and some member of cell b differ
// in at most distance bits.
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
	// reach is the greatest distance of a cell's member from the fingerprint around
	// which its cell is made, and reachMiddle from the cell's middle, once that
	// is known.
	reach       = 6
	reachMiddle = 4
	// radiusMost is the greatest radius of a cell.
	radiusMost = 4
	// coverMost says when the first division into cells is good enough: if there is at most
	// one cell per this many fingerprints.
	coverMost = 16
	// middleMembers is how many members make it likely that the middle of a
	// cell is the middle of a cluster.
	middleMembers = 9
)

// cover divides all fingerprints into cells and sets p.cells. First it makes
// cells of fingerprints near each other. Then it makes new cells around the
// middles of these, because a middle is nearer to the members of a cluster than
// they are to each other. The choice of cells affects only speed, not the pairs
// found. If most fingerprints have no other near them in the first table, each
// fingerprint becomes a cell of its own. cover returns the error of p.ctx when
// p.ctx is done.
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

// put assigns each item of left (a fingerprint with its place) to an item that
// differs in at most reach bits, or to itself. It sets of[i] for the item with
// place i to the place of the item that it is assigned to. put goes through
// several tables. In each, an item is assigned to the first item with the same
// slot (a hash of the table's bits). The next table gets only the items that
// are still assigned to themselves. put stops early if a table leaves more than
// the fraction share of its items assigned to themselves. It returns how many
// are assigned to themselves in the end.
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
			p.members = list.work // has room for all items, and is not used again
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

// byTurns returns the tables in another order: one table of the first half, one
// of the second half, and so on by turns. Tables that follow each other then
// have few bits in common.
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

// heads copies the items of s that are assigned to themselves to the memory of
// keep, and returns them. An item with place i is assigned to the item with
// place of[i]. keep must have room for one more item.
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

// sweep assigns each item of s to the first item with the same slot (a hash of
// its bits in mask) if the two differ in at most reach bits, or else to itself.
// It writes the place of the other item to of, and returns how many items it
// assigns to themselves. The loop has no branches that a processor would have
// to predict.
func (p *pairing) sweep(s items, mask uint64, of []uint32, reach int) (heads int) {
	first := p.number(len(s.hash))
	hash, at, last := s.hash, s.at[:len(s.hash)], &p.last
	for i, h := range hash {
		slot := &last[slotOf(h, mask)]
		j := min(*slot-first, uint32(i)) // i, if no item of the part is in the slot
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

// eachAlone makes one cell per fingerprint. It uses the memory of places, which
// must be as long as hashes.
func eachAlone(hashes []uint64, places []uint32) cells {
	end := make([]uint32, len(hashes))
	for i := range hashes {
		places[i], end[i] = uint32(i), uint32(i)+1
	}
	return cells{items: items{hashes, places}, end: end, middle: hashes, radius: make([]uint8, len(hashes))}
}

// gather makes the cells: one of all fingerprints that put has assigned to the
// same fingerprint, directly or through others. of[i] is the index of the
// fingerprint to which fingerprint i is assigned. gather changes of.
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

// middles returns the middles of the cells as items. The place of each is the
// place of the fingerprint around which the cell was made. Cells with
// middleMembers or more members come first, so that put assigns the middles of
// smaller cells to theirs.
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

// middleOf returns a fingerprint in the middle of the fingerprints in hash,
// which is not empty. For two, it is half way between them. For more, it is the
// bitwise majority of three majorities of three fingerprints each.
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

// majority returns the number whose bits each have the value that at least two
// of a, b and c have there.
func majority(a, b, c uint64) uint64 { return a&b | (a|b)&c }

// trimmed returns new cells that keep only the members near their middle.
// Members far from the middle become cells of their own, one per distinct
// fingerprint. distance is the distance of the pairs to find. trimmed reorders
// the items of c and shares their memory.
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

// keptWithin returns the greatest distance from the middle at which a cell
// keeps a member. This is widest, except for a cell with many members. Such a
// cell keeps only members equal to the middle, because two large cells cannot
// be compared member by member.
func keptWithin(members, widest int) int {
	if members > amongItems {
		return 0
	}
	return widest
}

// parted moves the items that differ from middle in at most distance bits to
// the front of s. It returns how many they are, and the greatest number of bits
// in which one of them differs.
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

// widestFor returns the radius up to which cells should keep their members, so
// that finding the cells to join costs least. distance is the distance of the
// pairs to find. Wider cells need more tables to find all cells that may have
// members near each other. Narrower cells are greater in number.
func (c *cells) widestFor(distance int) (widest int) {
	var apart [65]int // how many members are at each distance from their middle
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
