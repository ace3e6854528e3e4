package index

import (
	"math/bits"

	"infomall/store/words/match"
)

// Leaf is what a search query finds in one block of a run.
type Leaf struct {
	Part *match.Part // nil if the block must be read to know
	// Links is set if Linked is known. Linked has, for each atom of the query, how often it
	// occurs in the texts of links that lead to other addresses. It is nil if it occurs in
	// none.
	Links  bool
	Linked []int32
}

// Matches is what a search query finds in the blocks of one run, read in one reading. Only one
// goroutine may use it.
type Matches struct {
	q     *match.Query
	hits  *Hits
	of    *runShapes // nil if the index has no text of the run
	as    readAs
	some  []uint64 // bit n is set if the query finds something in block n, or the block must be read
	below []uint32 // below[i] is how many bits are set in some[:i]
	found int      // how many bits are set in some

	// looked is how many blocks the method Sum has looked at. With more than the run has, it makes these slices, and
	// looks at no further blocks. terms[n] is the number of terms of the blocks before block n. sums has a row for
	// each i from 0 to found, which adds up the first i blocks whose bits are set: how many must be read, then
	// Part.Counts of each atom, then Linked of each atom.
	looked      int
	terms, sums []int32
}

// Matches returns what the search query q finds in the blocks of the run f.Runs[n]. The
// parameter as says how the blocks are read. h is the result of Find for q.
func (f *File) Matches(q *match.Query, h *Hits, n uint32, as Reading) (*Matches, error) {
	u := &f.Runs[n]
	m := &Matches{q: q, hits: h}
	if u.Lost || len(u.Readings) == 0 {
		return m, nil
	}
	s, err := f.shapesOf(int(n))
	if err != nil {
		return nil, err
	}
	of := &s.runs[int(n)-s.first]
	m.of, m.as = of, f.readAs(u, as)
	m.some, m.below = make([]uint64, of.blocks/64+1), make([]uint32, of.blocks/64+1)
	for b := range of.blocks {
		if b%64 == 0 {
			m.below[b/64] = uint32(m.found)
		}
		if at := of.shapeOf(b, m.as); at < 0 || h.Has(of.docOf(at)) {
			m.some[b/64] |= 1 << (b % 64)
			m.found++
		}
	}
	if of.blocks%64 == 0 {
		m.below[of.blocks/64] = uint32(m.found)
	}
	return m, nil
}

// Len returns the number of blocks of the run, or 0 if the index has no text of the run.
func (m *Matches) Len() int {
	if m.of == nil {
		return 0
	}
	return m.of.blocks
}

// Bytes returns an estimate of the memory that m takes, in bytes.
func (m *Matches) Bytes() int64 {
	row := 4 * int64(1+2*len(m.q.Atoms()))
	return int64(len(m.some))*12 + int64(m.Len())*4 + int64(m.found)*row
}

// Finds reports whether the query finds something in block n, or the block must be read. n is
// less than Len.
func (m *Matches) Finds(n int) bool { return m.some[n/64]>>(n%64)&1 != 0 }

// Next returns the first of the blocks from <= n < to for which Finds reports true. It returns
// to if there is none. to is at most Len.
func (m *Matches) Next(from, to int) int {
	for from < to {
		if word := m.some[from/64] >> (from % 64); word != 0 {
			return min(to, from+bits.TrailingZeros64(word))
		}
		from += 64 - from%64
	}
	return to
}

// Leaf returns what the query finds in block n, which is less than Len.
func (m *Matches) Leaf(n int) Leaf {
	at := m.of.shapeOf(n, m.as)
	if at < 0 {
		return Leaf{}
	}
	doc, links := m.of.docOf(at), m.of.of[at]&(shapeLink|shapeLinks)
	l := Leaf{Part: m.hits.Part(doc)}
	switch {
	case l.Part == nil:
		l.Part = match.PartWithout(m.of.shape(at))
		l.Links = true
	case links == shapeLink:
		l.Links, l.Linked = true, l.Part.Counts
	case links == 0:
		l.Links = true
	case !m.q.Exact():
		l.Links = true
		if p := m.hits.Part(doc + 1); p != nil {
			l.Linked = p.Counts
		}
	}
	return l
}

// foundBefore returns for how many blocks before block n Finds reports true. n is at most Len.
func (m *Matches) foundBefore(n int) int {
	return int(m.below[n/64]) + bits.OnesCount64(m.some[n/64]&(1<<(n%64)-1))
}

// Sum adds up the blocks from <= n < to, where to is at most Len. It adds Part.Counts and Linked
// of each atom to counts and linked, and returns the number of terms. ok is false if a block or
// its links must be read; Sum then adds nothing.
func (m *Matches) Sum(from, to int, counts, linked []int) (terms int, ok bool) {
	atoms := len(counts)
	if m.looked += to - from; m.looked <= m.Len() {
		return m.sum(from, to, counts, linked)
	}
	if m.terms == nil {
		m.addUp(atoms)
	}
	if i, j := m.foundBefore(from), m.foundBefore(to); i < j {
		row := 1 + 2*atoms
		before, after := m.sums[i*row:][:row], m.sums[j*row:][:row]
		if before[0] != after[0] {
			return 0, false
		}
		for a := range atoms {
			counts[a] += int(after[1+a] - before[1+a])
			linked[a] += int(after[1+atoms+a] - before[1+atoms+a])
		}
	}
	return int(m.terms[to] - m.terms[from]), true
}

// sum does what Sum does, and looks at each block for it.
func (m *Matches) sum(from, to int, counts, linked []int) (terms int, ok bool) {
	for n := m.Next(from, to); n < to; n = m.Next(n+1, to) {
		if l := m.Leaf(n); l.Part == nil || l.Part.Counts != nil && !l.Links {
			return 0, false
		}
	}
	for n := m.Next(from, to); n < to; n = m.Next(n+1, to) {
		l := m.Leaf(n)
		if l.Part.Counts == nil {
			continue // its links have none either
		}
		for a, n := range l.Part.Counts {
			counts[a] += int(n)
		}
		for a, n := range l.Linked {
			linked[a] += int(n)
		}
	}
	for n := from; n < to; n++ {
		if at := m.of.shapeOf(n, m.as); at >= 0 {
			terms += m.of.terms(at)
		}
	}
	return terms, true
}

// addUp computes m.terms and m.sums, for a query with this number of atoms.
func (m *Matches) addUp(atoms int) {
	m.terms = m.of.termsBefore(m.as)
	row := 1 + 2*atoms
	m.sums = make([]int32, row*(m.found+1))
	b := -1
	for i := range m.found {
		b = m.Next(b+1, m.Len())
		l := m.Leaf(b)
		before, after := m.sums[i*row:][:row], m.sums[(i+1)*row:][:row]
		copy(after, before)
		if l.Part == nil || l.Part.Counts != nil && !l.Links {
			after[0]++
			continue
		}
		if l.Part.Counts == nil {
			continue // its links have none either
		}
		for a, n := range l.Part.Counts {
			after[1+a] += n
		}
		for a, n := range l.Linked {
			after[1+atoms+a] += n
		}
	}
}
