package search

import (
	"iter"
	"math"
	"slices"

	"infomall/store/block/facts"
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

// Bounder computes how high the scores of pages are at most. It does not read the recipes of pages, as Words.Of
// does. Only one goroutine may use it.
type Bounder struct {
	w      *Words
	q      *match.Query
	rarity []float64

	title  string    // of the page before
	titles []float64 // the result of weighTitle for title
	bare   bool      // title has no atom

	// known has bounds of pages whose title has no atom, each at a place that follows from its key. Most pages have
	// the key of another page: with known, a search for a word that half of a million pages have takes 25 ms less.
	known [1 << 8]knownBound
}

// knownBound is a bound, and before it its key: what it follows from.
type knownBound struct {
	of         *index.Pages
	said       uint32 // index in Words.said
	cut, terms int32  // number of the cut in of, and number of terms
	bound      float64
}

// Bounder returns a Bounder for the pages of w. rarity has the result of Counts.Rarity.
func (w *Words) Bounder(rarity []float64) *Bounder {
	return &Bounder{w: w, q: w.query, rarity: rarity, titles: make([]float64, len(rarity)), bare: true}
}

// Of returns a number that the score of a capture's page does not exceed, see Best.Score. ok is false if no index
// has the page.
func (b *Bounder) Of(ref record.Ref) (bound float64, ok bool) {
	of, at := b.w.page(ref)
	if of == nil {
		return 0, false
	}
	return b.bound(b.w.ofRun(ref.Segment, ref.Run).of(ref.N), of, at), true
}

// All yields the captures that match the query or may match it, in the order of Words.matching, each with the result
// of the method Of, or with an infinite number if no index has the page.
func (b *Bounder) All() iter.Seq2[record.Ref, float64] {
	return func(yield func(record.Ref, float64) bool) {
		b.w.eachPage(func(ref record.Ref, said uint32, of *index.Pages, at int) bool {
			if of == nil {
				return yield(ref, math.Inf(1))
			}
			return yield(ref, b.bound(said, of, at))
		})
	}
}

// bound returns a number that the score of page at of the pages of does not exceed. said is an index in Words.said.
func (b *Bounder) bound(said uint32, of *index.Pages, at int) float64 {
	b.weigh(of.Title(at))
	cut, number := of.Cut(at)
	terms, m := of.Terms(at), &b.w.said[said].most
	if !b.bare {
		return b.of(m, cut, terms)
	}
	known := &b.known[(said*0x9e3779b1+uint32(number)*0x85ebca6b+uint32(terms)*0xc2b2ae35)>>24]
	if key := (knownBound{of, said, int32(number), int32(terms), known.bound}); *known != key {
		key.bound = b.of(m, cut, terms)
		*known = key
	}
	return known.bound
}

// weigh sets the weights of the atoms in the title of the page.
func (b *Bounder) weigh(title string) {
	if title == b.title {
		return
	}
	if b.title = title; !b.bare {
		clear(b.titles)
	}
	if b.bare = b.q.Lacks(title); !b.bare {
		weighTitle(b.q, title, b.titles)
	}
}

// of returns a number that the score of a page does not exceed. m says how often the page has the atoms of the query.
// cut has its blocks, and terms is its number of terms. The method weigh was called with its title.
//
// The bound assumes that all occurrences stand in one block, the shortest that the page may have, and that
// none is in a link. A block has at least as many terms as a leaf with an atom. Explain computes the same with
// the blocks of the page. If the page is as assumed, the bound is the score: then pages with equal scores need not
// be ranked.
func (b *Bounder) of(m *most, cut []facts.OutlineBlock, terms int) float64 {
	blocks, weight := 0, 0.0
	for _, c := range cut {
		if c.Leaves > 0 {
			blocks, weight = blocks+1, max(weight, LabelWeight(c.Label))
		}
	}
	shortest := int(m.short)
	if blocks == 1 {
		shortest = terms
	}
	length, wholeLength := relativeLength(shortest, usualBlock, blockLength), relativeLength(terms, usualWhole, wholeLength)
	sum := 0.0
	b.q.Needed(func(a int) {
		block, whole := saturation+1, saturation+1
		if a < len(m.counts) && m.counts[a] > 0 {
			n := float64(mostCounts[m.counts[a]])
			block, whole = saturated(n, length), saturated(float64(weight*n), wholeLength)
		}
		sum += float64((float64(weight*block) + (float64(wholeWeight*whole) + b.titles[a])) * b.rarity[a])
	})
	if blocks > 1 && weight != 1 {
		sum *= 1 + 1e-9 // Explain adds up numbers that are not whole, and may round differently
	}
	return sum
}
