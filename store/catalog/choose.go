package catalog

import (
	"cmp"
	"slices"

	"infomall/store/segment"
)

const (
	// MergeWays is how many segments with the same URLs are merged at once at most,
	// because a run or two of each segment is in memory. If there are more segments,
	// a first round merges some of them.
	MergeWays = 16
	// smallBytes is the size in bytes below which a db-file, and its segment, is
	// called small.
	smallBytes = 16 << 20
	// smallMany and smallMost say when the small segments of a pool are merged by
	// themselves. They are merged when smallMany of them together are smaller than
	// smallBytes. If a pool has smallMost small segments, the smallest MergeWays are
	// merged. Thus what an import or crawl adds is merged about once more in all,
	// and not before much has been added.
	smallMany = 8
	smallMost = 2 * MergeWays
)

// DueForMerge returns the segments of a pool that should be merged without a MERGE
// statement. The parameter in has all segments of the pool; DueForMerge reorders it.
// The result is nil if the pool has few small segments.
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
