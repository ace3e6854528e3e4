// Package body puts bodies together from blocks of segments, through one cache of runs. Files
// has what all snapshots of an archive share, and Runs has what one snapshot reads.
//
// # Words
//
//	run      captures of neighbouring URLs in a segment, compressed together
//	block    a piece of a body; stored once, however many captures have it
//	layout   the bytes of a page between its leaves, stored in blocks of their own
//	leaf     a block with text
//	recipe   the list of a body's blocks: those of its layout, then its leaves
//	span     blocks of a recipe that lie one after the other in a run
//	names    a file that says where the blocks of merged segments are now
package body

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"iter"
	"math"

	"infomall/store/segment"
)

// Source finds and reads the blocks that recipes (lists of the blocks of bodies) name.
type Source interface {
	// Spans returns the spans of a recipe: ranges of blocks that lie one after the
	// other in a run. WithBlocks can read their segments.
	Spans(recipe segment.Recipe) ([]segment.Span, error)
	// WithBlocks returns run n of a segment, with its blocks decompressed.
	WithBlocks(segment, n uint32) (*segment.Run, error)
	// Fault returns an error which says that a segment is damaged. err says what is
	// wrong with one of its blocks.
	Fault(segment uint32, err error) error
}

// allBlocks, as the end of a range of blocks of a body, means that the range has all further blocks.
const allBlocks = math.MaxInt

// within yields spans that have exactly these blocks of the given spans: from number from up to,
// but not including, number to. The blocks of all given spans together are numbered from 0.
// Numbers past the last block are ignored.
func within(spans []segment.Span, from, to int) iter.Seq[segment.Span] {
	return func(yield func(segment.Span) bool) {
		first := 0 // number of the span's first block
		for _, s := range spans {
			begin, end := max(from-first, 0), min(to-first, int(s.Count))
			first += int(s.Count)
			if end <= 0 {
				return
			}
			if begin >= end {
				continue
			}
			s.N, s.Count = s.N+uint32(begin), uint32(end-begin)
			if !yield(s) {
				return
			}
		}
	}
}

// blocks yields the bytes of these blocks of the spans: from number from up to, but not including,
// number to. The blocks of all spans together are numbered from 0. If a block cannot be read, the
// last pair is an error.
func blocks(ctx context.Context, in Source, spans []segment.Span, from, to int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for s := range within(spans, from, to) {
			err := ctx.Err()
			var run *segment.Run
			if err == nil {
				run, err = in.WithBlocks(s.Segment, s.Run)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for n := range s.Count {
				b, err := run.Block(s.N + n)
				if err != nil {
					yield(nil, in.Fault(s.Segment, err))
					return
				}
				if !yield(b, nil) {
					return
				}
			}
		}
	}
}

// errSum is the error for a body whose sha256 differs from the digest in its entry.
var errSum = errors.New("its sha256 differs")

// Read yields the bytes of the body that an entry's recipe (its list of blocks)
// describes, in pieces. If the sha256 of the whole body differs from the entry's
// digest, the last pair is errSum.
func Read(ctx context.Context, in Source, e *segment.Stored) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		spans, err := in.Spans(e.Recipe)
		if err != nil {
			yield(nil, err)
			return
		}
		pieces := blocks(ctx, in, spans, 0, allBlocks)
		if e.Recipe.Layout > 0 {
			pieces = func(yield func([]byte, error) bool) { yield(joined(ctx, in, spans, e.Recipe.Layout)) }
		}
		sum := sha256.New()
		for b, err := range pieces {
			sum.Write(b)
			if !yield(b, err) || err != nil {
				return
			}
		}
		if !bytes.Equal(sum.Sum(nil), e.Digest[:]) {
			yield(nil, errSum)
		}
	}
}
