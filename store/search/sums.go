package search

import (
	"math"
	"slices"

	"infomall/store/words/match"
)

// Sums is what the query matches in the leaves of some captures.
type Sums struct {
	Of    []match.Sum // one for each capture
	Found []uint32    // ascending: the indexes in Of of the captures in which the query may match something

	atoms int      // number of atoms that are counted
	count []uint16 // for each capture: how often its leaves have each atom, at most math.MaxUint16
}

// counts returns how often the leaves of capture c have each atom of the query. It returns an empty
// slice if atoms are not counted.
func (s *Sums) counts(c uint32) []uint16 { return s.count[int(c)*s.atoms:][:s.atoms] }

// find adds the leaves of o to those of capture c. counts is how often these leaves have each atom.
func (s *Sums) find(c uint32, o match.Sum, counts []uint32) {
	for a, n := range counts {
		at := &s.count[int(c)*s.atoms+a]
		*at = uint16(min(uint32(*at)+n, math.MaxUint16))
	}
	if len(s.Found) <= len(s.Of)/foundShare && s.Of[c].None() {
		s.Found = append(s.Found, c)
	}
	s.Of[c].Join(o)
}

// reset makes s the empty sums of count captures, with counts for this number of atoms.
func (s *Sums) reset(count, atoms int) {
	for _, c := range s.Found {
		s.Of[c] = match.Sum{}
	}
	s.Of, s.Found = slices.Grow(s.Of[:0], count)[:count], s.Found[:0]
	s.atoms, s.count = atoms, slices.Grow(s.count[:0], count*atoms)[:count*atoms]
	clear(s.count)
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
func (s *Sums) Any(first uint32, count int) bool { return len(s.from(first, count)) > 0 }

// Unknown returns the Sums of as many captures as count says, which must all be read.
func Unknown(count int) *Sums {
	s := &Sums{Of: make([]match.Sum, count), Found: make([]uint32, count)}
	for i := range s.Of {
		s.Of[i].AddUnknown()
		s.Found[i] = uint32(i)
	}
	return s
}

// foundShare is one of how many captures Sums.find adds to Sums.Found at most. With more, it takes
// less time to look at all captures.
const foundShare = 16

// sort completes s.Found after the last call of find.
func (s *Sums) sort() {
	if len(s.Found) <= len(s.Of)/foundShare {
		slices.Sort(s.Found)
		return
	}
	s.Found = s.Found[:0]
	for c := range s.Of {
		if !s.Of[c].None() {
			s.Found = append(s.Found, uint32(c))
		}
	}
}
