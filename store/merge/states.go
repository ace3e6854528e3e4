package merge

import (
	"context"
	"slices"

	"infomall/store/catalog"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// A revisit that is stored without a body may have its body from a deleted capture, now or as
// it was known at an earlier time. When one of the two is merged, the merge writes down what
// the revisit had from when on: its states (see segment.Info.States). The body of a state is
// stored with it. The revisit itself does not change.

// newState is a state that the merge will write. It begins at entry.Added, and ends when the next
// state of the capture begins. If owner is not nil, the capture had its body from a deleted
// capture in that period, and owner is the entry that stores the body. If owner is nil, the
// capture has its body from captures that were not deleted, or has none.
type newState struct {
	entry segment.Stored // the capture as it was in that period
	owner *segment.Stored
	old   bool // the state was stored before the merge
}

// knownMost is how many snapshots of earlier times, made by knownAt, a merge keeps in memory.
const knownMost = 256

// knownAt returns m.v as it was known at time t: a snapshot without the captures that were added
// to the archive after t.
func (m *merging) knownAt(t record.Time) *snapshot.Snapshot {
	if v := m.earlier[t]; v != nil {
		return v
	}
	if m.earlier == nil || len(m.earlier) >= knownMost {
		m.earlier = make(map[record.Time]*snapshot.Snapshot)
	}
	m.earlier[t] = m.v.KnownAt(t)
	return m.earlier[t]
}

// findGivers sets m.gives and m.loses. m.gives is set if the archive has hidden captures from
// which other captures take bodies, and m.loses if merged segments have such hidden captures.
func (m *merging) findGivers() error {
	list, err := m.v.Removals()
	for _, r := range list {
		for id, hidden := range r.Hidden {
			if slices.ContainsFunc(hidden, func(h catalog.Hidden) bool { return h.Need != catalog.NeedNone }) {
				m.gives, m.loses = true, m.loses || m.goes(id)
			}
		}
	}
	return err
}

// statesOf returns what the merge must write down about e, a revisit that is stored without a body:
// one newState for each period in which e had its body from another deleted capture, or from none.
// The parameter at is the place of e.
func (m *merging) statesOf(ctx context.Context, at timeline.Place, e *segment.Stored) ([]newState, error) {
	old, err := m.v.StatesOf(at, e)
	if err != nil || !m.gives && len(old) == 0 {
		return nil, err
	}
	if m.gives {
		if m.changes == nil {
			m.changes = m.v.Changes(m.hidden)
		}
		times, hidden, err := m.changes.Of(ctx, at)
		if err != nil {
			return nil, err
		}
		if hidden {
			return m.newStates(ctx, at, e, old, times)
		}
	}
	var out []newState
	for _, st := range old {
		s, err := m.oldState(e, st)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// oldState returns a newState for st, a state that entry e has already before the merge.
func (m *merging) oldState(e *segment.Stored, st snapshot.State) (newState, error) {
	if st.At.Seg == nil {
		return noState(e, st.Since), nil
	}
	s, err := m.v.Runs.Entry(st.At)
	if err != nil {
		return newState{}, err
	}
	facts, err := m.v.Runs.Facts(st.At.Seg, st.At.Run)
	if err != nil {
		return newState{}, err
	}
	out := newState{entry: *s, owner: s, old: true}
	out.entry.Facts = facts.Page(st.At.N)
	return out, nil
}

// noState returns a newState which says that from the time since on, entry e has no body from a
// deleted capture. The body is then found among the captures that were not deleted.
func noState(e *segment.Stored, since record.Time) newState {
	out := newState{entry: *e}
	out.entry.Added = since
	return out
}

// newStates returns the states that entry e will have after the merge. The body of e may have
// changed at each of the given times. old are the states that are stored for e now, and the
// parameter at is the place of e.
func (m *merging) newStates(ctx context.Context, at timeline.Place, e *segment.Stored, old []snapshot.State, times []record.Time) ([]newState, error) {
	var out []newState
	for _, t := range times {
		var now snapshot.State
		for _, st := range old {
			if st.Since <= t {
				now = st
			}
		}
		s, err := noState(e, t), error(nil)
		if now.At.Seg != nil {
			s, err = m.oldState(e, now)
		} else {
			err = m.given(ctx, at, &s, t)
		}
		if err != nil {
			return nil, err
		}
		if n := len(out); n == 0 && s.owner == nil || n > 0 && s.same(&out[n-1]) {
			continue
		}
		out = append(out, s)
	}
	return out, nil
}

// same reports whether s and o are equal except for their times.
func (s *newState) same(o *newState) bool {
	if s.owner == nil || o.owner == nil {
		return s.owner == o.owner
	}
	a, b := &s.entry, &o.entry
	return a.ID == b.ID && a.Status == b.Status && a.Kind == b.Kind && a.Mime == b.Mime && a.Location == b.Location && a.Page == b.Page
}

// given finds out whether the capture at a place had its body from a hidden capture at time t,
// directly or through other captures. If so, it sets s.owner and the fields of s.entry that
// depend on the body. s is the state of the capture at that time. given also does this if the
// hidden capture is in a segment that is not merged: after the merge the capture counts as added
// later than the removal, and would no longer find the hidden capture.
func (m *merging) given(ctx context.Context, at timeline.Place, s *newState, t record.Time) error {
	v := m.knownAt(t)
	all, err := v.Lookup(ctx, s.entry.Key)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(l timeline.Capture) bool { return l.Place == at })
	if i < 0 || !all[i].Resolved || !all[i].HasBody() {
		return nil
	}
	l := &all[i]
	passes := l.ByHidden || m.hidden(l.From)
	if !passes && l.Original != nil {
		if passes, err = m.breaks(ctx, v, l); err != nil {
			return err
		}
	}
	if !passes {
		return nil
	}
	from, err := m.v.Runs.Entry(l.From)
	if err != nil {
		return err
	}
	owner, _, err := v.Owner(ctx, l.From, from)
	if owner == nil || err != nil {
		return err
	}
	e := &s.entry
	if err := v.Complete(ctx, e, l, owner); err != nil {
		return err
	}
	e.Body, e.Holder, e.HolderKey, e.Fold, e.Facts = segment.BodyOwn, segment.Holder{}, "", nil, nil
	if l.Original == nil || l.Original.Like == l.From {
		facts, err := m.v.Runs.Facts(l.From.Seg, l.From.Run)
		if err != nil {
			return err
		}
		e.Facts = facts.Page(l.From.N)
	}
	timeline.Follow(nil, &e.Entry)
	e.Sense, s.owner = record.SenseUnknown, owner
	return nil
}

// writeStates writes the states in list, with their bodies, at the end of the segment that w
// writes. pool is the pool of that segment.
func (m *merging) writeStates(w *segment.Writer, pool string, list []newState) error {
	for i := range list {
		s := &list[i]
		if s.owner == nil {
			timeline.Follow(nil, &s.entry.Entry)
			if _, err := w.State(s.entry, 0, nil); err != nil {
				return err
			}
			continue
		}
		spans, err := m.v.Runs.Spans(s.owner.Recipe)
		if err != nil {
			return err
		}
		var parts []segment.BodyBlock
		for _, span := range spans {
			if parts, err = m.appendParts(parts, span); err != nil {
				return err
			}
		}
		unplaced := make([]bool, len(parts))
		for i := range parts {
			at := &parts[i].At
			if unplaced[i] = at.Segment == 0; !unplaced[i] && m.poolOf(at.Segment, m.pool) > pool {
				*at = segment.BlockRef{} // no pool uses blocks of a later one, so the block is stored again
			}
		}
		recipe, err := w.State(s.entry, s.owner.Recipe.Layout, parts)
		if err != nil {
			return err
		}
		to := refs(recipe.Spans)
		for i, from := range refs(spans) {
			if m.at.has(from.Segment) && unplaced[i] {
				if err := m.at.set(from, to[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
