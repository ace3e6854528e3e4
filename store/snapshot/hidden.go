package snapshot

import (
	"context"
	"math"
	"slices"

	"infomall/store/catalog"
	"infomall/store/record/task"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// loadRemoval returns a removal (one DELETE or DROP) that the catalogue names. It
// reads the file once, because the file never changes.
func (s *Source) loadRemoval(info *catalog.RemovalFile) (*catalog.Removal, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.removals[info.Name]; r != nil {
		return r, nil
	}
	r, err := s.files.Folder.ReadRemoval(info)
	if err != nil {
		return nil, segment.Damage(info.Name, -1, err)
	}
	s.removals[info.Name] = r
	return r, nil
}

// inForceRemoval is a removal (one DELETE or DROP) together with its entry in the snapshot's
// catalogue.
type inForceRemoval struct {
	*catalog.Removal
	info *catalog.RemovalFile
}

// Removals returns the removals in force: each DELETE or DROP, in the order in which
// it was made. They are read at the first call.
func (v *Snapshot) Removals() ([]inForceRemoval, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.removed != nil || len(v.Pin.Removals) == 0 {
		return v.removed, nil
	}
	var list []inForceRemoval
	for i := range v.Pin.Removals {
		info := &v.Pin.Removals[i]
		r, err := v.from.loadRemoval(info)
		if err != nil {
			return nil, err
		}
		list = append(list, inForceRemoval{r, info})
	}
	v.removed = list
	return list, nil
}

// mark sets the field Hidden of each entry of group that a DELETE or DROP has removed. The value
// is the generation (the number) of the catalogue that removed the entry. mark returns group
// without the removed entries whose bodies no other capture uses. The next merge drops these from
// the file, and an answer must be the same before and after that merge.
func (v *Snapshot) mark(group []timeline.Capture) ([]timeline.Capture, error) {
	list, err := v.Removals()
	if err != nil {
		return group, err
	}
	if group = v.veil(v.known.dropLater(group)); len(list) == 0 {
		return group, nil
	}
	out := group[:0]
	for i := range group {
		e := &group[i]
		most := catalog.NeedNone
		for _, r := range list {
			if h, ok := r.Hides(e.Seg.Info.ID, e.Run, e.N); ok {
				most = max(most, h.Need)
				if e.Hidden == 0 || e.Hidden == veiled {
					e.Hidden = r.info.Generation
				}
			}
		}
		if e.Hidden == 0 || e.Hidden == veiled || most != catalog.NeedNone {
			out = append(out, *e)
		}
	}
	return out, nil
}

// veiled is the value of Capture.Hidden for a capture that was not removed, but that v.hiding
// hides. It is greater than every generation, so that every capture that has its body from a
// veiled capture keeps it.
const veiled = math.MaxUint64

// veil sets the field Hidden of those entries of group that v.hiding hides, and returns group.
func (v *Snapshot) veil(group []timeline.Capture) []timeline.Capture {
	if v.hiding == nil || len(group) == 0 {
		return group
	}
	if in, _ := v.hiding.Near(group[0].Key); !in {
		return group
	}
	for i := range group {
		if e := &group[i]; v.hiding.Hides(e.Key, e.Time) {
			e.Hidden = veiled
		}
	}
	return group
}

// hidesOf reports whether v.hiding may hide captures of the URL with this key.
func (v *Snapshot) hidesOf(key string) bool {
	if v.hiding == nil {
		return false
	}
	in, _ := v.hiding.Near(key)
	return in
}

// disturbed reports whether the hints of a URL (how each capture differs from the one before
// it) may be wrong. They may be wrong if captures are hidden, were added after the time of
// KnownAt, or were removed after the hints were made. group has all captures of the URL.
func (v *Snapshot) disturbed(group []timeline.Capture) (bool, error) {
	if len(group) > 0 && (v.hidesOf(group[0].Key) || v.countsLater(group)) {
		return true, nil
	}
	if len(group) > 0 {
		if has, err := v.hasStates(group[0].Key); has || err != nil {
			return has, err
		}
	}
	list, err := v.Removals()
	if err != nil || len(list) == 0 || len(group) == 0 {
		return false, err
	}
	print := catalog.Fingerprint(group[0].Key)
	for _, r := range list {
		if !r.Touches(print) {
			continue
		}
		for i := range group {
			s := group[i].Seg.Info
			if s.Seen < r.info.Generation || r.Hidden[s.ID] != nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// hiddenIn returns a function that reports whether the capture at a place in the
// segment with this id is hidden (removed, but still in the file). It returns nil if
// the segment has no hidden captures.
func (v *Snapshot) hiddenIn(id uint32) (func(timeline.Place) bool, error) {
	list, err := v.Removals()
	if err != nil || !slices.ContainsFunc(list, func(r inForceRemoval) bool { return r.Hidden[id] != nil }) {
		return nil, err
	}
	return v.IsHidden()
}

// IsHidden returns a function that reports whether the capture at a place is hidden
// (removed, but still in a file).
func (v *Snapshot) IsHidden() (func(timeline.Place) bool, error) {
	hidden, err := v.HiddenNeeds()
	return func(p timeline.Place) bool {
		_, ok := hidden(p)
		return ok
	}, err
}

// HiddenNeeds returns a function that reports whether the capture at a place is hidden
// (removed, but still in a file). The function also returns which visible captures take their
// bodies from it.
func (v *Snapshot) HiddenNeeds() (func(timeline.Place) (catalog.Need, bool), error) {
	list, err := v.Removals()
	return func(p timeline.Place) (n catalog.Need, ok bool) {
		for _, r := range list {
			if h, hidden := r.Hides(p.Seg.Info.ID, p.Run, p.N); hidden {
				n, ok = max(n, h.Need), true
			}
		}
		return n, ok
	}, err
}

// Tombstones describes the removals (each DELETE or DROP), in the order in which
// they were made.
func (v *Snapshot) Tombstones(ctx context.Context) ([]task.Tombstone, error) {
	list, err := v.Removals()
	if err != nil {
		return nil, err
	}
	var out []task.Tombstone
	for _, r := range list {
		out = append(out, task.Tombstone{
			Time: r.Time, Drop: r.Drop, Captures: r.Captures, Pools: r.Pools, Reason: r.Reason, Hidden: len(r.info.Segments) > 0,
		})
	}
	return out, ctx.Err()
}

// BlockList returns the block-list of the snapshot: the rules that keep URLs out of the
// archive. The caller must not change it. Each file of rules is read only once.
func (v *Snapshot) BlockList(ctx context.Context) (*task.BlockList, error) {
	s := v.from
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.blocked != nil && s.blockedName == v.Pin.Blocked.Name {
		return s.blocked, ctx.Err()
	}
	l, err := s.files.Folder.ReadBlockList(v.Pin.Catalog)
	if err != nil {
		return nil, err
	}
	l.Prepare()
	s.blocked, s.blockedName = l, v.Pin.Blocked.Name
	return l, ctx.Err()
}
