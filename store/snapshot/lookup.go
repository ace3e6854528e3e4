package snapshot

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Looker looks up the captures of URLs, in the order of the keys of these URLs. It
// keeps its position in each segment, so that the look-ups of neighbouring URLs
// share the chunks that were decoded.
type Looker struct {
	v       *Snapshot
	cursors []*Cursor // one for each segment
	probe   segment.Probe
	Group   []timeline.Capture
	visible []timeline.Capture
	// Disturbed is set if captures of the last URL were removed, and the stored hints may not
	// take this into account. Group then has the captures of the URL, including hidden
	// captures whose bodies other captures use.
	Disturbed bool
	// Raw are the captures of the last URL as they are stored. It is filled only if
	// KeepRaw is set.
	Raw     []timeline.Capture
	KeepRaw bool
}

// NewLooker returns a Looker over all segments of the snapshot. It reads the columns in
// more in addition to those that every look-up needs. The caller closes it.
func (v *Snapshot) NewLooker(more record.Columns) *Looker {
	return v.NewLookerIn(v.Pin.Segments, more)
}

// NewLookerIn does what NewLooker does, but the Looker reads only the given segments. Of a URL it finds
// only the captures in these segments. Their hints take the captures in another segment into account if
// the stored hints of all these segments do. The body of a revisit is looked up in all segments.
// Disturbed and Group miss removed captures in other segments.
func (v *Snapshot) NewLookerIn(segments []*segment.Info, more record.Columns) *Looker {
	l := &Looker{v: v}
	for _, i := range segments {
		l.cursors = append(l.cursors, NewCursor(v.Runs.Reader(i), wants(more|record.ColMime|record.ColBytes), v))
	}
	return l
}

// Close closes the cursors of the looker.
func (l *Looker) Close() {
	for _, c := range l.cursors {
		c.Close()
	}
}

// At returns the settled captures of the URL with this key: in order, without
// duplicates, with correct hints. The key must not be less than the key of the last
// call. The slice is valid until the next call.
func (l *Looker) At(ctx context.Context, key string) ([]timeline.Capture, error) {
	return l.until(ctx, key, catalog.EndOfTime)
}

// until returns the settled captures of the URL with this key, as At does, but as if
// the archive had no captures with a time t >= to.
func (l *Looker) until(ctx context.Context, key string, to record.Time) ([]timeline.Capture, error) {
	if err := l.gather(ctx, key); err != nil {
		return nil, err
	}
	if l.KeepRaw {
		l.Raw = append(l.Raw[:0], l.Group...)
	}
	var err error
	if l.Disturbed, err = l.v.disturbed(l.Group); err != nil {
		return nil, err
	}
	if !l.Disturbed {
		l.Group, err = l.v.resolved(ctx, l.Group, to)
		return l.Group, err
	}
	if l.Group, err = l.v.mark(l.Group); err != nil {
		return nil, err
	}
	if l.Group, err = l.v.withBodies(ctx, l.Group, to); err != nil {
		return nil, err
	}
	l.visible = timeline.SettleVisible(append(l.visible[:0], l.Group...))
	return l.visible, nil
}

// gather reads the captures of the URL with this key, as they are stored, into
// l.Group.
func (l *Looker) gather(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.Group = l.Group[:0]
	l.probe.Reset(key)
	for _, c := range l.cursors {
		if !c.may(key, &l.probe) {
			continue
		}
		if err := c.Seek(key); err != nil {
			return err
		}
		if c.End || c.Key() != key {
			continue
		}
		var err error
		if l.Group, err = c.Group(l.Group); err != nil {
			return err
		}
	}
	return nil
}

// Lookup returns the settled captures (ordered, without duplicates, with correct
// hints) of the URL with this key, from all pools.
func (v *Snapshot) Lookup(ctx context.Context, key string) ([]timeline.Capture, error) {
	return v.LookupBefore(ctx, key, catalog.EndOfTime, record.ColMime|record.ColBytes)
}

// LookupBefore returns the settled captures of the URL with this key as if the archive had
// no captures with a time t >= to. It reads the given columns.
func (v *Snapshot) LookupBefore(ctx context.Context, key string, to record.Time, columns record.Columns) ([]timeline.Capture, error) {
	var out []timeline.Capture
	err := v.walk(ctx, record.Scan{
		Ranges: []urlkey.Range{{From: key, To: key + "\x00"}}, From: record.NoTime, To: to, Columns: columns,
	}, func(group []timeline.Capture) error {
		out = slices.Clone(group)
		return nil
	})
	return out, err
}

// KeysOf returns the keys of the URLs of these captures, sorted and without duplicates.
func (v *Snapshot) KeysOf(ctx context.Context, refs []record.Ref) ([]string, error) {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b record.Ref) int {
		return cmp.Or(cmp.Compare(a.Segment, b.Segment), compareInSegment(a, b))
	})
	var segments [][]record.Ref
	for len(refs) > 0 {
		end := slices.IndexFunc(refs, func(r record.Ref) bool { return r.Segment != refs[0].Segment })
		if end < 0 {
			end = len(refs)
		}
		segments, refs = append(segments, refs[:end]), refs[end:]
	}
	var keys [keysAtOnce][]string
	var errs [keysAtOnce]error
	var wait sync.WaitGroup
	for turn := range keys {
		wait.Go(func() {
			for i := turn; i < len(segments) && errs[turn] == nil; i += len(keys) {
				keys[turn], errs[turn] = v.appendKeysOf(ctx, keys[turn], segments[i])
			}
		})
	}
	wait.Wait()
	if err := cmp.Or(errs[:]...); err != nil {
		return nil, err
	}
	out := slices.Concat(keys[:]...)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// keysAtOnce is how many segments KeysOf reads at the same time. With two cores and a segment for
// each of 20 months, that halves its time.
const keysAtOnce = 2

func compareInSegment(a, b record.Ref) int {
	return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.N, b.N))
}

// appendKeysOf appends the keys of captures of one segment to out and returns the longer slice. refs
// are these captures, sorted. If they are in at least half of the runs, it reads the index of the
// segment and no run.
func (v *Snapshot) appendKeysOf(ctx context.Context, out []string, refs []record.Ref) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := v.Runs.Segment(refs[0].Segment)
	if s == nil {
		return nil, body.ErrMissing
	}
	runs := 0
	for i, r := range refs {
		if i == 0 || r.Run != refs[i-1].Run {
			runs++
		}
	}
	found := 0     // captures
	var urls []int // result of urlsOf
	// urlsOf returns the numbers of those URLs of a run that have captures in refs. counts has the number
	// of captures of each URL of the run.
	urlsOf := func(run uint32, counts []int64) []int {
		urls = urls[:0]
		at, _ := slices.BinarySearchFunc(refs, record.Ref{Run: run}, compareInSegment)
		of := refs[at:]
		end := int64(0) // number of the first entry of the next URL
		for k := 0; k < len(counts) && len(of) > 0 && of[0].Run == run; k++ {
			end += counts[k]
			n := 0
			for n < len(of) && of[n].Run == run && int64(of[n].N) < end {
				n++
			}
			if n > 0 {
				urls, of, found = append(urls, k), of[n:], found+n
			}
		}
		return urls
	}
	if 2*runs >= s.Info.Runs {
		c := s.Chunks(segment.WantKeysLater)
		defer c.Close()
		var t segment.Tally
		more, err := c.SeekTally("", &t)
		for ; err == nil && more; more, err = c.NextTally(&t) {
			if out, err = t.PickKeys(out, urlsOf(t.Run, t.Counts)); err != nil {
				return nil, err
			}
		}
		if err != nil {
			return nil, err
		}
	} else {
		for i, r := range refs {
			if i > 0 && r.Run == refs[i-1].Run {
				continue
			}
			meta, err := v.Runs.CachedMeta(s, r.Run, nil)
			if err != nil {
				return nil, err
			}
			keys, counts, err := meta.URLs()
			if err != nil {
				return nil, err
			}
			for _, k := range urlsOf(r.Run, counts) {
				out = append(out, keys[k])
			}
		}
	}
	if found < len(refs) {
		return nil, body.ErrMissing // a run has no such entry
	}
	return out, nil
}
