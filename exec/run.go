package exec

import (
	"time"

	"infomall/exec/expr"
	"infomall/exec/rowio"
	"infomall/exec/value"
	"infomall/store/record"
)

// now is the time by the session's clock.
func (s *Session) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// env returns the values that stay fixed while one statement runs, such as the
// current time.
func (s *Session) env() *expr.Env {
	return &expr.Env{
		Now: record.At(s.now()), Zone: s.Settings.Timezone, Params: s.Params,
		Level: s.Settings.cutLevel(), Profile: s.Settings.Profile, Plain: s.Plain,
		Table:   func(path string) (value.Table, error) { return rowio.OpenTable(path) },
		Defined: s.defined(),
	}
}

// done returns the result of a statement that has nothing to show.
func done() *Result { return &Result{Kind: ResultNone, Close: func() {}} }

// table is a small result whose rows are all in memory.
type table struct {
	cols  []value.Column
	batch *value.Batch
}

func newTable(cols ...value.Column) *table {
	t := &table{cols: cols, batch: new(value.Batch)}
	for _, c := range cols {
		t.batch.Cols = append(t.batch.Cols, &value.Vector{Type: c.Type})
	}
	return t
}

// text returns a column of texts with a name, whole one of integers.
func text(name string) value.Column { return value.Column{Name: name, Type: value.Text} }

func whole(name string) value.Column { return value.Column{Name: name, Type: value.Int} }

// add adds a row. Columns left out at its end are NULL.
func (t *table) add(row ...value.Value) {
	for i, c := range t.batch.Cols {
		if i < len(row) {
			c.AppendValue(row[i])
		} else {
			c.AppendValue(value.Value{})
		}
	}
	t.batch.N++
}

// work returns the table as a summary of work, of which n is what a job notes. Err,
// if not nil, follows the rows.
func (t *table) work(n Count, err error) *Result {
	res := t.result(ResultWork, err)
	res.Count = n
	return res
}

// result returns the table as a result. Err, if not nil, follows the rows.
func (t *table) result(kind ResultKind, err error) *Result {
	return &Result{
		Kind:    kind,
		Columns: t.cols,
		Rows: func(yield func(*value.Batch, error) bool) {
			if t.batch.N > 0 && !yield(t.batch, nil) {
				return
			}
			if err != nil {
				yield(nil, err)
			}
		},
		Close: func() {},
	}
}
