package snapshot

import (
	"context"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

const (
	// chunksOfPart is how many index chunks of each segment a part has at least, on average.
	// A chunk at a border is read for the parts on both sides.
	chunksOfPart = 4
	// borderChunks bounds the chunks whose keys are looked at. With more chunks, Borders looks
	// at some of the segments.
	borderChunks = 1 << 20
)

// Borders returns keys that divide what the scan s reads into parts of about the same size,
// at most the given number. The keys are sorted, and each begins a part; the first part has
// the keys before the first. There are fewer parts if they would be so small that much is
// read twice.
func (v *Snapshot) Borders(ctx context.Context, s record.Scan, parts int) ([]string, error) {
	ranges := s.Ranges
	if ranges == nil {
		ranges = []urlkey.Range{{}}
	}
	var chosen []*segment.Info
	chunks := 0
	for _, i := range v.segmentsFor(s.From, s.To) {
		if mayHave(v.Runs.Reader(i), ranges) {
			chosen = append(chosen, i)
			chunks += int(i.Runs)
		}
	}
	stride := 1 + chunks/borderChunks
	var keys []string
	for n, i := range chosen {
		if n%stride != 0 {
			continue
		}
		err := v.Runs.Reader(i).ChunkKeys(ctx, ranges, func(key string) { keys = append(keys, key) })
		if err != nil && !v.skips(err) {
			return nil, err
		}
	}
	slices.Sort(keys)
	parts = min(parts, len(keys)*stride/(chunksOfPart*max(len(chosen), 1)))
	return urlkey.Quantiles(keys, parts), nil
}
