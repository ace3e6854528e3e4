package store

import (
	"context"
	"fmt"

	"infomall/store/record"
	"infomall/store/segment"
)

// facts gives the facts of a run.
func (v *Snapshot) facts(s *segment.Reader, n uint32) (*segment.Facts, error) {
	r, err := v.run(s, n)
	if err != nil {
		return nil, err
	}
	f, err := r.Facts()
	if err != nil {
		return nil, &segment.Error{File: s.Info.File, Offset: -1, Err: err}
	}
	return f, nil
}

// errNoSegment is for a ref that is of another snapshot.
func errNoSegment(id uint32) error {
	return fmt.Errorf("no segment %d in this state of the archive", id)
}

// Kept gives what was kept of the version that begins at a capture. What was
// not kept is nil, and is to be made anew.
func (v *Snapshot) Kept(ctx context.Context, ref record.Ref) (record.Facts, error) {
	if err := ctx.Err(); err != nil {
		return record.Facts{}, err
	}
	s := v.segment(ref.Segment)
	if s == nil {
		return record.Facts{}, errNoSegment(ref.Segment)
	}
	f, err := v.facts(s, ref.Run)
	if err != nil {
		if v.skips(err) {
			err = nil
		}
		return record.Facts{}, err
	}
	return record.Facts{Page: f.Page(ref.N), Fold: f.Fold(ref.N)}, nil
}

// Knew reports whether the fold that is kept of a capture, which is of the URL
// with that key and of that time, is to be believed: whether who made it knew of
// all captures of the URL before it, those that came in and those that were
// removed.
func (v *Snapshot) Knew(ctx context.Context, ref record.Ref, key string, at record.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s := v.segment(ref.Segment)
	if s == nil {
		return false, errNoSegment(ref.Segment)
	}
	return v.knewAll(s.Info, key, at)
}

// knewAll reports whether who wrote segment s knew of all captures of a URL up
// to and at a time, those that came in and those that were removed.
func (v *Snapshot) knewAll(s *segment.Info, key string, at record.Time) (bool, error) {
	removals, err := v.removals()
	if err != nil {
		return false, err
	}
	for _, r := range removals {
		if (s.Seen < r.info.generation || r.hidden[s.ID] != nil) && r.touches(fingerprint(key)) {
			return false, nil
		}
	}
	for _, late := range v.pin.segments {
		if !newer(late, s) || late.First > at || key < late.FirstKey || key > late.LastKey {
			continue
		}
		r := v.reader(late)
		if !r.MayHave(key) {
			continue
		}
		if late.Last <= at {
			return false, nil
		}
		has, err := v.hasUpTo(r, key, at)
		if err != nil || has {
			return false, err
		}
	}
	return true, nil
}

// hasUpTo reports whether a segment has a capture of a URL up to and at a time.
func (v *Snapshot) hasUpTo(s *segment.Reader, key string, at record.Time) (bool, error) {
	c := newCursor(s, segment.WantTime, v)
	defer c.close()
	if err := c.seek(key); err != nil || c.end || c.key() != key {
		return false, err
	}
	return c.time() <= at, nil
}

// ownerOf gives the entry that has the body of a capture, nil for one without.
func (v *Snapshot) ownerOf(ctx context.Context, ref record.Ref) (*segment.Stored, error) {
	s := v.segment(ref.Segment)
	if s == nil {
		return nil, errNoSegment(ref.Segment)
	}
	e, err := v.stored(place{s, ref.Run, ref.N})
	if err != nil {
		return nil, err
	}
	owner, _, err := v.owner(ctx, place{s, ref.Run, ref.N}, e)
	return owner, err
}

// LeafFacts gives the facts that are kept beside the leaves of a capture's body,
// in order; nil for one without. Where the body is kept undivided and is no leaf
// there are none.
func (v *Snapshot) LeafFacts(ctx context.Context, ref record.Ref) (out [][]byte, err error) {
	err = v.eachLeaf(ctx, ref, func(f *segment.Facts, n uint32) { out = append(out, f.Block(n)) })
	if v.skips(err) {
		return nil, nil
	}
	return out, err
}

// AppendLeaves appends them to dst as they are kept.
func (v *Snapshot) AppendLeaves(ctx context.Context, dst []record.Leaf, ref record.Ref) ([]record.Leaf, error) {
	err := v.eachLeaf(ctx, ref, func(f *segment.Facts, n uint32) { dst = append(dst, f.Leaf(n)) })
	return dst, err
}

// eachLeaf calls f with the facts of the run that each leaf of a capture's body is
// in, and its number there, in order.
func (v *Snapshot) eachLeaf(ctx context.Context, ref record.Ref, f func(*segment.Facts, uint32)) error {
	owner, err := v.ownerOf(ctx, ref)
	if err != nil || owner == nil {
		return err
	}
	skip := owner.Recipe.Layout
	spans, err := v.spans(owner.Recipe)
	if err != nil {
		return err
	}
	for _, span := range spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		if skip >= span.Count {
			skip -= span.Count
			continue
		}
		facts, err := v.facts(v.segment(span.Segment), span.Run)
		if err != nil {
			return err
		}
		for n := span.N + skip; n < span.N+span.Count; n++ {
			f(facts, n)
		}
		skip = 0
	}
	return nil
}
