package merge

import (
	"context"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"infomall/store/block/facts"
	"infomall/store/body"
	"infomall/store/commit"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// merging is the state of a merge, which makes new segments from segments of one
// pool.
type merging struct {
	w      *commit.Writer
	v      *snapshot.Snapshot
	merged string // the pool that is merged
	pool   string // the pool that is written to: merged, then its new parts
	seal   bool
	// share is set if the merge looks in segments that are not merged for blocks that captures
	// can share instead of storing them. A merge for which no statement asked does not look, and
	// reads no run of such segments. Captures of 24 months that came in any order then merge in
	// half the CPU time, and take .03 % more bytes until the pool is sealed.
	share  bool
	split  *split                   // nil if the pool is not split
	in     map[uint32]*segment.Info // the segments that are merged, by number
	cursor []*snapshot.Cursor       // reads them, one cursor for each segment
	look   *snapshot.Looker
	hidden func(timeline.Place) bool // whether the capture at a place was deleted
	// bodies are the entries of deleted captures whose bodies other pools need, by
	// the ID of the body.
	bodies  map[segment.ID]*segment.Stored
	gives   bool                               // a deleted capture in some segment of the archive gives its body to others
	loses   bool                               // a deleted capture in a merged segment gives its body to others
	states  []newState                         // the states of the captures in the segment being written
	earlier map[record.Time]*snapshot.Snapshot // the snapshots that knownAt has made, by time
	changes *snapshot.Changes                  // finds when captures had other bodies than now; nil until statesOf needs it
	enc     *zstd.Encoder
	blocks  *segment.Blocks
	known   *body.Known

	progress    func(done, total int64) // is called with read and total; or nil
	total, read int64                   // numbers of captures: to merge, and merged so far
	out         *output                 // the segment being written; nil if there is none
	done        []commit.Made           // the finished segments
	index       *indexfile.Builder      // the index of all new segments; nil before the first

	at *places // new places of the blocks of merged segments
}

// output is a segment being written.
type output struct {
	*segment.Writer
	id   uint32
	file disk.File
	last string // key of the last entry
	// own has the IDs of the bodies that entries of the current URL store in this segment.
	own map[segment.ID]bool
}

// newMerging returns the state of a new merge of the segments in the list in. looked are the
// segments in which the merge looks up captures of the same URLs. placesBytes is how many bytes of
// memory the new places of blocks may take.
func newMerging(w *commit.Writer, v *snapshot.Snapshot, t mergeTask, in, looked []*segment.Info, placesBytes int64) *merging {
	m := &merging{
		w: w, v: v, merged: t.pool, pool: t.pool, seal: t.seal, share: !t.byItself, progress: t.progress, total: t.done + t.total, read: t.done, in: make(map[uint32]*segment.Info), enc: segment.NewEncoder(),
		blocks: segment.NewBlocks(mergeBlocks), bodies: make(map[segment.ID]*segment.Stored), at: newPlaces(w.Folder.Files(), w.File("places"), in, placesBytes),
	}
	m.known = &body.Known{Runs: v.Runs, Blocks: m.blocks}
	for _, s := range in {
		m.in[s.ID] = s
		m.cursor = append(m.cursor, snapshot.NewCursor(v.Runs.Reader(s), 0, v))
	}
	m.look = v.NewLookerIn(looked, 0)
	return m
}

func (m *merging) close() {
	m.look.Close()
	for _, c := range m.cursor {
		c.Close()
	}
	if m.out != nil {
		m.out.file.Close()
	}
	if m.index != nil {
		_ = m.index.Abandon() // the file is deleted with the writer's folder
	}
	_ = m.at.close()
}

// run does the merge: it reads the captures of all merged segments in order of URL, and writes them
// to new segments.
func (m *merging) run(ctx context.Context) error {
	var h snapshot.Heads
	for _, c := range m.cursor {
		if err := c.Seek(""); err != nil {
			return err
		}
		if !c.End {
			h.Add(c)
		}
	}
	h.Init()
	var w window
	for !h.End() {
		if err := m.open(ctx, &w, &h); err != nil {
			return err
		}
		for i := range w.urls {
			if err := m.url(ctx, &w.urls[i]); err != nil {
				return err
			}
			m.read += w.urls[i].read
			if m.progress != nil {
				m.progress(m.read, m.total)
			}
		}
	}
	if !m.isSplit() {
		if err := m.keepUsed(ctx); err != nil {
			return err
		}
	}
	if m.out == nil && len(m.done) == 0 && m.dependedOn() {
		if err := m.begin(ctx, ""); err != nil {
			return err
		}
	}
	return m.finish()
}

// dependedOn reports whether a segment that is not merged depends on the pool. If so, the pool
// must stay in the catalogue, even if all its captures were deleted: the segment's db-file
// names the pool.
func (m *merging) dependedOn() bool {
	return slices.ContainsFunc(m.v.Pin.Segments, func(s *segment.Info) bool {
		return m.in[s.ID] == nil && slices.Contains(s.Depends, m.pool)
	})
}

// url writes the captures of one URL that are in merged segments to the new segments.
func (m *merging) url(ctx context.Context, w *windowURL) error {
	u := &siblings{all: w.all, stays: m.stays}
	for i := range w.all {
		l := &w.all[i]
		if m.in[l.Seg.Info.ID] == nil {
			continue
		}
		if err := m.begin(ctx, l.Key); err != nil {
			return err
		}
		u.upTo(l.Time)
		e, body, err := m.entry(ctx, l, u, w.disturbed)
		if err != nil {
			return err
		}
		if e.Body != segment.BodyOwn {
			if _, err := m.out.Add(*e, segment.Content{}); err != nil {
				return err
			}
			continue
		}
		if err := m.move(e, body, u.outsideBefore(i)); err != nil {
			return err
		}
		m.out.own[e.ID] = true
	}
	return nil
}

// begin prepares m.out for the entries of the URL with this key. It begins a segment if there is
// none. If the segment has reached its greatest size, or the part of the pool that a split merge
// is writing has, begin finishes the segment and begins another.
func (m *merging) begin(ctx context.Context, key string) error {
	if m.out != nil && m.out.last == key {
		return nil
	}
	if m.split != nil && m.out != nil && m.split.bytes+m.out.Bytes() >= m.split.max {
		if err := m.nextPart(ctx, key); err != nil {
			return err
		}
	}
	if m.out != nil && (m.out.Bytes() > mergedBytes || m.out.Captures() > mergedCaptures) {
		if err := m.finish(); err != nil {
			return err
		}
	}
	if m.out == nil {
		id, err := m.w.Allocate(ctx, 1)
		if err != nil {
			return err
		}
		f, err := m.w.CreateSegment(id)
		if err != nil {
			return err
		}
		urls := int64(0)
		for _, s := range m.in {
			urls += s.URLs
		}
		if m.index == nil {
			if m.index, err = m.w.CreateIndex(id); err != nil {
				f.Close()
				return err
			}
		}
		m.out = &output{Writer: segment.NewWriter(f, m.enc, m.pool, id, int(min(urls, mergedCaptures)), m.blocks), id: id, file: f}
		if m.seal {
			// dict returns a run of a static pool, which never changes, for other runs to
			// build on. It returns nil if the pool is not static, or the run cannot be read.
			dict := func(ref segment.RunRef) *segment.Dict { return m.v.Runs.Dict(ref, m.pool) }
			m.out.Pack(m.w.Packer, dict, facts.Short)
		}
		m.valid()
		if err := m.out.Index(m.index); err != nil {
			return err
		}
	}
	m.out.last, m.out.own = key, make(map[segment.ID]bool)
	return nil
}

// nextPart ends the current part of the pool, and begins the next part at this key.
// Blocks that segments outside the merge still need are stored in the first part,
// because those segments depend on it.
func (m *merging) nextPart(ctx context.Context, key string) error {
	if !m.isSplit() {
		if err := m.keepUsed(ctx); err != nil {
			return err
		}
	}
	if err := m.finish(); err != nil {
		return err
	}
	m.pool = m.split.next(key)
	return nil
}

// valid tells m.blocks which segments the recipes of m.out may refer to: the new segments, and
// those segments of this pool and of earlier pools that are not merged.
func (m *merging) valid() {
	pools := make(map[uint32]string)
	for _, s := range m.v.Pin.Segments {
		if m.in[s.ID] == nil && s.Pool <= m.pool {
			pools[s.ID] = s.Pool
		}
	}
	for _, d := range m.done {
		pools[d.Info.ID] = d.Info.Pool
	}
	pools[m.out.id] = m.pool
	m.blocks.Valid(pools)
}

// finish completes and syncs the segment being written, and adds it to m.done and to
// m.index. It does nothing if no segment is being written.
func (m *merging) finish() error {
	if m.out == nil {
		return nil
	}
	out := m.out
	if err := m.writeStates(out.Writer, m.pool, m.states); err != nil {
		return err
	}
	m.states = nil
	for _, id := range out.Uses() {
		out.Depend(m.poolOf(id, m.pool))
	}
	info, err := out.Finish()
	if err == nil {
		err = out.file.Sync()
	}
	if e := out.file.Close(); err == nil {
		err = e
	}
	m.out = nil
	if err != nil {
		return fmt.Errorf("write %s: %w", out.file.Name(), err)
	}
	if m.split != nil {
		m.split.bytes += info.Bytes
	}
	if err := out.Writer.AddTo(m.index, &info); err != nil {
		return err
	}
	m.done = append(m.done, commit.Made{Info: &info})
	return nil
}

// poolOf returns the pool of the segment with this number. If the segment is neither in force nor
// made by this merge, the result is other.
func (m *merging) poolOf(id uint32, other string) string {
	if s := m.v.Runs.Info(id); s != nil {
		return s.Pool
	}
	for _, d := range m.done {
		if d.Info.ID == id {
			return d.Info.Pool
		}
	}
	return other
}

// entry returns the new entry of capture l, as the merge will store it. If the new entry will
// store the body itself, the result body is the entry that stores the body now; otherwise body is
// nil. u has the captures of the URL, and the caller has called u.upTo(l.Time). disturbed is set if
// captures of the URL were removed.
func (m *merging) entry(ctx context.Context, l *timeline.Capture, u *siblings, disturbed bool) (e, body *segment.Stored, err error) {
	stored, err := m.v.Runs.Entry(l.Place)
	if err != nil {
		return nil, nil, err
	}
	e = new(*stored)
	facts, err := m.v.Runs.Facts(l.Seg, l.Run)
	if err != nil {
		return nil, nil, err
	}
	if e.Facts = facts.Page(l.N); !disturbed && u.known(l) {
		e.Fold = facts.Fold(l.N)
	}
	body, at := e, l.Place
	switch {
	case e.Body == segment.BodyNone:
		// A revisit that is stored without a body stays so. What it has from deleted captures
		// is in its states.
		states, err := m.statesOf(ctx, l.Place, stored)
		if err != nil {
			return nil, nil, err
		}
		m.states = append(m.states, states...)
	case e.Body == segment.BodyHeld || e.Body == segment.BodyElsewhere:
		if body, at, err = m.v.Owner(ctx, l.Place, e); err != nil {
			return nil, nil, err
		}
		e.Refer(body, at.Holder())
	}
	e.Previous, e.VersionTime, e.PreviousVersion, e.Change, e.Sense = l.Previous, l.VersionTime, l.PreviousVersion, l.Change, l.Sense
	e.Kind, e.Bytes = l.Kind, l.Bytes // also of a revisit that stays without a body
	if e.Body == segment.BodyNone {
		return e, nil, nil
	}
	if at := u.heldOutside(e.ID); at.Seg != nil {
		e.Body, e.HolderKey, e.Holder = segment.BodyHeld, "", at.Holder()
		m.out.Depend(at.Seg.Info.Pool)
		return e, nil, nil
	}
	if m.out.own[e.ID] {
		e.Body, e.HolderKey, e.Holder = segment.BodyHeld, "", segment.Holder{}
		return e, nil, nil
	}
	if e.Body == segment.BodyElsewhere && m.in[at.Seg.Info.ID] == nil && !m.hidden(at) {
		m.out.Depend(at.Seg.Info.Pool)
		return e, nil, nil
	}
	// The entry that has the body is merged too, or was deleted and disappears when
	// its pool is merged. From now on this entry stores the body. The segment still
	// stores each block once.
	e.Body, e.HolderKey, e.Holder = segment.BodyOwn, "", segment.Holder{}
	return e, body, nil
}

// stays reports whether a capture stores its body in a segment that is not merged,
// and that belongs to the pool being written or to an earlier pool.
func (m *merging) stays(l *timeline.Capture) bool {
	return l.Body == segment.BodyOwn && m.in[l.Seg.Info.ID] == nil && l.Seg.Info.Pool <= m.pool
}

// move writes entry e, with its body, to the segment m.out, and records the new places of the
// body's blocks. The argument body is the entry that stores the body now; it may be e. before is
// the place of an earlier capture of the URL with which e may share blocks; before.Seg is nil if
// there is none.
func (m *merging) move(e, body *segment.Stored, before timeline.Place) error {
	if m.share && before.Seg != nil {
		m.known.Add(before) // so that its blocks are shared instead of stored again
	}
	spans, err := m.v.Runs.Spans(body.Recipe)
	if err != nil {
		return err
	}
	var parts []segment.BodyBlock
	for _, s := range spans {
		if !m.share && m.stay(s) {
			parts = m.appendStaying(parts, s)
		} else if parts, err = m.appendParts(parts, s); err != nil {
			return err
		}
	}
	recipe, err := m.out.Move(*e, body.Recipe.Layout, parts)
	if err != nil {
		return err
	}
	to := refs(recipe.Spans)
	for i, from := range refs(spans) {
		if !m.at.has(from.Segment) {
			continue
		}
		if err := m.at.set(from, to[i]); err != nil {
			return err
		}
	}
	return nil
}

// refs returns references to all blocks of the spans, one by one.
func refs(spans []segment.Span) []segment.BlockRef {
	var out []segment.BlockRef
	for _, s := range spans {
		for n := range s.Count {
			out = append(out, segment.BlockRef{Segment: s.Segment, Run: s.Run, N: s.N + n})
		}
	}
	return out
}

// appendParts appends one segment.BodyBlock for each block of span s to parts, and returns parts. A
// BodyBlock has what segment.Writer.Move needs to know of a block: its ID, size and new place, and
// a function that reads it.
func (m *merging) appendParts(parts []segment.BodyBlock, s segment.Span) ([]segment.BodyBlock, error) {
	r, err := m.known.Spanned(s)
	if err != nil {
		return nil, err
	}
	var places []segment.BlockRef // new places, if the run is merged
	if m.at.has(s.Segment) {
		if places, err = m.at.run(segment.RunRef{Segment: s.Segment, Run: s.Run}, len(r.IDs)); err != nil {
			return nil, err
		}
	}
	for i := range s.Count {
		n := s.N + i
		p := segment.BodyBlock{ID: r.IDs[n], Size: int(r.Size(n)), At: segment.BlockRef{Segment: s.Segment, Run: s.Run, N: n}}
		p.Read = m.reader(p.At)
		if places != nil {
			p.At = places[n]
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// stay reports whether the blocks of span s are in a segment that is not merged.
func (m *merging) stay(s segment.Span) bool {
	return !m.at.has(s.Segment) && m.v.Runs.Info(s.Segment) != nil
}

// appendStaying does what appendParts does, for a span whose blocks stay where they are. It does not
// read their run.
func (m *merging) appendStaying(parts []segment.BodyBlock, s segment.Span) []segment.BodyBlock {
	for i := range s.Count {
		at := segment.BlockRef{Segment: s.Segment, Run: s.Run, N: s.N + i}
		parts = append(parts, segment.BodyBlock{At: at, Read: m.reader(at), Describe: func() (segment.ID, int, error) {
			r, err := m.known.Spanned(s)
			if err != nil {
				return segment.ID{}, 0, err
			}
			return r.IDs[at.N], int(r.Size(at.N)), nil
		}})
	}
	return parts
}

// reader returns a function that reads the block that is at this place before the merge, and its
// facts. If the argument short of that function is set, the facts are in their short form.
func (m *merging) reader(at segment.BlockRef) func(short bool) (b, facts []byte, err error) {
	return func(short bool) ([]byte, []byte, error) {
		s := m.v.Runs.Segment(at.Segment)
		r, err := m.v.Runs.Run(s, at.Run)
		if err != nil {
			return nil, nil, err
		}
		b, err := r.Block(at.N)
		if err != nil {
			return nil, nil, segment.Damage(s.Info.File, -1, err)
		}
		facts, err := m.v.Runs.Facts(s, at.Run)
		if err != nil {
			return nil, nil, err
		}
		if short {
			return b, facts.Kept(at.N), nil
		}
		return b, facts.Block(at.N), nil
	}
}
