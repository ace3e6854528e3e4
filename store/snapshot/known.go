package snapshot

import (
	"fmt"
	"slices"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// This file is about snapshots that show the archive as it was known at an earlier time.
// For such a snapshot, captures that were added later do not exist: no capture has its
// body from them, and nothing that is computed depends on them.
//
// A segment of which all captures were added later is left out of the catalogue of the
// snapshot. A segment of which some were added later is called mixed: its cursors mark
// these captures as Later, and the code that gathers the captures of a URL drops them. The writer
// of another segment may have known captures that were added later. What that segment says of
// their URLs (hints and folds) is then ignored.
//
// Bodies and blocks do not change, so they are read from any segment.

// knownAt says which captures a snapshot leaves out because they were added after its time.
type knownAt struct {
	time  record.Time
	all   *catalog.Catalog // the catalogue with all segments
	later []*segment.Info  // the segments of which all captures were added later
	mixed []*segment.Info  // the segments of which some were added later
	wrong map[uint32]bool  // the segments whose hints may count captures that were added later, or bodies that a capture got later
	// states is set if captures have states: periods in which they had the bodies of captures
	// that were deleted since. What segments say of these captures, and of later captures of
	// their URLs, may then be true only after the time.
	states bool
}

// KnownAt returns a snapshot that shows only the captures that were added at time t or earlier.
// It shares the files, the counters and the damage found with v. It is valid until v is closed,
// and need not be closed itself. If no capture was added after t, the result is v itself. Call
// Hide and SkipDamage of v before KnownAt.
func (v *Snapshot) KnownAt(t record.Time) *Snapshot {
	k := &knownAt{time: t, all: v.Pin.Catalog, wrong: make(map[uint32]bool), states: hasAnyStates(v.Whole().Segments)}
	if v.Pin.LastAdded() <= t {
		if !k.states {
			return v
		}
		if s, err := v.allStates(); err == nil && s.last <= t {
			return v
		}
	}
	if v.known != nil {
		k.time, k.all = min(t, v.known.time), v.known.all
	}
	shown := *k.all
	shown.Segments = nil
	for _, s := range k.all.Segments {
		switch {
		case s.AddedLast <= k.time:
		case s.AddedFirst > k.time:
			k.later = append(k.later, s)
			continue
		default:
			k.mixed = append(k.mixed, s)
		}
		shown.Segments = append(shown.Segments, s)
	}
	for _, s := range shown.Segments {
		k.wrong[s.ID] = k.states || slices.ContainsFunc(k.later, func(l *segment.Info) bool { return disturbs(l, s) })
	}
	return &Snapshot{from: v.from, Pin: &commit.Pin{Catalog: &shown}, Runs: v.Runs, damage: v.damage, documents: v.documents, hiding: v.hiding, known: k, states: v.states}
}

// disturbs reports whether what segment s says of its captures may depend on captures of the
// segment late. The fields Born and Seen cannot answer this, because a merge gives captures a
// newer Born.
func disturbs(late, s *segment.Info) bool {
	return late.First <= s.Last && late.FirstKey <= s.LastKey && s.FirstKey <= late.LastKey
}

// LeftOut returns how many segments v leaves out because all their captures were added after
// the time given to KnownAt, and how many segments the archive has in all.
func (v *Snapshot) LeftOut() (left, all int) {
	if v.known == nil {
		return 0, len(v.Pin.Segments)
	}
	return len(v.known.later), len(v.known.all.Segments)
}

// Whole returns the catalogue with all segments, including the segments that v leaves out.
func (v *Snapshot) Whole() *catalog.Catalog {
	if v.known == nil {
		return v.Pin.Catalog
	}
	return v.known.all
}

// MayHide reports whether v leaves out captures with a key in ranges: because Hide hides them,
// or because they may have been added after the time given to KnownAt. Nil ranges mean all
// keys.
func (v *Snapshot) MayHide(ranges []urlkey.Range) bool {
	return v.known != nil || v.hiding.Meets(ranges)
}

// state returns the part of Snapshot.State that says which captures k leaves out, such as
// "-known1199145600000". It is "" if k is nil.
func (k *knownAt) state() string {
	if k == nil {
		return ""
	}
	return fmt.Sprintf("-known%d", k.time)
}

// isMixed reports whether some captures of the segment with this number were added after
// k.time, and others were not.
func (k *knownAt) isMixed(id uint32) bool {
	return k != nil && slices.ContainsFunc(k.mixed, func(s *segment.Info) bool { return s.ID == id })
}

// misleads reports whether the segment with this number is mixed, or may have hints (how a
// capture differs from the one before it) that depend on captures added after k.time.
func (k *knownAt) misleads(id uint32) bool { return k != nil && (k.wrong[id] || k.isMixed(id)) }

// mixes reports whether one of the segments has both captures added after k.time and others.
func (k *knownAt) mixes(list []*segment.Info) bool {
	return k != nil && slices.ContainsFunc(list, func(s *segment.Info) bool { return k.isMixed(s.ID) })
}

// begin returns the time from which a scan of the captures from <= time < to must read
// segments. The result is not later than from. list has the segments that k shows. Hints (how a
// capture differs from the one before it) may depend on earlier captures that were added after
// k.time: directly, or because these gave their bodies to revisits.
func (k *knownAt) begin(list []*segment.Info, from, to record.Time) record.Time {
	if k == nil {
		return from
	}
	for _, s := range list {
		if s.First < to && s.First < from && (k.states || k.isMixed(s.ID) || k.mayLose(s)) {
			from = s.First
		}
	}
	return from
}

// mayLose reports whether segment s may have a revisit whose body is that of a capture added
// after k.time.
func (k *knownAt) mayLose(s *segment.Info) bool {
	if s.Follows {
		return false
	}
	return slices.ContainsFunc([][]*segment.Info{k.later, k.mixed}, func(list []*segment.Info) bool {
		return slices.ContainsFunc(list, func(late *segment.Info) bool { return catalog.MonthOf(s.Pool) >= catalog.MonthOf(late.Pool) })
	})
}

// isLater reports whether a capture that was added at time t was added after k.time.
func (k *knownAt) isLater(t record.Time) bool { return k != nil && t > k.time }

// dropLater removes from group the captures that were added after k.time, and returns group.
func (k *knownAt) dropLater(group []timeline.Capture) []timeline.Capture {
	if k == nil {
		return group
	}
	return slices.DeleteFunc(group, func(e timeline.Capture) bool { return e.Later })
}

// countsLater reports whether the hints (how a capture differs from the one before it) of
// captures in group may depend on captures that were added after the time of KnownAt. group has
// captures of one URL.
func (v *Snapshot) countsLater(group []timeline.Capture) bool {
	k := v.known
	if k == nil {
		return false
	}
	wrong := false
	for i := range group {
		if group[i].Later {
			return true
		}
		wrong = wrong || k.wrong[group[i].Seg.Info.ID]
	}
	if !wrong {
		return false
	}
	for _, late := range k.later {
		if !v.Runs.Reader(late).MayHave(group[0].Key) {
			continue
		}
		for i := range group {
			if e := &group[i]; e.Time >= late.First && disturbs(late, e.Seg.Info) {
				return true
			}
		}
	}
	return false
}

// knewLater reports whether the writer of segment s may have used captures that v does not show
// because they, or their bodies, were added after the time of KnownAt. It considers captures of
// the URL with this key up to the time that the parameter at gives.
func (v *Snapshot) knewLater(s *segment.Info, key string, at record.Time) (bool, error) {
	if v.known == nil {
		return false, nil
	}
	if has, err := v.hasStates(key); has || err != nil {
		return has, err
	}
	for _, late := range v.known.later {
		if late.First <= at && disturbs(late, s) && v.Runs.Reader(late).MayHave(key) {
			return true, nil
		}
	}
	for _, m := range v.Pin.Segments {
		r := v.Runs.Reader(m)
		if m.First > at || !v.known.isMixed(m.ID) && !v.known.mayLose(m) || !r.MayHave(key) {
			continue
		}
		if has, err := v.hasLater(r, key, at); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// hasLater reports whether segment r has a capture of the URL with this key, at the time that
// the parameter at gives or earlier, that was added after the time of KnownAt or is stored
// without a body.
func (v *Snapshot) hasLater(r *segment.Reader, key string, at record.Time) (bool, error) {
	c := NewCursor(r, segment.WantTime, v)
	defer c.Close()
	if err := c.Seek(key); err != nil || c.End || c.Key() != key {
		return false, err
	}
	group, err := c.Group(nil)
	return slices.ContainsFunc(group, func(e timeline.Capture) bool {
		return (e.Later || e.Body == segment.BodyNone) && e.Time <= at
	}), err
}

// unsettles reports whether the numbers that the catalogue has for a pool may include captures
// that were added after k.time. pool has the pool's segments, and all has the segments that k
// shows. A capture added later may also have given its body to a revisit of an earlier pool,
// with which a capture of this pool is compared.
func (k *knownAt) unsettles(pool, all []*segment.Info) bool {
	if k == nil {
		return false
	}
	if k.states || slices.ContainsFunc(k.later, func(s *segment.Info) bool { return s.Pool == pool[0].Pool }) {
		return true
	}
	return slices.ContainsFunc(pool, func(s *segment.Info) bool {
		return k.misleads(s.ID) || slices.ContainsFunc(all, func(o *segment.Info) bool { return disturbs(o, s) && k.mayLose(o) })
	})
}
