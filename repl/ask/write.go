package ask

import (
	"fmt"
	"io"
	"strings"

	"infomall/exec/rowio"
	"infomall/exec/session"
	"infomall/exec/value"
)

// Write writes the result to w in a format of package rowio. Nothing is written before the first
// rows are there, so that the caller can still answer with an error. flush, if not nil, is
// called after each batch of rows.
func (a *Answer) Write(w io.Writer, format string, flush func()) error {
	rows := rowio.NewBinary(format, w)
	if rows == nil {
		var err error
		if rows, err = rowio.New(format, w, rowio.Options{Zone: a.Zone(), Header: true}); err != nil {
			return err
		}
	}
	begun := false
	begin := func() error {
		begun = true
		return rows.Begin(a.Columns)
	}
	for b, err := range a.batches() {
		if err != nil {
			return a.Cause(err)
		}
		if !begun {
			if err := begin(); err != nil {
				return err
			}
		}
		room := a.runner.o.Rows - a.Sent
		more := int64(b.N) > room
		if more {
			b = b.Slice(0, int(room))
		}
		a.Sent += int64(b.N)
		if err := rows.Write(b); err != nil {
			return err
		}
		if more {
			return fmt.Errorf("%w: more than %d; add LIMIT, or allow more by --query-rows", ErrRows, a.runner.o.Rows)
		}
		if flush != nil {
			flush()
		}
	}
	if !begun {
		if err := begin(); err != nil {
			return err
		}
	}
	return rows.End()
}

// batches yields the rows of the result. Bytes and text, such as of SHOW PAGE, are
// one row with one column.
func (a *Answer) batches() func(yield func(*value.Batch, error) bool) {
	if a.Rows != nil {
		return a.Rows
	}
	return func(yield func(*value.Batch, error) bool) {
		if a.Bytes == nil {
			return
		}
		if a.Columns == nil {
			a.Columns = []value.Column{session.Text("text")}
		}
		var text strings.Builder
		if _, err := a.Bytes.WriteTo(&text); err != nil {
			yield(nil, err)
			return
		}
		yield(&value.Batch{N: 1, Cols: []*value.Vector{{Type: value.Text, Texts: []string{text.String()}}}}, nil)
	}
}
