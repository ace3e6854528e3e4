// Package optest is an archive in memory for tests: a slice of captures that
// answers scans as the store must. It is slow and plain, so that it can serve
// as the measure of the store.
package optest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"

	"infomall/store/block"
	"infomall/store/page"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Capture is one capture of a test.
type Capture struct {
	URL      string // canonical
	Time     record.Time
	Status   int
	Mime     string
	Body     string
	NoBody   bool // the archive knows the digest of Body, and has it not
	Head     string
	Location string
	Job      string
}

// Archive holds captures and is a snapshot of itself. It may be used from
// several goroutines.
type Archive struct {
	rows []row // in order of (key, time, sequence)
	// BatchRows bounds batches; 0 is record.BatchRows.
	BatchRows int
	// Missing makes the archive one that does not exist yet.
	Missing bool
	// Err, if not nil, ends every scan after its first batch.
	Err error

	mu      sync.Mutex
	defined []record.Definition
	results []kept // in order of name and time
}

// Definitions are those that Define has left.
func (a *Archive) Definitions(context.Context) ([]record.Definition, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.defined), nil
}

// Define keeps what change makes of the definitions.
func (a *Archive) Define(_ context.Context, change func([]record.Definition) ([]record.Definition, error)) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	list, err := change(slices.Clone(a.defined))
	if err == nil {
		a.defined = list
	}
	return err
}

// row is a capture with what follows from those before it.
type row struct {
	Capture
	key                                    string
	kind                                   record.Kind
	digest                                 record.Digest
	change                                 record.Change
	previous, previousVersion, versionTime record.Time
}

// New makes an archive. The captures may come in any order; those of one URL
// and one millisecond stay in theirs.
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

// begin makes r the first capture of its URL.
func (r *row) begin() {
	r.change = record.ChangeFirst
	r.previous, r.previousVersion, r.versionTime = record.NoTime, record.NoTime, r.Time
}

// follow compares r with the capture before.
func (r *row) follow(p *row) {
	r.change = changeFrom(p, r)
	r.previous = p.Time
	if r.change == record.ChangeSame {
		r.previousVersion, r.versionTime = p.previousVersion, p.versionTime
		return
	}
	r.previousVersion, r.versionTime = p.versionTime, r.Time
}

// changeFrom is the first change that fits.
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
	case r.kind == record.KindPage && !p.NoBody && !r.NoBody && block.LayoutOnly([]byte(p.Body), []byte(r.Body), p.contentType(), r.contentType()):
		return record.ChangeLayout
	}
	return record.ChangeChanged
}

// contentType is what the head says, or the media type where it says nothing.
func (r *row) contentType() string {
	if v := record.Header([]byte(r.Head), "Content-Type"); v != "" {
		return v
	}
	return r.Mime
}

// Scan yields the captures that s asks for. Columns that it does not ask for
// are nil, so that a query that reads one without asking fails.
func (a *Archive) Scan(ctx context.Context, s record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		size := cmp.Or(a.BatchRows, record.BatchRows)
		b := new(record.Batch)
		emit := func() bool {
			ok := b.N == 0 || yield(b, nil)
			b = new(record.Batch)
			return ok
		}
		skipped, skip := "", false
		for i := range a.rows {
			r := &a.rows[i]
			if s.Skip != nil && r.key != skipped {
				skipped, skip = r.key, s.Skip(r.key, r.URL)
			}
			if s.Skip != nil && skip || r.Time < s.From || r.Time >= s.To || !inRanges(s.Ranges, r.key) {
				continue
			}
			r.appendTo(b, s.Columns, i)
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
		emit()
	}
}

// Tally yields the captures that t asks for, those that agree in it together.
func (a *Archive) Tally(ctx context.Context, t record.Tally) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		at := map[string]int{}
		var out record.Batch
		s := t.Scan
		s.Columns &= record.TallyColumns
		for b, err := range a.Scan(ctx, s) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
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
			}
		}
		if out.N > 0 {
			yield(&out, nil)
		}
	}
}

// tallied is what t asks for of row i of b.
func tallied(t record.Tally, b *record.Batch, i int) record.Batch {
	var one record.Batch
	if t.Host {
		one.Host = []string{urlkey.Host(b.URL[i])}
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
	return one
}

// entry is entry i of a column, as far as there is one.
func entry[T any](column []T, i int) []T {
	if column == nil {
		return nil
	}
	return column[i : i+1]
}

func inRanges(list []urlkey.Range, key string) bool {
	return list == nil || slices.ContainsFunc(list, func(r urlkey.Range) bool { return r.Contains(key) })
}

// appendTo adds r, capture i, to b.
func (r *row) appendTo(b *record.Batch, cols record.Columns, i int) {
	b.N++
	b.Key, b.URL = append(b.Key, r.key), append(b.URL, r.URL)
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
	add(&b.Added, cols&record.ColAdded, record.Time(1_000_000_000_000))
	add(&b.Job, cols&record.ColJob, r.Job)
	add(&b.Digest, cols&record.ColDigest, digest)
	add(&b.IP, cols&record.ColIP, "192.0.2.1")
	add(&b.Origin, cols&record.ColOrigin, "")
	add(&b.AskedURL, cols&record.ColAskedURL, r.URL)
	add(&b.Location, cols&record.ColLocation, r.Location)
	add(&b.Source, cols&record.ColSource, "test.raw")
	add(&b.SourceOffset, cols&record.ColSource, int64(i)*100)
	add(&b.RecordID, cols&record.ColSource, "")
	add(&b.DeclaredDigest, cols&record.ColDeclaredDigest, "")
	if cols&record.ColPage != 0 {
		r.appendPage(b)
	}
}

// appendPage adds what the body says to b.
func (r *row) appendPage(b *record.Batch) {
	meta, found, unread := page.Meta{}, page.Found{}, ""
	links, blocks := int64(-1), int64(-1)
	if body, ok := r.open(); ok {
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

// open divides the body, if there is one to divide.
func (r *row) open() (*block.Body, bool) {
	if r.NoBody {
		return nil, false
	}
	return block.Open([]byte(r.Body), block.As{Mime: r.Mime, ContentType: r.contentType()}, block.Options{})
}

func add[T any](list *[]T, asked record.Columns, x T) {
	if asked != 0 {
		*list = append(*list, x)
	}
}

// Payload gives the response of one capture.
func (a *Archive) Payload(ctx context.Context, ref record.Ref) (record.Payload, error) {
	if err := ctx.Err(); err != nil {
		return record.Payload{}, err
	}
	if ref.Segment != 7 || ref.Run != 1<<31 || int(ref.N) >= len(a.rows) {
		return record.Payload{}, errors.New("optest: a ref that no scan gave")
	}
	r := &a.rows[ref.N]
	p := record.Payload{Head: []byte(r.Head), Body: []byte(r.Body), Mime: r.Mime}
	if r.NoBody {
		p.Body, p.NoBody = nil, "its original is not here"
	}
	return p, nil
}

// Kept implements op.Snapshot: nothing is kept.
func (a *Archive) Kept(context.Context, record.Ref) (record.Facts, error) { return record.Facts{}, nil }

// Knew implements op.Snapshot.
func (a *Archive) Knew(context.Context, record.Ref, string, record.Time) (bool, error) {
	return false, nil
}

// LeafFacts implements op.Snapshot.
func (a *Archive) LeafFacts(context.Context, record.Ref) ([][]byte, error) { return nil, nil }

// AppendLeaves implements op.Snapshot.
func (a *Archive) AppendLeaves(_ context.Context, dst []record.Leaf, _ record.Ref) ([]record.Leaf, error) {
	return dst, nil
}

// Digests implements op.Snapshot: bodies are whole.
func (a *Archive) Digests(context.Context, record.Ref, int, []int) ([]record.Digest, error) {
	return nil, nil
}

// Stored gives a capture with its payload.
func (a *Archive) Stored(ctx context.Context, ref record.Ref) (record.Stored, error) {
	p, err := a.Payload(ctx, ref)
	if err != nil {
		return record.Stored{}, err
	}
	r := &a.rows[ref.N]
	return record.Stored{
		Capture: record.Capture{
			AskedURL: r.URL, Time: r.Time, Status: r.Status, Mime: r.Mime, Head: p.Head, Body: p.Body, RefersTime: record.NoTime,
		},
		URL: r.URL, Digest: r.digest, Size: int64(len(p.Body)), NoBody: p.NoBody,
	}, nil
}

// Pools gives a pool a month.
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

// Files gives one file.
func (a *Archive) Files(context.Context) ([]record.File, error) {
	return []record.File{{Name: "pools/200806/000001.raw", Pool: "200806", Segments: 1, Sorted: true, Bytes: 42, CRC: 0xbeef}}, nil
}

// Stats gives nothing: memory is not read.
func (a *Archive) Stats() record.ReadStats { return record.ReadStats{} }

// SetCache does nothing.
func (a *Archive) SetCache(int64) {}

// Close does nothing.
func (a *Archive) Close() error { return nil }

// Exists reports whether Missing is not set.
func (a *Archive) Exists() bool { return !a.Missing }

// Path is the name that messages show.
func (a *Archive) Path() string { return "test-archive" }

// Copy copies nothing.
func (a *Archive) Copy(_ context.Context, o record.CopyOptions) ([]record.CopyResult, error) {
	if o.Pools != nil && o.Pools[0] != "200806" {
		return nil, &record.NoPoolError{Name: o.Pools[0], Pools: []string{"200806"}}
	}
	return []record.CopyResult{{Pool: "200806", Files: 3, Copied: 2, Bytes: 4000}}, a.Err
}

// Verify finds nothing wrong: what is in memory alone has no files.
func (a *Archive) Verify(context.Context, record.VerifyOptions) iter.Seq2[record.Finding, error] {
	return func(func(record.Finding, error) bool) {}
}

// Tombstones gives one.
func (a *Archive) Tombstones(context.Context) ([]record.Tombstone, error) {
	return []record.Tombstone{{Time: 0, Captures: 2, Pools: []string{"200806", "200807"}, Reason: "because", Hidden: true}}, nil
}

// Delete counts what it is given and deletes nothing.
func (a *Archive) Delete(_ context.Context, o record.DeleteOptions) (record.DeleteResult, error) {
	p := record.RemovedPool{Name: "200806"}
	for _, err := range o.Targets {
		if err != nil {
			return record.DeleteResult{}, err
		}
		p.Captures++
	}
	if p.Captures == 0 {
		return record.DeleteResult{}, nil
	}
	return record.DeleteResult{Pools: []record.RemovedPool{p}, URLs: 1, Left: 1}, nil
}

// Drop drops nothing: 200806 is needed, and 200807 is not.
func (a *Archive) Drop(_ context.Context, o record.DropOptions) (record.DropResult, error) {
	switch o.Pool {
	case "200806":
		return record.DropResult{}, &record.DependsError{Pool: o.Pool, By: []string{"200807"}}
	case "200807":
		return record.DropResult{RemovedPool: record.RemovedPool{Name: o.Pool, Captures: 3, Versions: 2}, Files: 2, Bytes: 4000}, nil
	}
	return record.DropResult{}, &record.NoPoolError{Name: o.Pool, Pools: []string{"200806", "200807"}}
}

// Merge merges nothing.
func (a *Archive) Merge(_ context.Context, o record.MergeOptions) ([]record.MergeResult, error) {
	var out []record.MergeResult
	for _, p := range o.Pools {
		out = append(out, record.MergeResult{Pool: p, Segments: 3, Into: 1, Captures: 10, OldBytes: 4000, Bytes: 3000})
	}
	return out, a.Err
}

// PlanVerify says that there is one file.
func (a *Archive) PlanVerify(_ context.Context, o record.VerifyOptions) (record.VerifyPlan, error) {
	return record.VerifyPlan{Files: []string{"CURRENT"}, Bytes: 16, Sample: o.Sample}, a.Err
}

// Repair finds all files whole.
func (a *Archive) Repair(_ context.Context, o record.RepairOptions) ([]record.RepairResult, error) {
	return []record.RepairResult{{File: "pools/" + o.Pool + "/000001.raw", Bytes: 4000}}, a.Err
}

// Reindex makes the index of one pool anew.
func (a *Archive) Reindex(context.Context, record.ReindexOptions) ([]record.ReindexResult, error) {
	return []record.ReindexResult{{Pool: "200806", Segments: 2, Captures: 30, Bytes: 4000, IndexBytes: 900}}, a.Err
}

// Recover finds two records with damage between.
func (a *Archive) Recover(context.Context, record.RecoverOptions) iter.Seq2[record.Recovered, error] {
	return func(yield func(record.Recovered, error) bool) {
		write := func(w io.Writer) error { _, err := io.WriteString(w, "record\n"); return err }
		_ = yield(record.Recovered{Length: 7, State: record.RecoverChained, Records: 1, Time: record.NoTime, Write: write}, nil) &&
			yield(record.Recovered{Offset: 7, Length: 9, What: "no head", URL: "http://a.cn/", Time: 0}, nil) &&
			yield(record.Recovered{Offset: 16, Length: 7, State: record.RecoverChained, Records: 1, Time: record.NoTime, Write: write}, a.Err)
	}
}

// PlanRecover calls every file one of Tianwang records.
func (a *Archive) PlanRecover(context.Context, record.RecoverOptions) (record.RecoverPlan, error) {
	return record.RecoverPlan{Format: "tianwang", Bytes: 23, To: "tianwang"}, a.Err
}

// Import imports nothing.
func (a *Archive) Import(_ context.Context, o record.ImportOptions) ([]record.ImportResult, error) {
	var results []record.ImportResult
	for _, p := range o.Patterns {
		results = append(results, record.ImportResult{
			Source: p, Records: 5, Stored: 1, Visits: 1, Skipped: 2, Damaged: 1, Bytes: 300, NewBytes: 100,
			Skips:   map[string]int64{"request record": 2},
			Damages: []record.Damage{{Offset: 77, Why: "no record begins here"}},
		})
	}
	return results, a.Err
}
