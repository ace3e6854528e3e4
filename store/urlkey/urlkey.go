// Package urlkey says what one URL is, and where it stands among the others.
//
// [Canonical] gives a URL the one form under which the archive knows it.
// [Key] turns that form round into a sort key (a SURT) in which a host stands
// beside its neighbours and under its domain, and [URL] turns it back. A
// [Scope] is a set of URLs as a query names it, in ranges of such keys. [CDX] is
// the folded key of other archives' CDX files. The rest are the parts of a
// canonical URL.
//
// Everything here is a pure function of strings and safe for any goroutine.
package urlkey

import (
	"slices"
	"strings"
)

// Range is the keys k with From <= k < To. An empty To has no upper bound.
type Range struct {
	From, To string
}

// Contains reports whether key lies in r.
func (r Range) Contains(key string) bool {
	return key >= r.From && (r.To == "" || key < r.To)
}

// Merge returns what ranges hold together as ranges that are sorted, disjoint
// and do not touch. It is empty, not nil, where they hold nothing.
func Merge(ranges []Range) []Range {
	sorted := slices.Clone(ranges)
	slices.SortFunc(sorted, func(a, b Range) int { return strings.Compare(a.From, b.From) })
	merged := make([]Range, 0, len(sorted))
	for _, r := range sorted {
		if r.To != "" && r.From >= r.To {
			continue
		}
		last := len(merged) - 1
		switch {
		case last < 0 || merged[last].To != "" && merged[last].To < r.From:
			merged = append(merged, r)
		case merged[last].To != "" && (r.To == "" || r.To > merged[last].To):
			merged[last].To = r.To
		}
	}
	return merged
}
