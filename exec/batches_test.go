package exec_test

import (
	"context"

	"infomall/exec/op"
	"infomall/exec/op/optest"
	"infomall/store/record"
)

// batches is an archive whose captures lie ready in batches, so that a
// benchmark measures the operators and not it. It answers whole scans only.
type batches struct {
	*optest.Archive
	all []*record.Batch
}

// load makes the batches, all columns filled.
func (a *batches) load() {
	for b := range a.Archive.Scan(context.Background(), record.Scan{From: record.MinTime, To: record.MaxTime + 1, Columns: ^record.Columns(0)}) {
		a.all = append(a.all, b)
	}
}

// Snapshot is a itself.
func (a *batches) Snapshot(context.Context) (op.Snapshot, error) { return a, nil }

// Scan yields the batches.
func (a *batches) Scan(context.Context, record.Scan) record.Rows {
	return func(yield func(*record.Batch, error) bool) {
		for _, b := range a.all {
			if !yield(b, nil) {
				return
			}
		}
	}
}
