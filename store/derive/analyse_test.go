package derive

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSortIDs sorts lists of digests, some of which begin alike.
func TestSortIDs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 3), rapid.Uint64Range(1<<63, 1<<63+3))
		ids := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint64 { return [2]uint64{word.Draw(t, "first"), word.Draw(t, "second")} }), 0, 50).Draw(t, "ids")
		want := slices.Clone(ids)
		slices.SortFunc(want, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		if sortIDs(ids, nil); !slices.Equal(ids, want) {
			t.Fatalf("got %x, want %x", ids, want)
		}
	})
}
