package finder

import (
	"context"
	"sync"

	"infomall/store/block/divide"
	"infomall/store/block/facts"
	"infomall/store/body"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/segment"
	"infomall/store/timeline"
)

// Leaves appends to dst the leaves of the page of the version that begins at capture ref, in
// order. The texts of these leaves together are the text of the page. The result as says how
// the leaves are read: their charset, and whether they are markup. Leaves does not read the
// body. ok is false if the page is not stored in leaves, was not read whole, or is damaged: the
// caller must then read the body. The error is the error of ctx.
func (v *Finder) Leaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) (_ []search.LeafRef, as search.Reading, ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return dst, as, false, err
	}
	size := len(dst)
	dst, as, ok = v.appendLeaves(ctx, dst, ref)
	if !ok {
		dst = dst[:size]
	}
	return dst, as, ok, ctx.Err()
}

// appendLeaves does the work of Leaves. If ok is false, dst may have some of the leaves
// already; the caller cuts them off.
func (v *Finder) appendLeaves(ctx context.Context, dst []search.LeafRef, ref record.Ref) (_ []search.LeafRef, as search.Reading, ok bool) {
	s := v.Runs.Segment(ref.Segment)
	if s == nil {
		return dst, as, false
	}
	at := timeline.Place{Seg: s, Run: ref.Run, N: ref.N}
	e, err := v.Runs.Entry(at)
	if err != nil || e.Page.ReadBytes != 0 {
		return dst, as, false
	}
	kept, err := v.Runs.Facts(s, ref.Run)
	if err != nil {
		return dst, as, false
	}
	outline := outlines.Get().(*facts.Outline)
	defer outlines.Put(outline)
	if outline.Read(kept.Page(ref.N)) != nil || outline.Inline {
		return dst, as, false
	}
	owner, _, err := v.Owner(ctx, at, e)
	if err != nil || owner == nil {
		return dst, as, false
	}
	spans, err := v.Runs.Spans(owner.Recipe)
	if err != nil {
		return dst, as, false
	}
	before, skip := len(dst), owner.Recipe.Layout
	for _, s := range spans {
		for n := range s.Count {
			if skip > 0 {
				skip--
				continue
			}
			dst = append(dst, search.LeafRef{RunRef: segment.RunRef{Segment: s.Segment, Run: s.Run}, N: s.N + n})
		}
	}
	as = search.Reading{Charset: string(outline.Charset), Plain: outline.Plain}
	n := len(dst) - before
	return dst, as, n == outline.Leaves && (owner.Recipe.Layout > 0 || n == 1)
}

// outlines is a pool of facts.Outline values, so that their memory is used again.
var outlines = sync.Pool{New: func() any { return new(facts.Outline) }}

// LeafText returns the text of a stored leaf. The parameter as says how its bytes are read. The
// error is body.ErrMissing if the archive does not have the leaf, or says what is damaged.
func (v *Finder) LeafText(l search.LeafRef, as search.Reading) (string, error) {
	b, err := v.leaf(l)
	if err != nil {
		return "", err
	}
	return (&divide.Body{Plain: as.Plain, Charset: as.Charset}).TextOf(b), nil
}

// leaf returns the bytes of a leaf.
func (v *Finder) leaf(l search.LeafRef) ([]byte, error) {
	s := v.Runs.Segment(l.Segment)
	if s == nil {
		return nil, body.ErrMissing
	}
	run, err := v.Runs.Run(s, l.Run)
	if err != nil {
		return nil, err
	}
	return run.Block(l.N)
}

// appendLeaves appends to dst the spans of the leaves of a page, and returns dst. spans has all
// stored blocks of the page: first the layout (the bytes between the leaves), which appendLeaves
// leaves out, and then the leaves. The parameter layout is the number of blocks of the layout.
func appendLeaves(dst, spans []segment.Span, layout uint32) []segment.Span {
	for _, s := range spans {
		if s.Count <= layout {
			layout -= s.Count
			continue
		}
		s.N, s.Count, layout = s.N+layout, s.Count-layout, 0
		dst = append(dst, s)
	}
	return dst
}

// inLeaves reports whether leaves are really the spans of the leaves of a body. They are not if the
// page has several leaves but its body is stored undivided, as one block. recipe is the recipe of
// the body, leaves are the spans of its blocks after the layout, and want is the number of leaves
// that the facts of the body name.
func inLeaves(recipe *segment.Recipe, leaves []segment.Span, want int) bool {
	count := 0
	for _, s := range leaves {
		count += int(s.Count)
	}
	return count == want && (recipe.Layout > 0 || count == 1)
}
