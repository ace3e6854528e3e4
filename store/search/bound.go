package search

import (
	"slices"

	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/words/match"
)

// most bounds how often a page has each atom of the query, and in how short a block.
type most struct {
	counts [8]uint8 // for each atom the class of the count, see mostCounts; 0 means that nothing is known
	short  uint16   // the atoms are in leaves with at least this number of terms
}

// mostCounts has the highest count of each class but the first. A word that the page lacks has a
// class of its own: when it counted as one occurrence, a search for the best pages with one of three
// words took twice the time. Counts above them all are of class 0. Few classes let many pages share a
// said.
var mostCounts = [...]uint16{1: 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 1024}

// mostOf returns the classes of counts, which has one count for each atom, for atoms in leaves with at least short
// terms.
func mostOf(counts []uint16, short uint16) most {
	m := most{short: short}
	for a, n := range counts {
		if class, _ := slices.BinarySearch(mostCounts[1:], n); class+1 < len(mostCounts) {
			m.counts[a] = uint8(class + 1)
		}
	}
	return m
}

// Bound returns a number that the score of a capture's page does not exceed, see Best.Score. It does
// not read the recipe of the page, as Of does. ok is false if no index has the page.
func (w *Words) Bound(ref record.Ref, rarity []float64) (bound float64, ok bool) {
	p, ok := w.pageOf(ref)
	if !ok {
		return 0, false
	}
	return boundOf(w.query, w.of(ref).most, &p, rarity), true
}

// boundOf returns a number that the score of page p for the query q does not exceed. m says how often
// p has the atoms of q.
//
// The bound assumes that all occurrences stand in one block, the shortest that p may have, and that
// none is in a link. A block has at least as many terms as a leaf with an atom. Explain computes the same with
// the blocks of the page. If the page is as assumed, the bound is the score: then pages with equal scores need not
// be ranked.
func boundOf(q *match.Query, m most, p *index.Page, rarity []float64) float64 {
	titles := make([]float64, len(rarity))
	weighTitle(q, p.Title, titles)
	blocks, weight := 0, 0.0
	for _, b := range p.Cut {
		if b.Leaves > 0 {
			blocks, weight = blocks+1, max(weight, LabelWeight(b.Label))
		}
	}
	shortest := int(m.short)
	if blocks == 1 {
		shortest = p.Terms
	}
	length, wholeLength := relativeLength(shortest, usualBlock, blockLength), relativeLength(p.Terms, usualWhole, wholeLength)
	sum := 0.0
	q.Needed(func(a int) {
		block, whole := saturation+1, saturation+1
		if a < len(m.counts) && m.counts[a] > 0 {
			n := float64(mostCounts[m.counts[a]])
			block, whole = saturated(n, length), saturated(float64(weight*n), wholeLength)
		}
		sum += float64((float64(weight*block) + (float64(wholeWeight*whole) + titles[a])) * rarity[a])
	})
	if blocks > 1 && weight != 1 {
		sum *= 1 + 1e-9 // Explain adds up numbers that are not whole, and may round differently
	}
	return sum
}
