package task

import (
	"slices"
	"sort"
	"strings"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// BlockList says which captures stay out of the archive. DELETE … FOREVER adds
// an entry to it, and ALLOW removes entries. Imports and crawls heed it. It must
// not be changed after the first call of a method that looks an entry up.
type BlockList struct {
	Next    int64 // the number of the next entry; 1 at first
	Entries []BlockEntry

	built  bool
	ranges []urlkey.Range // URL ranges of the entries without Digests, sorted and merged
	bySHA  map[record.Digest][]int
	bySHA1 map[[20]byte][]int
}

// BlockEntry is one entry of the block-list. It names the captures that one
// DELETE … FOREVER keeps out of the archive.
type BlockEntry struct {
	Number   int64 // identifies the entry in the archive; no other entry ever gets it
	Time     record.Time
	Reason   string
	Captures int64 // how many captures the statement removed
	// Scopes are the sets of URLs to which the entry applies; no Scopes means all URLs. Allowed are
	// sets of URLs to which it no longer applies.
	Scopes, Allowed []BlockScope
	From, To        record.Time // the entry is about captures with From <= time < To
	// Digests, if not nil, limits the entry to captures whose body has one of these
	// digests. They are sorted by SHA256. An entry without Scopes has Digests.
	Digests []BodyDigest
}

// BlockScope is a scope as a statement spells it: one text, or the two ends of a
// range.
type BlockScope struct {
	From, To string // To is "" unless the scope is a range
	urlkey.Scope
}

// BodyDigest has the digests of one body. Records of revisits often declare the
// SHA-1 of the body that they lack.
type BodyDigest struct {
	SHA256 record.Digest
	SHA1   [20]byte
}

// NewBlockScope returns the scope for the text from of a statement, or for the range 'from' ..
// 'to' if to is not "". The scope of one page also contains the forms of the page that a browser
// rendered.
func NewBlockScope(from, to string) (BlockScope, error) {
	s := BlockScope{From: from, To: to}
	var err error
	if to == "" {
		s.Scope, err = urlkey.ParseScope(from)
		s.Scope = s.Scope.WithShown()
	} else {
		s.Scope, err = urlkey.ParseScopeRange(from, to)
	}
	return s, err
}

// String returns the scope as a statement spells it, such as 'a.example'.
func (s BlockScope) String() string {
	quote := func(t string) string { return "'" + strings.ReplaceAll(t, "'", "''") + "'" }
	if s.To != "" {
		return quote(s.From) + " .. " + quote(s.To)
	}
	return quote(s.From)
}

// ScopesText returns scopes as a statement spells them, separated by commas.
func ScopesText(list []BlockScope) string {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.String()
	}
	return strings.Join(texts, ", ")
}

// holds reports whether every URL of o is also in s.
func (s BlockScope) holds(o BlockScope) bool {
	if s.From == o.From && s.To == o.To {
		return true
	}
	if !s.Exact() {
		return false
	}
	mine := s.Ranges()
	return !slices.ContainsFunc(o.Ranges(), func(r urlkey.Range) bool {
		return !slices.ContainsFunc(mine, func(m urlkey.Range) bool {
			return m.From <= r.From && (m.To == "" || r.To != "" && r.To <= m.To)
		})
	})
}

// meets reports whether s and o may have a URL in common.
func (s BlockScope) meets(o BlockScope) bool {
	theirs := o.Ranges()
	return slices.ContainsFunc(s.Ranges(), func(r urlkey.Range) bool {
		return slices.ContainsFunc(theirs, func(t urlkey.Range) bool {
			return (t.To == "" || r.From < t.To) && (r.To == "" || t.From < r.To)
		})
	})
}

// About reports whether e applies to captures of the URL with this key at time t. It does not look
// at Digests.
func (e *BlockEntry) About(key string, t record.Time) bool {
	contains := func(s BlockScope) bool { return s.Contains(key) }
	return t >= e.From && t < e.To && (len(e.Scopes) == 0 || slices.ContainsFunc(e.Scopes, contains)) && !slices.ContainsFunc(e.Allowed, contains)
}

// build fills the tables that lookups use, unless they are filled already.
func (l *BlockList) build() {
	if l.built {
		return
	}
	l.built = true
	l.bySHA, l.bySHA1 = make(map[record.Digest][]int), make(map[[20]byte][]int)
	var all []urlkey.Scope
	for i := range l.Entries {
		e := &l.Entries[i]
		for _, d := range e.Digests {
			l.bySHA[d.SHA256] = append(l.bySHA[d.SHA256], i)
			l.bySHA1[d.SHA1] = append(l.bySHA1[d.SHA1], i)
		}
		if e.Digests == nil {
			for _, s := range e.Scopes {
				all = append(all, s.Scope)
			}
		}
	}
	l.ranges = urlkey.Union(all...)
}

// Prepare fills the tables that lookups use. After Prepare, several goroutines may look up
// entries.
func (l *BlockList) Prepare() { l.build() }

// URL returns the entry that keeps out every capture of the URL with this key at
// time t, or nil if there is none.
func (l *BlockList) URL(key string, t record.Time) *BlockEntry {
	l.build()
	i := sort.Search(len(l.ranges), func(i int) bool { return l.ranges[i].From > key })
	if i == 0 || !l.ranges[i-1].Contains(key) {
		return nil
	}
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Digests == nil && e.About(key, t) {
			return e
		}
	}
	return nil
}

// Body returns the entry that keeps a capture out because of its body, or nil if
// there is none. key and t are the key of the URL and the time of the capture,
// digest the digest of its body.
func (l *BlockList) Body(key string, t record.Time, digest record.Digest) *BlockEntry {
	l.build()
	return l.among(l.bySHA[digest], key, t)
}

// BodySHA1 is like Body, but takes the SHA-1 of the body instead of its digest.
func (l *BlockList) BodySHA1(key string, t record.Time, sum [20]byte) *BlockEntry {
	l.build()
	return l.among(l.bySHA1[sum], key, t)
}

func (l *BlockList) among(entries []int, key string, t record.Time) *BlockEntry {
	for _, i := range entries {
		if e := &l.Entries[i]; e.About(key, t) {
			return e
		}
	}
	return nil
}

// Add returns a copy of l with the entry e added. The entry gets the next number.
func (l *BlockList) Add(e BlockEntry) *BlockList {
	next := &BlockList{Next: max(l.Next, 1), Entries: slices.Clone(l.Entries)}
	e.Number = next.Next
	next.Next++
	next.Entries = append(next.Entries, e)
	return next
}

// Allow returns a copy of l without what o allows again, and what was removed. An entry is removed
// if o names its number, or if each of its scopes lies in a scope that is allowed. If only a part
// of an entry's URLs is allowed, the entry stays with that part in Allowed.
func (l *BlockList) Allow(o AllowOptions) (*BlockList, AllowResult) {
	next := &BlockList{Next: l.Next}
	var res AllowResult
	met := make(map[int]bool)
	numbers := make(map[int64]bool)
	for _, e := range l.Entries {
		if slices.Contains(o.Entries, e.Number) {
			numbers[e.Number] = true
			res.Removed = append(res.Removed, e)
			continue
		}
		before, part := e, false
		for i, a := range o.Scopes {
			if !slices.ContainsFunc(e.Scopes, a.meets) || slices.ContainsFunc(e.Allowed, func(s BlockScope) bool { return s.holds(a) }) {
				continue
			}
			met[i], part = true, true
			e.Allowed = append(slices.DeleteFunc(slices.Clone(e.Allowed), a.holds), a)
		}
		switch {
		case !part:
			next.Entries = append(next.Entries, e)
		case !slices.ContainsFunc(e.Scopes, func(s BlockScope) bool {
			return !slices.ContainsFunc(e.Allowed, func(a BlockScope) bool { return a.holds(s) })
		}):
			res.Removed = append(res.Removed, before)
		default:
			res.Partly = append(res.Partly, e)
			next.Entries = append(next.Entries, e)
		}
	}
	for i, a := range o.Scopes {
		if !met[i] {
			res.Missing = append(res.Missing, a.String())
		}
	}
	for _, n := range o.Entries {
		if !numbers[n] {
			res.MissingEntries = append(res.MissingEntries, n)
		}
	}
	return next, res
}

// AllowOptions says which URLs and entries ALLOW takes off the block-list.
type AllowOptions struct {
	Scopes  []BlockScope
	Entries []int64 // numbers of entries
	// Dry means: return what would be taken off the list, and change nothing.
	Dry bool
}

// AllowResult says what ALLOW took off the block-list.
type AllowResult struct {
	Removed []BlockEntry // entries that were removed
	Partly  []BlockEntry // entries of which some URLs were lifted, as they are now
	// Missing are the scopes, and MissingEntries the numbers of entries, that the statement named but
	// the list did not have.
	Missing        []string
	MissingEntries []int64
}

// Forever says what DELETE … FOREVER adds to the block-list.
type Forever struct {
	// Scopes, From and To say which URLs and times the statement names. They are not stored if
	// ByDigest is set.
	Scopes   []BlockScope
	From, To record.Time
	// ByDigest keeps the deleted bodies out at every URL. The entry then stores no URL.
	ByDigest bool
	// Some says that the statement deleted only some of the captures in Scopes. The entry then keeps
	// out only the deleted bodies, and not every capture of these URLs.
	Some bool
}
