package snapshot

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// This file reads states. A capture without a body of its own, such as a revisit, has the
// body of another capture. If that one is deleted and leaves the files, a merge writes down
// from when to when the revisit had its body: see segment.Info.States.

// State is a state of a capture.
type State struct {
	Since record.Time    // the state holds from this time on, until the next state begins
	At    timeline.Place // the entry with the body; no segment if the capture has what the captures of the archive give it
}

// capturePlace identifies a capture among the captures of a segment. The states of a capture
// are in the same segment, and move with it.
type capturePlace struct {
	segment uint32
	key     string
	time    record.Time
	seq     int64
}

// states are all states in the segments of a snapshot. Few captures have states, so all are
// held in memory, like the removals.
type states struct {
	once sync.Once
	err  error
	of   map[capturePlace][]State // sorted by Since
	keys map[string]bool
	last record.Time // the latest Since
}

// allStates returns the states in all segments of v, also in those that KnownAt leaves out.
// They are read at the first call.
func (v *Snapshot) allStates() (*states, error) {
	s := v.states
	s.once.Do(func() { s.err = s.read(v) })
	return s, s.err
}

func (s *states) read(v *Snapshot) error {
	s.of, s.keys, s.last = make(map[capturePlace][]State), make(map[string]bool), record.MinTime
	for _, info := range v.whole().Segments {
		r := v.Runs.Reader(info)
		for n := uint32(info.Runs - info.States); n < uint32(info.Runs); n++ {
			meta, err := v.Runs.Meta(r, n)
			if err != nil {
				return err
			}
			entries, err := meta.Entries()
			if err != nil {
				return &segment.Error{File: info.File, Offset: -1, Err: err}
			}
			for i := range entries {
				e := &entries[i]
				st := State{Since: e.Added}
				if e.Body != segment.BodyNone {
					st.At = timeline.Place{Seg: r, Run: n, N: uint32(i)}
				}
				id := capturePlace{info.ID, e.Key, e.Time, e.Seq}
				s.of[id] = append(s.of[id], st)
				s.keys[e.Key] = true
				s.last = max(s.last, e.Added)
			}
		}
	}
	for _, list := range s.of {
		// A segment that is rewritten in place gets further states. Of two that begin at the
		// same time, the later one counts.
		slices.SortStableFunc(list, func(a, b State) int { return cmp.Compare(a.Since, b.Since) })
	}
	return nil
}

// StatesOf returns the states of entry e at a place, sorted by Since. Of several with the same
// Since, the last counts.
func (v *Snapshot) StatesOf(at timeline.Place, e *segment.Stored) ([]State, error) {
	if at.Seg == nil || at.Seg.Info.States == 0 || e.Body != segment.BodyNone {
		return nil, nil
	}
	s, err := v.allStates()
	if err != nil {
		return nil, err
	}
	return s.of[capturePlace{at.Seg.Info.ID, e.Key, e.Time, e.Seq}], nil
}

// stateOf returns what the entry e at a place has from a capture that was deleted, at the
// time that the snapshot shows. It returns nil if e has what the captures of the archive give
// it.
func (v *Snapshot) stateOf(at timeline.Place, e *segment.Stored) (*timeline.Original, error) {
	list, err := v.StatesOf(at, e)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	k := record.Time(math.MaxInt64)
	if v.known != nil {
		k = v.known.time
	}
	from := timeline.Place{}
	for _, st := range list {
		if st.Since <= k {
			from = st.At
		}
	}
	if from.Seg == nil {
		return nil, nil
	}
	s, err := v.Runs.Entry(from)
	if err != nil {
		return nil, err
	}
	of := &timeline.Original{
		From: from, Like: from, As: derive.ReadAs(s), Head: from,
		ID: s.ID, Content: s.Content, Bytes: s.Bytes, Status: s.Status, Kind: s.Kind, Mime: s.Mime,
	}
	if headless(s) || s.Status == 304 {
		of.As = unread
	}
	return of, nil
}

// hasStates reports whether a capture of the URL with this key has states, so that what the
// segments say of the URL may not be true of an earlier time.
func (v *Snapshot) hasStates(key string) (bool, error) {
	if v.known == nil || !v.known.states {
		return false, nil
	}
	s, err := v.allStates()
	return err == nil && s.keys[key], err
}

// hasAnyStates reports whether one of the segments has states.
func hasAnyStates(list []*segment.Info) bool {
	return slices.ContainsFunc(list, func(s *segment.Info) bool { return s.States > 0 })
}

// ChangesOf returns the times, ascending, at which a capture came in that may have changed
// the body of capture e, and those captures. e is stored at a place without a body. The times
// include that of e itself, and those at which states begin. e may be hidden.
func (v *Snapshot) ChangesOf(ctx context.Context, at timeline.Place, e *segment.Stored) ([]record.Time, []timeline.Place, error) {
	c := &changes{v: v, times: make(map[record.Time]bool), met: make(map[timeline.Place]bool), groups: make(map[string][]timeline.Capture)}
	c.add(&timeline.Capture{Entry: e.Entry, Place: at})
	for ; len(c.waiting) > 0; c.waiting = c.waiting[1:] {
		if err := c.follow(ctx, c.waiting[0]); err != nil {
			return nil, nil, err
		}
	}
	return slices.Sorted(maps.Keys(c.times)), slices.Collect(maps.Keys(c.met)), nil
}

// ChangesIn does what ChangesOf does, for all captures of the URL with this key that are
// stored without a body.
func (v *Snapshot) ChangesIn(ctx context.Context, key string) ([]record.Time, error) {
	c := &changes{v: v, times: make(map[record.Time]bool), met: make(map[timeline.Place]bool), groups: make(map[string][]timeline.Capture)}
	group, err := c.group(ctx, key)
	if err != nil {
		return nil, err
	}
	for i := range group {
		if group[i].Body == segment.BodyNone {
			c.add(&group[i])
		}
	}
	for ; len(c.waiting) > 0; c.waiting = c.waiting[1:] {
		if err := c.follow(ctx, c.waiting[0]); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(c.times)), nil
}

// changes is the state of ChangesOf.
type changes struct {
	v       *Snapshot
	times   map[record.Time]bool
	met     map[timeline.Place]bool
	waiting []timeline.Place              // captures without a body that follow has not seen
	groups  map[string][]timeline.Capture // results of group
}

// group returns the captures of the URL with this key, as LookupRaw does.
func (c *changes) group(ctx context.Context, key string) ([]timeline.Capture, error) {
	if g, ok := c.groups[key]; ok {
		return g, nil
	}
	g, err := c.v.lookupRaw(ctx, key, record.ColBytes|record.ColAdded)
	c.groups[key] = g
	return g, err
}

// add notes a capture.
func (c *changes) add(e *timeline.Capture) {
	if c.met[e.Place] {
		return
	}
	c.met[e.Place] = true
	c.times[addedAt(e)] = true
	if e.Body == segment.BodyNone {
		c.waiting = append(c.waiting, e.Place)
	}
}

// addedAt returns the time at which e was added. The entry of e must have the column.
func addedAt(e *timeline.Capture) record.Time {
	if i := e.Seg.Info; i.AddedFirst == i.AddedLast {
		return i.AddedLast
	}
	return e.Added
}

// follow notes the captures from which the capture at a place may have its body.
func (c *changes) follow(ctx context.Context, at timeline.Place) error {
	s, err := c.v.Runs.Entry(at)
	if err != nil {
		return err
	}
	list, err := c.v.StatesOf(at, s)
	if err != nil {
		return err
	}
	for _, st := range list {
		c.times[st.Since] = true
	}
	if s.DeclaredDigest != "" || s.Via == record.ViaNotModified {
		group, err := c.group(ctx, s.Key)
		if err != nil {
			return err
		}
		for i := range group {
			c.add(&group[i])
		}
	}
	if s.RefersURL == "" || s.RefersTime == record.NoTime {
		return nil
	}
	canonical, err := urlkey.Canonical(s.RefersURL)
	if err != nil {
		return nil // an invalid URL refers to nothing
	}
	group, err := c.group(ctx, urlkey.Key(canonical))
	if err != nil {
		return err
	}
	t, end := momentOf(s.RefersTime)
	for i := range group {
		if e := &group[i]; e.Time >= t && e.Time < end {
			c.add(e)
		}
	}
	return nil
}
