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

// item is a fingerprint and its place.
type item struct {
	hash uint64
	at   uint32
}

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
	items := make([]item, len(hashes))
	for i, h := range hashes {
		items[i] = item{h, uint32(i)}
	}
	work, spare := make([]item, len(hashes)), make([]item, len(hashes))
	p := pairing{distance: distance, found: f}
	for n := range l.tables {
		t := &l.tables[n]
		if !p.split(t, items, work, spare, 0) {
			return
		}
		p.earlier = append(p.earlier, t.mask)
	}
}

// pairing looks for pairs table by table.
type pairing struct {
	distance int
	found    func(i uint32, others []uint32) bool
	earlier  []uint64 // masks of the tables before, which have had their pairs
	others   []uint32
}

// fewItems is how many fingerprints are compared each with each rather than
// parted further.
const fewItems = 24

// split parts items by the digits of the table's key from digit on, and looks at
// all pairs among those that come to the same place. It tells whether more are
// wanted. It writes to work and spare, which are as many; spare may be items.
func (p *pairing) split(t *table, items, work, spare []item, digit int) bool {
	if len(items) <= fewItems || digit == len(t.digits) {
		return p.among(items, t.mask)
	}
	start := scatter(items, work, t.digits[digit])
	for d := range 1 << t.digits[digit].width {
		from, to := start[d], start[d+1]
		if to-from > 1 && !p.split(t, work[from:to], spare[from:to], work[from:to], digit+1) {
			return false
		}
	}
	return true
}

// among looks at all pairs of items.
func (p *pairing) among(items []item, mask uint64) bool {
	distance := p.distance
	for i := range items {
		h := items[i].hash
		rest := items[i+1:]
		// Nothing but this in the loop that most of the time goes into.
		for k := range rest {
			if bits.OnesCount64(h^rest[k].hash) <= distance {
				if !p.partners(items[i], rest[k:], mask) {
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
func (p *pairing) partners(of item, among []item, mask uint64) bool {
	if len(p.others) < len(among) {
		p.others = make([]uint32, 2*len(among))
	}
	n := 0
	for k := range among {
		x := of.hash ^ among[k].hash
		if bits.OnesCount64(x) <= p.distance && x&mask == 0 && !p.had(x) {
			p.others[n] = among[k].at
			n++
		}
	}
	return n == 0 || p.found(of.at, p.others[:n])
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
func (t *table) sort(items, spare []item) (sorted, free []item) {
	for i := len(t.digits) - 1; i >= 0; i-- {
		scatter(items, spare, t.digits[i])
		items, spare = spare, items
	}
	return items, spare
}

// scatter copies items in order of a digit, and gives where those of each value
// begin.
func scatter(from, to []item, digit part) (start [1<<digitBits + 1]uint32) {
	var at [1 << digitBits]uint32
	mask, shift := uint8(1<<digit.width-1), digit.shift&63
	for i := range from {
		at[uint8(from[i].hash>>shift)&mask]++
	}
	sum := uint32(0)
	for i, n := range at {
		at[i], start[i] = sum, sum
		sum += n
	}
	start[len(at)] = sum
	to = to[:len(from)]
	for i := range from {
		d := uint8(from[i].hash>>shift) & mask
		to[at[d]] = from[i]
		at[d]++
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
	items []item
	start []uint32
	shift int // of the first bits within the key
}

// startBits is by how many bits of the key a table is entered.
const startBits = 16

// NewIndex makes an index for one distance, at most DistanceMax. It takes 16
// bytes a fingerprint and table, of which there are distance+1, or more where
// these would have long stretches of fingerprints with the same key.
func NewIndex(hashes []uint64, distance int) *Index {
	r := 1
	for r < 3 && len(hashes)>>(64*r/(distance+r)) > lookedAtMax {
		r++
	}
	x := &Index{l: newLayout(distance, r)}
	items, spare := make([]item, len(hashes)), make([]item, len(hashes))
	for i, h := range hashes {
		items[i] = item{h, uint32(i)}
	}
	for n := range x.l.tables {
		t := &x.l.tables[n]
		items, spare = t.sort(items, spare)
		s := sortedTable{items: slices.Clone(items), shift: max(t.width-startBits, 0)}
		s.start = make([]uint32, 1<<(t.width-s.shift)+1)
		for i := range items {
			s.start[t.key(items[i].hash)>>s.shift+1]++
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
	for n := range x.tables {
		s, t := &x.tables[n], &x.l.tables[n]
		key := t.key(hash)
		items := s.items[s.start[key>>s.shift]:s.start[key>>s.shift+1]]
		if len(items) > lookedAtMax && s.shift > 0 {
			from, _ := slices.BinarySearchFunc(items, key, func(i item, key uint64) int {
				if t.key(i.hash) < key {
					return -1
				}
				return 1
			})
			items = items[from:]
		}
		for _, i := range items {
			d := i.hash ^ hash
			if d&t.mask != 0 {
				if s.shift > 0 && t.key(i.hash) > key {
					break
				}
				continue
			}
			if bits.OnesCount64(d) <= x.l.k && x.l.first(n, d) {
				dst = append(dst, i.at)
			}
		}
	}
	return dst
}
