package finder

import (
	"math/rand/v2"
	"testing"

	"infomall/store/segment"
)

// TestUsedBlocks records random uses of the blocks of a few runs, and compares noLeaf with lists of the
// uses.
func TestUsedBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	x := &wordIndexer{used: make(map[segment.RunRef]*usedBlocks)}
	type block struct {
		run segment.RunRef
		n   uint32
	}
	leaf, more := make(map[block]bool), make(map[block]bool)
	runs := []segment.RunRef{{Segment: 1, Run: 1}, {Segment: 1, Run: 2}, {Segment: 2, Run: 1}}
	for round := range 40 {
		run, from, count := runs[r.IntN(len(runs))], uint32(r.IntN(50)), uint32(r.IntN(4))
		use, list := usedAsLeaf, leaf
		if r.IntN(2) == 0 {
			use, list = usedForMore, more
		}
		x.usedOf(run).add(from, count, use)
		for n := range count {
			list[block{run, from + n}] = true
		}
		for _, run := range runs {
			for n := range uint32(60) {
				b := block{run, n}
				if got, want := x.usedOf(run).noLeaf(int(n)), more[b] && !leaf[b]; got != want {
					t.Fatalf("after %d uses, block %d of run %v is used, but no leaf: %v, want %v", round+1, n, run, got, want)
				}
			}
		}
	}
}
