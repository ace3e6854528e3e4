package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"infomall/store/block"
	"infomall/store/disk"
	"infomall/store/disk/lines"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
)

const (
	// A merged segment ends after the URL that makes it larger than mergedBytes or
	// longer than mergedCaptures. That bounds memory: a reader holds the places of
	// its runs, and the next merge the new places of its blocks.
	mergedBytes    = 512 << 20
	mergedCaptures = 1 << 20
	// mergeRuns is how many bytes of decoded runs a merge keeps in memory.
	// mergePlaces is how many bytes of block places it keeps: enough for about
	// seven hundred thousand blocks.
	mergeRuns   = 24 << 20
	mergePlaces = 8 << 20
	// mergeBlocks is how many blocks a merge remembers to find duplicates from
	// several writers. A duplicate that had one place already before the merge is
	// found through that place.
	mergeBlocks = 200_000
)

// mergeBounds are mergeWays, mergeRuns and mergePlaces for one archive; tests lower
// them.
type mergeBounds struct {
	ways         int
	runs, places int64
}

// errMerging is returned if another process merges the pool.
var errMerging = errors.New("another process merges the pool")

// Merge rewrites each pool as one sorted row of segments. It drops duplicate
// captures and blocks, corrects hints, and finds the originals of revisits that
// were imported before them. Readers keep the old segments until they are done. A
// pool that another process is merging is left to that process. A pool that does
// not exist is a *task.NoPoolError.
//
// Its memory does not depend on the size of the pool, except for the filters of its
// segments' URLs: a byte or two for each URL.
func (a *Archive) Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	p, err := pinCurrent(a.dir)
	if err != nil {
		return nil, err
	}
	p.release() // the segments are chosen when the pool's turn comes
	if o.Pools == nil {
		a.warnMisnamed(p.catalog)
	}
	pools, named := p.poolNames(), o.Pools != nil
	if !named {
		o.Pools = pools
	}
	var out []task.MergeResult
	packer := new(segment.Packer)
	for _, pool := range o.Pools {
		if !slices.Contains(pools, pool) {
			return out, &task.NoPoolError{Name: pool, Pools: pools}
		}
		r := mergeResult(pool, p.poolSegments(pool))
		r.Large = p.oversized(pool, limitOr(o.PoolLimit))
		r.Static = p.isStatic(pool)
		r.Deleted = p.hidesIn(pool)
		switch {
		case r.Static && named && !o.Seal:
			return out, &task.StaticError{Pool: pool}
		case (!r.Static || o.Seal && r.Deleted) && !o.Dry:
			t := mergeTask{pool: pool, packer: packer, seal: o.Seal, limit: o.PoolLimit, progress: o.Progress, choose: func(c *catalog) []*segment.Info { return c.poolSegments(pool) }}
			if r, err = a.merge(ctx, t); err != nil {
				return out, err
			}
		}
		out = append(out, r)
	}
	if o.Seal && !o.Dry {
		return out, a.shareIndexes(ctx)
	}
	return out, nil
}

// mergeTask says what of a pool is merged, and how.
type mergeTask struct {
	pool     string
	seal     bool                           // the pool becomes static
	limit    int64                          // size above which it is split; 0 means the default
	byItself bool                           // nobody asked for the merge: it may be left to the next process
	choose   func(*catalog) []*segment.Info // chooses segments from the current catalogue
	packer   *segment.Packer                // shared with other pools, or nil
	// done is how many captures were merged in earlier rounds, total how many this
	// round merges.
	done, total int64
	// left is how many segments there were before the last round. If that round did
	// not make them fewer, there is no other round.
	left     int
	progress func(pool string, done, total int64) // or nil
}

// mergeSmall merges the small segments of a pool if there are many, or the whole
// pool if it is larger than limit. If another process is merging the pool,
// mergeSmall leaves it to that process.
func (a *Archive) mergeSmall(ctx context.Context, pool string, limit int64) error {
	_, err := a.merge(ctx, mergeTask{pool: pool, limit: limit, byItself: true, choose: func(c *catalog) []*segment.Info {
		if c.oversized(pool, limitOr(limit)) {
			return c.poolSegments(pool)
		}
		return dueForMerge(c.poolSegments(pool))
	}})
	return err
}

// mergeResult describes a pool before its segments are merged.
func mergeResult(pool string, in []*segment.Info) task.MergeResult {
	r := task.MergeResult{Pool: pool, Segments: len(in)}
	for _, s := range in {
		r.Captures += s.Captures
		r.OldBytes += s.Bytes + s.IndexBytes
	}
	return r
}

// merge carries out a task in a writer of its own.
func (a *Archive) merge(ctx context.Context, t mergeTask) (task.MergeResult, error) {
	w, err := a.newWriter(ctx)
	if err != nil {
		return task.MergeResult{}, err
	}
	if t.packer != nil {
		w.packer = t.packer
	}
	r, err := w.merge(ctx, t)
	if errors.Is(err, errMerging) && !t.seal || errors.Is(err, errStale) && t.byItself {
		r, err = task.MergeResult{Pool: t.pool}, nil
	}
	if e := w.close(); err == nil {
		err = e
	}
	if err != nil {
		err = fmt.Errorf("merge pool %s: %w", t.pool, err)
	}
	return r, err
}

func (w *writer) merge(ctx context.Context, t mergeTask) (task.MergeResult, error) {
	unlock, err := w.a.lockPool(t.pool)
	if err != nil {
		return task.MergeResult{}, err
	}
	defer unlock()
	var before *task.MergeResult // the pool before the first round
	for {
		var r task.MergeResult
		var more bool
		once := func() (err error) {
			r, more, err = w.mergeOnce(ctx, &t)
			return err
		}
		var err error
		if t.byItself {
			err = once() // the next process that publishes tries again
		} else {
			err = retryStale(ctx, once)
		}
		if before != nil {
			r.Segments, r.OldBytes = before.Segments, before.OldBytes
		}
		if err == nil && more {
			before = &r
			continue
		}
		if err == nil {
			// The snapshot that was merged is closed. Delete the old files now, and
			// not only when somebody writes again.
			err = w.a.locked(ctx, func(disk.File) error { return w.a.sweepGenerations() })
		}
		return r, err
	}
}

// mergeOnce merges the segments that the task chooses. If they are too many to
// merge at once, it merges some of them, and more is true: the caller must call it
// again.
func (w *writer) mergeOnce(ctx context.Context, t *mergeTask) (r task.MergeResult, more bool, err error) {
	v, err := w.a.Snapshot(ctx)
	if err != nil {
		return r, false, err
	}
	defer v.Close()
	v.runs.shelve(w.a.merging.runs, w.a.merging.ways+1)
	in, hidden, err := v.mergeable(t.choose(v.pin.catalog))
	if err != nil {
		return r, false, err
	}
	r = mergeResult(t.pool, in)
	all, static := len(in) == len(v.pin.poolSegments(t.pool)), v.pin.isStatic(t.pool)
	r.Static, r.Deleted = static, hidden
	if static && (!hidden || !t.seal) {
		return r, false, nil // it was sealed or rewritten meanwhile
	}
	r.Large = all && !static && v.pin.oversized(t.pool, limitOr(t.limit))
	if len(in) == 0 || len(in) == 1 && !hidden && !t.seal && !r.Large {
		return r, false, nil
	}
	some, _, err := v.mergeable(crowded(in, w.a.merging.ways))
	if err != nil {
		return r, false, err
	}
	if len(some) > 1 && (t.left == 0 || len(in) < t.left) {
		t.left = len(in)
		round := mergeTask{pool: t.pool, done: t.done, total: r.Captures, progress: t.progress}
		_, err := w.mergeThese(ctx, v, round, some, false)
		for _, s := range some {
			t.done += s.Captures
		}
		return r, true, err
	}
	t.total = r.Captures
	done, err := w.mergeThese(ctx, v, *t, in, r.Large)
	if err != nil {
		return r, false, err
	}
	if len(done.parts) > 1 {
		for _, p := range done.parts {
			r.Parts = append(r.Parts, p.pool)
		}
	}
	r.Captures = 0
	for _, d := range done.made {
		if d.old != nil {
			continue
		}
		r.Into++
		r.Captures += d.info.Captures
		r.Bytes += d.info.Bytes + d.info.IndexBytes
	}
	return r, false, nil
}

// crowded returns the segments to merge in a round before the others. If more than
// ways segments hold the same URLs, these are the smallest ways of them; otherwise
// none.
func crowded(in []*segment.Info, ways int) []*segment.Info {
	in = slices.SortedFunc(slices.Values(in), func(a, b *segment.Info) int { return strings.Compare(a.FirstKey, b.FirstKey) })
	var at, most []*segment.Info // segments that overlap at one URL, and the longest such list
	for _, s := range in {
		at = slices.DeleteFunc(at, func(o *segment.Info) bool { return o.LastKey < s.FirstKey })
		if at = append(at, s); len(at) > len(most) {
			most = slices.Clone(at)
		}
	}
	if len(most) <= ways {
		return nil
	}
	slices.SortFunc(most, func(a, b *segment.Info) int { return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.ID, b.ID)) })
	return most[:ways]
}

// mergeThese merges some segments of the task's pool and publishes the result. If
// large is set, it splits the pool.
func (w *writer) mergeThese(ctx context.Context, v *Snapshot, t mergeTask, in []*segment.Info, large bool) (p publication, err error) {
	p.change = change{out: in, seen: v.pin.generation, on: v.pin.catalog}
	m := newMerging(w, v, t, in)
	defer m.close()
	if t.seal {
		p.seal, p.whole = true, t.pool
	}
	if large {
		m.split, p.whole = newSplit(v.pin.catalog, t.pool, limitOr(t.limit), t.seal), t.pool
	}
	if m.hidden, err = v.isHidden(); err != nil {
		return p, err
	}
	if len(in) == len(v.pin.poolSegments(t.pool)) {
		if err := m.findBodies(ctx); err != nil {
			return p, err
		}
	}
	if err := m.run(ctx); err != nil {
		return p, err
	}
	forms, err := m.again(ctx)
	if err != nil {
		return p, err
	}
	p.made = append(m.done, forms...)
	if err := m.names(&p); err != nil {
		return p, err
	}
	if m.split != nil {
		p.parts = m.split.measured(m.done)
		if p.depends, err = m.dependents(ctx); err != nil {
			return p, err
		}
	}
	p.unfinished, m.index = m.index, nil
	return p, w.publish(ctx, p)
}

// mergeable returns the segments of in that can be merged now, and whether they
// have hidden captures. A segment with a hidden capture from which others take
// their bodies must stay, unless the whole pool is merged.
func (v *Snapshot) mergeable(in []*segment.Info) (out []*segment.Info, hidden bool, err error) {
	inside := needNone
	if len(in) > 0 && len(in) == len(v.pin.poolSegments(in[0].Pool)) {
		inside = needOther
	}
	removals, err := v.removals()
	if err != nil {
		return nil, false, err
	}
	for _, s := range in {
		needed := false
		for _, r := range removals {
			list := r.removal.hidden[s.ID]
			needed = needed || slices.ContainsFunc(list, func(h hiddenAt) bool { return h.need > inside })
		}
		if needed {
			continue
		}
		for _, r := range removals {
			hidden = hidden || len(r.removal.hidden[s.ID]) > 0
		}
		out = append(out, s)
	}
	return out, hidden, nil
}

// lockPool takes the merge lock of a pool, or returns errMerging if another process
// holds it. The caller calls unlock.
func (a *Archive) lockPool(pool string) (unlock func(), err error) {
	dir := filepath.Join(a.dir, dirPools, pool)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return func() {}, nil // the pool does not exist
	}
	f, err := a.opts.Disk.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	free, err := disk.TryExclusive(f)
	if err == nil && !free {
		err = errMerging
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}

// merging is the state of a merge: it makes new segments from those of a pool.
type merging struct {
	w      *writer
	v      *Snapshot
	merged string // the pool that is merged
	pool   string // the pool that is written to: merged, then its new parts
	seal   bool
	split  *split // nil if the pool is not split
	in     map[uint32]*segment.Info
	cursor heads // of in
	look   *looker
	hidden func(timeline.Place) bool // whether the capture at a place was deleted
	// bodies are the bodies of deleted captures that other pools need, by ID.
	bodies map[segment.ID]*segment.Stored
	enc    *zstd.Encoder
	blocks *segment.Blocks
	known  *knownBlocks

	progress    func(pool string, done, total int64) // or nil
	total, read int64
	out         *output // the segment being written
	done        []made
	index       *segment.IndexBuilder // of the finished segments; nil at first

	at *places // new places of the blocks of merged segments
}

// output is a segment being written.
type output struct {
	*segment.Writer
	id   uint32
	file disk.File
	last string // key of the last entry
	// own are the bodies of the current URL that this segment stores.
	own map[segment.ID]bool
}

func newMerging(w *writer, v *Snapshot, t mergeTask, in []*segment.Info) *merging {
	m := &merging{
		w: w, v: v, merged: t.pool, pool: t.pool, seal: t.seal, progress: t.progress, total: t.done + t.total, read: t.done, in: make(map[uint32]*segment.Info), enc: newEncoder(),
		blocks: segment.NewBlocks(mergeBlocks), bodies: make(map[segment.ID]*segment.Stored), at: newPlaces(w.a.opts.Disk, w.dir, in, w.a.merging.places),
	}
	if t.seal {
		m.enc = w.packer.Encoder()
	}
	m.known = &knownBlocks{runs: v.runs, blocks: m.blocks}
	for _, s := range in {
		m.in[s.ID] = s
		m.cursor = append(m.cursor, newCursor(v.runs.reader(s), 0, v))
	}
	m.look = v.looker(0)
	return m
}

func (m *merging) close() {
	m.look.close()
	for _, c := range m.cursor {
		c.close()
	}
	if m.out != nil {
		m.out.file.Close()
	}
	if m.index != nil {
		_ = m.index.Abandon() // the file is deleted with the writer's folder
	}
	_ = m.at.close()
}

// run writes all new segments.
func (m *merging) run(ctx context.Context) error {
	h := make(heads, 0, len(m.cursor))
	for _, c := range m.cursor {
		if err := c.seek(""); err != nil {
			return err
		}
		if !c.end {
			h = append(h, c)
		}
	}
	h.init()
	var group []timeline.Capture
	for len(h) > 0 {
		key := h[0].key()
		for len(h) > 0 && h[0].key() == key {
			var err error
			if group, err = h[0].group(group[:0]); err != nil {
				return err
			}
			m.read += int64(len(group))
			h.moved()
		}
		all, err := m.look.at(ctx, key)
		if err != nil {
			return err
		}
		if err := m.url(ctx, all); err != nil {
			return err
		}
		if m.progress != nil {
			m.progress(m.pool, m.read, m.total)
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

// dependedOn reports whether a segment that is not merged depends on the pool. Its
// db-file says so, and therefore the pool must stay in force, even empty after all
// its captures were deleted.
func (m *merging) dependedOn() bool {
	return slices.ContainsFunc(m.v.pin.segments, func(s *segment.Info) bool {
		return m.in[s.ID] == nil && slices.Contains(s.Depends, m.pool)
	})
}

// url writes the captures of one URL that are merged. all has the URL's captures in
// other segments too.
func (m *merging) url(ctx context.Context, all []timeline.Capture) error {
	u := &siblings{all: all, stays: m.stays}
	for i := range all {
		l := &all[i]
		if m.in[l.Seg.Info.ID] == nil {
			continue
		}
		if err := m.begin(ctx, l.Key); err != nil {
			return err
		}
		u.upTo(l.Time)
		e, body, err := m.entry(ctx, l, u)
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

// begin makes sure that an output segment is open for the entries of a URL. It ends
// the current segment or part if that is full.
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
		id, err := m.w.allocate(ctx, 1)
		if err != nil {
			return err
		}
		f, err := disk.Create(m.w.a.opts.Disk, filepath.Join(m.w.dir, fmt.Sprintf("%06d.raw", id)))
		if err != nil {
			return err
		}
		urls := int64(0)
		for _, s := range m.in {
			urls += s.URLs
		}
		if m.index == nil {
			name := indexName(id, 0)
			if m.index, err = segment.NewIndexBuilder(m.w.a.opts.Disk, filepath.Join(m.w.dir, name)); err != nil {
				f.Close()
				return err
			}
		}
		m.out = &output{Writer: segment.NewWriter(f, m.enc, m.pool, id, int(min(urls, mergedCaptures)), m.blocks), id: id, file: f}
		if m.seal {
			m.out.Pack(m.w.packer, m.dict, block.ShortFacts)
		}
		m.valid()
		if err := m.out.Index(m.index); err != nil {
			return err
		}
	}
	m.out.last, m.out.own = key, make(map[segment.ID]bool)
	return nil
}

// nextPart ends the current part of the pool, and begins the next part at key.
// Blocks that unmerged segments still need are stored in the first part, because
// those segments depend on it.
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

// valid tells m.blocks which segments a recipe may refer to: segments of this or an
// earlier pool that are not merged, and the new segments.
func (m *merging) valid() {
	pools := make(map[uint32]string)
	for _, s := range m.v.pin.segments {
		if m.in[s.ID] == nil && s.Pool <= m.pool {
			pools[s.ID] = s.Pool
		}
	}
	for _, d := range m.done {
		pools[d.info.ID] = d.info.Pool
	}
	pools[m.out.id] = m.pool
	m.blocks.Valid(pools)
}

// finish ends and syncs the segment being written.
func (m *merging) finish() error {
	if m.out == nil {
		return nil
	}
	out := m.out
	for _, id := range out.Uses() {
		out.Depend(m.poolOf(id))
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
	if err := m.index.AddSegment(&info, out.Writer); err != nil {
		return err
	}
	m.done = append(m.done, made{info: &info, path: out.file.Name()})
	return nil
}

func (m *merging) poolOf(id uint32) string {
	if s := m.v.runs.segment(id); s != nil {
		return s.Info.Pool
	}
	for _, d := range m.done {
		if d.info.ID == id {
			return d.info.Pool
		}
	}
	return m.pool
}

// entry returns the entry at l in the form in which it is stored. If the entry is
// to store its body itself, body is the entry that has the body now. u has the
// captures of its URL up to l.Time.
func (m *merging) entry(ctx context.Context, l *timeline.Capture, u *siblings) (e, body *segment.Stored, err error) {
	stored, err := m.v.runs.entry(l.Place)
	if err != nil {
		return nil, nil, err
	}
	e = new(*stored)
	facts, err := m.v.runs.facts(l.Seg, l.Run)
	if err != nil {
		return nil, nil, err
	}
	if e.Facts = facts.Page(l.N); !m.look.disturbed && u.known(l) {
		e.Fold = facts.Fold(l.N)
	}
	body, at := e, l.Place
	switch {
	case e.Body == segment.BodyNone && l.Resolved && (!l.AsBefore || m.hidden(l.From)):
		// A 304 that refers to the capture before stays so only while that capture
		// exists.
		if body, at, err = m.v.owner(ctx, l.Place, e); err != nil {
			return nil, nil, err
		}
		if body != nil && at.Seg.Info.Pool <= m.pool {
			if err := m.v.fill(ctx, e, l, body); err != nil {
				return nil, nil, err
			}
			holdBy(e, body, at.Seg)
		}
	case e.Body == segment.BodyHeld || e.Body == segment.BodyElsewhere:
		if body, at, err = m.v.owner(ctx, l.Place, e); err != nil {
			return nil, nil, err
		}
		holdBy(e, body, at.Seg)
	}
	e.Previous, e.VersionTime, e.PreviousVersion, e.Change = l.Previous, l.VersionTime, l.PreviousVersion, l.Change
	e.Kind, e.Bytes = l.Kind, l.Bytes
	if e.Body == segment.BodyNone {
		return e, nil, nil
	}
	if s := u.heldOutside(e.ID); s != nil {
		e.Body, e.HolderKey, e.Holder = segment.BodyHeld, "", s.Info.ID
		m.out.Depend(s.Info.Pool)
		return e, nil, nil
	}
	if m.out.own[e.ID] {
		e.Body, e.HolderKey, e.Holder = segment.BodyHeld, "", 0
		return e, nil, nil
	}
	if e.Body == segment.BodyElsewhere && m.in[at.Seg.Info.ID] == nil && !m.hidden(at) {
		m.out.Depend(at.Seg.Info.Pool)
		return e, nil, nil
	}
	// The entry that has the body is merged too, or was deleted and disappears when
	// its pool is merged. From now on this entry stores the body. The segment still
	// stores each block once.
	e.Body, e.HolderKey, e.Holder = segment.BodyOwn, "", 0
	return e, body, nil
}

// holdBy makes e refer to the body that owner stores in segment r.
func holdBy(e, owner *segment.Stored, r *segment.Reader) {
	e.Body, e.HolderKey = segment.BodyHeld, ""
	if owner.Key != e.Key {
		e.Body, e.HolderKey = segment.BodyElsewhere, owner.Key
	}
	e.Holder = r.Info.ID
}

// stays reports whether a capture stores its body in a segment that is not merged,
// in the pool being written or an earlier one.
func (m *merging) stays(l *timeline.Capture) bool {
	return l.Body == segment.BodyOwn && m.in[l.Seg.Info.ID] == nil && l.Seg.Info.Pool <= m.pool
}

// move writes entry e with the body that the entry body stores; both may be the
// same entry. before is the place of an earlier capture of the URL whose blocks e
// may share, or no place.
func (m *merging) move(e, body *segment.Stored, before timeline.Place) error {
	if before.Seg != nil {
		m.known.of(before) // so that its blocks are shared instead of stored again
	}
	spans, err := m.v.runs.spans(body.Recipe)
	if err != nil {
		return err
	}
	var parts []segment.Part
	for _, s := range spans {
		if parts, err = m.appendParts(parts, s); err != nil {
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

// refs returns one reference for each block of the spans.
func refs(spans []segment.Span) []segment.BlockRef {
	var out []segment.BlockRef
	for _, s := range spans {
		for n := range s.Count {
			out = append(out, segment.BlockRef{Segment: s.Segment, Run: s.Run, N: s.N + n})
		}
	}
	return out
}

// appendParts appends one part for each block of a span.
func (m *merging) appendParts(parts []segment.Part, s segment.Span) ([]segment.Part, error) {
	r, err := m.known.spanned(s)
	if err != nil {
		return nil, err
	}
	var places []segment.BlockRef // new places, if the run is merged
	if m.at.has(s.Segment) {
		if places, err = m.at.run(segment.RunRef{Segment: s.Segment, Run: s.Run}, len(r.ids)); err != nil {
			return nil, err
		}
	}
	for i := range s.Count {
		n := s.N + i
		p := segment.Part{ID: r.ids[n], Size: int(r.size(n)), At: segment.BlockRef{Segment: s.Segment, Run: s.Run, N: n}}
		p.Read = m.reader(p.At)
		if places != nil {
			p.At = places[n]
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// reader returns a function that reads a block and its facts.
func (m *merging) reader(at segment.BlockRef) func() (b, facts []byte, err error) {
	return func() ([]byte, []byte, error) {
		s := m.v.runs.segment(at.Segment)
		r, err := m.v.runs.run(s, at.Run)
		if err != nil {
			return nil, nil, err
		}
		b, err := r.Block(at.N)
		if err != nil {
			return nil, nil, &segment.Error{File: s.Info.File, Offset: -1, Err: err}
		}
		facts, err := m.v.runs.facts(s, at.Run)
		if err != nil {
			return nil, nil, err
		}
		return b, facts.Kept(at.N), nil
	}
}

// keepUsed stores the blocks that captures of the merged segments no longer need,
// but recipes of other segments do.
func (m *merging) keepUsed(ctx context.Context) error {
	for _, body := range m.bodies {
		if err := m.keep(ctx, body.Recipe); err != nil {
			return err
		}
	}
	if left, err := m.anyLeft(); !left || err != nil {
		return err
	}
	hidden, err := m.v.hiddenNeeds()
	if err != nil {
		return err
	}
	for _, s := range m.v.pin.segments {
		if m.in[s.ID] != nil || len(s.Uses) == 0 {
			continue
		}
		err := m.v.everyEntry(ctx, s, func(at timeline.Place, e *segment.Stored) error {
			if n, gone := hidden(at); gone && n == needNone {
				return nil // nobody needs what it consists of either
			}
			return m.keep(ctx, e.Recipe)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// anyLeft reports whether a block of a merged segment has no new place yet.
func (m *merging) anyLeft() (bool, error) {
	for id, s := range m.in {
		for n := range uint32(s.Runs) {
			ref := segment.RunRef{Segment: id, Run: n}
			if !m.at.met(ref) {
				// None of its blocks is needed, or it has no blocks.
				if r, err := m.known.run(id, n); err != nil || len(r.ids) > 0 {
					return true, nil
				}
				continue
			}
			at, err := m.at.run(ref, 0)
			if err != nil || slices.ContainsFunc(at, func(b segment.BlockRef) bool { return b.Segment == 0 }) {
				return true, err
			}
		}
	}
	return false, nil
}

// keep stores those blocks of a recipe that are in merged segments and have no new
// place yet.
func (m *merging) keep(ctx context.Context, recipe segment.Recipe) error {
	spans, err := m.v.runs.spans(recipe)
	if err != nil {
		return err
	}
	for _, s := range spans {
		if !m.at.has(s.Segment) {
			continue
		}
		parts, err := m.appendParts(nil, s)
		if err != nil {
			return err
		}
		for i := range parts {
			if parts[i].At.Segment != 0 {
				continue
			}
			if m.out == nil {
				if err := m.begin(ctx, ""); err != nil {
					return err
				}
			}
			at, err := m.out.Keep(parts[i])
			if err != nil {
				return err
			}
			if err := m.at.set(segment.BlockRef{Segment: s.Segment, Run: s.Run, N: s.N + uint32(i)}, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// names writes the file that says where the blocks of the merged segments are now,
// and adds it to p.
func (m *merging) names(p *publication) error {
	if len(m.done) == 0 {
		return nil
	}
	p.names, p.dropped, p.namesPath = &namesInfo{}, make(map[uint32]bool), filepath.Join(m.w.dir, "names")
	f, err := disk.Create(m.w.a.opts.Disk, p.namesPath)
	if err != nil {
		return err
	}
	defer f.Close()
	var rec []byte
	to := make(map[uint32]bool)
	for _, id := range slices.Sorted(maps.Keys(m.in)) {
		n, err := m.namesOf(m.in[id])
		if err != nil {
			return err
		}
		for _, s := range n.To() {
			to[s] = true
		}
		if n.Gone() || m.isSplit() {
			// A segment that is written from now on may use a block without
			// depending on the part that has it.
			p.dropped[id] = true
		}
		rec = segment.AppendNames(rec[:0], m.enc, m.done[0].info, n)
		if _, err := f.Write(rec); err != nil {
			return err
		}
		p.names.bytes, p.names.crc = p.names.bytes+int64(len(rec)), lines.AddSum(p.names.crc, rec)
		p.names.of = append(p.names.of, id)
	}
	p.names.to = slices.Sorted(maps.Keys(to))
	return f.Sync()
}

// namesOf returns the new places of the blocks of a merged segment.
func (m *merging) namesOf(s *segment.Info) (*segment.Names, error) {
	names := segment.NewNames(s.ID)
	for n := range uint32(s.Runs) {
		ref, blocks := segment.RunRef{Segment: s.ID, Run: n}, 0
		if !m.at.met(ref) {
			r, err := m.known.run(s.ID, n)
			if err != nil {
				return nil, err
			}
			blocks = len(r.ids)
		}
		at, err := m.at.run(ref, blocks)
		if err != nil {
			return nil, err
		}
		names.Add(at)
	}
	return names, nil
}
