// Package urlkey defines when two URLs are the same, and in which order URLs
// are sorted.
//
// # Canonical URL
//
// [Canonical] turns a URL into its canonical form. Two URLs are the same for
// the archive if their canonical forms are equal bytes.
//
// # Key
//
// [Key] turns a canonical URL into its sort key, in the manner of a SURT: the
// labels of the host come first, in reverse order. So the keys of one host
// follow each other, and the keys of one domain too. [URL] turns a key back
// into the URL.
//
//	http://www.pku.edu.cn/news    cn,edu,pku,www,)/news http
//
// # Scope
//
// A [Scope] is a set of URLs as a query names it, such as 'pku.edu.cn'. It
// consists of ranges of keys.
//
// # Folded key
//
// [CDX] computes the key that other archives use in their CDX files. Many URLs
// share one folded key.
//
// The other functions return parts of a canonical URL, such as its host. Every
// function depends on its arguments only and may be called from any goroutine.
// A [Resolver] is for one goroutine.
package urlkey

import (
	"slices"
	"strings"
)

// Range is a set of sort keys: all keys k with From <= k < To. An empty To means
// that there is no upper bound.
type Range struct {
	From, To string
}

// Contains reports whether key lies in r.
func (r Range) Contains(key string) bool {
	return key >= r.From && (r.To == "" || key < r.To)
}

// Merge returns the union of ranges as sorted ranges that neither overlap nor
// touch. If the union has no key, the result is an empty slice, not nil.
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

// Common returns the keys that are in both a and b, as sorted and disjoint ranges. The ranges
// in a and in b must be sorted and disjoint too. If there are no such keys, the result is an
// empty slice, not nil.
func Common(a, b []Range) []Range {
	out := []Range{}
	for len(a) > 0 && len(b) > 0 {
		x, y := a[0], b[0]
		both := Range{max(x.From, y.From), x.To}
		if x.To == "" || y.To != "" && y.To < x.To {
			both.To = y.To
		}
		if both.To == "" || both.From < both.To {
			out = append(out, both)
		}
		if both.To == x.To {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// Without returns the keys that are in a but not in b, as sorted and disjoint ranges. The
// ranges in a and in b must be sorted and disjoint too. If there are no such keys, the result
// is an empty slice, not nil.
func Without(a, b []Range) []Range {
	between := []Range{}
	from, open := "", true
	for _, r := range b {
		if r.From > from {
			between = append(between, Range{from, r.From})
		}
		if from, open = r.To, r.To != ""; !open {
			break
		}
	}
	if open {
		between = append(between, Range{From: from})
	}
	return Common(a, between)
}
