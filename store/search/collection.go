package search

import (
	"encoding/binary"
	"math"

	"infomall/store/record"
	"infomall/store/words/match"
)

// sampleMax is how many bodies a Collection remembers at most.
const sampleMax = 1 << 16

// Collection counts, for one search query, the pages that were searched, and
// how many of them have each atom of the query (a word, a phrase or a NEAR).
// Pages with the same body count once. The counts are exact up to sampleMax
// bodies. Above that, they are estimates from a sample of the bodies, chosen by
// their digests (Wegman's adaptive sampling, Flajolet 1990). So the counts do
// not depend on the order in which pages are added, and the memory is bounded.
type Collection struct {
	atoms  int
	shift  uint                     // only bodies whose digest begins with this many zero bits are remembered
	bodies map[record.Digest]uint32 // for each body, the index in sets of the atoms that it has
	sets   []string                 // for each set of atoms, one byte per atom: 1 if it is in the set
	index  map[string]uint32        // index in sets of each set
	buf    []byte
}

// NewCollection returns a Collection without pages for the query q.
func NewCollection(q *match.Query) *Collection {
	return &Collection{atoms: len(q.Atoms()), bodies: make(map[record.Digest]uint32), index: make(map[string]uint32)}
}

// Wants reports whether Add must be called for a page with this body: the body belongs to the
// sample and was not added before.
func (c *Collection) Wants(d record.Digest) bool {
	if !c.sampled(d) { // first, because it takes less time than to look into the map
		return false
	}
	return !c.Has(d)
}

func (c *Collection) sampled(d record.Digest) bool {
	return binary.BigEndian.Uint64(d[:8])>>(64-c.shift) == 0
}

// Add adds a page with the body d. The function has reports whether the page has an atom, which
// is given by its number.
func (c *Collection) Add(d record.Digest, has func(atom int) bool) {
	c.buf = c.buf[:0]
	for a := range c.atoms {
		if has(a) {
			c.buf = append(c.buf, 1)
		} else {
			c.buf = append(c.buf, 0)
		}
	}
	set, known := c.index[string(c.buf)]
	if !known {
		set = uint32(len(c.sets))
		c.sets = append(c.sets, string(c.buf))
		c.index[c.sets[set]] = set
	}
	c.bodies[d] = set
	for len(c.bodies) > sampleMax {
		c.shift++
		for d := range c.bodies {
			if !c.sampled(d) {
				delete(c.bodies, d)
			}
		}
	}
}

// Counts returns the counts of the pages added so far, exact or estimated.
func (c *Collection) Counts() Counts {
	out := NewCounts(c.atoms)
	for _, set := range c.bodies {
		out.Add(func(atom int) bool { return c.sets[set][atom] != 0 })
	}
	out.Scale(c.shift)
	return out
}

// Has reports whether c remembers a page with this body.
func (c *Collection) Has(d record.Digest) bool {
	_, known := c.bodies[d]
	return known
}

// Sample returns how large the sample of bodies is: c remembers about one of 2^shift bodies. 0
// means that it remembers all.
func (c *Collection) Sample() (shift uint) { return c.shift }

// Counts says how many pages with distinct bodies were searched, and how many of them have each
// atom of a search query.
type Counts struct {
	Pages int
	With  []int // With[i] is how many pages have atom i
}

// NewCounts returns the Counts of no pages, for a query with this number of atoms.
func NewCounts(atoms int) Counts { return Counts{With: make([]int, atoms)} }

// Add adds a page. The function has reports whether the page has an atom, which is given by its
// number.
func (c *Counts) Add(has func(atom int) bool) {
	c.Pages++
	for a := range c.With {
		if has(a) {
			c.With[a]++
		}
	}
}

// Scale multiplies all counts by 2^shift.
func (c *Counts) Scale(shift uint) {
	c.Pages <<= shift
	for a := range c.With {
		c.With[a] <<= shift
	}
}

// Rarity returns a weight for each atom of the query, which is high if few pages have the atom.
// It is the square root of the inverse document frequency of BM25. Without the root, pages are
// ranked worse: every page that matches has all words of most queries.
func (c *Counts) Rarity() []float64 {
	out := make([]float64, len(c.With))
	for a, n := range c.With {
		out[a] = math.Sqrt(InverseFrequency(c.Pages, n))
	}
	return out
}

// InverseFrequency returns the inverse document frequency of BM25 for a word: pages is the
// number of all pages, and with the number of pages that have the word. The result is greater
// than 0.
func InverseFrequency(pages, with int) float64 {
	return math.Log1p((float64(pages-with) + .5) / (float64(with) + .5))
}
