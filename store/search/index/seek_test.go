package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSeek looks up numbers in drawn lists that ascend, from each place on, with and without gaps.
func TestSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		run := &runShapes{ascending: true}
		var leaves []UsedLeaves
		gap, n := 1+r.IntN(4), r.IntN(5)
		for range 1 + r.IntN(40) {
			run.of, run.doc, leaves = append(run.of, 0), append(run.doc, int32(n)), append(leaves, UsedLeaves{N: uint32(n), Count: 1 + uint32(r.IntN(gap))})
			n += int(leaves[len(leaves)-1].Count) + r.IntN(gap)
		}
		for from := range run.doc {
			for doc := 0; doc < n+3; doc++ {
				want := from // the last document up to doc, but not before from
				for want+1 < len(run.doc) && int(run.doc[want+1]) <= doc {
					want++
				}
				if got := run.seek(from, doc); got != want {
					t.Fatalf("seek(%d, %d) in %v: %d, want %d", from, doc, run.doc, got, want)
				}
				first := slices.IndexFunc(leaves[from:], func(l UsedLeaves) bool { return int(l.N+l.Count) > doc })
				if first < 0 {
					first = len(leaves) - from
				}
				if got := len(leaves) - from - len(LeavesFrom(leaves[from:], uint32(doc))); got != first {
					t.Fatalf("LeavesFrom(%v, %d) begins at %d, want %d", leaves[from:], doc, got, first)
				}
			}
		}
	}
}
