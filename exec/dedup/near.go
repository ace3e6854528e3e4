// Package dedup finds what is nearly the same: fingerprints that differ in few
// bits (Manku, Jain and Das Sarma, "Detecting Near-Duplicates for Web Crawling",
// 2007), and sets of shingles that have much in common, by MinHash with bands
// (Broder 1997; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets",
// chapter 3) and exactly. It works on numbers and arrays alone: what they are
// fingerprints of, its caller knows.
package dedup

import (
	"math/bits"
	"slices"
)

// DistanceMax is the greatest distance that is searched for: behind it two
// fingerprints have nothing to do with each other.
const DistanceMax = 16

// layout says by which bits fingerprints are looked at together, so that any two
// within a distance k are in one of its tables: they do not differ in its bits.
type layout struct {
	k      int
	tables []table
}

// table is the bits of some blocks.
type table struct {
	mask   uint64
	digits []part // of the bits, in the order in which they are looked at
	width  int    // how many bits
}

// part is a stretch of bits: where it begins, and how many they are.
type part struct{ shift, width int }

// newLayout cuts fingerprints into k+r blocks, of which r at least are without a
// difference. There is a table for each choice of r blocks.
func newLayout(k, r int) layout { return layout{k, appendTables(nil, part{0, 64}, k+r, r)} }

// newHalves cuts each half of fingerprints, as in one of them there is no more
// than half of the distance.
func newHalves(k, r int) layout {
	l := layout{k: k}
	for _, half := range []part{{32, 32}, {0, 32}} {
		l.tables = appendTables(l.tables, half, k/2+r, r)
	}
	return l
}

// appendTables appends a table for each choice of r out of n blocks of some bits.
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

// digitBits is how many bits fingerprints are parted by at a time: more would
// write to more places than a processor has near at hand.
const digitBits = 8

// digitsOf cuts blocks of bits into digits, the first bits first.
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

// key is the bits of a fingerprint by which a table is sorted.
func (t *table) key(h uint64) uint64 {
	k := uint64(0)
	for _, d := range t.digits {
		k = k<<d.width | h>>d.shift&(1<<d.width-1)
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

// items are fingerprints and their places, each in a list of its own: most are
// looked at for their bits alone. Places may be left out.
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

func (s items) part(from, to uint32) items {
	if s.at == nil {
		return items{hash: s.hash[from:to]}
	}
	return items{s.hash[from:to], s.at[from:to]}
}

// Len, Less and Swap sort items by fingerprint.
func (s items) Len() int           { return len(s.hash) }
func (s items) Less(i, j int) bool { return s.hash[i] < s.hash[j] }
func (s items) Swap(i, j int) {
	s.hash[i], s.hash[j] = s.hash[j], s.hash[i]
	s.at[i], s.at[j] = s.at[j], s.at[i]
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
// begin. Items that have no places are a list, whose places are those in it; where
// those copied to have none, places are left out.
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
