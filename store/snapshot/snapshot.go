// Package snapshot is one unchanging state of the archive: what a scan, a tally or a request
// for a body returns as long as the snapshot is open, whatever is imported, deleted or merged
// meanwhile. The statements that change the archive read through it, too.
//
// # Words
//
//	pin      to keep the files of a generation while somebody reads them
//	hints    how a capture differs from the one before it: Change, Previous, VersionTime
//	settle   to order a URL's captures, drop duplicates and correct their hints
//	hidden   removed by DELETE or DROP, but still in a file until a merge
//	need     which captures still take their bodies from a hidden capture
//	looker   looks up URLs in the order of their keys
//	place    where an entry is stored: its segment, its run, and its number there
//	owner    the entry that stores a body
//	chunk    the part of a segment's index for one run
//	reading  the text that was extracted from a document, such as a PDF, as it is stored
//	mixed    a segment with captures added after the time of KnownAt, and with others
//	state    a period in which a capture had its body from a capture that was deleted since
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"sync"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Snapshot is one unchanging state of the archive. The record.Refs that it returns
// are valid until it is closed. Several goroutines may use it. All must have
// finished before Close.
type Snapshot struct {
	from *Source
	Pin  *commit.Pin
	Runs *body.Runs

	mu        sync.Mutex
	closed    bool
	removed   []inForceRemoval            // loaded when first needed
	origins   *Originals                  // created when first needed
	owners    map[heldBody]timeline.Place // entries that store bodies, as far as they were needed
	damage    *damageMet
	documents *documents
	hiding    *record.Hiding // nil hides nothing; set before the first read
	known     *knownAt       // nil if all captures are shown, whenever they were added
	states    *states        // shared by all that KnownAt makes of one snapshot
	gained    struct {       // see gainedFrom
		once sync.Once
		from record.Time
	}
}

// Hide makes v leave out the captures that h hides, as if they had never existed. Visible
// captures keep the bodies that they have from hidden ones. Call Hide before the first read.
func (v *Snapshot) Hide(h *record.Hiding) { v.hiding = h }

// Close ends the snapshot. The files of its state can be deleted when no other
// snapshot uses them.
func (v *Snapshot) Close() error {
	if v.known != nil {
		return nil // the snapshot of which it is a part is closed
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return nil
	}
	v.closed = true
	err := v.Runs.Close()
	v.Pin.Release()
	return errors.Join(err, v.from.files.Unpin(v.Pin.Catalog))
}

// LastAdded returns the latest time at which captures that the snapshot shows were added,
// or record.MinTime if there are none. A later publication has a later time.
func (v *Snapshot) LastAdded() record.Time {
	last := v.Pin.LastAdded()
	if v.known != nil {
		last = min(last, v.known.time)
	}
	return last
}

// State returns a text that identifies what the snapshot shows. Two snapshots of one archive
// with equal texts show the same captures and documents.
func (v *Snapshot) State() string {
	state := v.Pin.Catalog.ID + "-" + strconv.FormatUint(v.Pin.Catalog.Generation, 10) + v.known.state()
	if v.hiding != nil {
		state += "-" + v.hiding.Name
	}
	if list := v.documentFiles(); len(list) > 0 {
		// Readings come in without a new generation.
		h := fnv.New32a()
		for _, name := range list {
			_, _ = h.Write([]byte(name)) // it never fails
		}
		state += fmt.Sprintf("-d%08x", h.Sum32())
	}
	return state
}

// SetCache sets the size limit in bytes of the cache of decoded runs, which all
// snapshots of the archive share. With 0, this snapshot does not use the cache, and
// the limit stays.
func (v *Snapshot) SetCache(bytes int64) { v.Runs.SetCache(bytes) }

// Stats returns counts of what the snapshot has read so far.
func (v *Snapshot) Stats() record.ReadStats { return v.Runs.Stats() }

// segmentsFor returns the segments that a scan must read for captures with a time in from <=
// time < to. These are the segments with captures in that time, and the segments whose captures
// may make the hints of those captures wrong. (Hints say how a capture differs from the one
// before it.)
//
// If a capture was imported after a hint was computed, the hints of the captures that follow it
// change. If it gave its body to a revisit of its month or a later month that had none, the
// hints of the captures after that revisit change too. Therefore segmentsFor returns all
// segments from the earliest such capture or revisit on.
func (v *Snapshot) segmentsFor(from, to record.Time) []*segment.Info {
	from = v.known.begin(v.Pin.Segments, from, to)
	for {
		var chosen, before []*segment.Info // before: segments with captures before from
		seen := uint64(math.MaxUint64)     // the generation up to which all chosen segments know the captures
		for _, s := range v.Pin.Segments {
			if s.First < to && s.Last >= from {
				chosen = append(chosen, s)
				seen = min(seen, s.Seen)
			}
			if s.First < from {
				before = append(before, s)
			}
		}
		begin := from
		if len(before) > 0 {
			for _, late := range v.Pin.Segments {
				if late.Born <= seen {
					continue
				}
				last := record.Time(math.MinInt64) // time of the last capture whose hints ignore the segment late
				for _, s := range chosen {
					if late.Newer(s) {
						last = max(last, s.Last)
					}
				}
				begin = min(begin, firstChanged(late, last, before))
			}
		}
		if begin == from {
			return chosen
		}
		from = begin
	}
}

// firstChanged returns the earliest time, not later than last, at which segment late may change
// hints (how a capture differs from the one before it). That is the time of a capture of late,
// or of a revisit in a segment of the list before that may have its body from late. If there is
// none, the result is catalog.EndOfTime.
func firstChanged(late *segment.Info, last record.Time, before []*segment.Info) record.Time {
	first := catalog.EndOfTime
	if late.First <= last {
		first = late.First
	}
	for _, o := range before {
		// In a segment with Follows set, each capture had its body when it was
		// imported.
		if !o.Follows && o.First <= last && catalog.MonthOf(o.Pool) >= catalog.MonthOf(late.Pool) {
			first = min(first, o.First)
		}
	}
	return first
}

// wants returns the columns of the index that a scan with the columns c needs.
func wants(c record.Columns) segment.Want {
	return tallyWants(c) | segment.WantTime | segment.WantSeq | segment.WantStatus | segment.WantHints
}

// tallyWants returns the columns of the index that a tally with the columns c needs.
func tallyWants(c record.Columns) (w segment.Want) {
	for _, x := range []struct {
		col  record.Columns
		want segment.Want
	}{
		{record.ColStatus, segment.WantStatus}, {record.ColMime, segment.WantMime}, {record.ColBytes, segment.WantBytes},
		{record.ColJob, segment.WantJob}, {record.ColAdded, segment.WantAdded},
	} {
		if c&x.col != 0 {
			w |= x.want
		}
	}
	return w
}

// ErrStop ends a walk over captures early: a function that the walk calls returns
// it. Scan and Tally do not return it to their callers.
var ErrStop = errors.New("stop")

// Scan yields captures in the order of key, time and sequence. Calling Scan is
// cheap: ranging does the work, and stopping releases everything. In a long scan a
// goroutine reads ahead; it has ended when the range loop has ended.
func (v *Snapshot) Scan(ctx context.Context, s record.Scan) record.Rows {
	var fill filler = func(ctx context.Context, first *record.Batch, put func(*record.Batch) *record.Batch) error {
		out := newBatcher(ctx, v, s, first, put)
		segments := v.segmentsFor(s.From, s.To)
		skip := v.notNeeded(s, segments)
		partial := skip != nil || s.Level > 0 // the places of sampled captures mean nothing, so v looks up bodies by URL
		var stopped error
		if more := s.More; more != nil {
			s.More = func() []urlkey.Range {
				if stopped = out.flush(); stopped != nil {
					return nil
				}
				return more()
			}
		}
		err := v.walkAmong(ctx, s, segments, skip, partial, out.add, out.direct())
		if err == nil {
			err = stopped
		}
		if err == nil {
			err = out.flush()
		}
		if errors.Is(err, ErrStop) {
			return nil
		}
		return err
	}
	if s.Once {
		fill = func(ctx context.Context, first *record.Batch, put func(*record.Batch) *record.Batch) error {
			if err := v.scanURLs(ctx, s, first, put); !errors.Is(err, ErrStop) {
				return err
			}
			return nil
		}
	}
	return func(yield func(*record.Batch, error) bool) {
		if v.from.Goroutines == 1 || s.Skip != nil || s.More != nil || oneURL(s.Ranges) {
			here(ctx, fill, yield)
		} else {
			after := v.from.AheadAfter
			if s.All {
				after = 0
			}
			ahead(ctx, after, fill, yield)
		}
	}
}

// probedMax is the greatest number of URLs for which a scan asks the segments' Bloom filters
// before it reads chunks. With more URLs, nearly all chunks are read anyway.
const probedMax = 1 << 12

// SampleLevels returns the range of levels (see record.Scan.Level) that are useful for a sample
// of this many URLs. Below least, a scan must read more than the samples that segments store,
// and reads whole segments that store no sample. Above greatest, the archive has hardly that
// many URLs. least is not greater than greatest.
func (v *Snapshot) SampleLevels(ctx context.Context, urls int) (least, greatest int, err error) {
	var all int64 // more than there are, because a URL may be in several segments
	for _, i := range v.Pin.Segments {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		least = max(least, v.Runs.Reader(i).SampleLevel())
		all += i.URLs
	}
	for greatest = least; all>>greatest > int64(urls); {
		greatest++
	}
	return least, greatest, nil
}

// oneURL reports whether ranges cover exactly one URL.
func oneURL(ranges []urlkey.Range) bool {
	return len(ranges) == 1 && ranges[0].To == ranges[0].From+"\x00"
}

// walk calls f with the settled captures of each URL of the scan (ordered, without
// duplicates, with correct hints), in the order of the URLs' keys. The slice is
// valid until f returns.
func (v *Snapshot) walk(ctx context.Context, s record.Scan, f func([]timeline.Capture) error) error {
	return v.walkAmong(ctx, s, v.segmentsFor(s.From, s.To), nil, false, f, nil)
}

// walkAmong does what walk does, over the given segments. If the function skip is not nil, it
// leaves out the chunks (the index's part for one run) for which skip returns true.
//
// The flag partial says that segments does not have every segment with captures of the URLs. The
// hints of the captures then mean nothing, and f may also get captures of other segments.
//
// If direct is not nil, walkAmong passes the captures whose hints are right as stored to direct, and
// only the others, which timeline.Settle must correct, to f.
func (v *Snapshot) walkAmong(ctx context.Context, s record.Scan, segments []*segment.Info, skip func(segment.Bounds) bool, partial bool, f func([]timeline.Capture) error, direct *batcher) error {
	ranges := s.Ranges
	if ranges == nil {
		ranges = []urlkey.Range{{}}
	}
	v.warm(segments, ranges)
	all := v.cursors(&s, segments, ranges, skip)
	defer func() {
		for _, c := range all {
			c.Close()
		}
	}()
	var group []timeline.Capture
	var stretches []stretch
	settled := settler{v: v, s: &s, partial: partial}
	defer settled.Close()
	removed, err := v.Removals()
	if err != nil {
		return err
	}
	// If a URL has one capture, with its body, there is nothing to settle.
	undisturbed := len(removed) == 0
	one := make([]timeline.Capture, 1)
	single := func(one []timeline.Capture) error {
		if e := &one[0]; e.Time >= s.To || s.Skip != nil && s.Skip(e.Key, urlkey.URL(e.Key)) {
			return nil
		}
		return f(one)
	}
	var h Heads
	var probe segment.Probe
	for at := 0; ; at++ {
		if at == len(ranges) && s.More != nil {
			ranges, at = s.More(), 0
		}
		if at == len(ranges) {
			break
		}
		rg := ranges[at]
		h.Reset()
		exact := len(ranges) <= probedMax && rg.To == rg.From+"\x00"
		probe.Reset(rg.From)
		for _, c := range all {
			if exact && !c.may(rg.From, &probe) {
				continue
			}
			if err := c.Seek(rg.From); err != nil {
				return err
			}
			if !c.End && (rg.To == "" || c.Key() < rg.To) {
				h.Add(c)
			}
		}
		h.Init()
		for n := 0; !h.End() && (rg.To == "" || h.Key() < rg.To); n++ {
			if n&63 == 0 {
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			if s.Level > 0 && urlkey.Level(h.Key()) < s.Level {
				if group, _, err = h.gather(false, group[:0], nil); err != nil {
					return err
				}
				continue
			}
			settle, limit := !undisturbed || v.known.misleads(h.Top().seg.Info.ID), rg.To
			if v.hiding != nil {
				in, next := v.hiding.Near(h.Key())
				if settle = settle || in; next != "" && (limit == "" || next < limit) {
					limit = next
				}
			}
			limit, alone := h.limit(limit)
			if !settle && alone && direct != nil {
				if n := h.Top().singles(limit); n > 0 {
					if err := direct.singles(h.Top(), n); err != nil {
						return err
					}
					h.Moved()
					continue
				}
			}
			if !settle && alone && h.Top().single(&one[0]) {
				h.Moved()
				if err := single(one); err != nil {
					return err
				}
				continue
			}
			plain := !settle && direct != nil && s.Columns&(colsHints&^record.ColChange) == 0
			if group, stretches, err = h.gather(plain, group[:0], stretches[:0]); err != nil {
				return err
			}
			if len(stretches) > 0 {
				if done, err := direct.plain(stretches); err != nil {
					return err
				} else if done {
					continue
				}
				group = captures(group, stretches)
			}
			if list, wanted, err := settled.of(ctx, group); err != nil {
				return err
			} else if wanted {
				if err := f(list); err != nil {
					return err
				}
			}
		}
	}
	return ctx.Err()
}

// cursors returns a Cursor for each of the segments that may have captures in the ranges of the
// scan s. skip is that of walkAmong. The caller closes the cursors.
func (v *Snapshot) cursors(s *record.Scan, segments []*segment.Info, ranges []urlkey.Range, skip func(segment.Bounds) bool) (all []*Cursor) {
	for _, i := range segments {
		r := v.Runs.Reader(i)
		if s.More == nil && !mayHave(r, ranges) {
			continue
		}
		var c *Cursor
		if s.Level > 0 && r.SampleLevel() > 0 && r.SampleLevel() <= s.Level {
			c = newSampleCursor(s.Level, r, wants(s.Columns), v)
		} else if s.More == nil && oneURL(ranges) {
			c = newCursorOn(ranges[0].From, r, wants(s.Columns), v)
		} else {
			c = NewCursor(r, wants(s.Columns), v)
			c.chunks.PassOver(skip)
		}
		c.chunks.Count(s.Work)
		if i.Last < s.From && s.Columns&colsOriginal == 0 {
			c.skips = v.maySkip // no row is lost, and rows do not use anything of earlier captures
		}
		all = append(all, c)
	}
	return all
}

// settler settles the captures of one URL after another for walkAmong.
type settler struct {
	v       *Snapshot
	s       *record.Scan
	partial bool
	whole   *Looker // reads all segments; created for the first URL that needs it
}

// of returns the settled captures of a URL, of which group has those as stored. wanted is false if
// the scan wants nothing of the URL.
func (t *settler) of(ctx context.Context, group []timeline.Capture) (settled []timeline.Capture, wanted bool, err error) {
	if t.v.known != nil && !slices.ContainsFunc(group, func(e timeline.Capture) bool { return !e.Later }) {
		return nil, false, nil
	}
	key := group[0].Key
	disturbed, err := t.v.disturbed(group)
	if err != nil {
		return nil, false, err
	}
	disturbed = disturbed || t.partial && slices.ContainsFunc(group, func(e timeline.Capture) bool { return e.Body == segment.BodyNone })
	if disturbed {
		if settled, err = t.until(ctx, key); err != nil || len(settled) == 0 {
			return nil, false, err
		}
	}
	if t.s.Skip != nil && t.s.Skip(key, urlkey.URL(key)) {
		return nil, false, nil
	}
	if !disturbed {
		if settled, err = t.v.resolved(ctx, group, t.s.To); err == nil && staleFirst(settled) {
			settled, err = t.until(ctx, key) // the capture before it may be in a segment that is not open
		}
	}
	return settled, err == nil, err
}

// until returns the settled captures of the URL with this key before the end of the scan, from all
// segments.
func (t *settler) until(ctx context.Context, key string) ([]timeline.Capture, error) {
	if t.whole == nil {
		t.whole = t.v.NewLooker(t.s.Columns)
	}
	return t.whole.until(ctx, key, t.s.To)
}

// Close releases what the settler has opened.
func (t *settler) Close() {
	if t.whole != nil {
		t.whole.Close()
	}
}

const (
	// warmAtOnce is how many indexes warm reads at once.
	warmAtOnce = 32
	// warmMost is how many index files warm reads the beginning of at most, if a query is about
	// many URLs.
	warmMost = 8
)

// warm reads parts of the indexes of segments into the cache, all at once, if the archive is in
// a bucket. For one URL it reads what each index has of the URL; for ranges of more URLs it
// reads the beginnings of the first few index files. A look-up after it then does not wait for
// the bucket once for each segment. warm ignores errors: the look-up meets them again.
func (v *Snapshot) warm(segments []*segment.Info, ranges []urlkey.Range) {
	if !v.from.files.Folder.Remote() {
		return
	}
	if !oneURL(ranges) {
		var names []string
		for _, i := range segments {
			if !slices.Contains(names, i.Index) && len(names) < warmMost {
				names = append(names, i.Index)
			}
		}
		v.from.files.Folder.Prefetch(names)
		return
	}
	key := ranges[0].From
	var readers []*segment.Reader
	var names []string
	for _, i := range segments {
		if r := v.Runs.Reader(i); !r.Lacks(key) {
			readers, names = append(readers, r), append(names, i.Index)
		}
	}
	v.from.files.Folder.Prefetch(names)
	if len(readers) < 2 {
		return
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, warmAtOnce)
	for _, r := range readers {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if r.MayHave(key) {
				c := newCursorOn(key, r, wants(0), v)
				defer c.Close()
				_ = c.Seek(key) // the look-up meets the error again
			}
		})
	}
	wait.Wait()
}

// Since returns a time at which a scan of the URL with this key may begin, if it needs only the
// last captures before the given time. It takes the segments that may have earlier captures of the
// URL, sorts them by their first captures, and returns the time of the first capture in the n-th
// segment from the end. If there are at most n segments, it returns record.MinTime. Since reads only
// the Bloom filters of segments. If the archive is in a bucket, it does not read these either, and
// any segment may have captures of the URL.
func (v *Snapshot) Since(key string, before record.Time, n int) record.Time {
	var begins []record.Time
	for _, i := range v.Pin.Segments {
		if r := v.Runs.Reader(i); i.Captures > 0 && i.First < before && !r.Lacks(key) && (v.from.files.Folder.Remote() || r.MayHave(key)) {
			begins = append(begins, i.First)
		}
	}
	if len(begins) <= n {
		return record.MinTime
	}
	slices.Sort(begins)
	return begins[len(begins)-n]
}

// staleFirst reports whether the hints of the first capture in settled that is not Unknown may be
// wrong. timeline.Settle copied these hints from the segment. They may be wrong if the capture got
// its body only after the hints were computed.
func staleFirst(settled []timeline.Capture) bool {
	for i := range settled {
		if e := &settled[i]; !e.Unknown {
			return e.Original != nil && e.Previous != record.NoTime
		}
	}
	return false
}

// mayHave reports whether a segment may have captures in any of the ranges of keys.
func mayHave(r *segment.Reader, ranges []urlkey.Range) bool {
	return overlaps(r.Info, ranges) && (!oneURL(ranges) || r.MayHave(ranges[0].From))
}

// overlaps reports whether a segment's range of keys overlaps any of the ranges.
func overlaps(i *segment.Info, ranges []urlkey.Range) bool {
	return slices.ContainsFunc(ranges, func(r urlkey.Range) bool {
		return i.LastKey >= r.From && (r.To == "" || i.FirstKey < r.To)
	})
}

// resolved returns the settled captures (ordered, without duplicates, with correct
// hints) of group with a time t < to. group has captures of one URL. For revisits
// whose originals were imported after them, it finds the bodies first.
func (v *Snapshot) resolved(ctx context.Context, group []timeline.Capture, to record.Time) ([]timeline.Capture, error) {
	kept, err := v.withBodies(ctx, group, to)
	return timeline.Settle(kept), err
}

// withBodies returns the captures of group with a time t < to. For revisits whose
// originals were imported after them, it finds the bodies. The result shares the
// memory of group.
func (v *Snapshot) withBodies(ctx context.Context, group []timeline.Capture, to record.Time) ([]timeline.Capture, error) {
	lost := false
	kept := group[:0]
	for i := range group {
		if group[i].Time >= to {
			continue
		}
		if kept = group[:len(kept)+1]; len(kept) <= i {
			kept[len(kept)-1] = group[i] // captures before it were left out
		}
		lost = lost || group[i].Body == segment.BodyNone
	}
	if lost {
		if err := v.resolve(ctx, kept); err != nil {
			return nil, err
		}
	}
	return kept, nil
}
