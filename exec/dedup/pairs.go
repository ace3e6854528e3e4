package dedup

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// The costs of the most frequent steps, in nanoseconds, as estimates: moving a fingerprint when a
// list is sorted by a digit; looking up the slot of an item in a table; comparing an item with one
// that is in the slot by chance; and joining an item with others near it.
const (
	moveCost = 5
	seekCost = 2
	lookCost = 6
	joinCost = 12
)

// pairsCost estimates how many nanoseconds it takes to find all pairs among n
// random fingerprints with the tables of l.
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

// layoutFor returns the layout (the set of tables) with the lowest pairsCost
// for finding pairs within distance k among n fingerprints.
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

// Plan describes in words how Pairs finds all pairs within a distance among n
// fingerprints, for EXPLAIN: "4 tables of fingerprints by 16 bits, about 0.02
// s".
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
	return fmt.Sprintf("tables of fingerprints: %d, by %s bits, about %.2g s", len(l.tables), width, l.pairsCost(n)/1e9)
}

// Pairs finds all pairs of fingerprints in hashes that differ in at most
// distance bits. It calls f with the place (index in hashes) of a fingerprint
// and the places of some of its partners. Each pair comes once; which of the
// two is i is undefined. others is valid until f returns, and f must not change
// it. If f returns false, Pairs stops and returns nil. There must be fewer than
// 1<<32 fingerprints; distance is 0 to DistanceMax. Pairs returns the error of
// ctx when ctx is done. A fingerprint is passed when all its pairs were found.
// If passed is not nil, Pairs calls it with the number of passed fingerprints
// each time that this number grows.
//
// Pairs works in three steps. It divides the fingerprints into cells: sets of
// fingerprints near one fingerprint, the middle of the cell. It joins cells to
// a group if a member of one is near a member of the other. Then it compares
// all pairs within each group. The distance of two middles shows which cells
// can have members near each other: by the triangle inequality, such middles
// are no further apart than distance plus the radii of both cells (as in
// Ciaccia, Patella and Zezula, "M-tree", 1997).
func Pairs(ctx context.Context, hashes []uint64, distance int, passed func(done int), f func(i uint32, others []uint32) bool) error {
	if distance < 0 || distance > DistanceMax {
		panic(fmt.Sprintf("dedup: a distance of %d", distance))
	}
	p := pairing{ctx: ctx, distance: distance, passed: passed, found: f, hashes: hashes, wide: distance}
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

// pairing is the state of one call of Pairs.
type pairing struct {
	ctx      context.Context
	distance int
	passed   func(done int)
	done     int // of passed
	found    func(i uint32, others []uint32) bool
	told     int // how many pairs were reported or compared since ctx was last checked
	hashes   []uint64
	members  items // memory that cover uses for the members of cells
	cells    cells
	groups   *Groups // the groups of cells; nil while only the existence of pairs is tested
	wide     int     // the greatest distance that the middles of cells with members near each other can have
	layout   layout  // the tables for the middles of cells
	table    int     // the index of the current table in layout
	others   []uint32

	// The slots of the current part of a table. last has, for each slot, the
	// number of the item that came there last; next is the next unused number.
	// links connects items that came to the same slot.
	last  [slots]uint32
	next  uint32
	links []link
}

// link connects the items of one slot (see pairing). Items near each other form
// a chain. The field next of a chain's first item leads to the first item of
// another chain of the slot. The field near of each item leads to the next item
// of its own chain. Both are the index of an item in the part plus one; 0 ends
// the list.
type link struct{ next, near uint32 }

const (
	// slotBits sets how many slots the items of a part are spread over, by a
	// hash of their keys. With a million fingerprints a part has 3,900 items,
	// so nearly all are alone in their slot.
	slotBits = 16
	slots    = 1 << slotBits
	// amongItems is the greatest number of items of which each is compared with
	// each other.
	amongItems = 1 << 10
)

// slotOf returns the slot of the fingerprint h in the table whose key has the
// bits mask: a hash of these bits of h, from 0 to slots-1.
func slotOf(h, mask uint64) uint64 {
	const mix = 0x9e3779b97f4a7c15 // as in Fibonacci hashing
	return (h & mask) * mix >> (64 - slotBits)
}

// number reserves n consecutive numbers for the items of a part, and returns
// the first. A slot of p.last with a lower number has no item of this part yet.
// number also makes p.links long enough for n items.
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

// partItems is the size up to which a part (the items that agree in the first
// digit of a table's key) is not divided further by the second digit.
const partItems = 1 << 13

// parting divides a list of items into parts by the first one or two digits of
// a table's key, so that items with the same key are in the same part.
type parting struct {
	from   items // all items; from.at may be nil
	placed bool  // the parts have places, not only fingerprints

	work, spare items
	digit       part // the digit by which work is sorted
	start       [1<<digitBits + 1]uint32
}

// each calls f for each part of the items in table t, until f returns false.
// more is true if f always returned true. each checks ctx between parts and
// returns its error.
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

// space allocates memory in s for all items of the list, unless s already has
// it.
func (l *parting) space(s *items) {
	if s.hash != nil {
		return
	}
	s.hash = make([]uint64, len(l.from.hash))
	if l.placed {
		s.at = make([]uint32, len(l.from.hash))
	}
}

// likely guesses whether some fingerprints are near each other (within the
// distance that Pairs got). It compares only a few fingerprints with each
// other: the first one, and some that agree with it in one digit of a key.
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

// alone reports whether no two fingerprints are near each other. It goes
// through the tables without places, because moving places along would take
// twice the time. It returns the error of p.ctx when that is done.
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

// seek compares those items of s that have the same slot (a hash of the bits in
// mask), and joins those that are near each other in p.groups. If p.groups is
// nil, seek returns false at the first near pair; otherwise it returns true.
func (p *pairing) seek(s items, mask uint64) bool {
	first := p.number(len(s.hash))
	links, last := p.links[:len(s.hash)], &p.last
	for i, h := range s.hash {
		slot := &last[slotOf(h, mask)]
		j := *slot - first // beyond the part if no item of the part is in the slot
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

// nearSome compares one item of a part with the earlier items of its slot, and
// joins it with each that is near. It adds the item to the chain of the first
// of these, and reports whether there was one. The parameter before is the
// index plus one of the slot's last item. If p.groups is nil, it only reports
// whether an item is near.
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
			break // the rest of n's chain is in the same group
		}
	}
	return found
}

// cellsNear reports whether a member of one cell is near a member of another.
// item and other are the indexes in s of the middles of the two cells.
// cellsNear reports false if an earlier table has compared these cells already.
func (p *pairing) cellsNear(s items, item int, other uint32) bool {
	d := s.hash[item] ^ s.hash[other]
	return d&p.layout.tables[p.table].mask == 0 && p.layout.first(p.table, d) &&
		p.cells.near(s.at[item], s.at[other], p.distance)
}

// join finds all pairs of cells that have members near each other, and joins
// the cells of each pair to one group in p.groups.
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

// eachGroup reports the near pairs within each group of cells to the caller of
// Pairs. It returns the error of the context when that is done, and nil if the
// caller wants no more.
func (p *pairing) eachGroup() error {
	c := &p.cells
	// begin has, for each group, where its cells begin in list. A group has the
	// number of its lowest cell.
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
		switch {
		case len(s.hash) == 1:
			p.pass()
		case !p.within(s):
			return p.ctx.Err()
		}
	}
	return nil
}

// within reports the near pairs among the items of one group to the caller of
// Pairs. It returns false if the caller wants no more or the context is done.
func (p *pairing) within(s items) bool {
	if 2*radiusOf(s.hash, middleOf(s.hash)) > p.distance {
		if len(s.hash) > amongItems {
			return p.amongMany(s)
		}
		return p.among(s)
	}
	for i := range s.at {
		if !p.tell(s.at[i], s.at[i+1:]) {
			return false
		}
		p.pass()
	}
	return true
}

// pass counts a fingerprint whose pairs were all found, and reports the number to the caller of
// Pairs.
func (p *pairing) pass() {
	if p.done++; p.passed != nil {
		p.passed(p.done)
	}
}

// radiusOf returns the greatest distance of a fingerprint in hash from middle,
// in bits.
func radiusOf(hash []uint64, middle uint64) (radius int) {
	for _, h := range hash {
		radius = max(radius, bits.OnesCount64(h^middle))
	}
	return radius
}

// among compares each item with each other, and reports the near pairs to the
// caller of Pairs. It returns false if the caller wants no more or the context
// is done.
func (p *pairing) among(s items) bool {
	for i, h := range s.hash {
		if !p.near(h, s.at[i], s.part(uint32(i)+1, uint32(len(s.hash)))) {
			return false
		}
		p.pass()
	}
	return true
}

// amongMany does the work of among for a large group, in which most pairs may
// be far apart. It uses an index.
func (p *pairing) amongMany(s items) bool {
	x := newIndex(s.hash, p.distance)
	for i, h := range s.hash {
		p.others = x.near(h, p.others[:0])
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
		p.pass()
	}
	return true
}

// near compares the fingerprint h, whose place is at, with others, and reports
// the near pairs to the caller of Pairs. It returns false if the caller wants
// no more or the context is done. The loops have no branches that a processor
// would have to predict.
func (p *pairing) near(h uint64, at uint32, others items) bool {
	distance := int64(p.distance)
	left := int64(0) // negative if one of others is too far
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

// toldMost is how many pairs are reported or compared before the context is
// checked again.
const toldMost = 1 << 20

// tell reports the pairs of the fingerprint at place at with those at the
// places others to the caller of Pairs. It returns false if the caller wants no
// more or the context is done.
func (p *pairing) tell(at uint32, others []uint32) bool {
	if p.told += 1 + len(others); p.told > toldMost {
		p.told = 0
		if p.ctx.Err() != nil {
			return false
		}
	}
	return len(others) == 0 || p.found(at, others)
}
