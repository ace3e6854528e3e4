package search

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestBitmap adds drawn numbers to a bitmap, one range after the other. The bitmap must have exactly
// these numbers.
func TestBitmap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 300).Draw(t, "count")
		b, want := newBitmap(count), make([]bool, count)
		for range rapid.IntRange(0, 4).Draw(t, "ranges") {
			from := rapid.IntRange(0, count).Draw(t, "from")
			to := rapid.IntRange(from, count).Draw(t, "to")
			if rapid.Bool().Draw(t, "few") {
				few := rapid.Uint64().Draw(t, "bits")
				if from == count {
					continue
				}
				if left := count - from; left < 64 {
					few &= 1<<left - 1
				}
				b.add(uint32(from), few)
				for i := range min(64, count-from) {
					want[from+i] = want[from+i] || few>>i&1 != 0
				}
				continue
			}
			b.setRange(uint32(from), uint32(to))
			for n := from; n < to; n++ {
				want[n] = true
			}
		}
		from := rapid.IntRange(0, count).Draw(t, "asked from")
		to := rapid.IntRange(from, count).Draw(t, "asked to")
		var list []uint32
		for n := range count {
			if b.has(uint32(n)) != want[n] {
				t.Fatalf("the bitmap has %d: %t, want %t", n, !want[n], want[n])
			}
			if want[n] && n >= from && n < to {
				list = append(list, uint32(n))
			}
		}
		if got := slices.Collect(b.all(uint32(from), uint32(to))); !slices.Equal(got, list) {
			t.Fatalf("from %d to %d it has %v, want %v", from, to, got, list)
		}
		if got := b.count(uint32(from), uint32(to)); got != len(list) {
			t.Fatalf("from %d to %d it has %d numbers, want %d", from, to, got, len(list))
		}
	})
}
