package exec_test

import (
	"context"

	"infomall/exec/relation"
	"infomall/exec/relation/relationtest"
	"infomall/store/record"
)

// batches is an archive whose captures lie ready in batches, so that a
// benchmark measures the operators and not it. It answers whole scans only.
type batches struct {
	*relationtest.Archive
	ready map[record.Columns][]*record.Batch
}

// Snapshot is a itself.
func (a *batches) Snapshot(context.Context) (relation.Snapshot, error) { return a, nil }

// Scan yields batches made at the first scan of these columns.
func (a *batches) Scan(ctx context.Context, s record.Scan) record.Rows {
	if a.ready[s.Columns] == nil {
		for b := range a.Archive.Scan(ctx, s) {
			a.ready[s.Columns] = append(a.ready[s.Columns], b)
		}
	}
	return func(yield func(*record.Batch, error) bool) {
		for _, b := range a.ready[s.Columns] {
			if !yield(b, nil) {
				return
			}
		}
	}
}
