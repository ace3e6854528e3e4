package body

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"infomall/store/block/divide"
	"infomall/store/segment"
)

var errParts = errors.New("the recipe names more blocks than a body has bytes")

// joined returns a body that is stored divided into blocks. spans are the spans of its blocks.
// The first layouts of these blocks are the layout of the body, and the others are its leaves.
//
// joined reads each run once, even if several spans are in it. It reads the newest runs first,
// because decompressing a run also decompresses the older runs whose content it needs. The
// blocks of a large page may lie in hundreds of runs. So joined keeps only the first heldRuns
// runs in memory, and copies from the others the blocks that it needs.
func joined(ctx context.Context, in Source, spans []segment.Span, layouts uint32) ([]byte, error) {
	order := make([]int, len(spans))
	first := make([]uint64, len(spans)) // number of each span's first block, among all blocks
	total := uint64(0)
	for i, s := range spans {
		order[i], first[i] = i, total
		total += uint64(s.Count)
	}
	if total > segment.DividedMax || uint64(layouts) > total {
		return nil, errParts
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(spans[b].Segment, spans[a].Segment), cmp.Compare(spans[b].Run, spans[a].Run))
	})
	parts := make([][]byte, total)
	var of *segment.Run
	runs := 0
	var copies arena
	for k, i := range order {
		s := spans[i]
		if k == 0 || s.Segment != spans[order[k-1]].Segment || s.Run != spans[order[k-1]].Run {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			var err error
			if of, err = in.WithBlocks(s.Segment, s.Run); err != nil {
				return nil, err
			}
			runs++
		}
		if err := copies.take(parts[first[i]:], of, s, runs > heldRuns); err != nil {
			return nil, err
		}
	}
	return join(parts, layouts)
}

// join returns the body whose blocks are parts. The first blocks are the pieces of its layout;
// layouts is their number. The others are its leaves.
func join(parts [][]byte, layouts uint32) ([]byte, error) {
	return divide.Join(nil, slices.Concat(parts[:layouts]...), parts[layouts:])
}

// heldRuns is how many runs the function joined keeps in memory while it reads a body.
const heldRuns = 8

// take sets the first elements of parts to the blocks of span s. The parameter of is the run that
// has them. If copied is set, take copies the blocks into the arena; otherwise the elements share
// the memory of the run.
func (a *arena) take(parts [][]byte, of *segment.Run, s segment.Span, copied bool) error {
	for n := range s.Count {
		b, err := of.Block(s.N + n)
		if err != nil {
			return fmt.Errorf("run %d of segment %d: %w", s.Run, s.Segment, err)
		}
		if parts[n] = b; copied {
			parts[n] = a.add(b)
		}
	}
	return nil
}

// arena holds copies of byte slices close together in memory.
type arena struct{ left []byte }

// An arena allocates arenaFirst bytes at first, then twice as many each time, up to
// arenaMost. Most bodies are small, and large ones take few allocations.
const (
	arenaFirst = 512
	arenaMost  = 64 << 10
)

// add copies b into the arena and returns the copy.
func (a *arena) add(b []byte) []byte {
	if len(b) > cap(a.left)-len(a.left) {
		a.left = make([]byte, 0, max(min(max(2*cap(a.left), arenaFirst), arenaMost), len(b)))
	}
	n := len(a.left)
	a.left = append(a.left, b...)
	return a.left[n:len(a.left):len(a.left)]
}
