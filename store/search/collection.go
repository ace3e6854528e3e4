package search

import (
	"encoding/binary"
	"math"

	"infomall/store/record"
	"infomall/store/words/match"
)

// sampleMax is how many bodies a Collection remembers at most.
const sampleMax = 1 << 16

// Collection counts the pages to which a question was put, each distinct body once, and
// how many of them have each atom of the question. It counts exactly up to sampleMax
// bodies, and above that estimates from a sample of the bodies, chosen by their digests
// (Wegman's adaptive sampling, Flajolet 1990). So the result does not depend on the order
// in which pages are added, and the memory is bounded.
type Collection struct {
	atoms  int
	shift  uint                     // bodies whose digest begins with so many zero bits are remembered
	bodies map[record.Digest]uint32 // which atoms the body has, an index in sets
	sets   []string                 // for each atom a byte, 1 if it is in the set
	index  map[string]uint32        // of each set in sets
	buf    []byte
}

// NewCollection returns a Collection without pages for a question.
func NewCollection(q *match.Query) *Collection {
	return &Collection{atoms: len(q.Atoms()), bodies: make(map[record.Digest]uint32), index: make(map[string]uint32)}
}

// Wants reports whether Add must be called for a page with this body: it was not added
// before, and is in the sample.
func (c *Collection) Wants(d record.Digest) bool {
	if !c.sampled(d) { // first, because it takes less time than to look into the map
		return false
	}
	return !c.Has(d)
}

func (c *Collection) sampled(d record.Digest) bool {
	return binary.BigEndian.Uint64(d[:8])>>(64-c.shift) == 0
}

// Add adds a page. has reports whether it has an atom.
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

// Counts returns what c has counted.
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

// Sample returns the logarithm, to the base 2, of how many bodies one stands for that c
// remembers.
func (c *Collection) Sample() (shift uint) { return c.shift }

// Counts says how many pages with distinct bodies were asked, and how many of them have each
// atom of a question.
type Counts struct {
	Pages int
	With  []int // by atom
}

// NewCounts returns Counts of no pages, for a question with some number of atoms.
func NewCounts(atoms int) Counts { return Counts{With: make([]int, atoms)} }

// Add adds a page. has reports whether it has an atom.
func (c *Counts) Add(has func(atom int) bool) {
	c.Pages++
	for a := range c.With {
		if has(a) {
			c.With[a]++
		}
	}
}

// Scale multiplies all numbers by a power of two.
func (c *Counts) Scale(shift uint) {
	c.Pages <<= shift
	for a := range c.With {
		c.With[a] <<= shift
	}
}

// Rarity returns how much each atom counts because few pages have it: the root of the
// inverse document frequency of BM25. The root is taken because every page that answers
// has all words of most questions; the frequency itself ranks such pages worse.
func (c *Counts) Rarity() []float64 {
	out := make([]float64, len(c.With))
	for a, n := range c.With {
		out[a] = math.Sqrt(InverseFrequency(c.Pages, n))
	}
	return out
}

// InverseFrequency returns the inverse document frequency (of BM25) of a word. The word is
// in with of pages pages. The result is greater than 0.
func InverseFrequency(pages, with int) float64 {
	return math.Log1p((float64(pages-with) + .5) / (float64(with) + .5))
}
