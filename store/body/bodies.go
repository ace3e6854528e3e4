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

// Body returns the body of the entry, which must store its body itself. The caller makes sure that
// the body is not too large for memory, because it is returned in one slice.
func (r *Runs) Body(ctx context.Context, owner *segment.Stored) ([]byte, error) {
	if body := r.gathered(owner); body != nil {
		return body, nil
	}
	divided := owner.Recipe.Layout > 0
	var body []byte
	if !divided {
		body = make([]byte, 0, max(owner.Bytes, 0))
	}
	for b, err := range r.Pieces(ctx, owner) {
		switch {
		case err != nil:
			return nil, err
		case divided:
			body = b // the only piece, which nothing else uses
		default:
			body = append(body, b...)
		}
	}
	return body, nil
}

// gatherMost is for how many bodies a Runs decompresses only the parts of runs (neighbouring
// captures compressed together) that each body needs. For later bodies it decompresses whole runs
// and keeps them in memory, because the statement seems to read many bodies.
const gatherMost = 4

// How many runs of one body are opened at once: runsAtOnce on a disk, where each run is parsed
// by a core of its own, and runsAtOnceRemote in a bucket, where each run takes a request. Few
// bodies need more runs than that.
const (
	runsAtOnce       = 2
	runsAtOnceRemote = 32
)

// gathered returns the body of entry e. It decompresses only the parts of runs that the body
// needs. It returns nil after it was called for gatherMost bodies, and for a body that it cannot
// read. The caller then reads whole runs, and gets the error there.
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
	atOnce := runsAtOnce
	if r.files.Folder.Remote() {
		atOnce = runsAtOnceRemote
	}
	err = segment.Gather(spans, atOnce, r.contents, r.knownBehind, func(blocks [][]byte) (err error) {
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

// contents returns the contents of the run ref, for segment.Gather. If the run is in memory, its
// contents are already decompressed. Otherwise contents reads the compressed bytes from disk, and
// does not keep them in memory. It reads them into the slice room if that is large enough.
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
	r.countRead(c.Stored, c.Unpacked())
	return c, nil
}

// knownBehind returns the runs whose content is needed to decompress the run ref, if they are
// known without reading that run. Otherwise it returns nil.
func (r *Runs) knownBehind(ref segment.RunRef) []segment.RunRef {
	s := r.Segment(ref.Segment)
	if s == nil {
		return nil
	}
	return s.KnownDictionary(ref.Run)
}

// countBlocks returns how many blocks the spans (ranges of blocks) have together.
func countBlocks(spans []segment.Span) (n uint64) {
	for _, s := range spans {
		n += uint64(s.Count)
	}
	return n
}

// Pieces yields the bytes of the body that an entry's recipe (its list of blocks)
// describes, in pieces. If the sha256 of the whole body differs from the entry's
// digest, the last pair is an error.
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

// WithBlocks returns run n of the segment with this id, with its blocks
// decompressed. The facts about the blocks may be missing from the run.
func (r *Runs) WithBlocks(id, n uint32) (*segment.Run, error) {
	return r.loaded(r.Segment(id), n, false)
}

// Fault returns an error which says that the db-file of the segment with this id is
// damaged. err says what is wrong with one of its blocks.
func (r *Runs) Fault(id uint32, err error) error {
	return segment.Damage(r.Segment(id).Info.File, -1, err)
}

// errOtherBody is wrapped by an error for a damaged body: the bytes that were read are
// not the body that was stored.
var errOtherBody = errors.New("not the one that was stored")

// OtherBody returns an error which says that the body of entry e is damaged: other bytes
// were read than were stored. The text why says how this was noticed, for example "its
// sha256 differs".
func OtherBody(e *segment.Stored, why string) error {
	return fmt.Errorf("the body of %s at %s is %w: %s", urlkey.URL(e.Key), e.Time.Std().Format(time.RFC3339), errOtherBody, why)
}

// ErrMissing is the error for a reference to a body or block that is in no segment in
// force. It means that the archive is damaged.
var ErrMissing = errors.New("the body is in no segment that is in force; a pool that it depends on may be missing")

// IsDamage reports whether err means that stored data is damaged or missing.
func IsDamage(err error) bool {
	var damage *segment.Error
	return errors.As(err, &damage) || errors.Is(err, ErrMissing) || errors.Is(err, errOtherBody)
}

// Digests returns the sha256 of some blocks of the body that owner stores. level says how finely
// the body is cut into blocks, from 1, and places are the indexes of the wanted blocks, from 0,
// ascending. The result has one digest for each place. It is nil if the body is not stored
// divided, or if a place is past the last block.
func (r *Runs) Digests(ctx context.Context, owner *segment.Stored, level int, places []int) (digests []record.Digest, err error) {
	ok, err := r.Blocks(ctx, owner.Recipe, level, places, func(block []byte) { digests = append(digests, sha256.Sum256(block)) })
	if !ok || err != nil {
		return nil, err
	}
	return digests, nil
}

// Blocks calls the function each for some blocks of the body with this recipe, in order. level
// says how finely the body is cut into blocks, from 1. places are the indexes of the wanted
// blocks, from 0, ascending. A block is valid until the function each returns. ok is false, and
// each is not called, if the body is not stored divided, or if a place is past the last block.
func (r *Runs) Blocks(ctx context.Context, recipe segment.Recipe, level int, places []int, each func(block []byte)) (ok bool, err error) {
	layouts := int(recipe.Layout)
	if layouts == 0 {
		return false, nil
	}
	spans, err := r.Spans(recipe)
	if err != nil {
		return false, err
	}
	layout, err := r.Layout(ctx, spans, layouts)
	if err != nil {
		return false, err
	}
	parts, err := divide.FindCut(layout, level, places)
	if err != nil || len(parts) < len(places) {
		return false, err
	}
	var pieces [][]byte
	var body []byte
	for _, p := range parts {
		from := layouts + p.First
		if pieces, err = r.appendBlocks(ctx, pieces[:0], spans, from, from+p.Leaves); err != nil {
			return false, err
		}
		if body, err = divide.Join(body[:0], p.Layout, pieces); err != nil {
			return false, err
		}
		each(body)
	}
	return true, nil
}

// Layout returns the layout of a body (the bytes between its leaves). spans are the spans of all
// blocks of the body. The first of them have the layout; the parameter blocks is their number. If
// it is 1, the result shares the memory of the block's run, and the caller must not change it.
func (r *Runs) Layout(ctx context.Context, spans []segment.Span, blocks int) ([]byte, error) {
	pieces, err := r.appendBlocks(ctx, nil, spans, 0, blocks)
	if len(pieces) == 1 {
		return pieces[0], err
	}
	return slices.Concat(pieces...), err
}

// appendBlocks appends to out the bytes of these blocks of the spans, and returns out: from number
// from up to, but not including, number to. The blocks of all spans together are numbered from 0.
// Numbers past the last block are ignored.
func (r *Runs) appendBlocks(ctx context.Context, out [][]byte, spans []segment.Span, from, to int) ([][]byte, error) {
	for b, err := range blocks(ctx, r, spans, from, to) {
		if err != nil {
			return nil, err
		}
		out = append(out, b)
	}
	return out, nil
}

// LeafSpans appends to dst the spans of the leaves (blocks with text) of a recipe, in order, and
// returns dst. A span is leaves that lie one after the other in a run.
func (r *Runs) LeafSpans(dst []record.LeafSpan, recipe segment.Recipe) ([]record.LeafSpan, error) {
	spans, err := r.Spans(recipe)
	if err != nil {
		return dst, err
	}
	for s := range within(spans, int(recipe.Layout), allBlocks) {
		dst = append(dst, record.LeafSpan{Segment: s.Segment, Run: s.Run, N: s.N, Count: s.Count})
	}
	return dst, nil
}

// EachLeaf calls f for each leaf (block with text) of a recipe (the list of a body's
// blocks), in order. The arguments of f are the facts of the run that stores the leaf,
// and the number of the leaf among the blocks of that run.
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
