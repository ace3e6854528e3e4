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
	ready map[scanKind][]*record.Batch
}

// scanKind is what tells apart the scans that a batches answers.
type scanKind struct {
	columns record.Columns
	once    bool
}

// Snapshot is a itself.
func (a *batches) Snapshot(context.Context) (relation.Snapshot, error) { return a, nil }

// Scan yields batches made at the first scan of this kind.
func (a *batches) Scan(ctx context.Context, s record.Scan) record.Rows {
	kind := scanKind{s.Columns, s.Once}
	if a.ready[kind] == nil {
		for b := range a.Archive.Scan(ctx, s) {
			a.ready[kind] = append(a.ready[kind], b)
		}
	}
	return func(yield func(*record.Batch, error) bool) {
		for _, b := range a.ready[kind] {
			if !yield(b, nil) {
				return
			}
		}
	}
}
