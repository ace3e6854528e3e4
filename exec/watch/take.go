package watch

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Files reads and writes the files of watches. An archive implements it.
type Files interface {
	// NamedResults returns the results of a kind and name, sorted by time. A
	// damaged file is an error.
	NamedResults(ctx context.Context, kind, name string) ([]task.Result, error)
	// SaveResult stores a result, whose rows are in the order of their keys. It comes
	// into force as a whole.
	SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error)
	// RemoveResult removes one result. If it does not exist, that is no error.
	RemoveResult(ctx context.Context, r task.Result) error
}

// Rows yields the rows of results. A snapshot of an archive implements it.
type Rows interface {
	ResultRows(ctx context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error]
}

// Runner works on the files of one watch. Only one Runner of a watch may work at a
// time.
type Runner struct {
	Files  Files
	Rows   Rows
	Name   string
	Query  string // the text of the query
	Memory spill.Memory
	// Created is when the watch was defined. It distinguishes watches of one name.
	Created record.Time
}

// State returns the state of the watch.
func (w *Runner) State(ctx context.Context) (*State, error) {
	list, err := w.Files.NamedResults(ctx, task.ResultWatches, w.Name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w (%w)", w.Name, ErrIncomplete, err)
	}
	return Read(list, w.Name, w.Created)
}

// result returns a task.Result with the name of the watch and these properties.
func (w *Runner) result(at record.Time, properties ...any) task.Result {
	r := task.Result{Kind: task.ResultWatches, Name: w.Name, Computed: at, AsOf: at, Statement: w.Query,
		Properties: map[string]string{"created": fmt.Sprint(int64(w.Created))}}
	for i := 0; i < len(properties); i += 2 {
		r.Properties[properties[i].(string)] = fmt.Sprint(properties[i+1])
	}
	return r
}

// Found is what a run of the query found.
type Found struct {
	Seen    record.Time // when the run began
	Columns []value.Column
	Key     []int // indexes of the columns that are the key; nil means all
	Rows    value.Rows
	// Fill says that the first run only fills the watch: its batch counts as done.
	Fill bool
}

// rowBytesMax is the greatest size of a row in bytes. Package result has the same
// limit.
const rowBytesMax = 1 << 20

// Take stores the new rows of f as the batch after s.Last, and returns how many
// there are. If there are none, it stores nothing, unless f.Fill is set and the
// watch has no batch yet.
func (w *Runner) Take(ctx context.Context, s *State, f *Found) (rows int64, err error) {
	sorted := w.Memory.Sorter(ctx, 2)
	defer sorted.Close()
	if err := f.sort(sorted); err != nil {
		return 0, err
	}
	fill := f.Fill && s.Last == 0
	next, stop := iter.Pull2(w.newRows(ctx, s, sorted))
	defer stop()
	first, err, more := next()
	if err != nil || !more && !fill {
		return 0, err
	}
	inOrder := w.Memory.Sorter(ctx, 2)
	defer inOrder.Close()
	batch := s.Last + 1
	done := s.Done
	if fill {
		done = batch
	}
	r := w.result(f.Seen, "first", batch, "last", batch, "edition", s.edition, "level", 0, "done", done, "columns", formatColumns(f.Columns))
	_, err = w.Files.SaveResult(ctx, r, func(yield func(task.ResultRow, error) bool) {
		rec, err, more := first, error(nil), more
		var key []byte
		for ; more; rec, err, more = next() {
			if err == nil {
				err = inOrder.Add(rec.Val[:8], rec.Val[8:])
			}
			key = append(append(key[:0], keyHash), rec.Key...)
			if !yield(task.ResultRow{Key: key}, err) || err != nil {
				return
			}
		}
		for rec, err := range inOrder.Sorted() {
			if !yield(task.ResultRow{Key: rowKey(batch, rows), Value: rec.Val}, err) || err != nil {
				return
			}
			rows++
		}
	})
	return rows, err
}

// sort adds the rows of f to sorted: by the hash of the row's key, and as value the
// number of the row in eight bytes and the row.
func (f *Found) sort(sorted *spill.Sorter) error {
	values := make([]value.Value, len(f.Columns))
	key := values
	if f.Key != nil {
		key = make([]value.Value, len(f.Key))
	}
	var n uint64
	var hash, row []byte
	for b, err := range f.Rows {
		if err != nil {
			return err
		}
		for i := range b.N {
			for j := range values {
				values[j] = b.Cols[j].At(i)
			}
			for j, c := range f.Key {
				key[j] = values[c]
			}
			hash = appendKeyHash(hash[:0], key)
			row = appendRow(binary.BigEndian.AppendUint64(row[:0], n), f.Seen, values)
			if len(row)-8 > rowBytesMax {
				return fmt.Errorf("a row of the query has %d bytes, and a watch keeps rows of at most %s: select less, such as left(text, 1000)", len(row)-8, value.Size(rowBytesMax))
			}
			if err := sorted.Add(hash, row); err != nil {
				return err
			}
			n++
		}
	}
	return nil
}

// newRows yields those records of sorted whose key no part in force has. Of
// several with one key it yields the first.
func (w *Runner) newRows(ctx context.Context, s *State, sorted *spill.Sorter) iter.Seq2[spill.Record, error] {
	return func(yield func(spill.Record, error) bool) {
		known := newMerged(ctx, w.Rows, s.Parts, between(keyHash))
		defer known.close()
		var last []byte
		for rec, err := range sorted.Sorted() {
			if err != nil {
				yield(rec, err)
				return
			}
			if bytes.Equal(rec.Key, last) {
				continue
			}
			last = append(last[:0], rec.Key...)
			seen := false
			for {
				row, more, err := known.row()
				if err != nil {
					yield(rec, err)
					return
				}
				if !more {
					break
				}
				if c := bytes.Compare(row.Key[1:], rec.Key); c >= 0 {
					seen = c == 0
					break
				}
				known.next()
			}
			if !seen && !yield(rec, nil) {
				return
			}
		}
	}
}

// Mark stores that THEN is done up to a batch. now is the time.
func (w *Runner) Mark(ctx context.Context, batch int64, now record.Time) error {
	none := func(func(task.ResultRow, error) bool) {}
	_, err := w.Files.SaveResult(ctx, w.result(now, "first", 0, "done", batch), none)
	return err
}
