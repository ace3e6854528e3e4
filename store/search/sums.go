package search

import (
	"math"
	"slices"

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
}

// Of returns what the query matches in the leaves of the capture c, which is in s.Found.
func (s *Sums) Of(c uint32) match.Sum { return s.of[s.at[c]-1] }

// counts returns how often the leaves of the capture c, which is in s.Found, have each atom of the
// query. It returns an empty slice if atoms are not counted.
func (s *Sums) counts(c uint32) []uint16 { return s.count[int(s.at[c]-1)*s.atoms:][:s.atoms] }

// find adds the leaves of o to those of capture c. counts is how often these leaves have each atom.
func (s *Sums) find(c uint32, o match.Sum, counts []uint32) {
	if s.at[c] == 0 {
		s.of = append(s.of, match.Sum{})
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
	s.of[s.at[c]-1].Join(o)
}

// reset makes s the empty sums of count captures, with counts for this number of atoms.
func (s *Sums) reset(count, atoms int) {
	for _, c := range s.Found {
		s.at[c] = 0
	}
	s.at, s.Found = slices.Grow(s.at[:0], count)[:count], s.Found[:0]
	s.of, s.atoms, s.count = s.of[:0], atoms, s.count[:0]
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
