package snapshot

import (
	"context"
	"errors"
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// Tally yields counts of captures, in no order. Each row counts captures that have the same
// values in all columns that t asks for. Several rows may have the same values.
//
// Two segments can have the same capture only if they overlap in keys and times, and neither
// was written with knowledge of the other. Tally merges such segments, as Scan does. It reads
// every other segment by itself, chunk by chunk and only the columns it needs: many entries
// with few different values become a few rows, and no URLs are made. If a whole segment is
// counted, and its census (counts stored with the segment) has what t asks for, Tally reads
// only the census. If there is much to count, several goroutines share the work. They have
// ended when the range loop has ended.
func (v *Snapshot) Tally(ctx context.Context, t record.Tally) record.Rows {
	if t.Ranges == nil {
		t.Ranges = []urlkey.Range{{}}
	}
	return func(yield func(*record.Batch, error) bool) {
		t := t
		parts := v.veiledParts(&t)
		parts = append(parts, v.parted(&t)...)
		var err error
		if n := v.sharers(parts, &t); n > 1 {
			err = v.share(ctx, t, parts, n, yield)
		} else {
			err = newTallier(ctx, v, t, yield).run(parts)
		}
		if err != nil && !errors.Is(err, ErrStop) {
			yield(nil, err)
		}
	}
}

// parted divides the segments that t counts into parts: each segment that overlaps
// with no other is a part, and each group of segments that overlap is a part.
func (v *Snapshot) parted(t *record.Tally) []workPart {
	var chosen []*segment.Info
	for _, s := range v.Pin.Segments {
		if s.First < t.To && s.Last >= t.From && mayHave(v.Runs.Reader(s), t.Ranges) {
			chosen = append(chosen, s)
		}
	}
	v.warm(chosen, t.Ranges)
	var parts []workPart
	alone, together := apart(chosen)
	if t.Versions {
		alone, together = v.unchanged(alone, together)
	}
	for _, s := range alone {
		parts = append(parts, workPart{s.Captures, func(w *tallier) error { return w.segment(s) }})
	}
	for _, list := range together {
		var captures int64
		for _, s := range list {
			captures += s.Captures
		}
		parts = append(parts, workPart{captures, func(w *tallier) error { return w.side(list, w.t.Scan) }})
	}
	return parts
}

// unchanged finds out which segments can be counted by their hints alone (how each capture
// differs from the one before it). The first result has those segments of alone whose hints say
// which captures begin a version. The second result has groups of the other segments; the
// segments of a group must be read together to find the versions.
func (v *Snapshot) unchanged(alone []*segment.Info, together [][]*segment.Info) ([]*segment.Info, [][]*segment.Info) {
	for _, s := range alone {
		if !v.changesHold(s) {
			together = append(together, []*segment.Info{s})
		}
	}
	var groups [][]*segment.Info
	in := make(map[*segment.Info]bool)
	for _, list := range together {
		first, last := times(list)
		group := v.segmentsFor(first, last+1)
		groups = slices.DeleteFunc(groups, func(g []*segment.Info) bool {
			meets := slices.ContainsFunc(g, func(s *segment.Info) bool { return slices.Contains(group, s) })
			if meets {
				group = append(group, g...)
			}
			return meets
		})
		for _, s := range group {
			in[s] = true
		}
		groups = append(groups, group)
	}
	return slices.DeleteFunc(alone, func(s *segment.Info) bool { return in[s] }), groups
}

// times returns the earliest and the latest time of the captures in the segments of list.
func times(list []*segment.Info) (first, last record.Time) {
	first, last = list[0].First, list[0].Last
	for _, s := range list {
		first, last = min(first, s.First), max(last, s.Last)
	}
	return first, last
}

// veiledParts removes from t.Ranges the keys of which v.hiding may hide captures. It returns
// one part for these keys, which counts the visible captures URL by URL, or no part if there
// are no such keys.
func (v *Snapshot) veiledParts(t *record.Tally) []workPart {
	if !v.hiding.Meets(t.Ranges) {
		return nil
	}
	s := t.Scan
	s.Ranges = urlkey.Common(t.Ranges, v.hiding.Ranges)
	t.Ranges = urlkey.Without(t.Ranges, v.hiding.Ranges)
	var list []*segment.Info
	var captures int64
	for _, i := range v.Pin.Segments {
		if i.First < s.To && i.Last >= s.From && mayHave(v.Runs.Reader(i), s.Ranges) {
			list = append(list, i)
			captures += i.Captures
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []workPart{{captures, func(w *tallier) error { return w.side(list, s) }}}
}

// tallier is the state of one goroutine that counts captures for Tally.
type tallier struct {
	ctx    context.Context
	v      *Snapshot
	t      record.Tally
	ranges []urlkey.Range
	yield  func(*record.Batch, error) bool
	b      record.Batch

	// The current segment:
	seg     *segment.Reader
	hidden  func(timeline.Place) bool // reports whether a capture was removed; nil if the segment has no such captures
	visits  bool                      // some captures of the segment begin no version, and the tally asks for versions
	mixed   bool                      // some captures of the segment were added later; see Snapshot.KnownAt
	allKeys bool                      // all keys of the segment are in the ranges
	allTime bool                      // all times of the segment are wanted
	span    [2]record.Time            // start and end of the period that periodOf returned last
	keeps   []*record.Kept            // for each run: what the tally's Keep says of it; empty if the tally has no Keep
	look    *Looker                   // for captures whose bodies are elsewhere
	settled []timeline.Capture        // captures of the URL that was looked up last
	places  map[timeline.Place]int    // index in settled of the capture at each place

	tally   segment.Tally   // the current chunk
	digests []record.Digest // digest of the body of each entry of the chunk, if the tally asks for digests
	stored  *batcher        // appends columns that only db-files have to b; nil if the tally asks for none
	keep    []bool          // for each entry of the chunk: whether it counts; nil means that all entries do
	lost    []int           // numbers in the chunk of the wanted entries that are stored without a body
	columns []tallied
	codes   []int32
	counts  []int64 // number of entries with each code; zero between uses
	touched []int32
	keptRun segment.RunRef // the run that the method kept looked up last
	keptOf  *record.Kept   // what the tally's Keep says of that run
	keptSet bool           // keptRun and keptOf are set
	periods []int64        // for each entry of the chunk: the index of its period in starts
	starts  []record.Time
}

// tallied is a column of the current chunk with few distinct values. Each value has a number,
// its code; the function put takes a code and appends the value to the row.
type tallied struct {
	values int
	at     []int64        // for each entry of the chunk: an index in codes; nil means that all are 0
	codes  []int          // code of each index; nil means the index itself
	put    func(code int) // appends the value with this code to the row
}

// tallyCodesMax is the greatest number of combinations of column values that are counted
// together. If a chunk may have more combinations, each entry becomes a row of its own.
const tallyCodesMax = 4096

func newTallier(ctx context.Context, v *Snapshot, t record.Tally, yield func(*record.Batch, error) bool) *tallier {
	w := &tallier{ctx: ctx, v: v, t: t, yield: yield, ranges: t.Ranges}
	if t.Columns&colsMeta != 0 {
		w.stored = newBatcher(ctx, v, t.Scan, &w.b, nil)
	}
	return w
}

func (w *tallier) run(parts []workPart) error {
	for _, p := range parts {
		if err := p.count(w); err != nil {
			return err
		}
	}
	return w.flush()
}

// apart divides the segments of list into two kinds. alone has the segments that cannot share a
// capture with another segment. Each element of together has segments that may share captures
// with each other.
func apart(list []*segment.Info) (alone []*segment.Info, together [][]*segment.Info) {
	byTime := slices.Clone(list)
	slices.SortFunc(byTime, func(a, b *segment.Info) int { return compareTimes(a.First, b.First) })
	group := make(map[*segment.Info]*segment.Info) // to one segment that represents the group
	head := func(s *segment.Info) *segment.Info {
		for group[s] != nil {
			s = group[s]
		}
		return s
	}
	var open []*segment.Info // segments that may overlap the next one's times
	for _, s := range byTime {
		open = slices.DeleteFunc(open, func(o *segment.Info) bool { return o.Last < s.First })
		for _, o := range open {
			if a, b := head(o), head(s); a != b && o.FirstKey <= s.LastKey && s.FirstKey <= o.LastKey && o.Apart < s.Born && s.Apart < o.Born {
				group[b] = a
			}
		}
		open = append(open, s)
	}
	members := make(map[*segment.Info][]*segment.Info)
	for _, s := range list {
		members[head(s)] = append(members[head(s)], s)
	}
	for _, s := range list {
		switch m := members[s]; {
		case len(m) == 1:
			alone = append(alone, s)
		case len(m) > 1:
			together = append(together, m)
		}
	}
	return alone, together
}

func compareTimes(a, b record.Time) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// side counts the captures of overlapping segments that the scan s selects. It merges the
// captures of the segments by URL, so that a capture that is in two segments counts once.
func (w *tallier) side(list []*segment.Info, s record.Scan) error {
	if w.t.Versions {
		return w.versions(list, s)
	}
	return w.v.walkAmong(w.ctx, s, list, nil, true, func(group []timeline.Capture) error {
		var host string
		for i := range group {
			e := &group[i]
			if e.Time < w.t.From || !slices.Contains(list, e.Seg.Info) {
				continue
			}
			if host == "" && w.t.Host {
				host = urlkey.Host(urlkey.URL(e.Key))
			}
			if err := w.entry(e, host); err != nil {
				return err
			}
		}
		return nil
	}, nil)
}

// versions counts the captures of the segments in list that the scan s selects and that begin a
// version. To decide which do, it also reads segments with earlier captures.
func (w *tallier) versions(list []*segment.Info, s record.Scan) error {
	s.Columns |= record.ColChange
	counts := make(map[uint32]bool, len(list))
	for _, i := range list {
		counts[i.ID] = true
	}
	first, last := times(list)
	s.From, s.To = max(s.From, first), min(s.To, last+1)
	var err error
	put := func(b *record.Batch) *record.Batch {
		if err = w.begun(b, counts); err != nil {
			return nil
		}
		b.Reset()
		return b
	}
	out := newBatcher(w.ctx, w.v, s, new(record.Batch), put)
	walked := w.v.walkAmong(w.ctx, s, w.v.segmentsFor(s.From, s.To), nil, false, out.add, out.direct())
	if walked == nil {
		walked = out.flush()
	}
	if err != nil {
		return err
	}
	return walked
}

// begun adds a row for each capture of b that begins a version and whose segment counts:
// counts[id] is true for the ID of that segment.
func (w *tallier) begun(b *record.Batch, counts map[uint32]bool) error {
	var host, beginning string // beginning is that of all keys of URLs with this host
	for i, key := range b.Key {
		if b.Change[i] == record.ChangeSame || !counts[b.Ref[i].Segment] {
			continue
		}
		if keep, err := w.kept(b.Ref[i]); !keep || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		out, n := &w.b, w.b.N
		if w.t.Host {
			if beginning == "" || !strings.HasPrefix(key, beginning) {
				beginning, host = key[:urlkey.HostPrefix(key)], urlkey.Host(urlkey.URL(key))
			}
			out.Host = append(out.Host, host)
		}
		if w.t.Time {
			out.Time = append(out.Time, w.periodOf(b.Time[i]))
		}
		if w.t.Columns != 0 {
			record.CopyCell(&out.Status, n, b.Status, i)
			record.CopyCell(&out.Kind, n, b.Kind, i)
			record.CopyCell(&out.Mime, n, b.Mime, i)
			record.CopyCell(&out.Bytes, n, b.Bytes, i)
			record.CopyCell(&out.Pool, n, b.Pool, i)
			record.CopyCell(&out.Via, n, b.Via, i)
			record.CopyCell(&out.Truncated, n, b.Truncated, i)
			record.CopyCell(&out.Added, n, b.Added, i)
			record.CopyCell(&out.Job, n, b.Job, i)
			record.CopyCell(&out.Digest, n, b.Digest, i)
		}
		if err := w.count(1); err != nil {
			return err
		}
	}
	return nil
}

// entry adds a row for one capture, with the count 1, if the tally asks for it. host is
// the host of its URL, if the tally asks for it.
func (w *tallier) entry(e *timeline.Capture, host string) error {
	if w.t.Versions && e.Change == record.ChangeSame {
		return nil
	}
	if keep, err := w.kept(record.Ref{Segment: e.Seg.Info.ID, Run: e.Run, N: e.N}); !keep || err != nil {
		return err
	}
	b := &w.b
	if w.t.Host {
		b.Host = append(b.Host, host)
	}
	if w.t.Time {
		b.Time = append(b.Time, w.periodOf(e.Time))
	}
	putEntry(b, w.t.Columns, e)
	w.v.noteUnread(e, w.t.Columns)
	if w.stored != nil {
		if err := w.stored.meta(e); err != nil {
			return err
		}
	}
	return w.count(1)
}

// kept reports whether the tally's Keep lets the capture count.
func (w *tallier) kept(r record.Ref) (bool, error) {
	if w.t.Keep == nil {
		return true, nil
	}
	run := segment.RunRef{Segment: r.Segment, Run: r.Run}
	if !w.keptSet || w.keptRun != run {
		w.keptSet, w.keptRun, w.keptOf = true, run, w.t.Keep(r.Segment, r.Run)
	}
	return w.keptOf.Keeps(r.N)
}

// periodOf returns the value of the column Time for a capture at time t: the start
// of its period, or t itself if the tally asks for no periods.
func (w *tallier) periodOf(t record.Time) record.Time {
	if w.t.Period == nil {
		return t
	}
	if t < w.span[0] || t >= w.span[1] {
		w.span[0], w.span[1] = w.t.Period(t)
	}
	return w.span[0]
}

// count completes a row for n captures, to which the caller has added the other values. It
// passes the batch on if the batch is full.
func (w *tallier) count(n int64) error {
	w.b.N++
	w.b.Count = append(w.b.Count, n)
	if w.b.N < record.BatchRows {
		return nil
	}
	return w.flush()
}

func (w *tallier) flush() error {
	if w.b.N == 0 {
		return nil
	}
	if !w.yield(&w.b, nil) {
		return ErrStop
	}
	w.b.Reset()
	return nil
}

// keepsAny reports whether the tally's Keep lets captures of the segment count. A word that is in
// few pages is in few segments, and the index chunks of the other segments need not be read.
func (w *tallier) keepsAny(s *segment.Info) bool {
	if w.t.Keep == nil {
		return true
	}
	any := false
	w.keeps = w.keeps[:0]
	for run := range uint32(s.Runs) {
		k := w.t.Keep(s.ID, run)
		w.keeps = append(w.keeps, k)
		any = any || k != nil
	}
	return any
}

// keptIn returns what the tally's Keep says of a run of the current segment.
func (w *tallier) keptIn(run uint32) *record.Kept {
	if int(run) >= len(w.keeps) {
		return nil
	}
	return w.keeps[run]
}

// found counts the captures of the segment s that the tally's Keep lets count, without the index of
// the segment. done is false if more than their number is needed. The caller makes sure that all
// captures are wanted and begin versions, and Keep that the runs have the captures it names.
func (w *tallier) found(s *segment.Info) (done bool, err error) {
	if w.t.Host || w.t.Columns&^record.ColPool != 0 || w.t.Time && (w.t.Ends || w.t.Period == nil) {
		return false, nil
	}
	n := int64(0)
	for _, k := range w.keeps {
		if k != nil && (k.Any || k.Has != nil) {
			return false, nil
		}
		if k != nil {
			n += int64(k.Some.Len())
		}
	}
	if n == 0 {
		return true, nil
	}
	w.v.Runs.Looked(s)
	return true, w.some(s.First, n, nil)
}

// segment counts the captures of a segment that overlaps with no other segment.
func (w *tallier) segment(s *segment.Info) (err error) {
	if !w.keepsAny(s) {
		return nil
	}
	w.seg = w.v.Runs.Reader(s)
	w.allTime = s.First >= w.t.From && s.Last < w.t.To
	w.allKeys = w.t.Skip == nil && slices.ContainsFunc(w.ranges, func(r urlkey.Range) bool {
		return r.From <= s.FirstKey && (r.To == "" || s.LastKey < r.To)
	})
	if w.hidden, err = w.v.hiddenIn(s.ID); err != nil {
		return err
	}
	w.mixed = w.v.known.isMixed(s.ID)
	w.visits = w.t.Versions && s.Versions < s.Captures
	oneTime := !w.t.Time || w.t.Ends || w.t.Period != nil && w.periodOf(s.First) == w.periodOf(s.Last)
	if w.allTime && w.allKeys && w.hidden == nil && !w.mixed && !w.visits && oneTime {
		count := w.whole
		if w.t.Keep != nil {
			count = w.found
		}
		if done, err := count(s); done {
			w.t.Work.Add(int64(s.Runs))
			return err
		}
	}
	defer func() {
		if w.look != nil {
			w.look.Close()
			w.look, w.settled = nil, nil
		}
	}()
	chunks := w.seg.Chunks(w.wants())
	chunks.Count(w.t.Work)
	if w.t.Keep != nil {
		chunks.PassOverRuns(func(run uint32) bool { return w.keptIn(run) == nil })
	}
	defer chunks.Close()
	ranges := w.ranges
	more, err := w.skipping(chunks, func() (bool, error) { return chunks.SeekTally(ranges[0].From, &w.tally) })
	for more && err == nil {
		w.v.Runs.ReadChunk(w.seg, chunks.Size())
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := w.choose(ranges); err != nil {
			return err
		}
		if err := w.chunk(); err != nil {
			return err
		}
		if !w.allKeys {
			last := w.tally.Keys[len(w.tally.Keys)-1]
			if ranges = passed(ranges, last); len(ranges) == 0 {
				return nil
			}
			if ranges[0].From > last {
				run := w.tally.Run
				more, err = w.skipping(chunks, func() (bool, error) { return chunks.SeekTally(ranges[0].From, &w.tally) })
				if !more || err != nil || w.tally.Run != run {
					continue
				}
				// The range begins after the last key of this chunk and before the next chunk.
			}
		}
		more, err = w.skipping(chunks, func() (bool, error) { return chunks.NextTally(&w.tally) })
	}
	return err
}

// skipping calls the function move, which reads a chunk of the current segment, and returns its
// results. After damage that may be skipped, skipping reads the next chunk that can be read.
// more is false at the end of the segment.
func (w *tallier) skipping(chunks *segment.ChunkCursor, move func() (more bool, err error)) (bool, error) {
	more, err := move()
	for n := int64(0); err != nil && w.v.skips(err); n++ {
		if n > int64(w.seg.Info.Runs) {
			return false, nil // the whole file is unreadable
		}
		more, err = chunks.NextTally(&w.tally)
	}
	return more, err
}

// passed returns ranges without the ranges that end at or before key.
func passed(ranges []urlkey.Range, key string) []urlkey.Range {
	for len(ranges) > 0 && ranges[0].To != "" && ranges[0].To <= key {
		ranges = ranges[1:]
	}
	return ranges
}

// censusColumns are the columns that a census (counts stored with a segment) has. A census has
// one row for each combination of their values that occurs.
const censusColumns = record.ColStatus | record.ColKind | record.ColMime | record.ColVia | record.ColTruncated | record.ColJob

// whole counts all captures of segment s from its census (counts stored with the segment),
// without reading entries. done is false if the census does not have the columns that the tally
// asks for. The caller makes sure that the captures' times need not be tested.
func (w *tallier) whole(s *segment.Info) (done bool, err error) {
	columns := w.t.Columns &^ record.ColPool
	if !w.t.Host && columns == 0 {
		return true, w.several(s.First, s.Last, s.Captures, nil)
	}
	if w.t.Host && columns != 0 || columns&^censusColumns != 0 {
		return false, nil
	}
	c := w.seg.Census()
	switch {
	case c == nil:
		return false, nil
	case w.t.Host && c.Hosts != nil:
		w.v.Runs.Looked(s)
		return true, w.byHost(c.Hosts)
	case !w.t.Host && c.Traits != nil && !(w.byBody() && slices.ContainsFunc(c.Traits, func(t segment.TraitCensus) bool { return t.Flags.Body == segment.BodyNone })):
		w.v.Runs.Looked(s)
		return true, w.byTrait(c.Traits)
	}
	return false, nil
}

func (w *tallier) byHost(list []segment.HostCensus) error {
	for i := range list {
		h := &list[i]
		err := w.several(h.First, h.Last, h.Captures, func() { w.b.Host = append(w.b.Host, h.Host) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *tallier) byTrait(list []segment.TraitCensus) error {
	for i := range list {
		t := &list[i]
		err := w.several(t.First, t.Last, t.Captures, func() {
			b, want := &w.b, w.t.Columns
			if want&record.ColStatus != 0 {
				b.Status = append(b.Status, t.Status)
			}
			if want&record.ColKind != 0 {
				b.Kind = append(b.Kind, t.Flags.Kind)
			}
			if want&record.ColMime != 0 {
				b.Mime = append(b.Mime, t.Mime)
			}
			if want&record.ColVia != 0 {
				b.Via = append(b.Via, t.Flags.Via)
			}
			if want&record.ColTruncated != 0 {
				b.Truncated = append(b.Truncated, t.Flags.Truncated)
			}
			if want&record.ColJob != 0 {
				b.Job = append(b.Job, t.Job)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// several adds rows for n captures of the current segment. first and last are their earliest
// and latest times. The function put, if not nil, appends their common values in the other
// columns. several adds one row, or two if the tally asks for the first and last time.
func (w *tallier) several(first, last record.Time, n int64, put func()) error {
	if w.t.Time && w.t.Ends && n > 1 && first != last {
		if err := w.some(first, n-1, put); err != nil {
			return err
		}
		first, n = last, 1
	}
	return w.some(first, n, put)
}

// some adds one row for n captures, with the time t or the start of t's period. The function
// put, if not nil, appends the other values of the row.
func (w *tallier) some(t record.Time, n int64, put func()) error {
	if w.t.Time {
		w.b.Time = append(w.b.Time, w.periodOf(t))
	}
	if w.t.Columns&record.ColPool != 0 {
		w.b.Pool = append(w.b.Pool, w.seg.Info.Pool)
	}
	if put != nil {
		put()
	}
	return w.count(n)
}
