// Package dedup finds what is nearly the same: fingerprints that differ in few
// bits (Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling",
// 2007), and sets of shingles that have much in common, by MinHash with bands
// (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
// chapter 3) and exactly. It works on numbers and arrays alone: what they are
// fingerprints of, its caller knows.
package dedup

import (
	"fmt"
	"math/bits"
	"slices"
)

// DistanceMax is the greatest distance that is searched for: behind it two
// fingerprints have nothing to do with each other.
const DistanceMax = 16

// layout says in which tables fingerprints are sorted, so that any two within a
// distance k stand together in one: with k+r blocks of bits, r at least are
// without a difference. There is a table for each choice of r blocks.
type layout struct {
	k, r   int
	tables []table
}

// table is sorted by the bits of some blocks.
type table struct {
	mask   uint64
	parts  []part
	digits []part // of parts, in the order in which they are looked at
	width  int    // bits of the key
}

// part is a block: where it begins, and how many bits it has.
type part struct{ shift, width int }

func newLayout(k, r int) layout {
	l := layout{k: k, r: r}
	n := k + r
	blocks := make([]part, n)
	for i := range blocks {
		from, to := 64*i/n, 64*(i+1)/n
		blocks[i] = part{from, to - from}
	}
	var choose func(from int, parts []part)
	choose = func(from int, parts []part) {
		if len(parts) == r {
			t := table{parts: slices.Clone(parts)}
			for _, p := range parts {
				t.mask |= (1<<p.width - 1) << p.shift
				t.width += p.width
			}
			t.digits = digitsOf(t.parts)
			l.tables = append(l.tables, t)
			return
		}
		for i := from; i < n; i++ {
			choose(i+1, append(parts, blocks[i]))
		}
	}
	choose(0, nil)
	return l
}

// key is the bits of a fingerprint by which a table is sorted.
func (t *table) key(h uint64) uint64 {
	k := uint64(0)
	for _, p := range t.parts {
		k = k<<p.width | h>>p.shift&(1<<p.width-1)
	}
	return k
}

// first reports whether table i is the first in which two fingerprints that
// differ in the bits x stand together.
func (l *layout) first(i int, x uint64) bool {
	for _, t := range l.tables[:i] {
		if x&t.mask == 0 {
			return false
		}
	}
	return true
}

// Costs of the cheapest steps, in nanoseconds, about: moving a fingerprint in a
// pass of sorting, and comparing two.
const (
	moveCost    = 4
	compareCost = 1
)

// pairsCost is about how long all pairs among n fingerprints at random take.
func (l *layout) pairsCost(n int) float64 {
	cost := 0.0
	for _, t := range l.tables {
		same, width := float64(n), 0
		for ; same > fewItems && width < t.width; width += digitBits {
			cost += float64(n) * moveCost
			same /= 1 << digitBits
		}
		cost += float64(n) * same / 2 * compareCost
	}
	return cost
}

// layoutFor is the layout in which all pairs among n fingerprints cost least.
func layoutFor(n, k int) layout {
	best := newLayout(k, 1)
	for r := 2; r <= 3; r++ {
		if l := newLayout(k, r); l.pairsCost(n) < best.pairsCost(n) {
			best = l
		}
	}
	return best
}

// Plan says how all pairs within a distance among n fingerprints are found.
func Plan(n, distance int) string {
	l := layoutFor(n, distance)
	return fmt.Sprintf("%d tables of fingerprints sorted by %d to %d bits, about %.2g s", len(l.tables),
		l.tables[len(l.tables)-1].width, l.tables[0].width, l.pairsCost(n)/1e9)
}

// items are fingerprints and their places, each in a list of its own: most are
// looked at for their bits alone.
type items struct {
	hash []uint64
	at   []uint32
}

func newItems(hashes []uint64) items {
	s := makeItems(len(hashes))
	copy(s.hash, hashes)
	for i := range s.at {
		s.at[i] = uint32(i)
	}
	return s
}

func makeItems(n int) items { return items{make([]uint64, n), make([]uint32, n)} }

func (s items) part(from, to uint32) items { return items{s.hash[from:to], s.at[from:to]} }

// Pairs calls f for every pair of fingerprints that differ in at most distance
// bits, once each: for i, with all its partners that were found together. Which
// of two is i is left open. Others is valid until f returns; if f returns false,
// no more come. There are at most 1<<32 fingerprints, and distance is at most
// DistanceMax.
func Pairs(hashes []uint64, distance int, f func(i uint32, others []uint32) bool) {
	if distance < 0 || distance > DistanceMax {
		panic(fmt.Sprintf("dedup: a distance of %d", distance))
	}
	l := layoutFor(len(hashes), distance)
	all, work, spare := newItems(hashes), makeItems(len(hashes)), makeItems(len(hashes))
	p := pairing{distance: distance, found: f, single: l.r == 1}
	for _, t := range l.tables {
		p.mask = t.mask
		if p.single {
			p.lows |= t.mask & -t.mask
			p.here = t.mask &^ (t.mask >> 1)
			p.highs |= p.here
		}
		if !p.split(&t, all, work, spare, 0) {
			return
		}
		p.earlier = append(p.earlier, t.mask)
	}
}

// pairing looks for pairs table by table.
type pairing struct {
	distance int
	found    func(i uint32, others []uint32) bool
	mask     uint64   // of the table at hand
	earlier  []uint64 // of the tables before, which have had their pairs
	others   []uint32

	// Where a table is sorted by a single block, the lowest and the highest bits
	// of the blocks up to that of the table at hand, and its own highest.
	single            bool
	lows, highs, here uint64
}

// fewItems is how many fingerprints are compared each with each rather than
// parted further.
const fewItems = 24

// split parts items by the digits of the table's key from digit on, and looks at
// all pairs among those that come to the same place. It tells whether more are
// wanted. It writes to work and spare, which are as many; spare may be s.
func (p *pairing) split(t *table, s, work, spare items, digit int) bool {
	if len(s.hash) <= fewItems || digit == len(t.digits) {
		return p.among(s)
	}
	start := scatter(s, work, t.digits[digit])
	for d := range 1 << t.digits[digit].width {
		from, to := start[d], start[d+1]
		if to-from > 1 && !p.split(t, work.part(from, to), spare.part(from, to), work.part(from, to), digit+1) {
			return false
		}
	}
	return true
}

// among looks at all pairs of items.
func (p *pairing) among(s items) bool {
	distance := p.distance
	for i, h := range s.hash {
		rest := s.hash[i+1:]
		// Nothing but this in the loop that most of the time goes into.
		for k := range rest {
			if bits.OnesCount64(h^rest[k]) <= distance {
				if !p.partners(h, s.at[i], items{rest[k:], s.at[i+1+k:]}) {
					return false
				}
				break
			}
		}
	}
	return true
}

// partners tells of the partners of one among the others, and whether more are
// wanted.
func (p *pairing) partners(h uint64, at uint32, among items) bool {
	if len(p.others) < len(among.hash) {
		p.others = make([]uint32, 2*len(among.hash))
	}
	n := 0
	if p.single {
		n = p.singles(h, among)
	} else {
		for k := range among.hash {
			x := h ^ among.hash[k]
			if bits.OnesCount64(x) <= p.distance && x&p.mask == 0 && !p.had(x) {
				p.others[n] = among.at[k]
				n++
			}
		}
	}
	return n == 0 || p.found(at, p.others[:n])
}

// singles gathers partners where each table is sorted by one block: two belong to
// the table of the first block in which they do not differ. It has no branches
// that a processor would have to guess. The blocks of x that are zero are found
// all at once: below the lowest such block no highest bit is set, and its own is.
func (p *pairing) singles(h uint64, among items) (n int) {
	distance, lows, highs, here := uint64(p.distance), p.lows, p.highs, p.here
	others := p.others[:len(among.hash)]
	places := among.at[:len(among.hash)]
	for k, o := range among.hash {
		x := h ^ o
		other := (x-lows)&^x&highs ^ here
		other |= (distance - uint64(bits.OnesCount64(x))) >> 63
		others[n] = places[k]
		if other == 0 {
			n++
		}
	}
	return n
}

// had reports whether two that differ in the bits x were found in a table before.
func (p *pairing) had(x uint64) bool {
	for _, m := range p.earlier {
		if x&m == 0 {
			return true
		}
	}
	return false
}

// digitBits is how many bits fingerprints are parted by at a time: more would
// write to more places than a processor has near at hand.
const digitBits = 8

// digitsOf cuts the bits of a key into digits, the first bits first.
func digitsOf(parts []part) (digits []part) {
	for _, p := range parts {
		for left := p.width; left > 0; {
			w := min(left, digitBits)
			left -= w
			digits = append(digits, part{p.shift + left, w})
		}
	}
	return digits
}

// sort sorts items by the table's key, and gives them and the space beside them.
func (t *table) sort(s, spare items) (sorted, free items) {
	for i := len(t.digits) - 1; i >= 0; i-- {
		scatter(s, spare, t.digits[i])
		s, spare = spare, s
	}
	return s, spare
}

// scatter copies items in order of a digit, and gives where those of each value
// begin.
func scatter(from, to items, digit part) (start [1<<digitBits + 1]uint32) {
	var at [1 << digitBits]uint32
	mask, shift := uint8(1<<digit.width-1), digit.shift&63
	for _, h := range from.hash {
		at[uint8(h>>shift)&mask]++
	}
	sum := uint32(0)
	for i, n := range at {
		at[i], start[i] = sum, sum
		sum += n
	}
	start[len(at)] = sum
	places := from.at[:len(from.hash)]
	hash, place := to.hash[:len(from.hash)], to.at[:len(from.hash)]
	for i, h := range from.hash {
		d := &at[uint8(h>>shift)&mask]
		hash[*d], place[*d] = h, places[i]
		*d++
	}
	return start
}

// Index finds the fingerprints within a distance of one. It does not change, and
// may be used from several goroutines.
type Index struct {
	l      layout
	tables []sortedTable
}

// sortedTable is a table's fingerprints in order of key, and where those of each
// value of its first bits begin.
type sortedTable struct {
	items
	start []uint32
	shift int // of the first bits within the key
}

// startBits is by how many bits of the key a table is entered.
const startBits = 16

// NewIndex makes an index for one distance, at most DistanceMax. It takes 12
// bytes a fingerprint and table, of which there are distance+1, or more where
// these would have long stretches of fingerprints with the same key.
func NewIndex(hashes []uint64, distance int) *Index {
	r := 1
	for r < 3 && len(hashes)>>(64*r/(distance+r)) > lookedAtMax {
		r++
	}
	x := &Index{l: newLayout(distance, r)}
	list, spare := newItems(hashes), makeItems(len(hashes))
	for n := range x.l.tables {
		t := &x.l.tables[n]
		list, spare = t.sort(list, spare)
		s := sortedTable{items: items{slices.Clone(list.hash), slices.Clone(list.at)}, shift: max(t.width-startBits, 0)}
		s.start = make([]uint32, 1<<(t.width-s.shift)+1)
		for _, h := range list.hash {
			s.start[t.key(h)>>s.shift+1]++
		}
		for i := 1; i < len(s.start); i++ {
			s.start[i] += s.start[i-1]
		}
		x.tables = append(x.tables, s)
	}
	return x
}

// lookedAtMax is how many fingerprints with the same key a look-up goes through.
const lookedAtMax = 256

// Near appends to dst the places of the fingerprints within the index's distance
// of hash, once each, in no order.
func (x *Index) Near(hash uint64, dst []uint32) []uint32 {
	distance := x.l.k
	for n := range x.tables {
		s, t := &x.tables[n], &x.l.tables[n]
		among := s.within(t, t.key(hash))
		for i, h := range among.hash {
			if d := h ^ hash; bits.OnesCount64(d) <= distance && d&t.mask == 0 && x.l.first(n, d) {
				dst = append(dst, among.at[i])
			}
		}
	}
	return dst
}

// within gives those whose key begins as one does; where these are many, those
// that have the key.
func (s *sortedTable) within(t *table, key uint64) items {
	among := s.part(s.start[key>>s.shift], s.start[key>>s.shift+1])
	if len(among.hash) <= lookedAtMax || s.shift == 0 {
		return among
	}
	before := func(key uint64) uint32 {
		i, _ := slices.BinarySearchFunc(among.hash, key, func(h, key uint64) int {
			if t.key(h) < key {
				return -1
			}
			return 1
		})
		return uint32(i)
	}
	return among.part(before(key), before(key+1))
}
