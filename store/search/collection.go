package search

import (
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
	_, known := c.bodies[d]
	return !known && c.sampled(d)
}

func (c *Collection) sampled(d record.Digest) bool {
	first := uint64(0)
	for _, b := range d[:8] {
		first = first<<8 | uint64(b)
	}
	return first>>(64-c.shift) == 0
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

// Pages returns how many pages were added, and how many of them have each atom.
func (c *Collection) Pages() (pages int, with []int) {
	with = make([]int, c.atoms)
	for _, set := range c.bodies {
		for a := range with {
			with[a] += int(c.sets[set][a])
		}
	}
	for a := range with {
		with[a] <<= c.shift
	}
	return len(c.bodies) << c.shift, with
}

// Rarity returns how much each atom counts because few pages have it: the root of the
// inverse document frequency of BM25. The root is taken because every page that answers
// has all words of most questions; the frequency itself ranks such pages worse.
func (c *Collection) Rarity() []float64 {
	pages, with := c.Pages()
	out := make([]float64, c.atoms)
	for a, n := range with {
		out[a] = math.Sqrt(InverseFrequency(pages, n))
	}
	return out
}

// InverseFrequency returns the inverse document frequency (of BM25) of a word. The word is
// in with of pages pages. The result is greater than 0.
func InverseFrequency(pages, with int) float64 {
	return math.Log1p((float64(pages-with) + .5) / (float64(with) + .5))
}
