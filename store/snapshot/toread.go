package snapshot

import (
	"context"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// ToRead returns how much the scan s reads of the archive, from the catalogue and
// the keys of indexes. part names the parts of the db-files that the scan reads.
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
