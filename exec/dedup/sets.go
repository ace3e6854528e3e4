package dedup

import (
	"math"
	"slices"
)

// shingleWords is how many consecutive words make a shingle (a hash of these
// words).
const shingleWords = 5

// Shingler computes the set of a text's shingles: one hash for each sequence of
// shingleWords consecutive words. The zero value is ready to use.
type Shingler struct {
	last [shingleWords]uint64
	n    int
	set  []uint32
}

// Word adds the next word of the text, by its hash.
func (s *Shingler) Word(hash uint64) {
	copy(s.last[:], s.last[1:])
	s.last[shingleWords-1] = hash
	if s.n++; s.n >= shingleWords {
		s.put(s.last[:])
	}
}

// put adds to the set the shingle of the words whose hashes are words.
func (s *Shingler) put(words []uint64) {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h ^ w)
	}
	s.set = append(s.set, uint32(h>>32))
}

// Set returns the set of shingles, sorted and without repetitions, and empties
// s for another text. A text with fewer words than shingleWords has one
// shingle; a text without words has none.
func (s *Shingler) Set() []uint32 {
	if s.n > 0 && s.n < shingleWords {
		s.put(s.last[shingleWords-s.n:])
	}
	slices.Sort(s.set)
	set := slices.Compact(s.set)
	*s = Shingler{}
	return set
}

// mix returns a hash of x in which each bit depends on each bit of x.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// common returns how many numbers two sets have in common. Both sets are
// sorted.
func common(a, b []uint32) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			n++
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// Jaccard returns the Jaccard similarity of two sets, from 0 to 1: the size of
// their intersection divided by the size of their union. It is 1 for equal sets
// that are not empty, and 0 if one set or both are empty. Both sets are sorted.
func Jaccard(a, b []uint32) float64 {
	n := common(a, b)
	if all := len(a) + len(b) - n; all > 0 {
		return float64(n) / float64(all)
	}
	return 0
}

// Containment returns the share of a that is also in b. If a page quotes a
// whole article, the containment of the article in the page is 1, however long
// the page is. For an empty a it is 0. Both sets are sorted.
func Containment(a, b []uint32) float64 {
	if len(a) == 0 {
		return 0
	}
	return float64(common(a, b)) / float64(len(a))
}

// sampledShift makes Sampled select the shingles whose two upper bits are 0,
// which is one of four.
const sampledShift = 30

// Sampled reports whether a shingle belongs to a fixed quarter of all shingles.
// This quarter is enough to find sets that contain one another. A shingle that
// two sets share is sampled in both or in neither (Broder 1997).
func Sampled(shingle uint32) bool { return shingle>>sampledShift == 0 }

// signatureLength is how many numbers the MinHash signature of a set has. Each is the minimum of
// one hash function over the members of the set.
const signatureLength = 120

// Bands computes a list of numbers for a set, so that similar sets probably
// have an equal number at the same index. It cuts the MinHash signature of the
// set into bands (consecutive minima), and hashes each band to a number. Use
// one Bands in one goroutine only.
type Bands struct {
	rows    int // how many minima a band has
	minimum [signatureLength]uint32
}

// NewBands returns Bands for finding pairs of sets with at least the given
// Jaccard similarity. Such a pair has an equal number with a probability above
// .99. Pairs whose similarity is lower by about .2 or more are hardly ever
// found.
func NewBands(similarity float64) *Bands {
	for rows := 6; ; rows-- {
		missed := math.Pow(1-math.Pow(similarity, float64(rows)), float64(signatureLength/rows))
		if missed < .005 || rows == 1 {
			return &Bands{rows: rows}
		}
	}
}

// Count returns how many bands, and so numbers, a set has.
func (b *Bands) Count() int { return signatureLength / b.rows }

// Of appends the numbers of a set to dst, one for each band. The set must not
// be empty.
func (b *Bands) Of(set []uint32, dst []uint64) []uint64 {
	b.sign(set)
	for band := range b.Count() {
		h := uint64(band)
		for _, m := range b.minimum[band*b.rows : (band+1)*b.rows] {
			h = mix(h ^ uint64(m))
		}
		dst = append(dst, h)
	}
	return dst
}

// sign computes the MinHash signature of a set and stores it in b.minimum.
func (b *Bands) sign(set []uint32) {
	for i := range b.minimum {
		b.minimum[i] = math.MaxUint32
	}
	for _, x := range set {
		// The two halves of one good hash give as many hash functions as
		// needed (Kirsch and Mitzenmacher 2006).
		h := mix(uint64(x) + 0x9e3779b97f4a7c15)
		at, step := uint32(h), uint32(h>>32)|1
		for i := range b.minimum {
			b.minimum[i] = min(b.minimum[i], at^at>>15)
			at = (at + step) * 0x9e3779b1
		}
	}
}

// Groups divides numbers into groups that can be joined but not divided: a disjoint-set forest
// (Tarjan 1975).
type Groups struct{ parent []uint32 }

// NewGroups returns Groups in which each of the numbers 0 to n-1 is in a group
// of its own.
func NewGroups(n int) *Groups {
	g := &Groups{make([]uint32, n)}
	for i := range g.parent {
		g.parent[i] = uint32(i)
	}
	return g
}

// Of returns the name of the group that contains i: the least number of the
// group.
func (g *Groups) Of(i uint32) uint32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// Join makes one group of the group that contains i and the group that contains
// j.
func (g *Groups) Join(i, j uint32) {
	if g.parent[i] == g.parent[j] {
		return
	}
	i, j = g.Of(i), g.Of(j)
	g.parent[max(i, j)] = min(i, j)
}
