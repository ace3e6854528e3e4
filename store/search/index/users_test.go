package index

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestUsedLeaves adds drawn leaves to a list of UsedLeaves. The list must say the captures of each leaf, and no
// other leaf. Pages with equally many leaves share an element.
func TestUsedLeaves(t *testing.T) {
	type leaf struct {
		n    uint32
		most uint16
		of   uint32
		one  bool
	}
	check := func(leaves []leaf) (elements int) {
		var list []UsedLeaves
		for _, l := range leaves {
			list = add(list, l.n, l.most, l.of, l.one)
		}
		rest := list
		for _, want := range leaves {
			if rest = LeavesFrom(rest, want.n); len(rest) == 0 || rest[0].N > want.n {
				t.Fatalf("leaf %d of %v is missing in %v", want.n, leaves, list)
			}
			l := &rest[0]
			got := leaf{want.n, l.Most, l.List(), false}
			if c, one := l.Only(want.n); one {
				got.of, got.one = c, true
			}
			if got != want {
				t.Fatalf("leaf %v is read as %v, in %v from %v", want, got, list, leaves)
			}
		}
		count := 0
		for i := range list {
			l := &list[i]
			count += int(l.Count)
			first, one := l.Only(l.N)
			if last, _ := l.Only(l.end() - 1); l.Same() != (!one || first == last) {
				t.Fatalf("Same of %v: %v", l, l.Same())
			}
		}
		if count != len(leaves) {
			t.Fatalf("%v has %d leaves, want %d: %v", list, count, len(leaves), leaves)
		}
		return len(list)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var leaves []leaf
		n, capture, most := uint32(r.IntN(3)), uint32(r.IntN(3)), 1+r.IntN(3)
		for range r.IntN(12) {
			one := r.IntN(6) > 0
			for range most + r.IntN(2)*r.IntN(2) {
				leaves = append(leaves, leaf{n, 1 + uint16(r.IntN(8)/7), capture, one})
				n += 1 + uint32(r.IntN(8)/7)
			}
			capture += 1 + uint32(r.IntN(8)/7) - uint32(r.IntN(8)/7)
		}
		check(leaves)
	}
	var even, long []leaf
	for n := range uint32(300) {
		even = append(even, leaf{n, 1, 7 + n/3, true})
	}
	if got := check(even); got != 1 {
		t.Errorf("100 pages of three leaves take %d elements, want 1", got)
	}
	for n := range uint32(2*math.MaxUint16 + 10) {
		long = append(long, leaf{n, 1, 3, true})
	}
	if got := check(long); got != 3 {
		t.Errorf("a page with %d leaves takes %d elements, want 3", len(long), got)
	}
}
