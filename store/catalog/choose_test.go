package catalog

import (
	"fmt"
	"slices"
	"testing"

	"infomall/store/segment"
)

// TestDueForMerge shows which small segments are merged by themselves: eight or more of
// one size class, those of the smallest class first; never large ones.
func TestDueForMerge(t *testing.T) {
	const mb = 1 << 20
	of := func(list ...[2]int64) (sizes []int64) {
		for _, l := range list {
			sizes = append(sizes, slices.Repeat([]int64{l[1]}, int(l[0]))...)
		}
		return sizes
	}
	for name, c := range map[string]struct{ sizes, want []int64 }{
		"none":               {nil, nil},
		"seven":              {of([2]int64{7, mb}), nil},
		"eight":              {of([2]int64{8, mb}), of([2]int64{8, mb})},
		"eight of two sizes": {of([2]int64{4, mb}, [2]int64{4, mb + 1}), of([2]int64{4, mb}, [2]int64{4, mb + 1})},
		"beside larger":      {of([2]int64{7, 9 * mb}, [2]int64{8, mb}), of([2]int64{8, mb})},
		"of two classes":     {of([2]int64{4, 9 * mb}, [2]int64{4, mb}), nil},
		"the smaller class":  {of([2]int64{9, 9 * mb}, [2]int64{8, mb}), of([2]int64{8, mb})},
		"the larger class":   {of([2]int64{9, 9 * mb}, [2]int64{7, mb}), of([2]int64{9, 9 * mb})},
		"very many":          {of([2]int64{10, 9 * mb}, [2]int64{20, 8 * mb}), of([2]int64{MergeWays, 8 * mb})},
		"tiny":               {of([2]int64{8, 1}), of([2]int64{8, 1})},
		"large ones":         {of([2]int64{100, smallBytes}), nil},
		"large and small":    {of([2]int64{100, smallBytes}, [2]int64{7, 1}), nil},
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

// TestDueForMergeAmount adds segments of one size to a pool, and merges what is due each
// time. What all merges write is bounded, and so is the number of segments.
func TestDueForMergeAmount(t *testing.T) {
	for _, size := range []int64{1 << 10, 20 << 10, 400 << 10, 5 << 20} {
		var in []*segment.Info
		written, most := int64(0), 0
		const adds = 1000
		for i := range adds {
			in = append(in, &segment.Info{ID: uint32(i), Bytes: size})
			written += size
			for due := DueForMerge(in); due != nil; due = DueForMerge(in) {
				merged := &segment.Info{ID: due[0].ID}
				for _, s := range due {
					merged.Bytes += s.Bytes
				}
				in = slices.DeleteFunc(in, func(s *segment.Info) bool { return slices.Contains(due, s) })
				in = append(in, merged)
				written += merged.Bytes
			}
			small := 0
			for _, s := range in {
				if s.Bytes < smallBytes {
					small++
				}
			}
			most = max(most, small)
		}
		if ratio := float64(written) / float64(adds*size); ratio > 6 || most > 6*(classWays-1) {
			t.Errorf("segments of %d bytes: %.1f bytes written for each byte, up to %d small segments", size, ratio, most)
		} else {
			t.Logf("segments of %d bytes: %.1f bytes written for each byte, up to %d small segments", size, ratio, most)
		}
	}
}

// TestDueMerges adds one segment to each of 24 pools at a time, as an import of captures of
// many months does, and merges what is due. Each time the merges stop at their limit. No pool
// gets more small segments than one merge takes. In the end no merge is left.
func TestDueMerges(t *testing.T) {
	const pools, captures, share = 24, 1000, 2
	c, id := &Catalog{}, uint32(0)
	add := func(pool string, captures int64) {
		id++
		c.Segments = append(c.Segments, &segment.Info{ID: id, Pool: pool, Captures: captures, Bytes: captures * 100})
	}
	merge := func(may int64) (rewritten int64) {
		names, rewritten := c.DueMerges(may)
		sum := int64(0)
		for _, name := range names {
			due := DueForMerge(c.PoolSegments(name))
			if sum >= may && len(due) < MergeWays {
				t.Errorf("a merge in pool %s after merges of %d captures, %d should be enough", name, sum, may)
			}
			merged := int64(0)
			for _, s := range due {
				merged += s.Captures
			}
			c.Segments = slices.DeleteFunc(c.Segments, func(s *segment.Info) bool { return slices.Contains(due, s) })
			add(name, merged)
			sum += merged
		}
		if sum != rewritten {
			t.Fatalf("merges of %d captures, %d were announced", sum, rewritten)
		}
		return rewritten
	}
	written, debt := int64(0), int64(0)
	for batch := range 200 {
		for i := range pools {
			add(fmt.Sprint(200801+i), captures)
		}
		may := share*pools*captures - debt
		n := merge(may)
		debt = max(n-may, 0)
		written += n
		for _, name := range c.PoolNames() {
			if due := DueForMerge(c.PoolSegments(name)); len(due) >= MergeWays {
				t.Errorf("batch %d: pool %s has %d segments of one class", batch, name, len(due))
			}
		}
	}
	if written > share*200*pools*captures {
		t.Errorf("merges wrote %d captures", written)
	}
	for merge(1) > 0 {
	}
	for range MergeWays {
		add("200801", captures)
	}
	if names, _ := c.DueMerges(0); !slices.Equal(names, []string{"200801"}) {
		t.Errorf("of a pool with %d segments of one class, due is %q", MergeWays, names)
	}
	merge(0)
	for _, name := range c.PoolNames() {
		if due := DueForMerge(c.PoolSegments(name)); due != nil {
			t.Errorf("pool %s has %d segments to merge, but nothing is due", name, len(due))
		}
	}
}
