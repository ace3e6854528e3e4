package finder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"infomall/store/block/facts"
	"infomall/store/segment"
)

// TestKnownLeaves compares what a leafReader remembers of the leaves of a run with a list of them. It
// asks for all ranges of leaves, when more and more leaves are known.
func TestKnownLeaves(t *testing.T) {
	const blocks = 200
	r := leafReader{}
	ref := segment.RunRef{Segment: 3, Run: 5}
	rnd := rand.New(rand.NewPCG(1, 2))
	known, some := make([]bool, blocks), make([]bool, blocks)
	for round := range 3 * blocks {
		k := r.known[ref]
		if size := min(blocks, 10+round); k == nil || len(k.leaves) < size {
			k = r.grow(ref, k, size)
		}
		if n := rnd.IntN(len(k.leaves)); !known[n] {
			known[n], some[n] = true, rnd.IntN(3) == 0
			r.keep(k, uint32(n), &facts.LeafFacts{}, !some[n])
		}
		if round%37 != 0 {
			continue
		}
		for from := range uint32(blocks) {
			for to := from; to <= blocks; to++ {
				want := int(to) <= len(k.leaves) && !slices.Contains(known[from:to], false)
				if got := k.has(from, to); got != want {
					t.Fatalf("leaves %d to %d of %v are known: %v, want %v", from, to, known, got, want)
				}
			}
		}
	}
	for n := range known {
		if !known[n] {
			r.keep(r.known[ref], uint32(n), nil, true)
		}
	}
	for from := range uint32(blocks) {
		for count := range uint32(blocks) - from {
			second := segment.Span{BlockRef: segment.BlockRef{Segment: 3, Run: 5, N: from}, Count: count}
			first := second
			first.N, first.Count = 0, 2
			var got, want []int
			for n := range 2 + int(count) {
				if n < 2 && some[n] || n >= 2 && some[from+uint32(n)-2] {
					want = append(want, n)
				}
			}
			err := r.each([]segment.Span{first, second}, func(n int, l *knownLeaf) {
				if got = append(got, n); l == nil {
					t.Fatal("a leaf is missing")
				}
			})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("leaves of blocks 0 and 1, and of %d blocks from %d: got %v, %v, want %v", count, from, got, err, want)
			}
		}
	}
}
