// Package merge rewrites the segments of a pool as segments that follow one another in order of
// URL. It drops duplicate and deleted captures, splits pools that are too large, and computes
// again what other versions of the program found out about bodies.
//
// # Words
//
//	seal      to merge a pool for good: it becomes static, and is packed more tightly
//	round     one of the merges that a pool with very many segments needs
//	split     to divide a pool by URL into parts
//	place     where a block of a merged segment is now
//	leftover  a block that captures in other segments use, but no merged capture
//	recipe    the list of a body's blocks
//	hidden    deleted, but still in a db-file
//	give      a deleted capture gives its body to the captures that have their body from it
//	new form  a segment that is written again, with captures and blocks in the same places
//	siblings  the captures of one URL
//	state     a period in which a capture had its body from a capture that was deleted since
//	fold      how the blocks of a version relate to those of earlier versions of its URL
//	sense     whether a version differs from the version before in content, or only by noise
package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
)

const (
	// A merged segment ends after the URL that makes it larger than mergedBytes or gives it
	// more than mergedCaptures captures. The limits bound memory: a reader holds the places of
	// the segment's runs, and the next merge holds the new places of its blocks.
	mergedBytes    = 512 << 20
	mergedCaptures = 1 << 20
	// mergeRuns is how many bytes of decoded runs (neighbouring captures compressed
	// together) a merge keeps in memory. mergePlaces is how many bytes of new places
	// of blocks it keeps in memory: enough for about seven hundred thousand blocks.
	mergeRuns   = 24 << 20
	mergePlaces = 8 << 20
	// mergeBlocks is how many blocks a merge remembers, to find equal blocks that several
	// writers have stored. Captures that shared a block already before the merge find it by
	// its new place, without this memory.
	mergeBlocks = 200_000
)

// Bounds are the limits of what a merge reads at once and keeps in memory.
type Bounds struct {
	Ways   int   // how many segments with captures of the same URL are merged at once
	Runs   int64 // how many bytes of decoded runs are in memory
	Places int64 // how many bytes of new places of blocks are in memory
}

// Merger merges the segments of one archive's pools. Several goroutines may use it.
type Merger struct {
	folder    *commit.Folder
	snapshots *snapshot.Source
	warn      func(error)
	Bounds    Bounds
	// Published is called after a publication with the new segments, while the segments
	// that went out of force are still pinned. If it is nil, it is not called.
	Published func(ctx context.Context, made []*segment.Info)
	histories int64 // how many bytes of histories REINDEX DERIVED keeps in memory
}

// New returns a Merger for the archive in the folder f. s opens snapshots of that archive. warn
// is called with errors that do not stop a merge. histories is how many bytes of memory REINDEX
// DERIVED takes for the histories of URLs.
func New(f *commit.Folder, s *snapshot.Source, warn func(error), histories int64) *Merger {
	return &Merger{folder: f, snapshots: s, warn: warn, Bounds: Bounds{catalog.MergeWays, mergeRuns, mergePlaces}, histories: histories}
}

// ErrMerging is returned by Merge if the pool is to be sealed and another process is
// merging it.
var ErrMerging = errors.New("another process merges the pool")

// Merge rewrites each pool in o.Pools as segments that follow one another in order of URL, and
// returns one result for each pool. If o.Pools is nil, it merges all pools. It drops duplicate
// captures and blocks, corrects hints (how a capture differs from the one before it), and finds
// the originals of revisits that were imported before their originals. Readers keep the old
// segments until they are done. Merge leaves out a pool that another process is merging.
//
// If there is no pool with one of the names, the error is a *task.NoPoolError. If a named pool
// is static and o.Seal is not set, the error is a *task.StaticError.
//
// The memory that Merge takes does not depend on the size of the pool, except for the filters
// of its segments' URLs: a byte or two for each URL.
func (m *Merger) Merge(ctx context.Context, o task.MergeOptions) ([]task.MergeResult, error) {
	p, err := m.folder.Pin()
	if err != nil {
		return nil, err
	}
	p.Release() // the segments are chosen when the pool's turn comes
	if o.Pools == nil {
		p.WarnMisnamed(m.warn)
	}
	pools, named := p.PoolNames(), o.Pools != nil
	if !named {
		o.Pools = pools
	}
	// expect returns what is known of a pool before the merge, and whether there is something to do.
	expect := func(pool string) (r task.MergeResult, due bool) {
		r = mergeResult(pool, p.PoolSegments(pool))
		r.Large = p.Oversized(pool, catalog.PoolLimit(o.PoolLimit))
		r.Static = p.IsStatic(pool)
		r.Deleted = p.HidesIn(pool)
		return r, r.Segments > 1 && !r.Static || o.Seal && !r.Static || r.Deleted && (!r.Static || o.Seal) || r.Large && !r.Static
	}
	var all int64    // captures of the pools to merge
	var before int64 // captures of the pools that were merged so far
	for _, pool := range o.Pools {
		if r, due := expect(pool); due {
			all += r.Captures
		}
	}
	var out []task.MergeResult
	packer := new(segment.Packer)
	for _, pool := range o.Pools {
		if !slices.Contains(pools, pool) {
			return out, &task.NoPoolError{Name: pool, Pools: pools}
		}
		r, due := expect(pool)
		switch {
		case r.Static && named && !o.Seal:
			return out, &task.StaticError{Pool: pool}
		case (!r.Static || o.Seal && r.Deleted) && !o.Dry:
			captures := r.Captures
			t := mergeTask{pool: pool, packer: packer, seal: o.Seal, limit: o.PoolLimit, choose: func(c *catalog.Catalog) []*segment.Info { return c.PoolSegments(pool) }}
			if o.Progress != nil {
				t.progress = func(done, total int64) {
					if total > 0 { // of all rounds; a pool of many segments needs several
						o.Progress(before+int64(float64(captures)*float64(done)/float64(total)), all)
					}
				}
			}
			if r, err = m.do(ctx, t); err != nil {
				return out, err
			}
			if due {
				before += captures
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// mergeTask says which segments of a pool are merged, and how.
type mergeTask struct {
	pool     string
	seal     bool                                   // the pool becomes static
	limit    int64                                  // size in bytes above which the pool is split; 0 means the default
	byItself bool                                   // no statement asked for the merge, so it may be left to the next process
	choose   func(*catalog.Catalog) []*segment.Info // returns the segments to merge from the current catalogue
	packer   *segment.Packer                        // shared with the merges of other pools; nil means a new one
	// done is how many captures earlier rounds of this merge have merged. total is how many
	// captures this round merges.
	done, total int64
	// left is how many segments the pool had before the last round. If that round did
	// not reduce their number, there is no further round.
	left     int
	progress func(done, total int64) // is called with numbers of captures; or nil
}

// someMost is the greatest number of merges in one call of Some.
const someMost = 4

// Some merges those segments of a pool that the function choose selects from the current
// catalogue. It repeats this until choose selects none, because a merge may make another one
// due. If choose selects all segments of the pool, and the pool is larger than limit bytes,
// Some splits the pool; a limit of 0 means the default. Some is for merges for which no
// statement has asked: if another process merges or changes these segments meanwhile, Some
// leaves them to that process and returns nil.
func (m *Merger) Some(ctx context.Context, pool string, limit int64, choose func(*catalog.Catalog) []*segment.Info) error {
	for range someMost {
		r, err := m.do(ctx, mergeTask{pool: pool, limit: limit, byItself: true, choose: choose})
		if err != nil || r.Into == 0 {
			return err
		}
	}
	return nil
}

// mergeResult returns a MergeResult for a merge that has not begun: it has the counts of the
// segments in the list in, which will be merged.
func mergeResult(pool string, in []*segment.Info) task.MergeResult {
	r := task.MergeResult{Pool: pool, Segments: len(in)}
	for _, s := range in {
		r.Captures += s.Captures
		r.OldBytes += s.Bytes + s.IndexBytes
	}
	return r
}

// do carries out the task t with a new writer. If another process is merging the pool, and t does
// not seal the pool, do does nothing: the result has no segments, and the error is nil.
func (m *Merger) do(ctx context.Context, t mergeTask) (task.MergeResult, error) {
	w, err := m.folder.NewWriter(ctx)
	if err != nil {
		return task.MergeResult{}, err
	}
	if t.packer != nil {
		w.Packer = t.packer
	}
	r, err := m.mergeBy(ctx, w, t)
	if errors.Is(err, ErrMerging) && !t.seal || errors.Is(err, catalog.ErrStale) && t.byItself {
		r, err = task.MergeResult{Pool: t.pool}, nil
	}
	if e := w.Close(); err == nil {
		err = e
	}
	if err != nil {
		err = fmt.Errorf("merge pool %s: %w", t.pool, err)
	}
	return r, err
}

// mergeBy carries out the task t with writer w, in as many rounds as needed. It returns
// ErrMerging if another process is merging the pool.
func (m *Merger) mergeBy(ctx context.Context, w *commit.Writer, t mergeTask) (task.MergeResult, error) {
	unlock, free, err := m.folder.LockPool(t.pool)
	if err == nil && !free {
		err = ErrMerging
	}
	if err != nil {
		return task.MergeResult{}, err
	}
	defer unlock()
	var before *task.MergeResult // the pool before the first round
	for {
		var r task.MergeResult
		var more bool
		once := func() (err error) {
			r, more, err = m.mergeOnce(ctx, w, &t)
			return err
		}
		var err error
		if t.byItself {
			err = once() // the next process that publishes tries again
		} else {
			err = commit.Retry(ctx, once)
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
			// not only when somebody writes again. The merge is in force also if that
			// fails: the next writer tries again, and returns the error.
			_ = m.folder.Sweep(ctx)
		}
		return r, err
	}
}

// mergeOnce merges the segments that t.choose selects. If they are too many to merge
// at once, it merges only some of them. more is then true, and the caller must call
// mergeOnce again.
func (m *Merger) mergeOnce(ctx context.Context, w *commit.Writer, t *mergeTask) (r task.MergeResult, more bool, err error) {
	v, err := m.snapshots.Open(ctx)
	if err != nil {
		return r, false, err
	}
	defer v.Close()
	v.Runs.Shelve(m.Bounds.Runs, m.Bounds.Ways+1)
	in, hidden, err := mergeable(v, t.choose(v.Pin.Catalog))
	if err != nil {
		return r, false, err
	}
	r = mergeResult(t.pool, in)
	all, static := len(in) == len(v.Pin.PoolSegments(t.pool)), v.Pin.IsStatic(t.pool)
	r.Static, r.Deleted = static, hidden
	if static && (!hidden || !t.seal) {
		return r, false, nil // it was sealed or rewritten meanwhile
	}
	r.Large = all && !static && v.Pin.Oversized(t.pool, catalog.PoolLimit(t.limit))
	if len(in) == 0 || len(in) == 1 && !hidden && !t.seal && !r.Large {
		return r, false, nil
	}
	some, _, err := mergeable(v, crowded(in, m.Bounds.Ways))
	if err != nil {
		return r, false, err
	}
	if len(some) > 1 && (t.left == 0 || len(in) < t.left) {
		t.left = len(in)
		round := mergeTask{pool: t.pool, done: t.done, total: r.Captures, progress: t.progress}
		_, err := m.mergeThese(ctx, w, v, round, some, false)
		for _, s := range some {
			t.done += s.Captures
		}
		return r, true, err
	}
	t.total = r.Captures
	done, err := m.mergeThese(ctx, w, v, *t, in, r.Large)
	if err != nil {
		return r, false, err
	}
	if len(done.Parts) > 1 {
		for _, p := range done.Parts {
			r.Parts = append(r.Parts, p.Pool)
		}
	}
	r.Captures = 0
	for _, d := range done.Made {
		if d.Old != nil {
			continue
		}
		r.Into++
		r.Captures += d.Info.Captures
		r.Bytes += d.Info.Bytes + d.Info.IndexBytes
	}
	return r, false, nil
}

// crowded returns the segments that must be merged in a round before the others, or nil if there
// are none. The list in has all segments to merge. If more than ways segments overlap at one URL,
// crowded returns the smallest of them, as many as ways says.
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

// mergeThese merges the segments in the list in, all of the pool of task t, and publishes the
// new segments. If large is set, it also splits the pool. It returns what it published.
func (m *Merger) mergeThese(ctx context.Context, w *commit.Writer, v *snapshot.Snapshot, t mergeTask, in []*segment.Info, large bool) (p commit.Publication, err error) {
	p.Change = catalog.Change{Out: in, Seen: v.Pin.Generation, On: v.Pin.Catalog}
	removals, err := v.Removals()
	if err != nil {
		return p, err
	}
	looked := v.Pin.Segments
	if len(removals) == 0 && !large {
		p.Alone = t.byItself
		looked = lookedUp(in, looked, p.Alone)
	}
	g := newMerging(w, v, t, in, looked, m.Bounds.Places)
	defer g.close()
	if t.seal {
		p.Seal, p.Whole = true, t.pool
	}
	if large {
		g.split, p.Whole = newSplit(v.Pin.Catalog, t.pool, catalog.PoolLimit(t.limit), t.seal), t.pool
	}
	if g.hidden, err = v.IsHidden(); err != nil {
		return p, err
	}
	if len(in) == len(v.Pin.PoolSegments(t.pool)) {
		if err := g.findBodies(ctx); err != nil {
			return p, err
		}
	}
	if err := g.findGivers(); err != nil {
		return p, err
	}
	if err := g.run(ctx); err != nil {
		return p, err
	}
	forms, err := g.rewriteOthers(ctx)
	if err != nil {
		return p, err
	}
	p.Made = append(g.done, forms...)
	if err := g.names(&p); err != nil {
		return p, err
	}
	if g.split != nil {
		p.Parts = g.split.measured(g.done)
		if p.Depends, err = g.dependents(ctx); err != nil {
			return p, err
		}
	}
	p.Unfinished, g.index = g.index, nil
	if err := w.Publish(ctx, p); err != nil {
		return p, err
	}
	m.published(ctx, p.Made)
	return p, nil
}

// published calls m.Published, if it is set, with the new segments.
func (m *Merger) published(ctx context.Context, made []commit.Made) {
	if m.Published == nil {
		return
	}
	infos := make([]*segment.Info, len(made))
	for i := range made {
		infos[i] = made[i].Info
	}
	m.Published(ctx, infos)
}

// mergeable returns the segments of the list in that can be merged. hidden reports whether
// any of them has hidden captures (removed, but still in a file). mergeable leaves out a
// segment with a hidden capture from which other captures take their bodies, unless the
// list has all segments of the pool.
func mergeable(v *snapshot.Snapshot, in []*segment.Info) (out []*segment.Info, hidden bool, err error) {
	inside := catalog.NeedNone
	if len(in) > 0 && len(in) == len(v.Pin.PoolSegments(in[0].Pool)) {
		inside = catalog.NeedOther
	}
	removals, err := v.Removals()
	if err != nil {
		return nil, false, err
	}
	for _, s := range in {
		needed := false
		for _, r := range removals {
			list := r.Removal.Hidden[s.ID]
			needed = needed || slices.ContainsFunc(list, func(h catalog.Hidden) bool { return h.Need > inside })
		}
		if needed {
			continue
		}
		for _, r := range removals {
			hidden = hidden || len(r.Removal.Hidden[s.ID]) > 0
		}
		out = append(out, s)
	}
	return out, hidden, nil
}
