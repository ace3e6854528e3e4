package catalog

import (
	"cmp"
	"slices"

	"infomall/store/segment"
)

const (
	// MergeWays is how many segments with the same URLs are merged at once at most:
	// a run or two of each are in memory. If there are more, some are merged in a
	// round before the others.
	MergeWays = 16
	// smallBytes is the size of a db-file below which its segment is called small.
	smallBytes = 16 << 20
	// smallMany and smallMost say when the small segments of a pool are merged by
	// themselves: when smallMany of them together are smaller than smallBytes, or
	// when there are smallMost of them. In the second case the smallest MergeWays
	// are merged. So what an import or crawl adds is merged about once more in all,
	// and not before there is much of it.
	smallMany = 8
	smallMost = 2 * MergeWays
)

// DueForMerge returns those of a pool's segments that should be merged without
// being asked: none if the small ones are few. It reorders in.
func DueForMerge(in []*segment.Info) []*segment.Info {
	small := slices.DeleteFunc(in, func(s *segment.Info) bool { return s.Bytes >= smallBytes })
	slices.SortFunc(small, func(a, b *segment.Info) int { return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.ID, b.ID)) })
	together, bytes := 0, int64(0)
	for _, s := range small {
		if bytes += s.Bytes; bytes >= smallBytes {
			break
		}
		together++
	}
	switch {
	case together >= smallMany:
		return small[:together]
	case len(small) >= smallMost:
		return small[:MergeWays]
	}
	return nil
}
