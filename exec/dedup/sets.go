package dedup

import (
	"math"
	"slices"
)

// ShingleWords is how many words a shingle has.
const ShingleWords = 5

// Shingler makes the set of a text's shingles: of every run of ShingleWords
// words, in the order in which words are added. The zero value is ready.
type Shingler struct {
	last [ShingleWords]uint64
	n    int
	set  []uint32
}

// Word adds the next word by its hash.
func (s *Shingler) Word(hash uint64) {
	copy(s.last[:], s.last[1:])
	s.last[ShingleWords-1] = hash
	if s.n++; s.n >= ShingleWords {
		s.put(s.last[:])
	}
}

func (s *Shingler) put(words []uint64) {
	h := uint64(len(words))
	for _, w := range words {
		h = mix(h ^ w)
	}
	s.set = append(s.set, uint32(h>>32))
}

// Set gives the shingles, in order and once each, and makes s ready for another
// text. A text of fewer words than a shingle has is one shingle; one without
// words has none.
func (s *Shingler) Set() []uint32 {
	if s.n > 0 && s.n < ShingleWords {
		s.put(s.last[ShingleWords-s.n:])
	}
	slices.Sort(s.set)
	set := slices.Compact(s.set)
	*s = Shingler{}
	return set
}

// mix makes every bit of its result depend on every bit of x.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// common is how many numbers two sets have in common.
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

// Jaccard is the share of what two sets hold together that both hold: 1 for two
// equal sets, 0 where one of two is empty.
func Jaccard(a, b []uint32) float64 {
	n := common(a, b)
	if all := len(a) + len(b) - n; all > 0 {
		return float64(n) / float64(all)
	}
	return 0
}

// Containment is the share of a that b holds: that of an article that another
// page quotes whole is 1, however long that page is. It is 0 for an empty set.
func Containment(a, b []uint32) float64 {
	if len(a) == 0 {
		return 0
	}
	return float64(common(a, b)) / float64(len(a))
}

// sampledShift leaves one shingle of four.
const sampledShift = 30

// Sampled reports whether a shingle is one of the quarter by which sets are found
// that hold one another: a shingle that two sets have is sampled in both (Broder
// 1997).
func Sampled(shingle uint32) bool { return shingle>>sampledShift == 0 }

// signatureLength is how many minima a signature has.
const signatureLength = 120

// Bands makes numbers of sets such that sets that are alike have one in common,
// in the same place: MinHash signatures, cut into bands of rows.
type Bands struct {
	rows    int
	minimum [signatureLength]uint32
}

// NewBands makes what finds sets whose Jaccard similarity is at least that, with
// a likelihood above .99 each; from about .2 less on they are hardly ever found.
func NewBands(similarity float64) *Bands {
	for rows := 6; ; rows-- {
		missed := math.Pow(1-math.Pow(similarity, float64(rows)), float64(signatureLength/rows))
		if missed < .005 || rows == 1 {
			return &Bands{rows: rows}
		}
	}
}

// Count is how many numbers a set gets.
func (b *Bands) Count() int { return signatureLength / b.rows }

// Of appends the numbers of a set that is not empty to dst.
func (b *Bands) Of(set []uint32, dst []uint64) []uint64 {
	for i := range b.minimum {
		b.minimum[i] = math.MaxUint32
	}
	for _, x := range set {
		// Two halves of one good hash make as many as are wanted (Kirsch and
		// Mitzenmacher 2006).
		h := mix(uint64(x) + 0x9e3779b97f4a7c15)
		at, step := uint32(h), uint32(h>>32)|1
		for i := range b.minimum {
			b.minimum[i] = min(b.minimum[i], at^at>>15)
			at = (at + step) * 0x9e3779b1
		}
	}
	for band := range b.Count() {
		h := uint64(band)
		for _, m := range b.minimum[band*b.rows : (band+1)*b.rows] {
			h = mix(h ^ uint64(m))
		}
		dst = append(dst, h)
	}
	return dst
}

// Groups joins things that belong together: sets that only grow (Tarjan 1975).
type Groups struct{ parent []uint32 }

// NewGroups begins with n things, each by itself.
func NewGroups(n int) *Groups {
	g := &Groups{make([]uint32, n)}
	for i := range g.parent {
		g.parent[i] = uint32(i)
	}
	return g
}

// Of is the group that a thing is in: the least thing of it.
func (g *Groups) Of(i uint32) uint32 {
	for g.parent[i] != i {
		g.parent[i] = g.parent[g.parent[i]]
		i = g.parent[i]
	}
	return i
}

// Join makes one group of those of two things.
func (g *Groups) Join(i, j uint32) {
	if g.parent[i] == g.parent[j] {
		return
	}
	i, j = g.Of(i), g.Of(j)
	g.parent[max(i, j)] = min(i, j)
}
