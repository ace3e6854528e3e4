package catalog

import (
	"slices"
	"testing"

	"infomall/store/segment"
)

// TestDueForMerge shows which small segments are merged by themselves: many that
// are small together, and the smallest of very many; never large ones.
func TestDueForMerge(t *testing.T) {
	const mb = 1 << 20
	of := func(list ...[2]int64) (sizes []int64) {
		for _, l := range list {
			sizes = append(sizes, slices.Repeat([]int64{l[1]}, int(l[0]))...)
		}
		return sizes
	}
	for name, c := range map[string]struct{ sizes, want []int64 }{
		"none":                       {nil, nil},
		"seven tiny":                 {of([2]int64{7, mb}), nil},
		"eight tiny":                 {of([2]int64{8, mb}), of([2]int64{8, mb})},
		"tiny ones beside larger":    {of([2]int64{2, 9 * mb}, [2]int64{8, mb}), of([2]int64{8, mb})},
		"eight, not small together":  {of([2]int64{8, 8 * mb}), nil},
		"just not so many":           {of([2]int64{smallMost - 1, 8 * mb}), nil},
		"so many":                    {of([2]int64{smallMost, 8 * mb}), of([2]int64{MergeWays, 8 * mb})},
		"so many, the smallest":      {of([2]int64{20, 9 * mb}, [2]int64{20, 8 * mb}), of([2]int64{MergeWays, 8 * mb})},
		"large ones":                 {of([2]int64{100, smallBytes}), nil},
		"large ones and seven small": {of([2]int64{100, smallBytes}, [2]int64{7, 1}), nil},
	} {
		var in []*segment.Info
		for i, size := range c.sizes {
			in = append(in, &segment.Info{ID: uint32(i), Bytes: size})
		}
		var got []int64
		for _, s := range DueForMerge(in) {
			got = append(got, s.Bytes)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: merged are %d, want %d", name, got, c.want)
		}
	}
}
