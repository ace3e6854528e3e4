// Package remove hides captures and pools at once. They leave the files later, when their
// segments are merged. A tombstone says when and why they were removed. If visible captures
// have their bodies from a removed capture, the body stays until they have it themselves.
//
// A capture needs a removed capture if it has its body from that capture.
//
// The block-list says what must not be imported again. A DELETE … FOREVER adds an entry to it
// in the same publication as the removal; ALLOW removes entries.
package remove

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// Remover removes captures and pools from one archive.
type Remover struct {
	folder    *commit.Folder
	snapshots *snapshot.Source
	now       func() time.Time
	merge     func(context.Context, task.MergeOptions) ([]task.MergeResult, error)
	// Published is called after a pool was dropped, while its segments are still pinned.
	// If it is nil, it is not called.
	Published func(context.Context)
}

// New returns a Remover for the archive in the folder f. s opens snapshots of that archive. The
// function merge carries out MERGE; the Remover calls it to drop a misnamed pool that other
// pools need.
func New(f *commit.Folder, s *snapshot.Source, now func() time.Time, merge func(context.Context, task.MergeOptions) ([]task.MergeResult, error)) *Remover {
	return &Remover{folder: f, snapshots: s, now: now, merge: merge}
}

// Delete removes the captures of snapshot v that o.Targets yields from the archive. They are
// hidden from the next snapshot on, and leave the files when their segments are rewritten.
// Other captures do not change, even if their bodies are stored at a deleted capture. A
// tombstone records when and why captures were deleted, but not which. If o.Forever is set,
// Delete also adds an entry to the block-list, even if there is nothing to remove. If o.Dry is
// set, Delete changes nothing and only counts. If another process replaced segments of the
// snapshot meanwhile, the error is task.ErrChanged.
//
// Delete takes about 50 bytes of memory for each capture that it deletes.
func (a *Remover) Delete(ctx context.Context, v *snapshot.Snapshot, o task.DeleteOptions) (task.DeleteResult, error) {
	d := &deletion{
		v: v, look: v.NewLooker(0), hide: make(map[timeline.Place]bool), needed: make(map[timeline.Place]catalog.Need),
		bodies: make(map[segment.ID][]timeline.Place), pools: make(map[string]*task.RemovedPool), keys: make(map[string]bool),
		digested: make(map[segment.ID]record.Ref), noted: make(map[needing]bool), dependents: make(map[uint32]bool), walked: make(map[walkedAt]catalog.Need),
	}
	d.look.KeepRaw = true
	defer d.look.Close()
	var res task.DeleteResult
	var err error
	if d.hidden, err = v.HiddenNeeds(); err != nil {
		return res, err
	}
	if err := d.targets(ctx, o.Targets); err != nil || len(d.hide) == 0 && (o.Forever == nil || o.Dry) {
		return res, err
	}
	if len(d.hide) > 0 {
		d.changes = v.Changes(func(p timeline.Place) bool { return d.hide[p] })
		if err := d.before(ctx); err != nil {
			return res, err
		}
		if err := d.others(ctx); err != nil {
			return res, err
		}
		d.needHolders()
	}
	for _, p := range d.pools {
		res.Pools = append(res.Pools, *p)
	}
	slices.SortFunc(res.Pools, func(a, b task.RemovedPool) int { return strings.Compare(a.Name, b.Name) })
	res.URLs, res.Left, res.Bodiless = int64(len(d.keys)), d.left, d.bodiless
	if o.Dry {
		return res, nil
	}
	now := record.At(a.now())
	var p commit.Publication
	if len(d.hide) > 0 {
		p.Removal = d.removal(res.Pools)
		p.Removal.Time, p.Removal.Reason = now, o.Reason
	}
	if o.Forever != nil {
		e, err := d.entry(ctx, o.Forever)
		if err != nil {
			return res, err
		}
		if e != nil {
			e.Time, e.Reason = now, o.Reason
			p.Block = d.block(e, &res.Entry)
		}
	}
	if p.Removal == nil && p.Block == nil {
		return res, nil
	}
	w, err := a.folder.NewWriter(ctx)
	if err != nil {
		return res, err
	}
	err = w.Publish(ctx, p)
	if errors.Is(err, catalog.ErrStale) {
		err = task.ErrChanged
	}
	return res, errors.Join(err, w.Close())
}

// deletion is the state of one Delete.
type deletion struct {
	v      *snapshot.Snapshot
	look   *snapshot.Looker
	hide   map[timeline.Place]bool                   // the captures to delete
	needed map[timeline.Place]catalog.Need           // for each place in hide: captures of which pools need the capture there
	hidden func(timeline.Place) (catalog.Need, bool) // reports whether a capture was deleted earlier, and captures of which pools need it; see Snapshot.HiddenNeeds
	bodies map[segment.ID][]timeline.Place           // by the ID of a body: the places in hide whose captures have that body
	keys   map[string]bool                           // the keys of the URLs of which captures are deleted
	pools  map[string]*task.RemovedPool              // the pools that lose captures, by name
	left   int64                                     // becomes DeleteResult.Left
	// digested has one deleted capture for each body that is not empty, by the ID of the body.
	// bodiless is how many deleted captures have no body or an empty one.
	digested map[segment.ID]record.Ref
	bodiless int64

	noted      map[needing]bool                   // the calls of needAll that were made
	walked     map[walkedAt]catalog.Need          // the deleted captures that revisit has reached, and the need that it recorded for each
	known      map[record.Time]*snapshot.Snapshot // the snapshots that knownAt has made, by time
	changes    *snapshot.Changes                  // finds the times at which captures had bodies from other captures than now
	dependents map[uint32]bool                    // fingerprints of the URLs whose bodies come from deleted captures, or from pools that lose captures
}

// needing identifies a call of needAll by its arguments. A second call with equal arguments
// would record nothing new.
type needing struct {
	key  string       // key of the URL of the deleted captures; "" for all URLs
	id   segment.ID   // the body that the deleted captures have
	pool string       // pool of the capture that has its body from them
	need catalog.Need // if that capture is deleted too: captures of which pools need it
}

// targets adds to d the captures to delete, which list yields sorted by URL. It returns the
// first error that list yields.
func (d *deletion) targets(ctx context.Context, list iter.Seq2[task.Target, error]) error {
	key, chosen := "", make(map[record.Ref]bool)
	for t, err := range list {
		if err != nil {
			return err
		}
		if t.Key != key && len(chosen) > 0 {
			if err := d.url(ctx, key, chosen); err != nil {
				return err
			}
			clear(chosen)
		}
		key = t.Key
		chosen[t.Ref] = true
	}
	if len(chosen) == 0 {
		return nil
	}
	return d.url(ctx, key, chosen)
}

// url adds to d the captures to delete of one URL: those captures in chosen whose URL has this
// key. If a capture was imported twice, it is deleted at both places.
func (d *deletion) url(ctx context.Context, key string, chosen map[record.Ref]bool) error {
	visible, err := d.look.At(ctx, key)
	if err != nil {
		return err
	}
	raw := d.look.Raw
	slices.SortStableFunc(raw, func(a, b timeline.Capture) int { return cmp.Compare(a.Time, b.Time) })
	bodies := make(map[segment.ID][]timeline.Place)
	var places []timeline.Place
	for i := range visible {
		e := &visible[i]
		if !chosen[e.Ref()] {
			continue
		}
		d.count(e)
		if e.HasBody() && e.Bytes != 0 {
			d.digested[e.ID] = e.Ref()
		} else {
			d.bodiless++
		}
		from, _ := slices.BinarySearchFunc(raw, e.Time, func(g timeline.Capture, t record.Time) int { return cmp.Compare(g.Time, t) })
		for j := from; j < len(raw) && raw[j].Time == e.Time; j++ {
			if g := &raw[j]; g.Same(e) || g.Place == e.Place {
				d.hide[g.Place] = true
				if e.HasBody() {
					bodies[e.ID] = append(bodies[e.ID], g.Place)
					places = append(places, g.Place)
				}
			}
		}
	}
	for id, list := range bodies {
		d.bodies[id] = append(d.bodies[id], list...)
	}
	d.keys[key] = true
	d.needs(key, visible, chosen, bodies, places)
	return nil
}

// needs sets d.needed for the deleted captures of the URL with this key. A deleted capture is
// needed if another capture has its body from it, and that other capture either stays or is
// needed itself. visible has the captures of the URL in order of time, and chosen says which of
// them are deleted. places are the places of the deleted captures that have a body, and bodies
// has the same places by the ID of the body.
func (d *deletion) needs(key string, visible []timeline.Capture, chosen map[record.Ref]bool, bodies map[segment.ID][]timeline.Place, places []timeline.Place) {
	for i := len(visible) - 1; i >= 0; i-- {
		e := &visible[i]
		if e.Body == segment.BodyOwn || chosen[e.Ref()] && d.needed[e.Place] == catalog.NeedNone {
			continue
		}
		if e.HasBody() {
			d.needAll(key, e.ID, bodies[e.ID], e.Place)
		}
		// A 304 needs the capture before it even if that has no body: it would otherwise have
		// the body of an earlier deleted capture.
		if i > 0 && timeline.AsBefore(e) && chosen[visible[i-1].Ref()] {
			d.need(visible[i-1].Place, e.Place)
		}
	}
	// Captures of the URL that were deleted earlier and are still needed also take
	// their bodies from these places. It matters little from which of them.
	var pools []string
	most := catalog.NeedNone
	for i := range d.look.Raw {
		e := &d.look.Raw[i]
		n, ok := d.hidden(e.Place)
		if !ok || n == catalog.NeedNone {
			continue
		}
		if most = max(most, n); !slices.Contains(pools, e.Seg.Info.Pool) {
			pools = append(pools, e.Seg.Info.Pool)
		}
	}
	for _, p := range places {
		switch {
		case most == catalog.NeedNone:
		case len(pools) > 1 || pools[0] != p.Seg.Info.Pool:
			d.needed[p] = catalog.NeedOther
		default:
			d.needed[p] = max(d.needed[p], most)
		}
	}
}

// needAll records that the capture at the place by has its body from one of the deleted captures
// at places. Because it is not known from which, needAll marks all of them as needed. id is the
// ID of the body. places must have all deleted captures with that body whose URL has this key,
// or of all URLs if key is "".
func (d *deletion) needAll(key string, id segment.ID, places []timeline.Place, by timeline.Place) {
	n := needing{key, id, by.Seg.Info.Pool, d.needed[by]}
	if d.noted[n] {
		return
	}
	d.noted[n] = true
	for _, p := range places {
		d.need(p, by)
	}
}

// need records that the capture at the place by has its body from the deleted capture at the
// place p. If the capture at by is deleted too, the captures that need it also need the capture
// at p. If both places are the same, need does nothing.
func (d *deletion) need(p, by timeline.Place) {
	n := catalog.NeedPool
	if p.Seg.Info.Pool != by.Seg.Info.Pool {
		n = catalog.NeedOther
	}
	if p != by {
		d.needed[p] = max(d.needed[p], n, d.needed[by])
	}
}

// count adds the deleted capture e to the counts of its pool in d.pools.
func (d *deletion) count(e *timeline.Capture) {
	info := e.Seg.Info
	p := d.pools[info.Pool]
	if p == nil {
		p = &task.RemovedPool{Name: info.Pool, Static: d.v.Pin.IsStatic(info.Pool)}
		d.pools[info.Pool] = p
	}
	p.Captures++
	if e.Change != record.ChangeSame {
		p.Versions++
	}
}

// others reads the entries of all captures of the archive. It records in d.needed which deleted
// captures store the body of a capture that stays. It counts in d.left the captures that stay
// and have the same body as a deleted capture.
func (d *deletion) others(ctx context.Context) error {
	for _, info := range d.v.Pin.Segments {
		s := d.v.Runs.Reader(info)
		err := d.v.Entries(ctx, s, func(e *timeline.Capture) error {
			n, hidden := d.hidden(e.Place)
			if d.hide[e.Place] {
				n, hidden = d.needed[e.Place], true
			}
			if hidden && n == catalog.NeedNone {
				return nil
			}
			bodies := d.bodies[e.ID]
			switch {
			case e.Body == segment.BodyNone:
				if err := d.revisit(ctx, d.v.Originals(), record.MaxTime, e); err != nil {
					return err
				}
				return d.earlier(ctx, e)
			case e.Body == segment.BodyElsewhere && len(bodies) > 0:
				d.needAll("", e.ID, bodies, e.Place)
				d.dependents[catalog.Fingerprint(e.Key)] = true
			}
			if len(bodies) > 0 && e.Bytes > 0 && !hidden {
				d.left++
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// needHolders completes d.needed, which says for deleted captures which pools still need them.
// Deleted captures of several pools may have the same body; then one stores it, and the others
// refer to the one that does. If any of these captures is needed, needHolders marks all of them as
// needed by other pools, so that a merge of only the pool with the body keeps the body.
func (d *deletion) needHolders() {
	for _, places := range d.bodies {
		several := slices.ContainsFunc(places, func(p timeline.Place) bool { return p.Seg.Info.Pool != places[0].Seg.Info.Pool })
		needed := func(p timeline.Place) bool { return d.needed[p] != catalog.NeedNone }
		if !several || !slices.ContainsFunc(places, needed) {
			continue
		}
		for _, p := range places {
			d.needed[p] = catalog.NeedOther
		}
	}
}

// revisit follows the chain of revisits that begins at capture e, and marks the deleted captures
// in it as needed. e either stays, or is deleted and needed itself. o follows the chain in the
// archive as it was known at time t.
func (d *deletion) revisit(ctx context.Context, o *snapshot.Originals, t record.Time, e *timeline.Capture) error {
	of, err := o.Of(ctx, e)
	if err != nil || of == nil {
		return err
	}
	for pool := of.Through; pool != nil; pool = pool.Next {
		if d.pools[pool.Pool] != nil {
			// The hints of later captures depend on the body that this revisit has.
			d.dependents[catalog.Fingerprint(e.Key)] = true
		}
	}
	for at := (snapshot.Link{Place: e.Place, Key: e.Key, Time: e.Time}); ; {
		to, key, err := o.Next(ctx, at)
		if err != nil || to == nil {
			return err
		}
		_, hidden := d.hidden(to.Place)
		if !d.hide[to.Place] && !hidden {
			return nil // it is handled by itself
		}
		n := catalog.NeedPool
		if to.Seg.Info.Pool != e.Seg.Info.Pool || to.Seg.Info.Pool != at.Seg.Info.Pool {
			n = catalog.NeedOther
		}
		w := walkedAt{to.Place, t}
		if d.walked[w] >= n {
			return nil
		}
		d.walked[w] = n
		if d.hide[to.Place] {
			d.needed[to.Place] = max(d.needed[to.Place], n)
		}
		s, err := o.Stored(to.Place)
		if err != nil {
			return err
		}
		if s.Body == segment.BodyHeld || s.Body == segment.BodyElsewhere {
			// It refers to the body of another capture, which may be deleted too.
			d.needAll("", s.ID, d.bodies[s.ID], to.Place)
		}
		at = snapshot.Link{Place: to.Place, Key: key, Time: to.Time}
	}
}

// removal returns the removal to publish: the captures in d.hide and the URLs that it affects.
// pools are the pools that lose captures. The caller sets Time and Reason.
func (d *deletion) removal(pools []task.RemovedPool) *catalog.Removal {
	r := &catalog.Removal{Hidden: make(map[uint32][]catalog.Hidden)}
	for _, p := range pools {
		r.Pools = append(r.Pools, p.Name)
		r.Captures += p.Captures
	}
	for p := range d.hide {
		id := p.Seg.Info.ID
		r.Hidden[id] = append(r.Hidden[id], catalog.Hidden{Run: p.Run, N: p.N, Need: d.needed[p]})
	}
	for _, list := range r.Hidden {
		slices.SortFunc(list, catalog.Hidden.Compare)
	}
	for key := range d.keys {
		r.Touched = append(r.Touched, catalog.Fingerprint(key))
	}
	for print := range d.dependents {
		r.Touched = append(r.Touched, print)
	}
	slices.Sort(r.Touched)
	r.Touched = slices.Compact(r.Touched)
	return r
}
