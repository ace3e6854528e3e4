package relationtest

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// kept is a result that a test has stored with SaveResult, together with its
// rows.
type kept struct {
	task.Result
	rows []task.ResultRow
}

// SaveResult stores the result r with a copy of its rows in memory, and returns
// r with the number of rows filled in. If a result with the same kind, name and
// time exists, it moves the time on by milliseconds.
func (a *Archive) SaveResult(_ context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error) {
	k := kept{Result: r}
	for row, err := range rows {
		if err != nil {
			return r, err
		}
		k.rows = append(k.rows, task.ResultRow{Key: bytes.Clone(row.Key), Value: bytes.Clone(row.Value)})
	}
	for slices.ContainsFunc(a.results, func(o kept) bool { return o.Kind == r.Kind && o.Name == r.Name && o.Computed == k.Computed }) {
		k.Computed++
	}
	k.Rows = int64(len(k.rows))
	a.results = append(a.results, k)
	slices.SortStableFunc(a.results, func(x, y kept) int { return compareResults(x.Result, y.Result) })
	return k.Result, a.Err
}

// TakeResults sets the stored results of a to those of from, as if from were an earlier state of a.
func (a *Archive) TakeResults(from *Archive) { a.results = slices.Clone(from.results) }

// compareResults returns a negative number if x sorts before y, by name and
// then by time, a positive number if it sorts after y, and otherwise 0.
func compareResults(x, y task.Result) int {
	return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Computed, y.Computed))
}

// DropResult removes the results of this kind and name, and returns how many it
// has removed.
func (a *Archive) DropResult(_ context.Context, kind, name string) (int, error) {
	before := len(a.results)
	a.results = slices.DeleteFunc(a.results, func(k kept) bool { return k.Kind == kind && k.Name == name })
	return before - len(a.results), a.Err
}

// NamedResults returns the stored results of this kind and name, sorted by time.
func (a *Archive) NamedResults(ctx context.Context, kind, name string) ([]task.Result, error) {
	list, err := a.Results(ctx, kind)
	return slices.DeleteFunc(list, func(r task.Result) bool { return r.Name != name }), err
}

// RemoveResult removes the stored result r.
func (a *Archive) RemoveResult(_ context.Context, r task.Result) error {
	a.results = slices.DeleteFunc(a.results, func(k kept) bool { return k.Kind == r.Kind && k.Name == r.Name && k.Computed == r.Computed })
	return a.Err
}

// Results returns the stored results of this kind, sorted by name and time.
func (a *Archive) Results(_ context.Context, kind string) ([]task.Result, error) {
	var list []task.Result
	for _, k := range a.results {
		if k.Kind == kind {
			list = append(list, k.Result)
		}
	}
	return list, a.Err
}

// ResultRows yields the rows of the stored result r whose keys lie in ranges,
// in the order in which they were saved. Nil ranges mean all rows.
func (a *Archive) ResultRows(_ context.Context, r task.Result, ranges []urlkey.Range) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		for _, k := range a.results {
			if k.Kind != r.Kind || k.Name != r.Name || k.Computed != r.Computed {
				continue
			}
			for _, row := range k.rows {
				in := func(x urlkey.Range) bool { return x.Contains(string(row.Key)) }
				if (ranges == nil || slices.ContainsFunc(ranges, in)) && !yield(row, nil) {
					return
				}
			}
		}
	}
}

// Since implements relation.Snapshot. It returns record.MinTime: the archive is small.
func (a *Archive) Since(string, record.Time, int) record.Time { return record.MinTime }

// SampleLevels implements relation.Snapshot. It returns 0 and 0: the archive is small.
func (a *Archive) SampleLevels(context.Context, int) (least, greatest int, err error) {
	return 0, 0, nil
}
