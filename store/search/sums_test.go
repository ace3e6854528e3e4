package search

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infomall/store/words/match"
)

// TestSums adds drawn counts to the captures of several blocks, one after the other in the same
// memory. Each block must have exactly the captures and counts that were added to it.
func TestSums(t *testing.T) {
	var found match.Sum
	found.AddUnknown()
	rapid.Check(t, func(t *rapid.T) {
		var s Sums
		for range rapid.IntRange(1, 4).Draw(t, "blocks") {
			captures, atoms := rapid.IntRange(1, 80).Draw(t, "captures"), rapid.IntRange(0, 2).Draw(t, "atoms")
			s.reset(captures, atoms)
			want, short := make(map[uint32][]uint16), make(map[uint32]uint16)
			for range rapid.IntRange(0, 12).Draw(t, "finds") {
				c := uint32(rapid.IntRange(0, captures-1).Draw(t, "capture"))
				counts := rapid.SliceOfN(rapid.Uint32Range(0, 40000), atoms, atoms).Draw(t, "counts")
				terms := rapid.Int32Range(0, 80000).Draw(t, "terms")
				s.find(c, found, counts, terms)
				if want[c] == nil {
					want[c], short[c] = make([]uint16, atoms), 1<<16-1
				}
				short[c] = uint16(min(terms, int32(short[c])))
				for a, n := range counts {
					want[c][a] = uint16(min(uint32(want[c][a])+n, 1<<16-1))
				}
			}
			s.sort()
			if !slices.Equal(s.Found, slices.Sorted(maps.Keys(want))) {
				t.Fatalf("found %v, want %v", s.Found, want)
			}
			for _, c := range s.Found {
				if s.Of(c) != found || !slices.Equal(s.counts(c), want[c]) {
					t.Fatalf("capture %d: got %v, want %v", c, s.counts(c), want[c])
				}
				if of := s.most(c); atoms > 0 && of != mostOf(want[c], short[c]) || atoms == 0 && of != (most{}) {
					t.Fatalf("capture %d: got %v, want %v in leaves of %d terms", c, of, want[c], short[c])
				}
			}
		}
	})
}
