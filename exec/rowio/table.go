package rowio

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"infomall/exec/value"
)

// The colours of what is no data, and of the header.
const (
	dimOn    = "\x1b[2m"
	boldOn   = "\x1b[1m"
	colorOff = "\x1b[0m"
)

// sampleRows and sampleBytes are how much a table looks at, whichever is less,
// to find the widths of its columns; it holds it until then.
const (
	sampleRows  = 500
	sampleBytes = 4 << 20
)

// columnMin is how narrow a column of text may be made before columns are
// hidden.
const columnMin = 12

// table draws a table in a box. Columns are as wide as the header and the
// widest value of the first rows need, if the table then fits the width; else
// the widest texts are made narrower first, and columns at the right that still
// do not fit are hidden. A footer says how many rows there were and what was
// hidden, or all is written as vertical. Without a width nothing is shortened: a wide value after the first
// rows then stands out of its column.
type table struct {
	sink
	o       Options
	cols    []value.Column
	names   []string
	sample  [][]string // rows held until the widths are known; nil after that
	held    int        // bytes in the sample
	widths  []int      // of the columns that are shown
	rows    int64
	clipped int64 // values shortened
	cell    []byte

	vertical *vertical // writes the rows in the table's stead, where it is too wide; else nil
}

func newTable(w io.Writer, o Options) Writer {
	return &table{sink: sink{w: w}, o: o}
}

func (t *table) Begin(cols []value.Column) error {
	t.cols = cols
	for _, c := range cols {
		t.names = append(t.names, string(appendPrintable(nil, c.Name, nil)))
	}
	t.sample = make([][]string, 0, sampleRows)
	return nil
}

func (t *table) Write(b *value.Batch) error {
	for i := range b.N {
		if t.vertical != nil {
			if err := t.vertical.row(b, i); err != nil {
				return err
			}
			continue
		}
		t.rows++
		if t.sample != nil {
			t.hold(t.texts(b, i))
			if len(t.sample) == sampleRows || t.held > sampleBytes {
				if err := t.open(); err != nil {
					return err
				}
			}
			continue
		}
		t.row(b, i)
		if err := t.full(); err != nil {
			return err
		}
	}
	if t.vertical != nil {
		return t.vertical.flush()
	}
	return t.flush()
}

func (t *table) hold(row []string) {
	t.sample = append(t.sample, row)
	for _, s := range row {
		t.held += len(s)
	}
}

// texts are the values of row i, each NULL a nullMark.
func (t *table) texts(b *value.Batch, i int) []string {
	row := make([]string, len(b.Cols))
	for k, v := range b.Cols {
		if v.IsNull(i) {
			row[k] = nullMark
			continue
		}
		row[k] = t.text(v, i)
	}
	return row
}

// nullMark stands for NULL in the sample: no printable text is like it.
const nullMark = "\x00"

// text is a value for its cell. Of a text that will be shortened anyway only
// the start is made printable.
func (t *table) text(v *value.Vector, i int) string {
	if t.o.Width > 0 && !t.o.Vertical && (v.Type == value.Text || v.Type == value.URL) {
		s := v.Texts[i]
		if limit := (t.o.Width + 2) * clusterBytesMax; len(s) > limit {
			s = strings.ToValidUTF8(s[:limit], "")
		}
		t.cell = appendPrintable(t.cell[:0], s, nil)
	} else {
		t.cell = appendCell(t.cell[:0], v, i, &t.o)
	}
	return string(t.cell)
}

// open finds the widths and writes the header and the rows held.
func (t *table) open() error {
	t.measure()
	if t.o.Vertical && len(t.widths) < len(t.cols) {
		return t.turn()
	}
	t.rule("┌", "┬", "┐")
	if t.o.Header {
		t.buf = append(t.buf, t.dim("│")...)
		for k := range t.widths {
			t.put(k, t.names[k], boldOn)
		}
		t.clipped = 0 // names are no values
		t.buf = append(t.buf, '\n')
		t.rule("├", "┼", "┤")
	}
	for _, row := range t.sample {
		t.buf = append(t.buf, t.dim("│")...)
		for k := range t.widths {
			if row[k] == nullMark {
				t.put(k, nullOf(&t.o), dimOn)
			} else {
				t.put(k, row[k], "")
			}
		}
		t.buf = append(t.buf, '\n')
		if err := t.full(); err != nil {
			return err
		}
	}
	t.sample = nil
	return t.flush()
}

// turn makes what is too wide for a table vertical.
func (t *table) turn() error {
	t.vertical = &vertical{sink: sink{w: t.w}, o: t.o}
	if err := t.vertical.Begin(t.cols); err != nil {
		return err
	}
	sample := t.sample
	t.sample = nil
	for _, row := range sample {
		if err := t.vertical.texts(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *table) row(b *value.Batch, i int) {
	t.buf = append(t.buf, t.dim("│")...)
	for k := range t.widths {
		if v := b.Cols[k]; v.IsNull(i) {
			t.put(k, nullOf(&t.o), dimOn)
		} else {
			t.put(k, t.text(v, i), "")
		}
	}
	t.buf = append(t.buf, '\n')
}

// put writes one cell and the line at its right.
func (t *table) put(k int, text, color string) {
	if t.o.Width > 0 {
		var clipped bool
		if text, clipped = clip(text, t.widths[k]); clipped {
			t.clipped++
		}
	}
	fill := max(0, t.widths[k]-cells.StringWidth(text))
	t.buf = append(t.buf, ' ')
	if numeric(t.cols[k].Type) {
		t.buf = appendBlanks(t.buf, fill)
		fill = 0
	}
	t.buf = append(t.buf, t.colored(text, color)...)
	t.buf = appendBlanks(t.buf, fill+1)
	t.buf = append(t.buf, t.dim("│")...)
}

func (t *table) dim(s string) string { return t.colored(s, dimOn) }

func (t *table) colored(s, color string) string {
	if !t.o.Color || color == "" {
		return s
	}
	return color + s + colorOff
}

// rule writes a line across.
func (t *table) rule(left, middle, right string) {
	var b strings.Builder
	b.WriteString(left)
	for k, w := range t.widths {
		if k > 0 {
			b.WriteString(middle)
		}
		b.WriteString(strings.Repeat("─", w+2))
	}
	b.WriteString(right)
	t.buf = append(t.buf, t.dim(b.String())...)
	t.buf = append(t.buf, '\n')
}

func (t *table) End() error {
	if t.sample != nil {
		if err := t.open(); err != nil {
			return err
		}
	}
	if t.vertical != nil {
		return t.vertical.End()
	}
	t.rule("└", "┴", "┘")
	t.buf = append(t.buf, t.dim(t.footer())...)
	t.buf = append(t.buf, '\n')
	return t.flush()
}

func (t *table) footer() string {
	parts := []string{rowsText(t.rows)}
	if hidden := t.names[len(t.widths):]; len(hidden) > 0 {
		columns := "columns"
		if len(hidden) == 1 {
			columns = "column"
		}
		parts = append(parts, fmt.Sprintf("%d %s hidden: %s", len(hidden), columns, strings.Join(hidden, ", ")))
	}
	switch {
	case t.clipped == 1:
		parts = append(parts, "1 value shortened")
	case t.clipped > 1:
		parts = append(parts, fmt.Sprintf("%d values shortened", t.clipped))
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// measure finds the widths of the columns.
func (t *table) measure() {
	cols := make([]column, len(t.cols))
	t.widths = make([]int, len(t.cols))
	for k, c := range t.cols {
		width := 0
		if t.o.Header {
			width = cells.StringWidth(t.names[k])
		}
		for _, row := range t.sample {
			text := row[k]
			if text == nullMark {
				text = nullOf(&t.o)
			}
			width = max(width, cells.StringWidth(text))
		}
		cols[k] = column{width, c.Type.Textual()}
		t.widths[k] = width
	}
	if t.o.Width > 0 {
		t.widths = fit(cols, t.o.Width)
	}
}

// frame is what a column takes beside its text: a blank at each side and a
// line. The first column has a line more.
const frame = 3

// column is what a table knows of a column when it shares out its width.
type column struct {
	width int  // wanted
	text  bool // may be shortened; a part of a number or a time says nothing
}

// least is how narrow a column may be made.
func (c column) least() int {
	if c.text {
		return min(c.width, columnMin)
	}
	return c.width
}

// fit gives the widths of the columns such that all fit in total cells: the
// widest texts are made narrower first, and if that is not enough columns at
// the end are dropped, but never the first.
func fit(cols []column, total int) []int {
	for {
		room := total - 1
		for _, c := range cols {
			room -= frame + c.least()
		}
		if room >= 0 || len(cols) <= 1 {
			return share(cols, total-1-frame*len(cols))
		}
		cols = cols[:len(cols)-1]
	}
}

// share gives each column its part of room, which is enough for their least
// unless there is only one.
func share(cols []column, room int) []int {
	var texts []int
	for _, c := range cols {
		if c.text || len(cols) == 1 {
			texts = append(texts, c.width)
		} else {
			room -= c.width
		}
	}
	limit := max(1, commonLimit(texts, room))
	for _, w := range texts {
		room -= min(w, limit)
	}
	widths := make([]int, len(cols))
	for k, c := range cols {
		widths[k] = c.width
		if (c.text || len(cols) == 1) && c.width > limit {
			widths[k] = limit
			if room > 0 { // what the division left over
				widths[k]++
				room--
			}
		}
	}
	return widths
}

// commonLimit is the largest width to which columns can be cut so that all fit
// in room; as wide as can be if they fit uncut.
func commonLimit(widths []int, room int) int {
	sorted := slices.Sorted(slices.Values(widths))
	for i, w := range sorted {
		share := room / (len(sorted) - i)
		if w > share {
			return share
		}
		room -= w
	}
	return math.MaxInt
}
