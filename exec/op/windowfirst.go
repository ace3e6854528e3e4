package op

import (
	"context"

	"infomall/exec/plan"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// firstSitesMax is how many sites (hosts or domains) ofFirst reads by themselves, at most. If the
// first rows have more sites, it reads all rows.
const firstSitesMax = 64

// ofFirst returns rows of n.In, in their order. The query needs only the first n.First rows, with
// their results. If the partitions of these rows belong to few hosts or domains, ofFirst leaves out
// the rows of other hosts or domains. The parameter in has the rows of n.In, and partition computes
// the keys of partitions.
func (r *Runner) ofFirst(ctx context.Context, n *plan.Window, partition *keyReader, in value.Rows) value.Rows {
	src, key := n.BySite()
	if src == nil {
		return in
	}
	return func(yield func(*value.Batch, error) bool) {
		ranges, err := r.rangesOfFirst(n, key, partition, in)
		if err != nil {
			yield(nil, err)
			return
		}
		all := in
		if ranges != nil {
			if all, err = r.rowsWithin(ctx, n.In, src, ranges); err != nil {
				yield(nil, err)
				return
			}
		}
		all(yield)
	}
}

// rangesOfFirst returns the ranges of URLs that contain all rows of the partitions to which the
// first n.First input rows belong. It returns nil if it cannot restrict them. key is the index of
// the partition key that n.BySite returned.
func (r *Runner) rangesOfFirst(n *plan.Window, key int, partition *keyReader, in value.Rows) ([]urlkey.Range, error) {
	var ranges []urlkey.Range
	var last value.Value
	sites, left := 0, n.First
	for b, err := range in {
		if err == nil {
			err = partition.load(b)
		}
		if err != nil {
			return nil, err
		}
		column := partition.cols[key]
		for i := range min(int64(b.N), left) {
			site := column.At(int(i))
			if sites > 0 && site == last {
				continue
			}
			of, ok := n.RangesOfSite(key, site)
			if sites++; !ok || sites > firstSitesMax {
				return nil, nil
			}
			ranges, last = append(ranges, of...), held(site)
		}
		if left -= int64(b.N); left <= 0 {
			return urlkey.Merge(ranges), nil
		}
	}
	return urlkey.Merge(ranges), nil
}
