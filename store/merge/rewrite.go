package merge

import (
	"context"
	"fmt"
	"slices"

	"infomall/store/block/facts"
	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/segment"
	"infomall/store/snapshot"
	"infomall/store/timeline"
)

// Segments of other pools may still need what a merge leaves out. Recipes that
// refer to its blocks find them through the names file. But in two cases deleted
// captures would stay in files: if a capture of another pool has its body from a
// deleted one, and if a run of a static pool builds on a run of a merged
// segment. Such segments are therefore rewritten together with the merge: with the
// same number, and all captures and blocks in the same places, in another file.

// findBodies fills m.bodies: it finds the deleted captures in merged segments whose
// bodies captures of other pools need.
func (m *merging) findBodies(ctx context.Context) error {
	list, err := m.v.Removals()
	if err != nil {
		return err
	}
	for _, r := range list {
		for id := range m.in {
			for _, h := range r.Hidden[id] {
				if h.Need != catalog.NeedOther {
					continue
				}
				s := m.v.Runs.Segment(id)
				e, err := m.v.Runs.Entry(timeline.Place{Seg: s, Run: h.Run, N: h.N})
				if err != nil {
					return err
				}
				o, _, err := m.v.Owner(ctx, timeline.Place{Seg: s, Run: h.Run, N: h.N}, e)
				if err != nil {
					return err
				}
				if o != nil {
					m.bodies[o.ID] = o
				}
			}
		}
	}
	return nil
}

// rewriteOthers writes new forms of some segments that are not merged, and returns them. A segment
// needs a new form if a run of it builds on a run of a merged segment, or if a capture in it has its
// body from a deleted capture that the merge drops.
func (m *merging) rewriteOthers(ctx context.Context) ([]commit.Made, error) {
	var out []commit.Made
	for _, info := range m.v.Pin.Segments {
		if m.in[info.ID] != nil || len(m.bodies) == 0 && !m.loses && !slices.ContainsFunc(info.Uses, m.goes) {
			continue
		}
		p := &rewriting{m: m, s: m.v.Runs.Reader(info), entries: make(map[uint32][]segment.Stored), repeat: make(map[uint32]bool)}
		if err := p.plan(ctx); err != nil {
			return nil, err
		}
		if len(p.entries)+len(p.repeat)+len(p.states) == 0 {
			continue
		}
		a, err := p.write(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
}

// goes reports whether the segment with this number is being merged. If so, its file will be
// deleted.
func (m *merging) goes(id uint32) bool { return m.in[id] != nil }

// rewriting finds out whether a segment that is not merged must be written again, because it refers
// to segments that are merged, and writes it.
type rewriting struct {
	m       *merging
	s       *segment.Reader
	entries map[uint32][]segment.Stored // by number of a run in which entries change: all entries of the run, as they will be stored
	repeat  map[uint32]bool             // the numbers of the runs that need a run of a merged segment to be decompressed
	states  []newState                  // the states that are added for captures of the segment
}

// plan determines what changes in the segment, and fills p.entries, p.repeat and p.states. If all
// of them stay empty, the segment is not written again.
func (p *rewriting) plan(ctx context.Context) error {
	m, info := p.m, p.s.Info
	if m.v.Pin.IsStatic(info.Pool) && slices.ContainsFunc(info.Uses, m.goes) {
		for n := range uint32(info.Runs) {
			dict, err := p.s.Dictionary(n)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(dict, func(r segment.RunRef) bool { return m.goes(r.Segment) }) {
				p.repeat[n] = true
			}
		}
	}
	if len(m.bodies) == 0 && !m.loses {
		return nil
	}
	hidden, err := m.v.HiddenNeeds()
	if err != nil {
		return err
	}
	return m.v.EveryEntry(ctx, info, func(at timeline.Place, e *segment.Stored) error {
		if need, gone := hidden(at); gone && need == catalog.NeedNone {
			return nil
		}
		if e.Body == segment.BodyNone {
			return p.lose(ctx, at, e)
		}
		now, err := p.entry(ctx, at, e)
		if now == nil || err != nil {
			return err
		}
		if p.entries[at.Run] == nil {
			meta, err := m.v.Runs.Meta(p.s, at.Run)
			if err != nil {
				return err
			}
			all, err := meta.Entries()
			if err != nil {
				return err
			}
			facts, err := m.v.Runs.Facts(p.s, at.Run)
			if err != nil {
				return err
			}
			p.entries[at.Run] = facts.Of(all)
		}
		now.Fold, now.Facts = p.entries[at.Run][at.N].Fold, p.entries[at.Run][at.N].Facts
		p.entries[at.Run][at.N] = *now
		return nil
	})
}

// entry returns a copy of e, changed so that it stores its body itself, if e has its body from a
// deleted capture in a merged segment. Otherwise e need not change, and entry returns nil. The
// parameter at is the place of e.
func (p *rewriting) entry(ctx context.Context, at timeline.Place, e *segment.Stored) (*segment.Stored, error) {
	body := p.m.bodies[e.ID]
	if e.Body != segment.BodyHeld && e.Body != segment.BodyElsewhere || body == nil {
		return nil, nil
	}
	_, holder, err := p.m.v.Owner(ctx, at, e)
	if err != nil || !p.m.goes(holder.Seg.Info.ID) {
		return nil, err
	}
	now := *e
	now.Body, now.Holder, now.HolderKey = segment.BodyOwn, segment.Holder{}, ""
	recipe, err := p.m.moved(body.Recipe)
	now.Recipe = recipe
	return &now, err
}

// lose adds to p.states the new states of e, an entry that is stored without a body. A state
// (FORMAT.md, section 9.4) says from when on the archive knew e with which body. The new states are
// those with bodies of deleted captures, which the merge drops. The parameter at is the place of e.
func (p *rewriting) lose(ctx context.Context, at timeline.Place, e *segment.Stored) error {
	// The runs with the states that entries have are copied. The last state that begins at a
	// time counts, so the new ones need not be sorted in among them.
	if from := p.s.Info.Runs - p.s.Info.States; int(at.Run) >= from || !p.m.loses {
		return nil
	}
	states, err := p.m.statesOf(ctx, at, e)
	if !slices.ContainsFunc(states, func(s newState) bool { return s.owner != nil && !s.old }) {
		return err
	}
	for _, s := range states {
		if !s.old {
			p.states = append(p.states, s)
		}
	}
	return nil
}

// breaks reports whether a deleted capture is in the chain of revisits that begins at l. If so, the
// chain breaks when the merge drops that capture. l is a capture of snapshot v.
func (m *merging) breaks(ctx context.Context, v *snapshot.Snapshot, l *timeline.Capture) (bool, error) {
	met := make(map[timeline.Place]bool)
	for at := (snapshot.Link{Place: l.Place, Key: l.Key, Time: l.Time}); !met[at.Place]; {
		met[at.Place] = true
		to, key, err := v.Originals().Next(ctx, at)
		if to == nil || err != nil {
			return false, err
		}
		if m.hidden(to.Place) {
			return true, nil
		}
		at = snapshot.Link{Place: to.Place, Key: key, Time: to.Time}
	}
	return false, nil
}

// moved returns the recipe (the list of a body's blocks) as it is after the merge: blocks that
// were in merged segments are at their new places.
func (m *merging) moved(recipe segment.Recipe) (segment.Recipe, error) {
	spans, err := m.v.Runs.Spans(recipe)
	if err != nil {
		return recipe, err
	}
	out := segment.Recipe{Layout: recipe.Layout}
	for _, b := range refs(spans) {
		if m.at.has(b.Segment) {
			if b, err = m.at.of(b); err != nil {
				return recipe, err
			}
		}
		out.Add(b)
	}
	return out, nil
}

// write writes the new form of the segment that p.plan has determined.
func (p *rewriting) write(ctx context.Context) (commit.Made, error) {
	m, info := p.m, p.s.Info
	f := &newForm{w: m.w, s: p.s, static: m.v.Pin.IsStatic(info.Pool), dict: func(ref segment.RunRef) *segment.Dict {
		if m.goes(ref.Segment) {
			return nil
		}
		return m.v.Runs.Dict(ref, info.Pool)
	}, poolOf: func(id uint32) string { return m.poolOf(id, info.Pool) }} // if it was merged, its names lead to the blocks
	f.more = func(w *segment.Writer) error { return m.writeStates(w, info.Pool, p.states) }
	return f.write(ctx, func(n uint32, w *segment.Writer) error {
		return w.Repeat(p.s, p.entries[n], nil, p.repeat[n])
	})
}

// newForm is a segment that is written again, in another file, with captures and blocks
// in the same places.
type newForm struct {
	w      *commit.Writer
	s      *segment.Reader
	static bool
	dict   func(segment.RunRef) *segment.Dict // returns the run at a place, as a dictionary to compress other runs with; nil if it may not be used
	more   func(*segment.Writer) error        // writes what comes after the copied runs; or nil
	poolOf func(id uint32) string             // returns the pool of a segment to which the form refers; nil if it refers to the same segments as before
}

// write writes the new form of f.s to a new db-file. It calls the function run with the
// number of each run of f.s, in order; that function writes the run to w, changed or
// unchanged.
func (f *newForm) write(ctx context.Context, run func(n uint32, w *segment.Writer) error) (commit.Made, error) {
	info := f.s.Info
	number, err := f.w.Allocate(ctx, 1)
	if err != nil {
		return commit.Made{}, err
	}
	file, err := f.w.CreateSegment(number)
	if err != nil {
		return commit.Made{}, err
	}
	defer file.Close()
	w := segment.NewWriter(file, segment.NewEncoder(), info.Pool, info.ID, int(info.URLs), segment.NewBlocks(mergeBlocks))
	if f.static {
		w.Pack(f.w.Packer, func(ref segment.RunRef) *segment.Dict {
			if ref.Segment >= info.ID {
				return nil
			}
			return f.dict(ref)
		}, facts.Short)
	}
	for n := range uint32(info.Runs) {
		if err := ctx.Err(); err != nil {
			return commit.Made{}, err
		}
		if err := run(n, w); err != nil {
			return commit.Made{}, err
		}
	}
	if f.more != nil {
		if err := f.more(w); err != nil {
			return commit.Made{}, err
		}
	}
	for _, pool := range info.Depends {
		w.Depend(pool)
	}
	if f.poolOf != nil {
		for _, id := range w.Uses() {
			w.Depend(f.poolOf(id))
		}
	}
	now, err := w.Finish()
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return commit.Made{}, fmt.Errorf("write %s: %w", file.Name(), err)
	}
	return commit.Made{Info: &now, Writer: w, Old: info, Number: number}, nil
}
