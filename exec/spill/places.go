package spill

import (
	"context"
	"iter"
	"slices"
)

// Places sorts places of rows by a number that belongs to each. It holds them in memory. Places
// with equal numbers keep their order. One goroutine uses it.
type Places struct{ s Sorter }

// NewPlaces returns an empty Places. When ctx is done, a sort that is running ends soon.
func NewPlaces(ctx context.Context) *Places { return &Places{Sorter{ctx: ctx}} }

// PlaceBytes is the memory that Places takes for each place while it sorts, in bytes.
const PlaceBytes = 40

// Add adds the place of a row: the index of its batch, and the index of the row in the batch.
// Places are sorted by number.
func (p *Places) Add(number uint64, batch, row uint32) {
	if len(p.s.held) == cap(p.s.held) { // append would grow it by a quarter, and so copy it often
		p.s.held = slices.Grow(p.s.held, max(len(p.s.held), 1024))
	}
	p.s.held = append(p.s.held, heldRec{number, batch, row})
}

// Sorted yields the places, each as batch × 2³² + row, in the order of their numbers. If
// the context of p is done, it yields the context's error.
func (p *Places) Sorted() iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		if len(p.s.held) > 0 {
			p.s.sortByPrefix(p.s.held)
			p.s.sorting = nil
		}
		if err := p.s.ctx.Err(); err != nil {
			yield(0, err)
			return
		}
		for i, r := range p.s.held {
			var err error
			if i%ctxEvery == 0 {
				err = p.s.ctx.Err()
			}
			if !yield(uint64(r.chunk)<<32|uint64(r.at), err) || err != nil {
				return
			}
		}
	}
}

// Reset removes all places.
func (p *Places) Reset() { p.s.held = p.s.held[:0] }
