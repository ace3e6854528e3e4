package dedup

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// TestLeaders compares Leaders with a search through all leaders.
func TestLeaders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Leaders
		var leaders []uint64
		middles := rapid.SliceOfN(rapid.Uint64(), 1, 4).Draw(t, "middles")
		for range rapid.IntRange(1, 60).Draw(t, "number") {
			hash := rapid.SampledFrom(middles).Draw(t, "middle")
			for range rapid.IntRange(0, 6).Draw(t, "flips") {
				hash ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
			}
			want := 0
			for want < len(leaders) && bits.OnesCount64(leaders[want]^hash) > leaderDistance {
				want++
			}
			if want == len(leaders) {
				leaders = append(leaders, hash)
			}
			if got := l.Group(hash); got != want || l.Len() != len(leaders) {
				t.Fatalf("group %d of %d, want %d of %d", got, l.Len(), want, len(leaders))
			}
		}
	})
}
