// Package relationtest provides an archive in memory for tests. It holds a
// slice of captures, and answers scans as the store must. It is slow and
// simple, so that tests can check the store against it. Most methods that would
// change an archive, such as Merge, change nothing and return made-up results.
package relationtest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/block/life"
	"infomall/store/document"
	"infomall/store/memo"
	"infomall/store/page/charset"
	"infomall/store/page/markup"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/record/task"
	"infomall/store/search"
	"infomall/store/urlkey"
)

// Capture is one capture that a test puts into an Archive.
type Capture struct {
	URL      string // canonical
	Time     record.Time
	Status   int
	Mime     string
	Body     string
	NoBody   bool // the archive knows the digest of Body, but does not have Body
	Head     string
	Location string
	Job      string
	Document *document.Document // the reading of Body; nil if it is a page, or was not read
}

// Archive holds captures in memory. It is both an archive and a snapshot of
// itself, so it has the methods of both. Several goroutines may use it.
type Archive struct {
	rows []row // sorted by (key, time, sequence)
	// BatchRows bounds the size of batches; 0 means record.BatchRows.
	BatchRows int
	// Missing makes Exists report false.
	Missing bool
	// Err, if not nil, ends every scan after its first batch.
	Err error

	mu      sync.Mutex
	defined []task.Definition
	results []kept // sorted by name and time
}

// Definitions returns a copy of the definitions (such as views) that Define has
// stored.
func (a *Archive) Definitions(context.Context) ([]task.Definition, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.defined), nil
}

// Define replaces the stored definitions by the result of change, which is
// called with a copy of them. If change returns an error, Define stores nothing
// and returns it.
func (a *Archive) Define(_ context.Context, change func([]task.Definition) ([]task.Definition, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	list, err := change(slices.Clone(a.defined))
	if err == nil {
		a.defined = list
	}
	return err
}

// row is a capture together with the fields that depend on it and on earlier
// captures of its URL, such as how its content changed.
type row struct {
	Capture
	key                                    string
	kind                                   record.Kind
	digest                                 record.Digest
	change                                 record.Change
	previous, previousVersion, versionTime record.Time
}

// New returns an archive that holds the captures, which may come in any order.
// Captures of one URL in the same millisecond keep their order.
func New(captures ...Capture) *Archive {
	a := &Archive{rows: make([]row, len(captures))}
	for i, c := range captures {
		a.rows[i] = row{
			Capture: c,
			key:     urlkey.Key(c.URL),
			kind:    record.KindOf(c.Status, c.Location != ""),
			digest:  sha256.Sum256([]byte(c.Body)),
		}
	}
	slices.SortStableFunc(a.rows, func(x, y row) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.Time, y.Time))
	})
	for i := range a.rows {
		if i > 0 && a.rows[i-1].key == a.rows[i].key {
			a.rows[i].key = a.rows[i-1].key // equal strings share memory
			a.rows[i].follow(&a.rows[i-1])
		} else {
			a.rows[i].begin()
		}
	}
	return a
}

// begin fills in the fields of r that depend on earlier captures, for the first
// capture of a URL.
func (r *row) begin() {
	r.change = record.ChangeFirst
	r.previous, r.previousVersion, r.versionTime = record.NoTime, record.NoTime, r.Time
}

// follow fills in the fields of r that depend on earlier captures, by comparing
// r with p, the capture before of the same URL.
func (r *row) follow(p *row) {
	r.change = changeFrom(p, r)
	r.previous = p.Time
	if r.change == record.ChangeSame {
		r.previousVersion, r.versionTime = p.previousVersion, p.versionTime
		return
	}
	r.previousVersion, r.versionTime = p.versionTime, r.Time
}

// changeFrom returns how the capture r differs from p, the capture before of
// the same URL, such as record.ChangeSame.
func changeFrom(p, r *row) record.Change {
	gone := func(k record.Kind) bool { return k == record.KindMissing || k == record.KindSoftMissing }
	switch {
	case gone(r.kind) && !gone(p.kind):
		return record.ChangeGone
	case gone(p.kind) && r.kind == record.KindPage:
		return record.ChangeBack
	case p.kind != r.kind:
		return record.ChangeKind
	case p.digest == r.digest:
		return record.ChangeSame
	case r.kind == record.KindPage && !p.NoBody && !r.NoBody && life.LayoutOnly([]byte(p.Body), []byte(r.Body), p.contentType(), r.contentType()):
		return record.ChangeLayout
	}
	return record.ChangeChanged
}

// contentType returns the Content-Type header of the response, or its media
// type if there is no such header.
func (r *row) contentType() string {
	if v := message.Header([]byte(r.Head), "Content-Type"); v != "" {
		return v
	}
	return r.Mime
}

// Scan yields the captures that s selects, sorted by key and time. Columns that
// s does not name are nil, so that a query that reads such a column by mistake
// fails. If a.Err is set, the second pair is that error.
func (a *Archive) Scan(ctx context.Context, s record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		size := cmp.Or(a.BatchRows, record.BatchRows)
		b := new(record.Batch)
		emit := func() bool {
			ok := b.N == 0 || yield(b, nil)
			b = new(record.Batch)
			return ok
		}
		skipped, skip, last := "", false, ""
		for {
			for i := range a.rows {
				r := &a.rows[i]
				if s.Skip != nil && r.key != skipped {
					skipped, skip = r.key, s.Skip(r.key, r.URL)
				}
				if s.Skip != nil && skip || r.Time < s.From || r.Time >= s.To || !inRanges(s.Ranges, r.key) || s.Level > 0 && urlkey.Level(r.key) < s.Level {
					continue
				}
				if s.Once && r.key == last {
					continue
				}
				last = r.key
				if s.Once {
					b.Key, b.N = append(b.Key, r.key), b.N+1
				} else {
					r.appendTo(b, s.Columns, i)
				}
				if b.N < size {
					continue
				}
				if !emit() {
					return
				}
				if a.Err != nil {
					yield(nil, a.Err)
					return
				}
				if ctx.Err() != nil {
					yield(nil, ctx.Err())
					return
				}
			}
			if s.More == nil || !emit() {
				break
			}
			if s.Ranges = s.More(); len(s.Ranges) == 0 {
				break
			}
		}
		emit()
	}
}

// Seek returns the keys of the URLs that s looks for, and of URLs with a capture without a body. It
// returns no other keys.
func (a *Archive) Seek(ctx context.Context, s record.Seek) (keys []string, ok bool, err error) {
	s.Columns |= s.By
	return a.SeekAmong(a.Scan(ctx, s.Scan), s)
}

// SeekAmong does the work of Seek for captures that the caller has scanned. rows must have the
// columns of s and the column s.By.
func (a *Archive) SeekAmong(rows record.Rows, s record.Seek) (keys []string, ok bool, err error) {
	type first struct {
		value int64
		key   string
	}
	var list []first
	for b, err := range rows {
		if err != nil {
			return nil, false, err
		}
		var sel []int32
		for i := range b.N {
			sel = append(sel, int32(i))
			if a.rows[b.Ref[i].N].NoBody {
				keys = append(keys, b.Key[i])
			}
		}
		if s.Match != nil {
			if sel, err = s.Match(b); err != nil {
				return nil, false, err
			}
		}
		for _, i := range sel {
			f := first{int64(b.Time[i]), b.Key[i]}
			if s.By != 0 {
				f.value = b.Bytes[i]
			}
			if s.Desc {
				f.value = -f.value
			}
			if s.First == 0 {
				keys = append(keys, f.key)
			} else if !a.rows[b.Ref[i].N].NoBody && !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	slices.SortFunc(list, func(a, b first) int { return cmp.Or(cmp.Compare(a.value, b.value), strings.Compare(a.key, b.key)) })
	if len(list) < s.First {
		return nil, false, nil
	}
	for _, f := range list[:s.First] {
		keys = append(keys, f.key)
	}
	slices.Sort(keys)
	return slices.Compact(keys), true, nil
}

// Tally yields in one batch the captures that t selects. Captures that agree in
// all columns that t reads become one row, with a count.
func (a *Archive) Tally(ctx context.Context, t record.Tally) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		at := map[string]int{}
		var out record.Batch
		s := t.Scan
		s.Columns &= record.TallyColumns
		if t.Versions {
			s.Columns |= record.ColChange
		}
		for b, err := range a.Scan(ctx, s) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				if t.Versions && b.Change[i] == record.ChangeSame {
					continue
				}
				one := tallied(t, b, i)
				key := fmt.Sprint(one)
				if k, ok := at[key]; ok {
					out.Count[k]++
					continue
				}
				at[key] = out.N
				out.N++
				out.Count = append(out.Count, 1)
				out.Host, out.Time = append(out.Host, one.Host...), append(out.Time, one.Time...)
				out.Status, out.Kind, out.Mime = append(out.Status, one.Status...), append(out.Kind, one.Kind...), append(out.Mime, one.Mime...)
				out.Bytes, out.Pool, out.Via = append(out.Bytes, one.Bytes...), append(out.Pool, one.Pool...), append(out.Via, one.Via...)
				out.Truncated, out.Added, out.Job = append(out.Truncated, one.Truncated...), append(out.Added, one.Added...), append(out.Job, one.Job...)
				out.Digest = append(out.Digest, one.Digest...)
			}
		}
		if out.N > 0 {
			yield(&out, nil)
		}
	}
}

// tallied returns a batch with the columns that t reads, of one row: row i of
// b.
func tallied(t record.Tally, b *record.Batch, i int) record.Batch {
	var one record.Batch
	if t.Host {
		one.Host = []string{urlkey.Host(b.URLs()[i])}
	}
	if t.Time {
		at := b.Time[i]
		if t.Period != nil {
			at, _ = t.Period(at)
		}
		one.Time = []record.Time{at}
	}
	one.Status, one.Kind, one.Mime, one.Bytes = entry(b.Status, i), entry(b.Kind, i), entry(b.Mime, i), entry(b.Bytes, i)
	one.Pool, one.Via, one.Truncated, one.Added, one.Job = entry(b.Pool, i), entry(b.Via, i), entry(b.Truncated, i), entry(b.Added, i), entry(b.Job, i)
	one.Digest = entry(b.Digest, i)
	return one
}

// entry returns a slice that holds only entry i of column, or nil if column is
// nil.
func entry[T any](column []T, i int) []T {
	if column == nil {
		return nil
	}
	return column[i : i+1]
}

// inRanges reports whether key lies in one of the ranges in list. A nil list
// contains all keys.
func inRanges(list []urlkey.Range, key string) bool {
	return list == nil || slices.ContainsFunc(list, func(r urlkey.Range) bool { return r.Contains(key) })
}

// appendTo adds r to the end of b: the columns that every batch has, and those
// in cols. i is the index of r in the archive; it becomes part of the ref.
func (r *row) appendTo(b *record.Batch, cols record.Columns, i int) {
	b.N++
	b.Key = append(b.Key, r.key)
	b.Time, b.Ref = append(b.Time, r.Time), append(b.Ref, record.Ref{Segment: 7, Run: 1 << 31, N: uint32(i)})
	add(&b.Status, cols&record.ColStatus, int32(r.Status))
	add(&b.Kind, cols&record.ColKind, r.kind)
	add(&b.Mime, cols&record.ColMime, r.Mime)
	bytes, digest := int64(len(r.Body)), r.digest
	if r.NoBody {
		bytes, digest = -1, record.Digest{}
	}
	add(&b.Bytes, cols&record.ColBytes, bytes)
	add(&b.Change, cols&record.ColChange, r.change)
	add(&b.Previous, cols&record.ColPrevious, r.previous)
	add(&b.PreviousVersion, cols&record.ColPrevious, r.previousVersion)
	add(&b.VersionTime, cols&record.ColVersionTime, r.versionTime)
	add(&b.Pool, cols&record.ColPool, r.Time.Pool())
	add(&b.Via, cols&record.ColVia, record.ViaResponse)
	add(&b.Truncated, cols&record.ColTruncated, false)
	add(&b.Added, cols&record.ColAdded, addedAt)
	add(&b.Job, cols&record.ColJob, r.Job)
	add(&b.Sense, cols&record.ColSense, record.SenseUnknown)
	add(&b.Digest, cols&record.ColDigest, digest)
	add(&b.IP, cols&record.ColIP, "192.0.2.1")
	add(&b.Origin, cols&record.ColOrigin, "")
	add(&b.AskedURL, cols&record.ColAskedURL, r.URL)
	add(&b.Location, cols&record.ColLocation, r.Location)
	add(&b.Source, cols&record.ColSource, "test.raw")
	add(&b.SourceOffset, cols&record.ColSource, int64(i)*100)
	add(&b.RecordID, cols&record.ColSource, "")
	add(&b.DeclaredDigest, cols&record.ColDeclaredDigest, "")
	add(&b.Request, cols&record.ColRequest, "")
	if cols&record.ColPage != 0 {
		r.appendPage(b)
	}
}

// appendPage adds to the end of b, for r, the columns that are computed from
// the body, such as its title.
func (r *row) appendPage(b *record.Batch) {
	meta, found, unread := markup.Meta{}, charset.Found{}, ""
	links, blocks := int64(-1), int64(-1)
	if d := r.Document; d != nil && !r.NoBody {
		meta.Title, meta.Lang = d.Title, d.Lang
	} else if body, ok := r.open(); ok {
		meta, found, unread = body.Page.Meta(body.Charset), body.Found, body.Unread
		links = int64(len(body.Page.Links(0, len(body.Page.Body), body.Charset)))
		blocks = int64(len(body.Cut(0)))
	}
	b.Title, b.Lang = append(b.Title, meta.Title), append(b.Lang, meta.Lang)
	b.Charset, b.DeclaredCharset = append(b.Charset, found.Charset), append(b.DeclaredCharset, found.Declared)
	b.CharsetSource, b.Unread = append(b.CharsetSource, found.Source), append(b.Unread, unread)
	b.Reason, b.NoArchive = append(b.Reason, ""), append(b.NoArchive, meta.NoArchive)
	b.LinkCount, b.BlockCount = append(b.LinkCount, links), append(b.BlockCount, blocks)
}

// open returns the body divided into blocks. It returns false if the body is
// missing or cannot be divided.
func (r *row) open() (*divide.Body, bool) {
	if r.NoBody {
		return nil, false
	}
	return divide.Open([]byte(r.Body), divide.As{Mime: r.Mime, ContentType: r.contentType()}, divide.Options{})
}

// add appends x to list if the column is asked for: if asked is not 0.
func add[T any](list *[]T, asked record.Columns, x T) {
	if asked != 0 {
		*list = append(*list, x)
	}
}

// Payload returns the response of the capture that ref identifies. It returns
// an error if no scan of this archive has yielded ref.
func (a *Archive) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	if err := ctx.Err(); err != nil {
		return record.Payload{}, err
	}
	if ref.Segment != 7 || ref.Run != 1<<31 || int(ref.N) >= len(a.rows) {
		return record.Payload{}, errors.New("relationtest: a ref that no scan gave")
	}
	r := &a.rows[ref.N]
	p := record.Payload{Head: []byte(r.Head), Body: []byte(r.Body), Digest: r.digest, Mime: r.Mime}
	if r.NoBody {
		p.Body, p.NoBody = nil, "its original is not here"
	} else if r.Document != nil {
		p.Document = r.Document.Append(nil)
	}
	return p, nil
}

// Document returns the reading of the body of the capture that ref identifies.
func (a *Archive) Document(ctx context.Context, ref record.Ref) ([]byte, error) {
	p, err := a.Payload(ctx, ref)
	return p.Document, err
}

// Kept implements relation.Snapshot. It returns no facts and no fold, so bodies
// are read instead.
func (a *Archive) Kept(context.Context, record.Ref) (record.Facts, error) { return record.Facts{}, nil }

// Knew implements relation.Snapshot. It returns false: no stored fold is valid.
func (a *Archive) Knew(context.Context, record.Ref, string, record.Time) (bool, error) {
	return false, nil
}

// LeafFacts implements relation.Snapshot. It returns nil, because this archive
// stores no facts.
func (a *Archive) LeafFacts(context.Context, record.Ref) ([][]byte, error) { return nil, nil }

// LeafSpans implements relation.Snapshot. It returns dst unchanged, because this archive
// stores no facts.
func (a *Archive) LeafSpans(_ context.Context, dst []record.LeafSpan, _ record.Ref) ([]record.LeafSpan, error) {
	return dst, nil
}

// Layout implements relation.Snapshot. It returns nil: bodies are not stored in blocks.
func (a *Archive) Layout(context.Context, record.Ref) ([]byte, error) { return nil, nil }

// SpanFacts implements relation.Snapshot. It appends nothing, because LeafSpans returns no span.
func (a *Archive) SpanFacts(_ context.Context, dst [][]byte, _ record.LeafSpan) ([][]byte, error) {
	return dst, nil
}

// AppendLeaves implements relation.Snapshot. It returns dst unchanged, because
// this archive stores no facts.
func (a *Archive) AppendLeaves(_ context.Context, dst []record.Leaf, _ record.Ref) ([]record.Leaf, error) {
	return dst, nil
}

// Digests implements relation.Snapshot. It returns nil, because this archive
// does not store bodies in blocks.
func (a *Archive) Digests(context.Context, record.Ref, int, []int) ([]record.Digest, error) {
	return nil, nil
}

// Stored returns the capture that ref identifies, with its response and its
// canonical URL.
func (a *Archive) Stored(ctx context.Context, ref record.Ref) (message.Stored, error) {
	p, err := a.Payload(ctx, ref)
	if err != nil {
		return message.Stored{}, err
	}
	r := &a.rows[ref.N]
	return message.Stored{
		Capture: record.Capture{
			AskedURL: r.URL, Time: r.Time, Status: r.Status, Mime: r.Mime, Head: p.Head, Body: p.Body, RefersTime: record.NoTime,
		},
		URL: r.URL, Digest: r.digest, Size: int64(len(p.Body)), NoBody: p.NoBody,
	}, nil
}

// Pools returns one pool for each month that has captures, sorted by name. A
// pool is the set of captures of one month.
func (a *Archive) Pools(context.Context) ([]record.Pool, error) {
	var pools []record.Pool
	for i := range a.rows {
		r := &a.rows[i]
		at, ok := slices.BinarySearchFunc(pools, r.Time.Pool(), func(p record.Pool, name string) int {
			return cmp.Compare(p.Name, name)
		})
		if !ok {
			pools = slices.Insert(pools, at, record.Pool{Name: r.Time.Pool(), First: r.Time, Last: r.Time, FirstURL: r.URL})
		}
		p := &pools[at]
		if p.LastURL != r.URL {
			p.URLs++
		}
		p.LastURL = r.URL
		p.First, p.Last = min(p.First, r.Time), max(p.Last, r.Time)
		p.Captures++
		if r.change != record.ChangeSame {
			p.Versions++
			p.Bytes += int64(len(r.Body))
		}
	}
	return pools, nil
}

// Files returns one made-up file, whatever the archive holds.
func (a *Archive) Files(context.Context) ([]record.File, error) {
	return []record.File{{Name: "pools/200806/000001.raw", Pool: "200806", Segments: 1, Sorted: true, Bytes: 42, CRC: 0xbeef}}, nil
}

// Stats returns zeros: nothing is counted.
func (a *Archive) Stats() record.ReadStats { return record.ReadStats{} }

// addedAt is when all captures of an archive of this package were added.
const addedAt record.Time = 1_000_000_000_000

// LastAdded returns the time at which all captures of this archive were added.
func (a *Archive) LastAdded() record.Time { return addedAt }

// State returns the same text for every archive of this package, because their
// captures never change.
func (a *Archive) State() string { return "test-0" }

// SetCache does nothing: this archive has no cache.
func (a *Archive) SetCache(int64) {}

// Block returns nil: bodies are not stored in blocks.
func (a *Archive) Block(ctx context.Context, _ record.Ref, _, _ int) ([]byte, error) {
	return nil, ctx.Err()
}

// Memo returns nil: this archive has no cache.
func (a *Archive) Memo() *memo.Cache { return nil }

// SkipDamage does nothing: no file of this archive can be damaged.
func (a *Archive) SkipDamage() {}

// Words returns nil: pages must be read.
func (a *Archive) Words(ctx context.Context, _ search.Question, _ []urlkey.Range, _, _ record.Time) (*search.Words, error) {
	return nil, ctx.Err()
}

// Linking returns false: pages must be read.
func (a *Archive) Linking(ctx context.Context, _ []urlkey.Range, _ record.Time, _ int) (map[record.Ref]bool, bool, error) {
	return nil, false, ctx.Err()
}

// Borders implements relation.Snapshot. Its parts have about the same number of captures.
func (a *Archive) Borders(ctx context.Context, s record.Scan, parts, _ int) ([]string, error) {
	var keys []string
	for b, err := range a.Scan(ctx, s) {
		if err != nil {
			return nil, err
		}
		keys = append(keys, b.Key...)
	}
	return urlkey.Quantiles(keys, parts), nil
}

// ToRead returns zeros: the archive is in memory.
func (a *Archive) ToRead(ctx context.Context, _ record.Scan, _ record.FilePart) (record.Reading, error) {
	return record.Reading{}, ctx.Err()
}

// KeysOf returns the keys of the URLs of captures, sorted, each once.
func (a *Archive) KeysOf(_ context.Context, refs []record.Ref) ([]string, error) {
	var keys []string
	for _, ref := range refs {
		keys = append(keys, urlkey.Key(a.rows[ref.N].URL))
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// WordsIndexed reports that there are no indexes of words.
func (a *Archive) WordsIndexed(_, _ record.Time) (indexed, all int, captures int64) { return 0, 0, 0 }

// WordsUsable reports that there are no indexes of words.
func (a *Archive) WordsUsable(_, _ record.Time) (usable, unusable, all int) { return 0, 0, 0 }

// HasDocuments reports that there are no texts of documents.
func (a *Archive) HasDocuments() bool { return false }

// NearWords returns no words: the archive does not look for them.
func (a *Archive) NearWords(ctx context.Context, words []string, _ []urlkey.Range, _, _ record.Time) ([][]search.NearWord, error) {
	return make([][]search.NearWord, len(words)), ctx.Err()
}

// Leaves returns false: pages must be read.
func (a *Archive) Leaves(ctx context.Context, dst []search.LeafRef, _ record.Ref) ([]search.LeafRef, search.Reading, bool, error) {
	return dst, search.Reading{}, false, ctx.Err()
}

// LeafText returns an error, because Leaves returns no leaf.
func (a *Archive) LeafText(search.LeafRef, search.Reading) (string, error) {
	return "", errors.New("this archive has no leaves")
}

// Damage returns nil: no file of this archive can be damaged.
func (a *Archive) Damage() error { return nil }

// Close does nothing, because an Archive holds nothing but memory.
func (a *Archive) Close() error { return nil }
