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

// Range is the keys k with From <= k < To. An empty To has no upper bound.
type Range struct {
	From, To string
}

// Contains reports whether key lies in r.
func (r Range) Contains(key string) bool {
	return key >= r.From && (r.To == "" || key < r.To)
}
