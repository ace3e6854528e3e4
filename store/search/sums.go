package search

import (
	"context"
	"math"
	mathbits "math/bits"
	"slices"
	"sync"

	"infomall/store/search/index"
	"infomall/store/words/match"
)

// Sums is what the query matches in the leaves of some captures.
type Sums struct {
	Found []uint32 // ascending: the numbers of the captures in which the query may match something

	// Few captures match most queries. Therefore at has only a number for each capture: with a Sum
	// for each, a count of a rare word in a million captures took 5 % more CPU time.
	at    []uint32    // for each capture: 1 + an index in of, or 0
	of    []match.Sum // what the query matches in the leaves of a capture
	atoms int         // number of atoms that are counted
	count []uint16    // for each element of the slice of: how often the leaves have each atom, at most math.MaxUint16
	short []uint16    // for each element of the slice of: the least number of terms of a leaf with an atom, the same

	// bits, if not nil, says what the other fields say otherwise, for a query of one word: bit c is set
	// if the leaves of the capture c have the word.
	bits bitmap
}

// Of returns what the query matches in the leaves of the capture c, which is in s.Found.
func (s *Sums) Of(c uint32) match.Sum { return s.of[s.at[c]-1] }

// counts returns how often the leaves of the capture c, which is in s.Found, have each atom of the
// query. It returns an empty slice if atoms are not counted.
func (s *Sums) counts(c uint32) []uint16 { return s.count[int(s.at[c]-1)*s.atoms:][:s.atoms] }

// most returns how often the leaves of the capture c, which is in s.Found, have each atom of the query. It
// returns zero if atoms are not counted.
func (s *Sums) most(c uint32) most {
	if s.atoms == 0 {
		return most{}
	}
	return mostOf(s.counts(c), s.short[s.at[c]-1])
}

// find adds the leaves of o to those of capture c. counts is how often these leaves have each atom, and short is
// the least number of terms of one of them.
func (s *Sums) find(c uint32, o match.Sum, counts []uint32, short int32) {
	if s.at[c] == 0 {
		s.of, s.short = append(s.of, match.Sum{}), append(s.short, math.MaxUint16)
		s.count = slices.Grow(s.count, s.atoms)[:len(s.of)*s.atoms]
		s.at[c] = uint32(len(s.of))
		clear(s.counts(c))
		if len(s.Found) <= len(s.at)/foundShare {
			s.Found = append(s.Found, c)
		}
	}
	of := s.counts(c)
	for a, n := range counts {
		of[a] = uint16(min(uint32(of[a])+n, math.MaxUint16))
	}
	at := s.at[c] - 1
	s.of[at].Join(o)
	s.short[at] = min(s.short[at], uint16(min(short, math.MaxUint16)))
}

// reset makes s the empty sums of count captures, with counts for this number of atoms.
func (s *Sums) reset(count, atoms int) {
	for _, c := range s.Found {
		s.at[c] = 0
	}
	s.at, s.Found = slices.Grow(s.at[:0], count)[:count], s.Found[:0]
	s.of, s.atoms, s.count, s.short = s.of[:0], atoms, s.count[:0], s.short[:0]
}

// from returns the part of s.Found with the captures first <= capture < first+count. s may be nil.
func (s *Sums) from(first uint32, count int) []uint32 {
	if s == nil {
		return nil
	}
	from, _ := slices.BinarySearch(s.Found, first)
	to, _ := slices.BinarySearch(s.Found, first+uint32(count))
	return s.Found[from:to]
}

// Any reports whether the query may match something in the captures first <= capture <
// first+count.
func (s *Sums) Any(first uint32, count int) bool {
	if s.bits != nil {
		return s.bits.next(first, first+uint32(count)) < first+uint32(count)
	}
	return len(s.from(first, count)) > 0
}

// Unknown returns the Sums of as many captures as count says, which must all be read.
func Unknown(count int) *Sums {
	s := &Sums{Found: make([]uint32, count), at: make([]uint32, count), of: make([]match.Sum, 1)}
	s.of[0].AddUnknown()
	for i := range s.at {
		s.at[i], s.Found[i] = 1, uint32(i)
	}
	return s
}

// foundShare is one of how many captures Sums.find adds to Sums.Found at most. With more, it takes
// less time to look at all captures.
const foundShare = 16

// sort completes s.Found after the last call of find.
func (s *Sums) sort() {
	if len(s.Found) <= len(s.at)/foundShare {
		slices.Sort(s.Found)
		return
	}
	s.Found = s.Found[:0]
	for c, at := range s.at {
		if at != 0 {
			s.Found = append(s.Found, uint32(c))
		}
	}
}

// sumsMemory is the memory of Maker.Sums.
type sumsMemory struct {
	sums       Sums
	listAt     []uint32    // for each list of captures: 1 + an index in listsFound, or 0; zero between calls
	listsFound []uint32    // the lists of captures with leaves in which the query matches something
	listSums   []match.Sum // for each of listsFound: what the query matches in these leaves
	listCounts []uint32    // for each of listsFound: how often these leaves have each atom
	listShort  []int32     // for each of listsFound: the least number of terms of one of these leaves
}

// sumsMemories has the sumsMemory of searches that have ended. A block of users needs half a megabyte,
// which the next search finds zero already.
var sumsMemories sync.Pool // of *sumsMemory

// Sums returns what the query matches in the leaves of each capture of b, a block of users
// of the index f. u is the decoded block, and hits is what the query matches in the
// documents of f. The result is valid until the next call. Sums returns an error only if
// ctx has ended.
//
// Sums looks only at the captures of leaves in which the query matches something. To look at all
// takes .035 s more for a word that one of 100 of a million pages has: a count then takes 1.4 times
// the time.
func (m *Maker) Sums(ctx context.Context, f *index.File, hits *index.Hits, b *index.UsersBlock, u *index.Users) (*Sums, error) {
	if m.oneWord {
		if bits, ok := m.withWord(f, hits, b, u); ok {
			return &Sums{bits: bits}, ctx.Err()
		}
	}
	if m.mem == nil {
		if m.mem, _ = sumsMemories.Get().(*sumsMemory); m.mem == nil {
			m.mem = new(sumsMemory)
		}
	}
	mem := m.mem
	mem.listAt = slices.Grow(mem.listAt[:0], u.Lists())[:u.Lists()]
	mem.listsFound, mem.listSums, mem.listCounts, mem.listShort = mem.listsFound[:0], mem.listSums[:0], mem.listCounts[:0], mem.listShort[:0]
	counted := 0 // number of atoms that are counted
	if m.q.Rank != nil && m.words.atoms <= len(most{}.counts) {
		counted = m.words.atoms
	}
	at := func(list uint32) (n int) {
		if mem.listAt[list] == 0 {
			mem.listsFound, mem.listSums = append(mem.listsFound, list), append(mem.listSums, match.Sum{})
			mem.listAt[list], mem.listShort = uint32(len(mem.listsFound)), append(mem.listShort, math.MaxUint16)
			for range counted {
				mem.listCounts = append(mem.listCounts, 0)
			}
		}
		return int(mem.listAt[list] - 1)
	}
	out := &mem.sums
	out.reset(b.Captures, counted)
	one := make([]uint32, counted)
	add := func(used *index.UsedLeaves, n uint32, p *match.Part) {
		c, ok := used.Only(n)
		if !ok {
			list := at(used.List())
			mem.listSums[list].Add(p)
			mem.listShort[list] = min(mem.listShort[list], p.Terms)
			for a := range min(counted, len(p.Counts)) {
				mem.listCounts[list*counted+a] += uint32(used.Most) * uint32(p.Counts[a])
			}
			return
		}
		var sum match.Sum
		sum.Add(p)
		clear(one)
		for a := range min(counted, len(p.Counts)) {
			one[a] = uint32(used.Most) * uint32(p.Counts[a])
		}
		if !sum.None() {
			out.find(c, sum, one, p.Terms)
		}
	}
	unknown := func(used *index.UsedLeaves, n uint32) {
		c, ok := used.Only(n)
		if !ok {
			list := at(used.List())
			mem.listSums[list].AddUnknown()
			mem.listShort[list] = 0
			return
		}
		var sum match.Sum
		sum.AddUnknown()
		clear(one)
		out.find(c, sum, one, 0)
	}
	eachFound(hits, u, func(used *index.UsedLeaves, doc uint32) uint32 {
		add(used, doc, hits.Part(int(doc)))
		return doc + 1
	})
	for i, named := range b.Named {
		if err := ctx.Err(); err != nil {
			m.mem = nil // it is not as the next call expects it
			return nil, err
		}
		as := f.Readings[named.Reading]
		run := m.open(leafRun{named.RunRef, m.reading(as)}, as)
		if run.none {
			continue
		}
		m.load(run)
		for k := range u.Leaves[i] {
			used := &u.Leaves[i][k]
			for n := used.N; n < used.N+used.Count; n++ {
				if run.listed(n+1) && !run.indexed.Finds(int(n)) {
					continue
				}
				switch l, err := m.leaf(run, LeafRef{named.RunRef, n}, as); {
				case err != nil:
					unknown(used, n)
				case !l.Part.Plain():
					add(used, n, l.Part)
				}
			}
		}
	}
	for k, n := range mem.listsFound {
		mem.listAt[n] = 0
		sum, counts := mem.listSums[k], mem.listCounts[k*counted:][:counted]
		if sum.None() {
			continue
		}
		for _, c := range u.List(n) {
			for i := range c.Count {
				out.find(c.From+i, sum, counts, mem.listShort[k])
			}
		}
	}
	out.sort()
	return out, nil
}

// eachFound calls found for the leaves of u that are documents in which the query matches something,
// in order. doc is the number of such a document, and used has it. found returns the next number
// that it wants: eachFound leaves out the documents before it, if used has them.
func eachFound(hits *index.Hits, u *index.Users, found func(used *index.UsedLeaves, doc uint32) uint32) {
	rest := u.Documents
	for doc := hits.Next(0); doc >= 0; {
		if rest = index.LeavesFrom(rest, uint32(doc)); len(rest) == 0 {
			return
		}
		used := &rest[0]
		next := used.N
		if doc >= int(next) {
			next = min(found(used, uint32(doc)), used.N+used.Count)
		}
		doc = hits.Next(int(next))
	}
}

// withWord returns which captures of b have the word of a query of one word, see Sums.bits. The
// parameters are those of Sums. ok is false if a leaf must be read for that.
//
// A query of one word needs none of what the parts of leaves say, so withWord does not add them up for
// each capture, as Sums does.
func (m *Maker) withWord(f *index.File, hits *index.Hits, b *index.UsersBlock, u *index.Users) (bits bitmap, ok bool) {
	bits = newBitmap(b.Captures)
	// add adds the captures that have one of the leaves n+i, for each bit i that is set in few.
	add := func(used *index.UsedLeaves, n uint32, few uint64) {
		if left := used.N + used.Count - n; left < 64 {
			few &= 1<<left - 1
		}
		c, one := used.Only(n)
		switch {
		case few == 0:
		case !one:
			for _, c := range u.List(used.List()) {
				bits.setRange(c.From, c.From+c.Count)
			}
		case used.Same():
			bits.add(c, 1)
		case used.Each() == 1:
			bits.add(c, few)
		default:
			for ; few != 0; few &= few - 1 {
				c, _ := used.Only(n + uint32(mathbits.TrailingZeros64(few)))
				bits.add(c, 1)
			}
		}
	}
	eachFound(hits, u, func(used *index.UsedLeaves, doc uint32) uint32 {
		add(used, doc, hits.Few(int(doc)))
		if used.Same() {
			return used.N + used.Count
		}
		return doc + 64
	})
	for i, named := range b.Named {
		as := f.Readings[named.Reading]
		run := m.open(leafRun{named.RunRef, m.reading(as)}, as)
		if run.none {
			continue
		}
		m.load(run)
		for k := range u.Leaves[i] {
			used := &u.Leaves[i][k]
			end := used.N + used.Count
			if !run.listed(end) {
				return nil, false
			}
			for n := run.indexed.Next(int(used.N), int(end)); n < int(end); n = run.indexed.Next(n+1, int(end)) {
				switch l := run.indexed.Leaf(n); {
				case l.Part == nil:
					return nil, false
				case !l.Part.Plain():
					add(used, uint32(n), 1)
				}
			}
		}
	}
	return bits, true
}
