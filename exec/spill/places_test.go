package spill

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPlaces sorts places by random numbers, many of them equal. Places with equal numbers
// keep their order. A second use after Reset has only the new places, and the end of the
// context ends the sort.
func TestPlaces(t *testing.T) {
	const seed = 4
	r := rand.New(rand.NewPCG(seed, 0))
	ctx, cancel := context.WithCancel(t.Context())
	p := NewPlaces(ctx)
	for _, n := range []int{0, 1, 10_000, 3000} {
		type numbered struct{ number, place uint64 }
		var want []numbered
		for i := range n {
			number := uint64(r.IntN(500)) << (8 * r.IntN(8))
			batch, row := uint32(i/1024), uint32(i%1024)
			p.Add(number, batch, row)
			want = append(want, numbered{number, uint64(batch)<<32 | uint64(row)})
		}
		slices.SortStableFunc(want, func(a, b numbered) int {
			switch {
			case a.number < b.number:
				return -1
			case a.number > b.number:
				return 1
			}
			return 0
		})
		i := 0
		for place, err := range p.Sorted() {
			if err != nil || i >= n || place != want[i].place {
				t.Fatalf("place %d of %d: got %x, error %v", i, n, place, err)
			}
			i++
		}
		if i != n {
			t.Errorf("got %d places, want %d", i, n)
		}
		p.Reset()
	}
	p.Add(1, 0, 0)
	cancel()
	for _, err := range p.Sorted() {
		if err != context.Canceled {
			t.Errorf("after the end of the context: got error %v, want %v", err, context.Canceled)
		}
	}
}
