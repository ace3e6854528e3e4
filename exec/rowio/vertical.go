package rowio

import (
	"fmt"
	"io"

	"infomall/exec/value"
)

// vertical writes a line a value, under a line a row, as mysql's \G does.
type vertical struct {
	sink
	o     Options
	names []string // of the columns, filled up to one width
	rows  int64
}

func newVertical(w io.Writer, o Options) Writer {
	return &vertical{sink: sink{w: w}, o: o}
}

func (v *vertical) Begin(cols []value.Column) error {
	widest := 0
	for _, c := range cols {
		name := string(appendPrintable(nil, c.Name, nil))
		v.names = append(v.names, name)
		widest = max(widest, cells.StringWidth(name))
	}
	for i, name := range v.names {
		v.names[i] = cells.FillLeft(name, widest)
	}
	return nil
}

func (v *vertical) Write(b *value.Batch) error {
	for i := range b.N {
		v.rows++
		v.line(fmt.Sprintf("*************************** %d. row ***************************", v.rows))
		for k, col := range b.Cols {
			v.buf = append(v.buf, v.names[k]...)
			v.buf = append(v.buf, ": "...)
			dim := v.o.Color && col.IsNull(i)
			if dim {
				v.buf = append(v.buf, dimOn...)
			}
			v.buf = appendCell(v.buf, col, i, &v.o)
			if dim {
				v.buf = append(v.buf, colorOff...)
			}
			v.buf = append(v.buf, '\n')
		}
		if err := v.full(); err != nil {
			return err
		}
	}
	return v.flush()
}

// line writes a line that is no data.
func (v *vertical) line(s string) {
	if v.o.Color {
		s = dimOn + s + colorOff
	}
	v.buf = append(v.buf, s...)
	v.buf = append(v.buf, '\n')
}

func (v *vertical) End() error {
	v.line("(" + rowsText(v.rows) + ")")
	return v.flush()
}
