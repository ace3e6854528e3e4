// Package dedup finds near-duplicates: pairs of fingerprints that differ in few
// bits (Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web
// Crawling", 2007), and pairs of sets that have much in common, by MinHash with
// bands (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive
// Datasets", chapter 3) and exactly. It works on numbers and slices alone; the
// caller knows what was fingerprinted.
//
// # Fingerprints
//
// A fingerprint is a 64-bit hash of a text, such that similar texts have
// fingerprints that differ in few bits. The distance of two fingerprints is the
// number of bits in which they differ. The place of a fingerprint is its index
// in the caller's slice. An item is a fingerprint with its place.
//
// A table compares only fingerprints that agree in some chosen bits, its key. A
// layout is a set of tables such that any two fingerprints within a distance
// agree in the key of at least one table. For example, cut 64 bits into four
// blocks: two fingerprints that differ in three bits agree in at least one
// block. So four tables, one per block, find all pairs within distance 3:
//
//	table 0   ████............
//	table 1   ....████........      █ key, 16 bits per table
//	table 2   ........████....
//	table 3   ............████
//
// Keys are sorted by digits of up to 8 bits.
//
// # Cells
//
// Near-duplicates come in clusters, such as a thousand copies of one error
// page. A cell is a set of fingerprints that lie within a small distance, its
// radius, of one fingerprint, its middle. Pairs first covers all fingerprints
// with cells, so that it compares middles instead of each fingerprint with
// each.
//
// # Sets
//
// A shingle is a hash of five consecutive words. A text is compared with
// another by its set of shingles, a sorted slice. A signature is the MinHash of
// a set: the minima of 120 hash functions over its shingles. A band is some
// consecutive minima of a signature. Two similar sets probably agree in a whole
// band.
//
// A print has one byte of each minimum of a signature, for finding near-copies among very
// many texts. A band of a print is three bytes.
package dedup

import (
	"math/bits"
	"slices"
)

// DistanceMax is the greatest distance of two fingerprints, in bits, that can
// be searched for. Fingerprints further apart come from unrelated texts.
const DistanceMax = 16

// layout is a set of tables for finding fingerprints within distance k, in
// bits. Any two such fingerprints agree in the key bits of at least one table.
type layout struct {
	k      int
	tables []table
}

// table is a choice of some bits of fingerprints: the key of the table. The
// table compares only fingerprints whose key bits are equal.
type table struct {
	mask   uint64 // the bits of the key
	digits []part // the bits of the key in groups of up to digitBits, the most significant group first
	width  int    // how many bits the key has
}

// part is a range of bits of a fingerprint: the number of its lowest bit, and
// how many bits.
type part struct{ shift, width int }

// newLayout returns a layout (a set of tables) for distance k. It cuts
// fingerprints into k+r blocks of bits. Two fingerprints within distance k
// agree in at least r blocks, so the layout has one table for each choice of r
// blocks.
func newLayout(k, r int) layout { return layout{k, appendTables(nil, part{0, 64}, k+r, r)} }

// newHalves returns a layout (a set of tables) for distance k with separate
// tables for the two halves of fingerprints. Two fingerprints within distance k
// are within distance k/2 in at least one half. Each half is cut into k/2+r
// blocks, and each choice of r blocks of a half makes a table.
func newHalves(k, r int) layout {
	l := layout{k: k}
	for _, half := range []part{{32, 32}, {0, 32}} {
		l.tables = appendTables(l.tables, half, k/2+r, r)
	}
	return l
}

// appendTables cuts the range of bits of into n blocks, and appends to tables
// one table for each choice of r of the blocks.
func appendTables(tables []table, of part, n, r int) []table {
	blocks := make([]part, n)
	for i := range blocks {
		from, to := of.width*i/n, of.width*(i+1)/n
		blocks[i] = part{of.shift + from, to - from}
	}
	var choose func(from int, parts []part)
	choose = func(from int, parts []part) {
		if len(parts) == r {
			t := table{digits: digitsOf(parts)}
			for _, p := range parts {
				t.mask |= (1<<p.width - 1) << p.shift
				t.width += p.width
			}
			tables = append(tables, t)
			return
		}
		for i := from; i < n; i++ {
			choose(i+1, append(parts, blocks[i]))
		}
	}
	choose(0, nil)
	return tables
}

// digitBits is the greatest width of a digit, in bits. Keys are sorted digit by
// digit. Sorting by wider digits would write to more places at a time than a
// processor's cache holds.
const digitBits = 8

// digitsOf cuts blocks of bits into digits of at most digitBits bits, from the
// most significant bits of each block on.
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

// key returns the key of the fingerprint h in table t: the bits that t chooses,
// put together, the first digit in the highest bits.
func (t *table) key(h uint64) uint64 {
	k := uint64(0)
	for _, d := range t.digits {
		k = k<<d.width | h>>d.shift&(1<<d.width-1)
	}
	return k
}

// first reports whether no table before table i has a key in which two
// fingerprints agree. x has the bits in which the two fingerprints differ. A
// pair that several tables find is reported only by the table for which first
// is true.
func (l *layout) first(i int, x uint64) bool {
	for _, t := range l.tables[:i] {
		if x&t.mask == 0 {
			return false
		}
	}
	return true
}

// items are fingerprints (hash) and their places (at), the indexes in the
// caller's slice. They are two slices, because most steps read the fingerprints
// alone. at may be nil.
type items struct {
	hash []uint64
	at   []uint32
}

// newItems returns items with a copy of the fingerprints, and with their
// indexes as places.
func newItems(hashes []uint64) items {
	s := makeItems(len(hashes))
	copy(s.hash, hashes)
	for i := range s.at {
		s.at[i] = uint32(i)
	}
	return s
}

// makeItems returns n items whose fingerprints and places are 0.
func makeItems(n int) items { return items{make([]uint64, n), make([]uint32, n)} }

// part returns the items with the indexes [from, to). The result shares memory
// with s.
func (s items) part(from, to uint32) items {
	if s.at == nil {
		return items{hash: s.hash[from:to]}
	}
	return items{s.hash[from:to], s.at[from:to]}
}

// Len, Less and Swap implement sort.Interface. They sort items by fingerprint.
func (s items) Len() int           { return len(s.hash) }
func (s items) Less(i, j int) bool { return s.hash[i] < s.hash[j] }
func (s items) Swap(i, j int) {
	s.hash[i], s.hash[j] = s.hash[j], s.hash[i]
	s.at[i], s.at[j] = s.at[j], s.at[i]
}

// sort sorts the items s by their keys in table t. spare is scratch memory of
// the same length. The sorted items may be in the memory of s or of spare; sort
// also returns the other memory as free.
func (t *table) sort(s, spare items) (sorted, free items) {
	for i := len(t.digits) - 1; i >= 0; i-- {
		scatter(s, spare, t.digits[i])
		s, spare = spare, s
	}
	return s, spare
}

// scatter copies the items of from into to, sorted by one digit (a range of
// bits) of their fingerprints. start[d] is the index in to of the first item
// whose digit is d. If from has no places, the indexes in from are used as
// places. If to has no places, only fingerprints are copied.
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
	hash := to.hash[:len(from.hash)]
	if to.at == nil {
		for _, h := range from.hash {
			d := &at[uint8(h>>shift)&mask]
			hash[*d] = h
			*d++
		}
		return start
	}
	place := to.at[:len(from.hash)]
	if from.at == nil {
		for i, h := range from.hash {
			d := &at[uint8(h>>shift)&mask]
			hash[*d], place[*d] = h, uint32(i)
			*d++
		}
		return start
	}
	places := from.at[:len(from.hash)]
	for i, h := range from.hash {
		d := &at[uint8(h>>shift)&mask]
		hash[*d], place[*d] = h, places[i]
		*d++
	}
	return start
}

// index finds the fingerprints within a fixed distance of a given fingerprint.
// It does not change, and several goroutines may use it.
type index struct {
	l      layout
	tables []sortedTable
}

// sortedTable holds the items of one table, sorted by key. For each value v of
// the first bits of the key, start[v] is the index of the first item whose key
// begins with v.
type sortedTable struct {
	items
	start []uint32
	shift int // how many bits of the key come after its first bits
}

// startBits is how many first bits of a key sortedTable.start distinguishes at
// most.
const startBits = 16

// newIndex returns an index that finds the fingerprints in hashes within one
// distance, which is at most DistanceMax. The index takes 12 bytes per
// fingerprint and table. It has distance+1 tables, or more if many fingerprints
// would share a key.
func newIndex(hashes []uint64, distance int) *index {
	r := 1
	for r < 3 && len(hashes)>>(64*r/(distance+r)) > lookedAtMax {
		r++
	}
	x := &index{l: newLayout(distance, r)}
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

// lookedAtMax is the most fingerprints that a look-up in one table should
// compare. If more share a key on average, newIndex takes longer keys.
const lookedAtMax = 256

// near appends to dst the places of all fingerprints within the index's
// distance of hash. Places are indexes in the slice that newIndex got. Each
// place comes once; the order is undefined.
func (x *index) near(hash uint64, dst []uint32) []uint32 {
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

// within returns the items whose keys have the same first bits as key. If there
// are more than lookedAtMax, it returns only the items with exactly this key. t
// is the table by which s is sorted.
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
