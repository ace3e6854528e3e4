package watch

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Snapshot lists and reads results. A snapshot of an archive implements it.
type Snapshot interface {
	Rows
	// Results returns the results of a kind.
	Results(ctx context.Context, kind string) ([]task.Result, error)
}

// listTries is how often a reader lists the files of a watch again, because a run
// has merged parts meanwhile. A run merges at most once a second.
const listTries = 10

// ReadState returns the state of the watch with this name that was defined at
// created.
func ReadState(ctx context.Context, snap Snapshot, name string, created record.Time) (s *State, err error) {
	for range listTries {
		var list []task.Result
		if list, err = snap.Results(ctx, task.ResultWatches); err != nil {
			return nil, err
		}
		if s, err = Read(list, name, created); !errors.Is(err, ErrIncomplete) {
			break
		}
	}
	return s, err
}

// All yields the rows of the batches first to last of a watch, in the order in which
// they were found. The watch has this name, and was defined at created.
func All(ctx context.Context, snap Snapshot, name string, created record.Time, first, last int64) iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		next := rowKey(first, 0) // the least key that was not read
		var failed error
		for range listTries {
			s, err := ReadState(ctx, snap, name, created)
			var hidden *hiddenURLs
			if err == nil {
				hidden, err = readHidden(ctx, snap, s)
			}
			for i := 0; err == nil && i < len(s.Parts); i++ {
				p := &s.Parts[i]
				if p.Last < first || p.First > last {
					continue
				}
				for row, e := range snap.ResultRows(ctx, p.Result, []urlkey.Range{{From: string(next), To: string(rowKey(last, -1)) + "\x00"}}) {
					var r Row
					if e == nil {
						r, e = parseRow(p, row.Value)
					}
					if e == nil {
						r.Batch, _, e = parseRowKey(row.Key)
					}
					if err = e; err != nil {
						break
					}
					next = append(append(next[:0], row.Key...), 0)
					if !hidden.hides(&r) && !yield(&r, nil) {
						return
					}
				}
			}
			if failed = err; err == nil {
				return
			}
			if !errors.Is(err, fs.ErrNotExist) {
				break
			}
		}
		yield(nil, failed)
	}
}
