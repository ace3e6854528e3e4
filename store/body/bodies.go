package body

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"infomall/store/block/divide"
	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// Body returns the body that an entry itself stores. The body must not be large.
func (r *Runs) Body(ctx context.Context, owner *segment.Stored) ([]byte, error) {
	if body := r.gathered(owner); body != nil {
		return body, nil
	}
	body := make([]byte, 0, max(owner.Bytes, 0))
	for b, err := range r.Pieces(ctx, owner) {
		if err != nil {
			return nil, err
		}
		body = append(body, b...)
	}
	return body, nil
}

// gatherMost is how many bodies a statement reads one by one. After them, runs are
// decompressed whole and kept, since the statement seems to want many.
const gatherMost = 4

// gathered returns the body of an entry, and decompresses only the parts of runs it
// needs. It returns nil if many bodies were read already, or on any fault; the
// caller then reads whole runs, which reports the fault.
func (r *Runs) gathered(e *segment.Stored) (body []byte) {
	r.mu.Lock()
	r.gathers++
	few := r.gathers <= gatherMost && r.shelf == nil
	r.mu.Unlock()
	if !few {
		return nil
	}
	spans, err := r.Spans(e.Recipe)
	if err != nil || countBlocks(spans) > segment.DividedMax {
		return nil
	}
	err = segment.Gather(spans, r.contents, func(blocks [][]byte) (err error) {
		layout := min(int(e.Recipe.Layout), len(blocks))
		body = slices.Concat(blocks[:layout]...)
		if layout > 0 {
			body, err = divide.Join(nil, body, blocks[layout:])
		} else {
			body = slices.Concat(blocks...)
		}
		return err
	})
	if err != nil || sha256.Sum256(body) != e.Digest {
		return nil
	}
	return body
}

// contents returns the contents of a run. Unless the run is in memory already, they
// stay compressed and are not kept.
func (r *Runs) contents(ref segment.RunRef, room []byte) (*segment.Contents, error) {
	s := r.Segment(ref.Segment)
	if s == nil {
		return nil, ErrMissing
	}
	run, err := r.inMemory(s, ref.Run)
	if err != nil {
		return nil, err
	}
	if run != nil {
		return run.Contents(), nil
	}
	c, err := s.Contents(ref.Run, room)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.countRead(c.Stored)
	return c, nil
}

// countBlocks returns how many blocks the spans have.
func countBlocks(spans []segment.Span) (n uint64) {
	for _, s := range spans {
		n += uint64(s.Count)
	}
	return n
}

// Pieces yields the body that an entry's recipe describes. If its sha256 differs
// from the entry's digest, the last pair is an error.
func (r *Runs) Pieces(ctx context.Context, e *segment.Stored) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for b, err := range Read(ctx, r, e) {
			if err == errSum {
				err = OtherBody(e, err.Error())
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// WithBlocks returns run n of a segment for a caller that needs its blocks and not
// its facts.
func (r *Runs) WithBlocks(id, n uint32) (*segment.Run, error) {
	return r.loaded(r.Segment(id), n, false)
}

// Fault returns the error that reports a damaged block of a segment.
func (r *Runs) Fault(id uint32, err error) error {
	return &segment.Error{File: r.Segment(id).Info.File, Offset: -1, Err: err}
}

// errOtherBody is damage: the blocks of a body are not those that were stored.
var errOtherBody = errors.New("not the one that was stored")

// OtherBody returns errOtherBody for the body of an entry, and says how that was seen.
func OtherBody(e *segment.Stored, why string) error {
	return fmt.Errorf("the body of %s at %s is %w: %s", urlkey.URL(e.Key), e.Time.Std().Format(time.RFC3339), errOtherBody, why)
}

// ErrMissing is returned for damage: an entry refers to a body that no segment
// has.
var ErrMissing = errors.New("the body is in no segment that is in force; a pool that it depends on may be missing")

// IsDamage reports whether an error says that a db-file is damaged or missing.
func IsDamage(err error) bool {
	var damage *segment.Error
	return errors.As(err, &damage) || errors.Is(err, ErrMissing) || errors.Is(err, errOtherBody)
}

// Digests returns the digests of some blocks of the body that an entry stores, as
// Snapshot.Digests does.
func (r *Runs) Digests(ctx context.Context, owner *segment.Stored, level int, places []int) ([]record.Digest, error) {
	layouts := int(owner.Recipe.Layout)
	if layouts == 0 {
		return nil, nil
	}
	spans, err := r.Spans(owner.Recipe)
	if err != nil {
		return nil, err
	}
	layout, err := r.Layout(ctx, spans, layouts)
	if err != nil {
		return nil, err
	}
	parts, err := divide.FindCut(layout, level, places)
	if err != nil || len(parts) < len(places) {
		return nil, err
	}
	digests := make([]record.Digest, len(parts))
	var pieces [][]byte
	var body []byte
	for i, p := range parts {
		from := layouts + p.First
		if pieces, err = r.appendBlocks(ctx, pieces[:0], spans, from, from+p.Leaves); err != nil {
			return nil, err
		}
		if body, err = divide.Join(body[:0], p.Layout, pieces); err != nil {
			return nil, err
		}
		digests[i] = sha256.Sum256(body)
	}
	return digests, nil
}

// Layout returns the layout of a body, which is in the first blocks of its spans. A
// layout in a single block is returned without copying.
func (r *Runs) Layout(ctx context.Context, spans []segment.Span, blocks int) ([]byte, error) {
	pieces, err := r.appendBlocks(ctx, nil, spans, 0, blocks)
	if len(pieces) == 1 {
		return pieces[0], err
	}
	return slices.Concat(pieces...), err
}

// appendBlocks appends the blocks numbered from from to to-1, counted over all
// spans. It appends fewer if the spans end before.
func (r *Runs) appendBlocks(ctx context.Context, out [][]byte, spans []segment.Span, from, to int) ([][]byte, error) {
	for b, err := range blocks(ctx, r, spans, from, to) {
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// EachLeaf calls f for each leaf of a recipe, in order, with the facts of the run
// that has the leaf and the leaf's number in that run.
func (r *Runs) EachLeaf(ctx context.Context, recipe segment.Recipe, f func(*segment.Facts, uint32)) error {
	spans, err := r.Spans(recipe)
	if err != nil {
		return err
	}
	for s := range within(spans, int(recipe.Layout), allBlocks) {
		if err := ctx.Err(); err != nil {
			return err
		}
		facts, err := r.Facts(r.Segment(s.Segment), s.Run)
		if err != nil {
			return err
		}
		for n := range s.Count {
			f(facts, s.N+n)
		}
	}
	return nil
}
