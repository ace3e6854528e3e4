package remove

import (
	"context"
	"errors"
	"slices"
	"strings"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// Drop removes a pool from the archive. Its files are deleted when no snapshot uses
// them any more. If other pools need bodies of the pool, the error is a
// *task.DependsError. If there is no such pool, the error is a *task.NoPoolError. A
// misnamed pool (not named after a month) can always be dropped. If other pools need
// it, its captures are removed, and the blocks that other pools use stay.
func (a *Remover) Drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, err := a.dropWhole(ctx, o)
	var needed *task.DependsError
	if errors.As(err, &needed) && catalog.Misnamed(o.Pool) != nil {
		return a.hollow(ctx, o)
	}
	return res, err
}

// hollow deletes all captures of the pool o.Pool and then merges the pool, so that only
// the blocks that other pools use are left in it. If o.Dry is set, it only counts.
func (a *Remover) hollow(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	v, err := a.snapshots.Open(ctx)
	if err != nil {
		return task.DropResult{}, err
	}
	res, err := a.deletePool(ctx, v, o)
	if e := v.Close(); err == nil {
		err = e
	}
	if err != nil || o.Dry {
		return res, err
	}
	merged, err := a.merge(ctx, task.MergeOptions{Pools: []string{o.Pool}, Seal: res.Static})
	for _, m := range merged {
		res.Files, res.Bytes = m.Segments-m.Into, m.OldBytes-m.Bytes
	}
	return res, err
}

// deletePool deletes all captures of the pool o.Pool, as Delete does, but not the pool. If o.Dry
// is set, it only counts them. v is a snapshot of the archive's present state.
func (a *Remover) deletePool(ctx context.Context, v *snapshot.Snapshot, o task.DropOptions) (task.DropResult, error) {
	var all []task.Target
	for _, info := range v.Pin.PoolSegments(o.Pool) {
		err := v.Entries(ctx, v.Runs.Reader(info), func(e *timeline.Capture) error {
			all = append(all, task.Target{Key: e.Key, Ref: e.Ref()})
			return nil
		})
		if err != nil {
			return task.DropResult{}, err
		}
	}
	slices.SortStableFunc(all, func(a, b task.Target) int { return strings.Compare(a.Key, b.Key) })
	res := task.DropResult{RemovedPool: task.RemovedPool{Name: o.Pool, Static: v.Pin.IsStatic(o.Pool)}}
	deleted, err := a.Delete(ctx, v, task.DeleteOptions{Dry: o.Dry, Reason: "DROP POOL", Targets: func(yield func(task.Target, error) bool) {
		for _, t := range all {
			if !yield(t, nil) {
				return
			}
		}
	}})
	for _, p := range deleted.Pools {
		if p.Name == o.Pool {
			res.RemovedPool = p
		}
	}
	return res, err
}

// dropWhole drops a pool. It tries again if another process changes the archive meanwhile.
// If other pools need bodies of the pool, the error is a *task.DependsError.
func (a *Remover) dropWhole(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	var res task.DropResult
	err := commit.Retry(ctx, func() (err error) { // captures may be added to the pool meanwhile, or come to need it
		res, err = a.drop(ctx, o)
		return err
	})
	return res, err
}

// drop makes one attempt to drop a pool from the archive's present state. The error
// is catalog.ErrStale if another process changed the archive meanwhile.
func (a *Remover) drop(ctx context.Context, o task.DropOptions) (task.DropResult, error) {
	res, p, err := a.planDrop(ctx, o)
	if err != nil || o.Dry {
		return res, err
	}
	w, err := a.folder.NewWriter(ctx)
	if err != nil {
		return res, err
	}
	// The pin keeps the files of the pool until what others need of them is elsewhere.
	before, err := a.folder.Pin()
	if err == nil {
		if err = w.Publish(ctx, p); err == nil && a.Published != nil {
			a.Published(ctx)
		}
		before.Release()
		// The removal is in force also if its files cannot be deleted: the next writer tries
		// again, and returns the error.
		_ = a.folder.Sweep(context.WithoutCancel(ctx))
	}
	return res, errors.Join(err, w.Close())
}

// planDrop prepares the removal of a pool. res describes what is removed, and p is the change to
// publish; if o.Dry is set, p is empty. planDrop opens a snapshot and closes it before it
// returns, because an open snapshot would keep the files.
func (a *Remover) planDrop(ctx context.Context, o task.DropOptions) (res task.DropResult, p commit.Publication, err error) {
	v, err := a.snapshots.Open(ctx)
	if err != nil {
		return res, p, err
	}
	defer v.Close()
	pools, err := v.Pin.Pools([]string{o.Pool})
	if err != nil {
		return res, p, err
	}
	i := slices.IndexFunc(pools, func(p catalog.Pool) bool { return p.Name == o.Pool })
	segments := pools[i].Segments
	if err := droppable(ctx, v, o.Pool); err != nil {
		return res, p, err
	}
	described, err := v.Pool(ctx, segments)
	if err != nil {
		return res, p, err
	}
	res.RemovedPool = task.RemovedPool{Name: o.Pool, Static: described.Static, Captures: described.Captures, Versions: described.Versions}
	res.Files, res.Bytes = v.Pin.FilesOnlyOf(segments)
	if o.Dry {
		return res, p, nil
	}
	r := &catalog.Removal{Time: record.At(a.now()), Drop: true, Captures: described.Captures, Pools: []string{o.Pool}}
	r.Touched, err = prints(ctx, v, segments)
	return res, commit.Publication{Change: catalog.Change{Out: segments, Seen: v.Pin.Generation}, Removal: r}, err
}

// droppable returns a *task.DependsError if captures of other pools have their bodies from the
// pool. Otherwise it returns nil.
func droppable(ctx context.Context, v *snapshot.Snapshot, pool string) error {
	e := &task.DependsError{Pool: pool}
	for _, s := range v.Pin.Segments {
		if s.Pool != pool && slices.Contains(s.Depends, pool) && !slices.Contains(e.By, s.Pool) {
			e.By = append(e.By, s.Pool)
		}
	}
	look := v.NewLooker(0)
	defer func() { look.Close() }()
	for _, info := range v.Pin.Segments {
		if info.Pool == pool || catalog.MonthOf(info.Pool) < catalog.MonthOf(pool) || slices.Contains(e.By, info.Pool) || slices.Contains(e.Revisits, info.Pool) {
			continue // a revisit takes nothing from a later month
		}
		found, err := revisitsTo(ctx, v, info, pool, look)
		if err != nil {
			return err
		}
		if found {
			e.Revisits = append(e.Revisits, info.Pool)
		}
		look.Close()
		look = v.NewLooker(0) // a looker only moves forward
	}
	if len(e.By)+len(e.Revisits) > 0 {
		return e
	}
	return nil
}

// revisitsTo reports whether the segment that info describes has a revisit without a body of its own
// that has its body from the pool, directly or through a chain of other revisits. The looker finds
// the captures of each URL. A looker only moves forward, so the caller must not have used it for a
// URL of this segment.
func revisitsTo(ctx context.Context, v *snapshot.Snapshot, info *segment.Info, pool string, look *snapshot.Looker) (bool, error) {
	found, last := false, ""
	err := v.Entries(ctx, v.Runs.Reader(info), func(e *timeline.Capture) error {
		if e.Body != segment.BodyNone || e.Key == last {
			return nil
		}
		last = e.Key
		group, err := look.At(ctx, e.Key)
		if err != nil {
			return err
		}
		for i := range group {
			if g := &group[i]; g.Seg.Info.Pool != pool && g.Resolved && (g.From.Seg.Info.Pool == pool || g.Original != nil && g.Original.Through.Has(pool)) {
				found = true
				return snapshot.ErrStop
			}
		}
		return nil
	})
	if errors.Is(err, snapshot.ErrStop) {
		err = nil
	}
	return found, err
}

// prints returns the fingerprints (checksums of the keys) of all URLs in some
// segments, sorted and without duplicates.
func prints(ctx context.Context, v *snapshot.Snapshot, segments []*segment.Info) ([]uint32, error) {
	var out []uint32
	for _, info := range segments {
		last := ""
		err := v.Entries(ctx, v.Runs.Reader(info), func(e *timeline.Capture) error {
			if e.Key != last {
				last = e.Key
				out = append(out, catalog.Fingerprint(e.Key))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
