package snapshot

import (
	"context"
	"slices"

	"infomall/store/record"
	"infomall/store/segment"
	"infomall/store/urlkey"
)

// ToRead estimates how much the scan s reads of the archive, from the catalogue and the keys in
// the indexes. part names the parts of the db-files that the scan reads.
func (v *Snapshot) ToRead(ctx context.Context, s record.Scan, part record.FilePart) (record.Reading, error) {
	var sum record.Reading
	ranges := s.Ranges
	if ranges == nil {
		ranges = []urlkey.Range{{}}
	}
	if s.Columns&colsMeta != 0 {
		part = max(part, record.FileEntries)
	}
	for _, i := range v.segmentsFor(s.From, s.To) {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		r := v.Runs.Reader(i)
		if !mayHave(r, ranges) {
			continue
		}
		if err := r.ToRead(ranges, s.From, s.To, part, &sum); err != nil && !v.skips(err) {
			return sum, err
		}
	}
	return sum, nil
}

// borderChunks is the largest number of chunks whose keys Borders reads,
// approximately. If there are more chunks, Borders reads the keys of only some
// of the segments.
const borderChunks = 1 << 20

// Borders returns keys that divide what the scan s reads into parts of about equal size, at
// most the given number of parts. The keys are sorted. Each key begins a part; the first part
// has the keys before the first border. least is how many index chunks of each segment a part
// has on average at least, because a chunk at a border is read for both its parts.
func (v *Snapshot) Borders(ctx context.Context, s record.Scan, parts, least int) ([]string, error) {
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
	if least > 0 {
		parts = min(parts, len(keys)*stride/(least*max(len(chosen), 1)))
	}
	return urlkey.Quantiles(keys, parts), nil
}
