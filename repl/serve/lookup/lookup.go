// Package lookup finds captures of one URL in a snapshot: the nearest to a time, and
// all of them in the order of time. A URL is looked up together with its family: http
// and https, with and without www, with and without a slash at the end.
package lookup

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Capture is one capture that a look-up found.
type Capture struct {
	URL     string // canonical
	Time    record.Time
	Ref     record.Ref
	Status  int32 // 0 if unknown
	Kind    record.Kind
	Change  record.Change
	Version record.Time // start of the capture's version
}

// AllColumns are the columns of a scan that fill all fields of a Capture.
const AllColumns = record.ColStatus | record.ColKind | record.ColChange | record.ColVersionTime

// sortedMax is how many captures of a family are sorted in memory. The captures of
// a larger family are merged, one scan for each URL.
const sortedMax = 50_000

// Family returns the URLs that are looked up together with a canonical URL, that URL first: http
// and https, with and without www, with and without a slash at the end, and, if the path has a
// percent sign that begins no escape, with that sign bare and as %25. The URLs of the
// documents after load of such pages make a family of their own, and so do the URLs of their
// pictures. URLs of other schemes are alone.
func Family(url string) []string {
	if page, ok := urlkey.Shown(url); ok {
		list := Family(page)
		for i := range list {
			list[i] = url[:len(url)-len(page)] + list[i]
		}
		return list
	}
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return []string{url}
	}
	rests := []string{rest}
	if bare, ok := strings.CutPrefix(rest, "www."); ok {
		rests = append(rests, bare)
	} else {
		rests = append(rests, "www."+rest)
	}
	if path := urlkey.RawPath(url); path != "/" && !strings.Contains(rest, "?") {
		for _, r := range slices.Clone(rests) {
			if bare, ok := strings.CutSuffix(r, "/"); ok {
				rests = append(rests, bare)
			} else {
				rests = append(rests, r+"/")
			}
		}
	}
	for _, r := range slices.Clone(rests) {
		if spelt := otherPercent(r); spelt != r {
			rests = append(rests, spelt)
		}
	}
	other := "https"
	if scheme == "https" {
		other = "http"
	}
	list := make([]string, 0, 2*len(rests))
	for _, s := range []string{scheme, other} {
		for _, r := range rests {
			list = append(list, s+"://"+r)
		}
	}
	return list
}

// otherPercent returns url with its other spelling of percent signs that begin no escape, or url
// itself if it has none. Many clients write them as %25 before they send an address.
func otherPercent(url string) string {
	if escaped := urlkey.EscapePercent(url); escaped != url {
		return escaped
	}
	return urlkey.BarePercent(url)
}

// SameFamily reports whether two canonical URLs are of one family.
func SameFamily(a, b string) bool {
	form := func(url string) string { return urlkey.EscapePercent(strings.TrimSuffix(urlkey.Form(url), "/")) }
	return form(a) == form(b)
}

// Keys returns the ranges of sort keys that have exactly these URLs.
func Keys(urls []string) []urlkey.Range {
	ranges := make([]urlkey.Range, len(urls))
	for i, u := range urls {
		key := urlkey.Key(u)
		ranges[i] = urlkey.Range{From: key, To: key + "\x00"}
	}
	return urlkey.Merge(ranges)
}

// rowsOf yields the captures of the scan one by one.
func rowsOf(ctx context.Context, snap relation.Snapshot, scan record.Scan) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		for b, err := range snap.Scan(ctx, scan) {
			if err != nil {
				yield(Capture{}, err)
				return
			}
			for i := range b.N {
				c := Capture{URL: b.URLs()[i], Time: b.Time[i], Ref: b.Ref[i]}
				if scan.Columns&AllColumns == AllColumns {
					c.Status, c.Kind, c.Change, c.Version = b.Status[i], b.Kind[i], b.Change[i], b.VersionTime[i]
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// always returns a scan of these ranges and columns without a bound on time.
func always(ranges []urlkey.Range, columns record.Columns) record.Scan {
	return record.Scan{Ranges: ranges, From: record.MinTime, To: record.MaxTime + 1, Columns: columns}
}

// Captures yields the captures of the family of a canonical URL in the order of
// time. Of captures at the same time, that of url itself comes first. columns is
// AllColumns, or 0 if only URL, Time and Ref are needed. The memory is bounded,
// however many captures there are.
func Captures(ctx context.Context, snap relation.Snapshot, url string, columns record.Columns) iter.Seq2[Capture, error] {
	return func(yield func(Capture, error) bool) {
		urls := Family(url)
		scan := always(Keys(urls), columns)
		var list []Capture
		whole := true
		for c, err := range rowsOf(ctx, snap, scan) {
			if err != nil {
				yield(Capture{}, err)
				return
			}
			if len(list) == sortedMax {
				whole = false
				break
			}
			list = append(list, c)
		}
		if !whole {
			mergeURLs(ctx, snap, urls, scan, yield)
			return
		}
		order := func(a, b Capture) int { return before(url, &a, &b) }
		if !slices.IsSortedFunc(list, order) { // the captures of one URL come sorted
			slices.SortStableFunc(list, order)
		}
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// before compares two captures by time. At the same time, captures of url come
// first.
func before(url string, a, b *Capture) int {
	if c := cmp.Compare(a.Time, b.Time); c != 0 || a.URL == b.URL {
		return c
	}
	switch url {
	case a.URL:
		return -1
	case b.URL:
		return 1
	}
	return strings.Compare(a.URL, b.URL)
}

// mergeURLs yields the captures of the urls in the order of time. It reads each URL
// with the scan, and holds one capture of each.
func mergeURLs(ctx context.Context, snap relation.Snapshot, urls []string, scan record.Scan, yield func(Capture, error) bool) {
	type stream struct {
		next func() (Capture, error, bool)
		head Capture
	}
	var streams []*stream
	for _, u := range urls {
		one := scan
		one.Ranges = Keys([]string{u})
		next, stop := iter.Pull2(rowsOf(ctx, snap, one))
		defer stop()
		s := &stream{next: next}
		c, err, ok := next()
		if err != nil {
			yield(Capture{}, err)
			return
		}
		if s.head = c; ok {
			streams = append(streams, s)
		}
	}
	for len(streams) > 0 {
		first := 0
		for i := range streams {
			if before(urls[0], &streams[i].head, &streams[first].head) < 0 {
				first = i
			}
		}
		s := streams[first]
		if !yield(s.head, nil) {
			return
		}
		c, err, ok := s.next()
		switch {
		case err != nil:
			yield(Capture{}, err)
			return
		case !ok:
			streams = slices.Delete(streams, first, first+1)
		default:
			s.head = c
		}
	}
}

// nearestMax is how many captures near the wanted time a look-up keeps. It needs several,
// because the nearest capture may have no body, or may redirect to its own URL.
const nearestMax = 8

// Found is the answer of a look-up.
type Found struct {
	URL         string    // the URL that was looked up, canonical
	Nearest     []Capture // the nearest captures, the nearest first; empty if there are none
	Count       int64     // captures of the family
	First, Last Capture   // of the family; zero if there are none

	at record.Time // the time that was looked up
}

// Around are the captures just before and just after another one; each is zero if
// there is none.
type Around struct{ Prev, Next Capture }

// Nearest returns the captures of the family of a canonical URL that are nearest
// to the time at.
func Nearest(ctx context.Context, snap relation.Snapshot, url string, at record.Time) (*Found, error) {
	f := &Found{URL: url, at: at}
	nearer := func(a, b Capture) int {
		return cmp.Or(cmp.Compare(Distance(a.Time, at), Distance(b.Time, at)), before(url, &a, &b))
	}
	for c, err := range rowsOf(ctx, snap, always(Keys(Family(url)), AllColumns)) {
		if err != nil {
			return nil, err
		}
		if f.Count == 0 || before(url, &c, &f.First) < 0 {
			f.First = c
		}
		if f.Count == 0 || before(url, &c, &f.Last) >= 0 {
			f.Last = c
		}
		f.Count++
		if len(f.Nearest) == nearestMax && nearer(c, f.Nearest[nearestMax-1]) >= 0 {
			continue
		}
		// Captures that are equally near stay in the order of the scan.
		i, _ := slices.BinarySearchFunc(f.Nearest, c, func(x, c Capture) int {
			if nearer(x, c) <= 0 {
				return -1
			}
			return 1
		})
		f.Nearest = slices.Insert(f.Nearest, i, c)
		f.Nearest = f.Nearest[:min(len(f.Nearest), nearestMax)]
	}
	return f, nil
}

// Neighbours returns the captures before and after the capture c in the family of url. If
// versions is set, it counts only captures that begin another version of the page.
func Neighbours(ctx context.Context, snap relation.Snapshot, url string, c *Capture, versions bool) (n Around, err error) {
	met := false // c itself has come
	for x, err := range rowsOf(ctx, snap, always(Keys(Family(url)), AllColumns)) {
		if err != nil {
			return n, err
		}
		if versions && x.Change == record.ChangeSame {
			continue
		}
		order := before(url, &x, c)
		if x.Ref == c.Ref {
			met = true
			continue
		}
		if order == 0 { // another capture of the URL in the same millisecond
			order = -1
			if met {
				order = 1
			}
		}
		switch {
		case order < 0 && (n.Prev.URL == "" || before(url, &x, &n.Prev) >= 0) && !(versions && x.Time >= c.Version && x.URL == c.URL):
			n.Prev = x
		case order > 0 && (n.Next.URL == "" || before(url, &x, &n.Next) < 0):
			n.Next = x
		}
	}
	return n, nil
}

// At returns the time of the capture as people read it.
func (c *Capture) At() string { return c.Time.Std().Format("2006-01-02 15:04:05") }

// Stamp returns the time of the capture as 14 digits.
func (c *Capture) Stamp() string { return Stamp(c.Time) }

// Distance returns how far a is from b: the milliseconds between them, plus the whole seconds between
// the seconds in which they lie, in milliseconds. So the capture of the second that an address names
// is nearer than any capture of another second.
func Distance(a, b record.Time) record.Time {
	return apart(a, b) + apart(second(a), second(b))
}

// apart returns the milliseconds between a and b.
func apart(a, b record.Time) record.Time {
	if a < b {
		return b - a
	}
	return a - b
}

// second returns the start of the second in which t lies. A time before 1970 is negative.
func second(t record.Time) record.Time { return t - (t%1000+1000)%1000 }

// Around returns the captures just before and just after c. c must be an element of f.Nearest.
func (f *Found) Around(ctx context.Context, snap relation.Snapshot, c *Capture) (n Around, err error) {
	near := slices.Clone(f.Nearest)
	slices.SortStableFunc(near, func(a, b Capture) int { return before(f.URL, &a, &b) })
	at := slices.IndexFunc(near, func(x Capture) bool { return x.Ref == c.Ref })
	// The nearest captures follow each other in time, so the neighbours of c are mostly among them.
	// But there may be more captures as near as the last one, at the edge, that are not among them.
	edge := Distance(f.Nearest[len(f.Nearest)-1].Time, f.at)
	whole := f.Count == int64(len(near))
	inside := func(i int) bool {
		return whole || i >= 0 && i < len(near) && Distance(near[i].Time, f.at) < edge
	}
	if !(inside(at-1) || c.Ref == f.First.Ref) || !(inside(at+1) || c.Ref == f.Last.Ref) {
		return Neighbours(ctx, snap, f.URL, c, false)
	}
	if at > 0 {
		n.Prev = near[at-1]
	}
	if at < len(near)-1 {
		n.Next = near[at+1]
	}
	return n, nil
}
