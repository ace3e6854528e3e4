package session

import (
	"io"
	"iter"

	"infomall/exec/draw"
	"infomall/exec/value"
	"infomall/store/record"
)

// ResultKind is the kind of a Result, such as rows or bytes. It decides how
// the result is printed.
type ResultKind uint8

// The kinds of result.
const (
	ResultNone  ResultKind = iota // nothing to print: SET, RESET
	ResultRows                    // the rows of an answer: SELECT, SHOW, DESCRIBE, EXPLAIN
	ResultWork                    // a summary of work done: IMPORT
	ResultBytes                   // bytes: SHOW PAGE … AS raw | wire | html | text | headers, DIFF
	ResultText                    // text to read: HELP
)

// Count is how much work a statement did, for the log of jobs.
type Count struct {
	Rows  int64 // number of things that the work was done on: captures, records, pages, rows of a file
	Bytes int64
}

// Result is the result of a statement. The rows of a query are computed while the caller
// ranges over them, which is possible only once. When the loop ends, the statement's
// snapshot is released. If the caller never ranges over Rows, it must call Close.
type Result struct {
	Kind    ResultKind
	Columns []value.Column                 // columns of Rows; for ResultBytes one column, for output in which the bytes are a row
	Rows    iter.Seq2[*value.Batch, error] // nil for ResultNone, ResultBytes and ResultText
	Count   Count                          // for ResultWork, the work that was done; complete when Rows has ended
	Bytes   io.WriterTo                    // the content, for ResultBytes and ResultText
	Drawing draw.Drawing                   // for DIFF, BLAME, SHOW STORY and SHOW PAGE AS blocks, otherwise nil
	// Picture shows rows that are events or reports as a drawing, in the formats html and
	// chart. It is nil for other rows. It reads Rows.
	Picture draw.Drawing
	// Notes are lines for the user, on standard error: which capture was used, or why
	// there are no rows. They are complete when Rows has ended.
	Notes []string
	// Read counts what a query has read from the archive. It is complete when Rows has
	// ended.
	Read  record.ReadStats
	Close func() // never nil; harmless after Rows has ended
}

// Counted returns how much work the statement with this result did, for the log of jobs. For
// ResultWork it returns what the statement counted. Otherwise it returns rows, the number of
// rows that the caller has read.
func (res *Result) Counted(rows int64) Count {
	if res.Kind == ResultWork {
		return res.Count
	}
	return Count{Rows: rows}
}

// Done returns a result without content, for a statement that has nothing to
// show.
func Done() *Result { return &Result{Kind: ResultNone, Close: func() {}} }

// Table is a small result whose rows are all in memory.
type Table struct {
	cols  []value.Column
	batch *value.Batch
}

// NewTable returns a table without rows.
func NewTable(cols ...value.Column) *Table {
	t := &Table{cols: cols, batch: new(value.Batch)}
	for _, c := range cols {
		t.batch.Cols = append(t.batch.Cols, &value.Vector{Type: c.Type})
	}
	return t
}

// Text returns a column of texts.
func Text(name string) value.Column { return value.Column{Name: name, Type: value.Text} }

// Whole returns a column of integers.
func Whole(name string) value.Column { return value.Column{Name: name, Type: value.Int} }

// Add adds a row with the given values. If row has fewer values than the
// table has columns, the remaining columns are NULL.
func (t *Table) Add(row ...value.Value) {
	for i, c := range t.batch.Cols {
		if i < len(row) {
			c.AppendValue(row[i])
		} else {
			c.AppendValue(value.Value{})
		}
	}
	t.batch.N++
}

// Batch returns all rows of the table as one batch.
func (t *Table) Batch() *value.Batch { return t.batch }

// Work returns the table as the result of a statement that did work (ResultWork). n is the
// work for the log of jobs. If err is not nil, the result yields it after the rows.
func (t *Table) Work(n Count, err error) *Result {
	res := t.result(ResultWork, err)
	res.Count = n
	return res
}

// Result returns the table as the answer of a statement (ResultRows).
func (t *Table) Result() *Result { return t.result(ResultRows, nil) }

// result returns the table as a result of the given kind. If err is not nil, the result
// yields it after the rows.
func (t *Table) result(kind ResultKind, err error) *Result {
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
