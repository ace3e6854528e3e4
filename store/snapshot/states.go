package snapshot

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"

	"infomall/store/derive"
	"infomall/store/disk"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
	"infomall/store/urlkey"
)

// This file reads states. A capture without a body of its own, such as a revisit, has the
// body of another capture. If that one is deleted and leaves the files, a merge writes down
// from when to when the revisit had its body: see segment.Info.States.

// State is a period in which a capture that is stored without a body had its body from one
// other capture.
type State struct {
	// Since is when the state begins. It ends when the next state begins.
	Since record.Time
	// At is the entry with the body. If it has no segment, the capture takes its body from a
	// capture in the archive, by the rules for revisits.
	At timeline.Place
}

// capturePlace identifies a capture among the captures of a segment by its URL and time. It
// stays valid when a merge moves the capture, because the states of a capture are in the same
// segment and move with it.
type capturePlace struct {
	segment uint32
	key     string
	time    record.Time
	seq     int64
}

// states are all states in the segments of a snapshot. Few captures have states, so all are
// held in memory, like the removals.
type states struct {
	mu   sync.Mutex // is held while the states are read
	done bool       // the states were read, or err says why they cannot be
	err  error
	of   map[capturePlace][]State // the states of each capture, sorted by Since
	keys map[string]bool
	last record.Time // the latest State.Since of all states
}

// allStates returns the states in all segments of v, including the segments that KnownAt leaves out.
// They are read at the first call, and again if the error of the call before may pass (see
// disk.MayPass).
func (v *Snapshot) allStates() (*states, error) {
	s := v.states
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		s.err = s.read(v)
		s.done = !disk.MayPass(s.err)
	}
	return s, s.err
}

func (s *states) read(v *Snapshot) error {
	s.of, s.keys, s.last = make(map[capturePlace][]State), make(map[string]bool), record.MinTime
	for _, info := range v.Whole().Segments {
		r := v.Runs.Reader(info)
		for n := uint32(info.Runs - info.States); n < uint32(info.Runs); n++ {
			meta, err := v.Runs.Meta(r, n)
			if err != nil {
				return err
			}
			entries, err := meta.Entries()
			if err != nil {
				return segment.Damage(info.File, -1, err)
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

// StatesOf returns the states of e, the entry at a place, sorted by Since. If several have the
// same Since, the last one counts.
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

// stateOf returns what the entry e at a place has from a deleted capture, at the time that the
// snapshot shows. It returns nil if e then has its body from a capture in the archive, or none.
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

// hasStates reports whether captures of the URL with this key have states. What segments say of
// the URL may then be wrong for an earlier time.
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

// Changes finds the times at which captures that are stored without a body may have got another
// body. It starts from such a capture and follows all captures from which it may have had its
// body, and from which these may have had theirs. Captures that lead to a common capture share
// one result, so each chain of revisits is followed once. Do not use a Changes after an error.
type Changes struct {
	v      *Snapshot
	hidden func(timeline.Place) bool
	of     map[timeline.Place]*changed // captures without a body that were met
	whole  map[string]*changed         // by key of a URL: the result to which all captures of the URL were added

	groups map[string][]timeline.Capture // results of the method group, by key
	held   int                           // number of captures in groups
}

// heldMost is how many captures Changes keeps in memory, grouped by URL. The captures of the
// last URL do not count.
const heldMost = 1 << 16

// changed is what Changes.Of has found out: the times at which captures were added that may have
// changed the body of a capture. Captures whose bodies may at some time have come from one and the
// same capture share one changed.
type changed struct {
	in     *changed // the result that this one has become a part of, or nil
	times  map[record.Time]bool
	hidden bool
}

// Changes returns a new Changes. The function hidden reports whether a capture is hidden, or
// will be hidden by the removal that is being planned.
func (v *Snapshot) Changes(hidden func(timeline.Place) bool) *Changes {
	return &Changes{v: v, hidden: hidden, of: make(map[timeline.Place]*changed), whole: make(map[string]*changed)}
}

// Of returns the times, ascending, at which captures were added that may have changed the body
// of the capture at a place, and whether one of these captures is hidden. The capture must be
// stored without a body; it may itself be hidden. The times include the one at which the
// capture itself was added and those at which its states begin. Some may be superfluous.
func (c *Changes) Of(ctx context.Context, at timeline.Place) (times []record.Time, hidden bool, err error) {
	if c.of[at] == nil {
		s, err := c.v.Runs.Entry(at)
		if err != nil {
			return nil, false, err
		}
		own := timeline.Capture{Entry: s.Entry, Place: at}
		if err := c.reach(ctx, &own); err != nil {
			return nil, false, err
		}
	}
	r := c.of[at].root()
	return slices.Sorted(maps.Keys(r.times)), r.hidden, nil
}

// In returns one list with the times that Of returns for each capture of the URL with this key
// that is stored without a body.
func (c *Changes) In(ctx context.Context, key string) ([]record.Time, error) {
	group, err := c.group(ctx, key)
	if err != nil {
		return nil, err
	}
	times := make(map[record.Time]bool)
	for i := range group {
		if group[i].Body != segment.BodyNone {
			continue
		}
		if c.of[group[i].Place] == nil {
			if err := c.reach(ctx, &group[i]); err != nil {
				return nil, err
			}
		}
		maps.Copy(times, c.of[group[i].Place].root().times)
	}
	return slices.Sorted(maps.Keys(times)), nil
}

// root returns the result into which r was joined; r itself if it was not joined.
func (r *changed) root() *changed {
	for r.in != nil {
		if r.in.in != nil {
			r.in = r.in.in
		}
		r = r.in
	}
	return r
}

// join makes r and o one result, which has the times of both.
func (r *changed) join(o *changed) {
	r, o = r.root(), o.root()
	if r == o {
		return
	}
	if len(r.times) < len(o.times) {
		r, o = o, r
	}
	maps.Copy(r.times, o.times)
	r.hidden = r.hidden || o.hidden
	o.in, o.times = r, nil
}

// reach makes the result for capture e, which has none yet: the times at which e may have got
// another body. It follows all captures from which e may have had its body. Those of them that
// are stored without a body share the result.
func (c *Changes) reach(ctx context.Context, e *timeline.Capture) error {
	r := &changed{times: make(map[record.Time]bool)}
	for waiting := c.add(nil, r, e); len(waiting) > 0; {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		var err error
		if waiting, err = c.follow(ctx, waiting, r, at); err != nil {
			return err
		}
	}
	return nil
}

// add adds to the result r the time at which capture e was added. If e is stored without a body
// and has no result yet, add appends its place to waiting, and returns waiting.
func (c *Changes) add(waiting []timeline.Place, r *changed, e *timeline.Capture) []timeline.Place {
	if e.Body == segment.BodyNone {
		if known := c.of[e.Place]; known != nil {
			r.join(known)
			return waiting
		}
		c.of[e.Place] = r
		waiting = append(waiting, e.Place)
	}
	r = r.root()
	r.times[addedAt(e)] = true
	r.hidden = r.hidden || c.hidden(e.Place)
	return waiting
}

// follow adds to r the captures from which the capture at a place may have its body. It returns
// waiting with the places of captures that must be followed next.
func (c *Changes) follow(ctx context.Context, waiting []timeline.Place, r *changed, at timeline.Place) ([]timeline.Place, error) {
	s, err := c.v.Runs.Entry(at)
	if err != nil {
		return nil, err
	}
	list, err := c.v.StatesOf(at, s)
	if err != nil {
		return nil, err
	}
	for _, st := range list {
		r.root().times[st.Since] = true
	}
	if s.DeclaredDigest != "" || s.Via == record.ViaNotModified {
		if known := c.whole[s.Key]; known != nil {
			r.join(known)
		} else {
			c.whole[s.Key] = r
			group, err := c.group(ctx, s.Key)
			if err != nil {
				return nil, err
			}
			for i := range group {
				waiting = c.add(waiting, r, &group[i])
			}
		}
	}
	if s.RefersURL == "" || s.RefersTime == record.NoTime {
		return waiting, nil
	}
	canonical, err := urlkey.Canonical(s.RefersURL)
	if err != nil {
		return waiting, nil // an invalid URL refers to nothing
	}
	group, err := c.group(ctx, urlkey.Key(canonical))
	if err != nil {
		return nil, err
	}
	t, end := momentOf(s.RefersTime)
	i, _ := slices.BinarySearchFunc(group, t, func(e timeline.Capture, t record.Time) int { return cmp.Compare(e.Time, t) })
	for ; i < len(group) && group[i].Time < end; i++ {
		waiting = c.add(waiting, r, &group[i])
	}
	return waiting, nil
}

// group returns the captures of the URL with this key, as LookupRaw does, sorted by time.
func (c *Changes) group(ctx context.Context, key string) ([]timeline.Capture, error) {
	if g, ok := c.groups[key]; ok {
		return g, nil
	}
	g, err := c.v.lookupRaw(ctx, key, record.ColBytes|record.ColAdded)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(g, func(a, b timeline.Capture) int { return cmp.Compare(a.Time, b.Time) })
	if c.groups == nil || c.held+len(g) > heldMost {
		c.groups, c.held = make(map[string][]timeline.Capture), 0
	}
	c.groups[key] = g
	c.held += len(g)
	return g, nil
}

// addedAt returns the time at which e was added. The entry of e must have been read with the
// column record.ColAdded.
func addedAt(e *timeline.Capture) record.Time {
	if i := e.Seg.Info; i.AddedFirst == i.AddedLast {
		return i.AddedLast
	}
	return e.Added
}
