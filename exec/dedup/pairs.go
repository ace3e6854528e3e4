package dedup

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// Costs of the cheapest steps, in nanoseconds, about: moving a fingerprint as those
// of a digit are brought together, looking where in a table others would be, looking
// at one that is there by chance, and joining one with others that it is near.
const (
	moveCost = 5
	seekCost = 2
	lookCost = 6
	joinCost = 12
)

// pairsCost is about how long all pairs among n fingerprints at random take.
func (l *layout) pairsCost(n int) float64 {
	each := 0.0
	last := part{}
	for _, t := range l.tables {
		if t.digits[0] != last {
			each += moveCost
		}
		last = t.digits[0]
		for of := n >> last.width; of > partItems; of >>= digitBits {
			each += moveCost
		}
		each += seekCost + lookCost*float64(n)/2/float64(uint64(1)<<min(t.width, 63))
	}
	return each * float64(n)
}

// layoutFor is the layout in which all pairs among n fingerprints cost least.
func layoutFor(n, k int) layout {
	best := newLayout(k, 1)
	for r := 1; r <= 3; r++ {
		for _, l := range []layout{newLayout(k, r), newHalves(k, r)} {
			if l.pairsCost(n) < best.pairsCost(n) {
				best = l
			}
		}
	}
	return best
}

// Plan says how all pairs within a distance among n fingerprints are found.
func Plan(n, distance int) string {
	l := layoutFor(n, distance)
	least, most := l.tables[0].width, l.tables[0].width
	for _, t := range l.tables {
		least, most = min(least, t.width), max(most, t.width)
	}
	width := strconv.Itoa(least)
	if most > least {
		width += " to " + strconv.Itoa(most)
	}
	return fmt.Sprintf("%d tables of fingerprints by %s bits, about %.2g s", len(l.tables), width, l.pairsCost(n)/1e9)
}

// Pairs calls f for pairs of fingerprints that differ in at most distance bits, each
// once: for i, with some of its partners, as they are found. Which of two is i is
// left open. Others is valid until f returns, which must not change it; if f returns
// false, no more come. There are fewer than 1<<32 fingerprints, and distance is at
// most DistanceMax. ctx ends it with its error.
//
// Fingerprints that are near each other are likely to come in clusters. These are
// covered by cells, which are joined to groups where a member of one is near one of
// another; only then all pairs within each group are looked at. Which cells may be
// near each other is told by their middles alone: by the triangle inequality, these
// are no further apart than distance and the radii of both (as in Ciaccia, Patella
// and Zezula, "M-tree", 1997).
func Pairs(ctx context.Context, hashes []uint64, distance int, f func(i uint32, others []uint32) bool) error {
	if distance < 0 || distance > DistanceMax {
		panic(fmt.Sprintf("dedup: a distance of %d", distance))
	}
	p := pairing{ctx: ctx, distance: distance, found: f, hashes: hashes, wide: distance}
	if len(hashes) <= amongItems {
		p.among(newItems(hashes))
		return ctx.Err()
	}
	if !p.likely() {
		if alone, err := p.alone(); alone || err != nil {
			return err
		}
	}
	if err := p.cover(); err != nil {
		return err
	}
	if err := p.join(); err != nil {
		return err
	}
	return p.eachGroup()
}

// pairing looks for pairs.
type pairing struct {
	ctx      context.Context
	distance int
	found    func(i uint32, others []uint32) bool
	told     int // of how many pairs, since ctx was asked
	hashes   []uint64
	members  items // room for those of cells
	cells    cells
	groups   *Groups // of cells; nil while it is asked whether there are any
	wide     int     // how far apart the middles of cells are that may be near each other
	layout   layout  // of cells
	table    int     // at hand
	others   []uint32

	// Of the part of a table at hand: which item came to each slot last, by a number
	// of its own; the number after those of the part; and how its items that came
	// to the same slot are linked.
	last  [slots]uint32
	next  uint32
	links []link
}

// link leads from an item to others that came to its slot before: from one that is
// not near any of them to the next such, and to those that are near it, of which
// each leads to the next. They are numbers in the part plus one; 0 is none.
type link struct{ next, near uint32 }

const (
	// slotBits: the items of a part come to as many slots, by the other bits of the
	// table. Of a million a part has 3,900, so that nearly all are alone.
	slotBits = 16
	slots    = 1 << slotBits
	// amongItems is how many items are compared each with each.
	amongItems = 1 << 10
)

// slotOf is where a fingerprint comes to by the bits of a table.
func slotOf(h, mask uint64) uint64 {
	const mix = 0x9e3779b97f4a7c15 // as in Fibonacci hashing
	return (h & mask) * mix >> (64 - slotBits)
}

// number gives the n items of a part numbers from first on: a slot that has less
// was not used for the part yet.
func (p *pairing) number(n int) (first uint32) {
	if p.next == 0 || p.next > math.MaxUint32-uint32(n) {
		clear(p.last[:])
		p.next = 1
	}
	first = p.next
	p.next += uint32(n)
	if len(p.links) < n {
		p.links = make([]link, max(n, partItems))
	}
	return first
}

// partItems is how many items a part may have that is parted no more.
const partItems = 1 << 13

// parting parts a list by the digits of tables, so that items that are the same in
// the bits of a table are in one part.
type parting struct {
	from   items // may have no places: then it is all
	placed bool  // places are moved along

	work, spare items
	digit       part // by which work is in order
	start       [1<<digitBits + 1]uint32
}

// each calls f for the parts of a table while it returns true. It returns false if
// f did, and the error of ctx.
func (l *parting) each(ctx context.Context, t *table, f func(items) bool) (more bool, err error) {
	if l.digit != t.digits[0] {
		l.digit = t.digits[0]
		l.space(&l.work)
		l.start = scatter(l.from, l.work, l.digit)
	}
	for d := range 1 << l.digit.width {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		part := l.work.part(l.start[d], l.start[d+1])
		if len(part.hash) <= partItems || len(t.digits) == 1 {
			if !f(part) {
				return false, nil
			}
			continue
		}
		l.space(&l.spare)
		parts := l.spare.part(l.start[d], l.start[d+1])
		start := scatter(part, parts, t.digits[1])
		for d := range 1 << t.digits[1].width {
			if !f(parts.part(start[d], start[d+1])) {
				return false, nil
			}
		}
	}
	return true, nil
}

// space makes room for the list, unless there is.
func (l *parting) space(s *items) {
	if s.hash != nil {
		return
	}
	s.hash = make([]uint64, len(l.from.hash))
	if l.placed {
		s.at = make([]uint32, len(l.from.hash))
	}
}

// likely reports whether some are near each other among those that begin with the
// same bits as the first.
func (p *pairing) likely() bool {
	t := &layoutFor(len(p.hashes), p.distance).tables[0]
	first := t.digits[0]
	some := make([]uint64, 0, partItems)
	for _, h := range p.hashes {
		if (h^p.hashes[0])>>first.shift&(1<<first.width-1) == 0 && len(some) < cap(some) {
			some = append(some, h)
		}
	}
	return !p.seek(items{hash: some}, t.mask)
}

// alone reports whether no two fingerprints are near each other. No places are
// moved along with them, which takes twice the time.
func (p *pairing) alone() (alone bool, err error) {
	l := layoutFor(len(p.hashes), p.distance)
	list := parting{from: items{hash: p.hashes}}
	for i := range l.tables {
		mask := l.tables[i].mask
		alone, err = list.each(p.ctx, &l.tables[i], func(s items) bool {
			return p.seek(s, mask)
		})
		if !alone || err != nil {
			break
		}
	}
	return alone, err
}

// seek joins each item of a part with those near it that the table has beside it. It
// is false if it found some and there are no groups.
func (p *pairing) seek(s items, mask uint64) bool {
	first := p.number(len(s.hash))
	links, last := p.links[:len(s.hash)], &p.last
	for i, h := range s.hash {
		slot := &last[slotOf(h, mask)]
		j := *slot - first // more than any there are, if none of the part came there
		links[i] = link{}
		if j < uint32(i) {
			if p.nearSome(s, i, j+1) {
				if p.groups == nil {
					return false
				}
				continue
			}
			links[i].next = j + 1
		}
		*slot = first + uint32(i)
	}
	return true
}

// nearSome joins an item with those near it among others that came to its slot, of
// which before is the last. It reports whether there is one: the item is then linked
// with that.
func (p *pairing) nearSome(s items, item int, before uint32) (found bool) {
	for n := before; n != 0; n = p.links[n-1].next {
		for m := n; m != 0; m = p.links[m-1].near {
			if bits.OnesCount64(s.hash[item]^s.hash[m-1]) > p.wide {
				continue
			}
			if p.groups == nil {
				return true
			}
			if p.wide > p.distance && !p.cellsNear(s, item, m-1) {
				continue
			}
			p.groups.Join(s.at[item], s.at[m-1])
			if !found {
				p.links[item].near = p.links[n-1].near
				p.links[n-1].near = uint32(item) + 1
				found = true
			}
			break // the others that are linked with n are in the same group
		}
	}
	return found
}

// cellsNear reports whether a member of a cell is near one of another, if this was
// not asked in a table before.
func (p *pairing) cellsNear(s items, item int, other uint32) bool {
	d := s.hash[item] ^ s.hash[other]
	return d&p.layout.tables[p.table].mask == 0 && p.layout.first(p.table, d) &&
		p.cells.near(s.at[item], s.at[other], p.distance)
}

// join makes groups of all cells that are near each other.
func (p *pairing) join() error {
	c := &p.cells
	p.wide = p.distance + 2*c.widest
	p.groups = NewGroups(len(c.end))
	p.layout = layoutFor(len(c.end), p.wide)
	list := parting{from: items{hash: c.middle}, placed: true}
	for i := range p.layout.tables {
		p.table = i
		t := &p.layout.tables[i]
		if _, err := list.each(p.ctx, t, func(s items) bool { return p.seek(s, t.mask) }); err != nil {
			return err
		}
	}
	return nil
}

// eachGroup looks at all pairs in each group.
func (p *pairing) eachGroup() error {
	c := &p.cells
	// Of each group, which has the number of its least cell, the cells in order.
	begin := make([]uint32, len(c.end)+1)
	for i := range c.end {
		begin[p.groups.Of(uint32(i))+1]++
	}
	for i := range c.end {
		begin[i+1] += begin[i]
	}
	list, next := make([]uint32, len(c.end)), slices.Clone(begin)
	for i := range c.end {
		to := &next[p.groups.Of(uint32(i))]
		list[*to] = uint32(i)
		*to++
	}
	var all items
	for i := range c.end {
		group := list[begin[i]:begin[i+1]]
		if len(group) == 0 {
			continue
		}
		s := c.members(group[0])
		if len(group) > 1 {
			all.hash, all.at = all.hash[:0], all.at[:0]
			for _, n := range group {
				m := c.members(n)
				all.hash, all.at = append(all.hash, m.hash...), append(all.at, m.at...)
			}
			s = all
		}
		if len(s.hash) > 1 && !p.within(s) {
			return p.ctx.Err()
		}
	}
	return nil
}

// within tells of pairs of a group, and whether more are wanted.
func (p *pairing) within(s items) bool {
	if 2*radiusOf(s.hash, middleOf(s.hash)) > p.distance {
		if len(s.hash) > amongItems {
			return p.amongMany(s)
		}
		return p.among(s)
	}
	for i := range s.at[1:] {
		if !p.tell(s.at[i], s.at[i+1:]) {
			return false
		}
	}
	return true
}

// radiusOf is how far the farthest of some is from a fingerprint.
func radiusOf(hash []uint64, middle uint64) (radius int) {
	for _, h := range hash {
		radius = max(radius, bits.OnesCount64(h^middle))
	}
	return radius
}

// among looks at all pairs of items, and tells whether more are wanted.
func (p *pairing) among(s items) bool {
	for i, h := range s.hash {
		if !p.near(h, s.at[i], s.part(uint32(i)+1, uint32(len(s.hash)))) {
			return false
		}
	}
	return true
}

// amongMany is among for a large group, in which most may be far apart.
func (p *pairing) amongMany(s items) bool {
	x := NewIndex(s.hash, p.distance)
	for i, h := range s.hash {
		p.others = x.Near(h, p.others[:0])
		n := 0
		for _, k := range p.others {
			if int(k) > i {
				p.others[n] = s.at[k]
				n++
			}
		}
		p.told += len(p.others) - n
		if !p.tell(s.at[i], p.others[:n]) {
			return false
		}
	}
	return true
}

// near tells of the pairs of one with others, and whether more are wanted. It has
// no branches that a processor would have to guess.
func (p *pairing) near(h uint64, at uint32, others items) bool {
	distance := int64(p.distance)
	left := int64(0) // negative if one is too far
	for _, o := range others.hash {
		left |= distance - int64(bits.OnesCount64(h^o))
	}
	if left >= 0 {
		return p.tell(at, others.at)
	}
	if cap(p.others) <= len(others.hash) {
		p.others = make([]uint32, max(len(others.hash), amongItems)+1)
	}
	p.others = p.others[:cap(p.others)]
	n := 0
	places, found := others.at[:len(others.hash)], p.others[:len(others.hash)+1]
	for k, o := range others.hash {
		found[n] = places[k]
		n += int(uint64(int64(bits.OnesCount64(h^o))-distance-1) >> 63)
	}
	p.told += len(others.hash) - n
	return p.tell(at, found[:n])
}

// toldMost is of how many pairs is told, or how many looked at, before ctx is asked
// whether it ended.
const toldMost = 1 << 20

// tell tells of the pairs of one with others, and whether more are wanted.
func (p *pairing) tell(at uint32, others []uint32) bool {
	if p.told += 1 + len(others); p.told > toldMost {
		p.told = 0
		if p.ctx.Err() != nil {
			return false
		}
	}
	return len(others) == 0 || p.found(at, others)
}
