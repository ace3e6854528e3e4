package snapshot

import (
	"context"
	"fmt"
	"strings"

	"infomall/store/block/divide"
	"infomall/store/body"
	"infomall/store/catalog"
	"infomall/store/derive"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// errNoSegment returns the error for a reference to a segment that this snapshot
// does not have.
func errNoSegment(id uint32) error {
	return fmt.Errorf("no segment %d in this state of the archive", id)
}

// Kept returns what is stored for the version that begins at capture ref: the facts of its page,
// and its fold (how its blocks relate to the blocks of earlier versions). A field of the result is
// nil if it was not stored; the caller then computes it from the body.
func (v *Snapshot) Kept(ctx context.Context, ref record.Ref) (record.Facts, error) {
	if err := ctx.Err(); err != nil {
		return record.Facts{}, err
	}
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return record.Facts{}, errNoSegment(ref.Segment)
	}
	f, err := v.Runs.Facts(s, ref.Run)
	if err != nil {
		if v.skips(err) {
			err = nil
		}
		return record.Facts{}, err
	}
	return record.Facts{Page: f.Page(ref.N), Fold: f.Fold(ref.N)}, nil
}

// storedVersions reads versions of URLs in the archive for a derive.FoldMaker. It
// implements derive.Versions.
type storedVersions struct{ v *Snapshot }

// Versions returns a reader of the snapshot's versions, for a derive.FoldMaker.
func (v *Snapshot) Versions() derive.Versions { return storedVersions{v} }

// StoredFold returns the fold stored with the version at a place (how its blocks
// relate to those of earlier versions), or nil if none is stored.
func (s storedVersions) StoredFold(at timeline.Place) ([]byte, error) {
	f, err := s.v.Runs.Facts(at.Seg, at.Run)
	if err != nil {
		return nil, err
	}
	return f.Fold(at.N), nil
}

// VersionBody returns the body of version l, and how to read it (its media type and charset).
// The bool is false if the version has no body, or if the body is too large to be divided into
// blocks.
func (s storedVersions) VersionBody(ctx context.Context, l *timeline.Capture) (derive.Body, bool, error) {
	e, err := s.v.Runs.Entry(l.Place)
	if err != nil {
		return derive.Body{}, false, err
	}
	p, err := s.v.Payload(ctx, l.Ref())
	if err != nil || p.NoBody != "" || len(p.Body) > segment.DividedMax || p.Large != nil {
		return derive.Body{}, false, err
	}
	return derive.Body{Digest: e.Digest, Body: p.Body, As: divide.AsOf(&p)}, true, nil
}

// EarlierVersion is a version in the archive, as ReadVersions returns it.
type EarlierVersion struct {
	body.Version
	As divide.As // how the body is read
}

// ReadVersions reads the versions that begin with some captures; see body.Runs.Versions. It
// does not read bodies that are too large to be divided.
func (v *Snapshot) ReadVersions(ctx context.Context, captures []*timeline.Capture) ([]EarlierVersion, error) {
	out := make([]EarlierVersion, len(captures))
	list, err := v.Runs.Versions(ctx, captures, segment.DividedMax, func(i int, e *segment.Stored) (*segment.Stored, error) {
		owner, _, err := v.Owner(ctx, captures[i].Place, e)
		if owner == nil {
			return owner, err
		}
		said := &e.Page
		if e.Body == segment.BodyNone {
			said = &owner.Page
		}
		as := divide.Sent(e.Head, strings.Clone(e.Mime))
		as.Usual, as.Limit = derive.ReadWith(said)
		as.Usual = strings.Clone(as.Usual)
		out[i].As = as
		return owner, err
	})
	for i, x := range list {
		out[i].Version = x
	}
	return out, err
}

// Knew reports whether the fold (how the blocks of a version relate to those of earlier
// versions) that is stored for capture ref is valid. key is the key of the capture's URL, and
// the parameter at is the capture's time. The fold is valid if its writer knew all earlier
// captures of the URL, also those that were removed since.
func (v *Snapshot) Knew(ctx context.Context, ref record.Ref, key string, at record.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return false, errNoSegment(ref.Segment)
	}
	return v.knewAll(s.Info, key, at)
}

// knewAll reports whether the writer of segment s knew all captures of the URL with this key up
// to the time that the parameter at gives. Captures that were removed since count too.
func (v *Snapshot) knewAll(s *segment.Info, key string, at record.Time) (bool, error) {
	if v.hidesOf(key) {
		return false, nil
	}
	if knew, err := v.knewLater(s, key, at); knew || err != nil {
		return false, err
	}
	removals, err := v.Removals()
	if err != nil {
		return false, err
	}
	for _, r := range removals {
		if (s.Seen < r.info.Generation || r.Hidden[s.ID] != nil) && r.Touches(catalog.Fingerprint(key)) {
			return false, nil
		}
	}
	for _, late := range v.Pin.Segments {
		if !late.Newer(s) || late.First > at || key < late.FirstKey || key > late.LastKey {
			continue
		}
		r := v.Runs.Reader(late)
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

// hasUpTo reports whether segment s has a capture of the URL with this key at the time that the
// parameter at gives, or earlier.
func (v *Snapshot) hasUpTo(s *segment.Reader, key string, at record.Time) (bool, error) {
	c := NewCursor(s, segment.WantTime, v)
	defer c.Close()
	if err := c.Seek(key); err != nil || c.End || c.Key() != key {
		return false, err
	}
	return c.time() <= at, nil
}

// ownerOf returns the entry that stores the body of capture ref, or nil if the archive
// has no body for the capture.
func (v *Snapshot) ownerOf(ctx context.Context, ref record.Ref) (*segment.Stored, error) {
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return nil, errNoSegment(ref.Segment)
	}
	e, err := v.Runs.Entry(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if err != nil {
		return nil, err
	}
	owner, _, err := v.Owner(ctx, timeline.Place{Seg: s, Run: ref.Run, N: ref.N}, e)
	return owner, err
}

// LeafFacts returns the facts stored for each leaf (block with text) of the body of
// capture ref, in order. It returns nil if the capture has no body, if the body is
// stored undivided and is not itself a leaf, or if the facts are damaged and damage
// is skipped.
func (v *Snapshot) LeafFacts(ctx context.Context, ref record.Ref) (out [][]byte, err error) {
	err = v.eachLeaf(ctx, ref, func(f *segment.Facts, n uint32) { out = append(out, f.Block(n)) })
	if v.skips(err) {
		return nil, nil
	}
	return out, err
}

// recipeOf returns the recipe (the list of blocks) of the body of capture ref. It has no spans
// if the capture has no body.
func (v *Snapshot) recipeOf(ctx context.Context, ref record.Ref) (segment.Recipe, error) {
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return segment.Recipe{}, errNoSegment(ref.Segment)
	}
	recipe, own, err := v.Runs.Recipe(timeline.Place{Seg: s, Run: ref.Run, N: ref.N})
	if own || err != nil {
		return recipe, err
	}
	owner, err := v.ownerOf(ctx, ref)
	if err != nil || owner == nil {
		return segment.Recipe{}, err
	}
	return owner.Recipe, nil
}

// LeafSpans appends to dst the spans of the leaves of the body of capture ref, in order. A span
// is a row of leaves that are stored one after the other in one run. SpanFacts returns the
// facts of each leaf of a span.
func (v *Snapshot) LeafSpans(ctx context.Context, dst []record.LeafSpan, ref record.Ref) ([]record.LeafSpan, error) {
	recipe, err := v.recipeOf(ctx, ref)
	if err != nil {
		return dst, err
	}
	return v.Runs.LeafSpans(dst, recipe)
}

// Layout returns the layout of the body of capture ref: the body without its leaves, see
// package divide. It returns nil if the body is not stored divided. The caller must not
// change the result.
func (v *Snapshot) Layout(ctx context.Context, ref record.Ref) ([]byte, error) {
	recipe, err := v.recipeOf(ctx, ref)
	if err != nil || recipe.Layout == 0 {
		return nil, err
	}
	spans, err := v.Runs.Spans(recipe)
	if err != nil {
		return nil, err
	}
	return v.Runs.Layout(ctx, spans, int(recipe.Layout))
}

// SpanFacts appends to dst the facts stored for each leaf of a span that LeafSpans returned,
// in order.
func (v *Snapshot) SpanFacts(ctx context.Context, dst [][]byte, s record.LeafSpan) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return dst, err
	}
	f, err := v.Runs.Facts(v.Runs.Segment(s.Segment), s.Run)
	if err != nil {
		return dst, err
	}
	for i := range s.Count {
		dst = append(dst, f.Block(s.N+i))
	}
	return dst, nil
}

// AppendLeaves appends to dst the leaves (blocks with text) of the body of capture
// ref, in order, with the facts stored for each leaf.
func (v *Snapshot) AppendLeaves(ctx context.Context, dst []record.Leaf, ref record.Ref) ([]record.Leaf, error) {
	err := v.eachLeaf(ctx, ref, func(f *segment.Facts, n uint32) { dst = append(dst, f.Leaf(n)) })
	return dst, err
}

// eachLeaf calls f for each leaf (block with text) of the body of capture ref, in order. f gets
// the facts of the run that stores the leaf, and the leaf's number in that run.
func (v *Snapshot) eachLeaf(ctx context.Context, ref record.Ref, f func(*segment.Facts, uint32)) error {
	owner, err := v.ownerOf(ctx, ref)
	if err != nil || owner == nil {
		return err
	}
	return v.Runs.EachLeaf(ctx, owner.Recipe, f)
}

// Digests returns the digests of some blocks of the body of capture ref. The body is cut into
// blocks in the way in which it was cut when it was imported. level says how finely, from 1.
// places are the indexes of the wanted blocks, from 0, ascending. The result has one digest for
// each place. It is nil if the body is not stored divided or has fewer blocks, or if damage was
// skipped.
func (v *Snapshot) Digests(ctx context.Context, ref record.Ref, level int, places []int) ([]record.Digest, error) {
	owner, err := v.ownerOf(ctx, ref)
	var list []record.Digest
	if err == nil && owner != nil {
		list, err = v.Runs.Digests(ctx, owner, level, places)
	}
	if v.skips(err) {
		return nil, nil
	}
	return list, err
}

// Block returns the bytes of one block of the body of capture ref. level and place say which,
// as for Digests. It returns nil if the body is not stored divided or has fewer blocks, or if
// damage was skipped.
func (v *Snapshot) Block(ctx context.Context, ref record.Ref, level, place int) (block []byte, err error) {
	recipe, err := v.recipeOf(ctx, ref)
	if err == nil {
		_, err = v.Runs.Blocks(ctx, recipe, level, []int{place}, func(b []byte) { block = b })
	}
	if v.skips(err) {
		return nil, nil
	}
	return block, err
}
