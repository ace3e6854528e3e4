package store

import (
	"context"
	"crypto/sha256"
	"slices"

	"infomall/store/block"
	"infomall/store/record"
	"infomall/store/segment"
)

// Digests returns the digests of some blocks of a capture's body, as that body was
// divided when it was imported. level says how finely it is cut; places are the
// numbers of the blocks, ascending from 0. It returns nil if the body is not stored
// divided, or has fewer blocks.
func (v *Snapshot) Digests(ctx context.Context, ref record.Ref, level int, places []int) ([]record.Digest, error) {
	list, err := v.digests(ctx, ref, level, places)
	if v.skips(err) {
		return nil, nil
	}
	return list, err
}

func (v *Snapshot) digests(ctx context.Context, ref record.Ref, level int, places []int) ([]record.Digest, error) {
	owner, err := v.ownerOf(ctx, ref)
	if err != nil || owner == nil || owner.Recipe.Layout == 0 {
		return nil, err
	}
	spans, err := v.spans(owner.Recipe)
	if err != nil {
		return nil, err
	}
	pieces, err := v.appendBlocks(ctx, nil, spans, 0, int(owner.Recipe.Layout))
	if err != nil {
		return nil, err
	}
	layout := joinPieces(pieces)
	parts, err := block.FindCut(layout, level, places)
	if err != nil || len(parts) < len(places) {
		return nil, err
	}
	digests := make([]record.Digest, len(parts))
	var body []byte
	for i, p := range parts {
		from := int(owner.Recipe.Layout) + p.First
		if pieces, err = v.appendBlocks(ctx, pieces[:0], spans, from, from+p.Leaves); err != nil {
			return nil, err
		}
		if body, err = block.Join(body[:0], p.Layout, pieces); err != nil {
			return nil, err
		}
		digests[i] = sha256.Sum256(body)
	}
	return digests, nil
}

// joinPieces concatenates pieces. A single piece is returned without copying.
func joinPieces(pieces [][]byte) []byte {
	if len(pieces) == 1 {
		return pieces[0]
	}
	return slices.Concat(pieces...)
}

// appendBlocks appends the blocks numbered from from to to-1, counted over all
// spans. It appends fewer if the spans end before.
func (v *Snapshot) appendBlocks(ctx context.Context, out [][]byte, spans []segment.Span, from, to int) ([][]byte, error) {
	at := 0 // number of the span's first block
	for _, span := range spans {
		begin, end := max(from-at, 0), min(to-at, int(span.Count))
		at += int(span.Count)
		if end <= 0 {
			break
		}
		if begin >= end {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := v.segment(span.Segment)
		r, err := v.withBlocks(s, span.Run)
		if err != nil {
			return nil, err
		}
		for n := begin; n < end; n++ {
			b, err := r.Block(span.N + uint32(n))
			if err != nil {
				return nil, &segment.Error{File: s.Info.File, Offset: -1, Err: err}
			}
			out = append(out, b)
		}
	}
	return out, nil
}
