package catalog

import (
	"cmp"
	"slices"

	"infomall/store/segment"
)

const (
	// MergeWays is the greatest number of segments that are merged at once if they have captures
	// of the same URLs, because one or two runs of each segment are in memory. If there are more
	// segments, a first round merges some of them.
	MergeWays = 16
	// smallBytes is the size in bytes below which a db-file, and its segment, is called small.
	// Only small segments are merged without a MERGE statement.
	smallBytes = 64 << 20
	// classWays is how many small segments of one size class are needed for a merge. It is also
	// the factor between the greatest sizes of two neighbouring classes. The result of a merge
	// is usually in the next class, so a capture is rewritten at most once in each class. After
	// the merges a pool has less than classWays small segments in each class.
	classWays = 8
	// classBytes is the size in bytes below which a segment is in the first class.
	classBytes = 32 << 10
)

// classOf returns the number of the size class of a segment, from 0 for the smallest segments.
func classOf(s *segment.Info) (class int) {
	for most := int64(classBytes); s.Bytes >= most; most *= classWays {
		class++
	}
	return class
}

// DueForMerge returns the segments of a pool that should be merged without a MERGE statement:
// the small segments of one size class, if there are at least classWays of them. It returns at
// most MergeWays. If several classes are due, it returns segments of the smallest class. The
// parameter in has all segments of the pool. The result is nil if no class is due.
func DueForMerge(in []*segment.Info) []*segment.Info {
	var classes [][]*segment.Info
	for _, s := range in {
		if s.Bytes >= smallBytes {
			continue
		}
		c := classOf(s)
		for len(classes) <= c {
			classes = append(classes, nil)
		}
		classes[c] = append(classes[c], s)
	}
	for _, of := range classes {
		if len(of) >= classWays {
			slices.SortFunc(of, func(a, b *segment.Info) int { return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.ID, b.ID)) })
			return of[:min(len(of), MergeWays)]
		}
	}
	return nil
}

// DueMerges returns the pools in which segments are due for a merge (see DueForMerge), those
// with the most such segments first, and how many captures these merges rewrite. When that
// number reaches the parameter captures, the other pools are left to the next call. Pools with
// MergeWays such segments are never left, so the number of segments of a pool stays bounded.
//
// If no pools were left, an import of captures of many months would merge the pools of all these
// months at once. Twelve imports of 50,000 captures over 24 months took 2 to 5 s of CPU time
// each, but the fourth, the eighth and the twelfth took 9, 24 and 39 s.
func (c *Catalog) DueMerges(captures int64) (pools []string, rewritten int64) {
	in := make(map[string][]*segment.Info)
	for _, s := range c.Segments {
		in[s.Pool] = append(in[s.Pool], s)
	}
	due := make(map[string][]*segment.Info)
	for pool, segments := range in {
		if d := DueForMerge(segments); d != nil {
			due[pool] = d
			pools = append(pools, pool)
		}
	}
	slices.SortFunc(pools, func(a, b string) int { return cmp.Or(cmp.Compare(len(due[b]), len(due[a])), cmp.Compare(a, b)) })
	for i, pool := range pools {
		if rewritten >= captures && len(due[pool]) < MergeWays {
			return pools[:i], rewritten
		}
		for _, s := range due[pool] {
			rewritten += s.Captures
		}
	}
	return pools, rewritten
}
