package duplicate

import (
	"slices"
	"testing"
)

// TestPieces collects a list of single elements and of more elements than a piece has. The joined
// list has all in order, and no room for more.
func TestPieces(t *testing.T) {
	var p pieces[int]
	var want []int
	for i := range 2*pieceLength + 1 {
		p.add(i)
		want = append(want, i)
		if i == 10 {
			long := make([]int, pieceLength+5)
			p.add(long...)
			want = append(want, long...)
		}
		if p.n != len(want) {
			t.Fatalf("the list has %d elements, want %d", p.n, len(want))
		}
	}
	got := p.join()
	if !slices.Equal(got, want) || cap(got) != len(got) {
		t.Errorf("%d elements in room for %d, want %d", len(got), cap(got), len(want))
	}
	if p.n != 0 || len(p.join()) != 0 {
		t.Error("the list is not empty after join")
	}
}
