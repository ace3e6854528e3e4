package printer

import (
	"context"
	"errors"
	"fmt"

	"infomall/exec/value"
)

// Bounds of the last result, which the shell keeps in memory to show it again. For
// more rows the user can run the query again.
const (
	lastRowsMax  = 10_000
	lastBytesMax = 64 << 20 // bytes of texts
)

// LastResult is a copy of the last result that was shown, or of its first rows.
type LastResult struct {
	statement string
	columns   []value.Column // nil before the first result
	batches   []*value.Batch
	rows      int
	bytes     int
	more      bool // the result had more rows than batches has
}

// begin forgets the old result and begins that of statement, with the given columns.
func (l *LastResult) begin(statement string, columns []value.Column) {
	*l = LastResult{statement: statement, columns: columns}
}

// add keeps a copy of the rows of b, or of its first rows if all would exceed
// the bounds.
func (l *LastResult) add(b *value.Batch) {
	var keep []int32
	for i := range b.N {
		for _, v := range b.Cols {
			if v.Type == value.Text || v.Type == value.URL {
				l.bytes += len(v.Texts[i])
			}
		}
		if l.more = l.more || l.rows == lastRowsMax || l.bytes > lastBytesMax; l.more {
			break
		}
		keep = append(keep, int32(i))
		l.rows++
	}
	if len(keep) > 0 {
		own := new(value.Batch)
		own.Gather(b, keep)
		l.batches = append(l.batches, own)
	}
}

// ShowAgain shows the last result once more, in the given format. If format is "",
// it uses the format in which results are shown now.
func (p *Printer) ShowAgain(ctx context.Context, format string) (err error) {
	l := p.Last
	if l == nil || l.columns == nil {
		return errors.New("there is no result yet")
	}
	p.statement = l.statement
	out := p.Out
	if format == "" {
		format = p.format(out)
	}
	out.Begin(ctx)
	defer func() {
		if err != nil {
			out.abandon()
		}
	}()
	w, err := p.writer(out, format)
	if err != nil {
		return err
	}
	p.separate(out)
	if err := w.Begin(l.columns); err != nil {
		return err
	}
	for _, b := range l.batches {
		if err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.End(); err != nil {
		return err
	}
	if err := out.End(); err != nil {
		return err
	}
	if l.more {
		fmt.Fprintf(p.Stderr.Dest, "these are the first %s; the others were not kept\n", value.Counted(l.rows, "row"))
	}
	return nil
}
