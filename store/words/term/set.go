package term

import (
	"slices"
	"strings"
)

// Set is a set of terms: those in Equal, and those that begin with a text in Begins. A nil Set
// has all terms.
type Set struct {
	Equal  []string
	Begins []string
}

// Has reports whether a term is in s.
func (s *Set) Has(term []byte) bool {
	return s == nil || slices.Contains(s.Equal, string(term)) ||
		slices.ContainsFunc(s.Begins, func(b string) bool { return strings.HasPrefix(string(term), b) })
}

// MayHaveNew reports whether s may contain a new word: a Chinese word that texts use but the
// list of words does not have.
func (s *Set) MayHaveNew() bool {
	return s == nil || slices.ContainsFunc(s.Equal, MayBeNew) || slices.ContainsFunc(s.Begins, beginsNew)
}

// String returns s as EXPLAIN shows it, such as 'kafka' or 'stream'….
func (s *Set) String() string {
	var list []string
	for _, t := range s.Equal {
		list = append(list, "'"+t+"'")
	}
	for _, t := range s.Begins {
		list = append(list, "'"+t+"'…")
	}
	return strings.Join(list, " or ")
}
