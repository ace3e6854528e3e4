package relationtest

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// kept is a stored result with its rows.
type kept struct {
	task.Result
	rows []task.ResultRow
}

// SaveResult stores a result in memory.
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

// compareResults sorts results by name and time.
func compareResults(x, y task.Result) int {
	if x.Name != y.Name {
		return bytes.Compare([]byte(x.Name), []byte(y.Name))
	}
	return int(x.Computed - y.Computed)
}

// DropResult removes the results with a name, and returns how many there were.
func (a *Archive) DropResult(_ context.Context, kind, name string) (int, error) {
	before := len(a.results)
	a.results = slices.DeleteFunc(a.results, func(k kept) bool { return k.Kind == kind && k.Name == name })
	return before - len(a.results), a.Err
}

// Results returns the stored results of a kind.
func (a *Archive) Results(_ context.Context, kind string) ([]task.Result, error) {
	var list []task.Result
	for _, k := range a.results {
		if k.Kind == kind {
			list = append(list, k.Result)
		}
	}
	return list, a.Err
}

// ResultRows yields the rows of a stored result.
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
