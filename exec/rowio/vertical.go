package rowio

import (
	"fmt"
	"io"

	"infomall/exec/value"
	"infomall/lang/cells"
)

var verticalFormat = &Format{Name: "vertical", make: newVertical}

// vertical is the Writer of the format vertical: one line per value, with a
// heading line before each row, like \G in mysql.
type vertical struct {
	sink
	o      Options
	cols   []value.Column
	names  []string // the names of the columns, padded to the same width
	marked []bool   // value.Column.Marked of each column
	rows   int64
	cell   []byte
}

// newVertical returns a writer of the format vertical.
func newVertical(w io.Writer, o Options) Writer {
	return &vertical{sink: sink{w: w}, o: o}
}

// Begin takes the columns. It writes nothing yet.
func (v *vertical) Begin(cols []value.Column) error {
	v.cols = cols
	widest := 0
	for _, c := range cols {
		v.marked = append(v.marked, c.Marked)
		name := string(cells.AppendLine(nil, c.Name, nil))
		v.names = append(v.names, name)
		widest = max(widest, cells.Width(name))
	}
	for i, name := range v.names {
		v.names[i] = cells.FillLeft(name, widest)
	}
	return nil
}

// Write writes the rows of the batch.
func (v *vertical) Write(b *value.Batch) error {
	for i := range b.N {
		if err := v.row(b, i); err != nil {
			return err
		}
	}
	return v.flush()
}

// row writes row i of the batch b.
func (v *vertical) row(b *value.Batch, i int) error {
	v.begin()
	for k, col := range b.Cols {
		v.cell = appendCell(v.cell[:0], &v.cols[k], col, i, &v.o)
		v.value(k, v.cell, col.IsNull(i))
	}
	return v.full()
}

// texts writes one row. row has its values as texts, with nullMark for NULL.
func (v *vertical) texts(row []string) error {
	v.begin()
	for k, text := range row {
		if text == nullMark {
			v.value(k, []byte(nullOf(&v.o)), true)
		} else {
			v.value(k, []byte(text), false)
		}
	}
	return v.full()
}

// begin writes the heading line of the next row.
func (v *vertical) begin() {
	v.rows++
	v.line(fmt.Sprintf("*************************** %d. row ***************************", v.rows))
}

// value writes the line for the value in column k. text is the value as text. null reports
// that the value is NULL; text is then dimmed.
func (v *vertical) value(k int, text []byte, null bool) {
	v.buf = append(v.buf, v.names[k]...)
	v.buf = append(v.buf, ": "...)
	dim := v.o.Color && null
	if dim {
		v.buf = append(v.buf, dimOn...)
	}
	if v.o.Color && v.marked[k] {
		text = []byte(inColor.Replace(string(text)))
	}
	v.buf = append(v.buf, text...)
	if dim {
		v.buf = append(v.buf, colorOff...)
	}
	v.buf = append(v.buf, '\n')
}

// line writes a line that is not data, dimmed if the terminal has colours.
func (v *vertical) line(s string) {
	if v.o.Color {
		s = dimOn + s + colorOff
	}
	v.buf = append(v.buf, s...)
	v.buf = append(v.buf, '\n')
}

// End writes the last line, with the number of rows.
func (v *vertical) End() error {
	v.line("(" + value.Counted(v.rows, "row") + ")")
	return v.flush()
}
