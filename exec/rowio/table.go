package rowio

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"infomall/exec/value"
	"infomall/lang/cells"
)

// tableFormat is the format table: a table in a box, drawn with characters.
var tableFormat = &Format{Name: "table", make: newTable}

// The terminal codes for dimmed letters, for text that is not data, and bold
// letters, for the header.
const (
	dimOn    = "\x1b[2m"
	boldOn   = "\x1b[1m"
	colorOff = "\x1b[0m"
)

// sampleRows and sampleBytes bound the sample: the first rows, which a table holds in memory
// to find the widths of its columns. The sample ends at the bound that is reached first.
const (
	sampleRows  = 500
	sampleBytes = 4 << 20
)

// columnMin is the least width, in cells, to which a table narrows a column of text. If the
// table is still too wide, it hides columns.
const columnMin = 12

// table is the Writer that draws a table in a box.
//
// A column is as wide as its header and the widest value of the first rows. If the table is
// then wider than Options.Width, the start that all URLs of a column have in common is shown
// as …, the widest texts are narrowed first, and columns at the right that still do not fit
// are hidden. The footer counts the rows and names the hidden columns. With Options.Vertical,
// the rows are written in the format vertical instead of hiding columns. Without a Width
// nothing is shortened; a wide value after the first rows then pushes out the right border of
// its row.
type table struct {
	sink
	o       Options
	cols    []value.Column
	names   []string   // the names of the columns, with unprintable characters escaped
	sample  [][]string // the first rows, held until the widths are known; nil after that
	held    int        // bytes in the sample
	starts  []string   // for each column, the start of its URLs that is shown as … and named in the footer, or ""
	widths  []int      // the widths of the columns that are shown, from the first, in cells
	rows    int64
	clipped int64  // how many values were shortened
	cell    []byte // scratch memory of text

	// If the table is too wide and Options.Vertical is set, one of the next two fields
	// writes the rows instead. Otherwise both are nil.
	vertical *vertical
	tree     *tree
}

// newTable returns a writer of the format table.
func newTable(w io.Writer, o Options) Writer {
	return &table{sink: sink{w: w}, o: o}
}

// Begin takes the columns. It writes nothing yet, because the first rows decide
// on the widths.
func (t *table) Begin(cols []value.Column) error {
	t.cols, t.starts = cols, make([]string, len(cols))
	for _, c := range cols {
		t.names = append(t.names, string(cells.AppendLine(nil, c.Name, nil)))
	}
	t.sample = make([][]string, 0, sampleRows)
	return nil
}

// Write writes the rows of the batch. Until the widths of the columns are known, it holds
// the rows in memory instead.
func (t *table) Write(b *value.Batch) error {
	for i := range b.N {
		if t.tree != nil {
			if err := t.tree.texts(t.texts(b, i)); err != nil {
				return err
			}
			continue
		}
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
	switch {
	case t.tree != nil:
		return t.tree.flush()
	case t.vertical != nil:
		return t.vertical.flush()
	}
	return t.flush()
}

// hold adds a row, as texts, to the sample: the first rows, which decide on the
// widths of columns.
func (t *table) hold(row []string) {
	t.sample = append(t.sample, row)
	for _, s := range row {
		t.held += len(s)
	}
}

// texts returns the values of row i of the batch as texts, with nullMark for
// NULL.
func (t *table) texts(b *value.Batch, i int) []string {
	row := make([]string, len(b.Cols))
	for k, v := range b.Cols {
		if v.IsNull(i) {
			row[k] = nullMark
			continue
		}
		row[k] = t.text(k, v, i)
	}
	return row
}

// nullMark is the text for NULL in the sample of first rows. No value has this
// text, because the unprintable characters of values are escaped.
const nullMark = "\x00"

// text returns the value in row i of v, column k of the table, as the text of its cell. If
// the text is so long that it will be shortened, only its start is converted, and for a URL
// also its end.
func (t *table) text(k int, v *value.Vector, i int) string {
	if t.o.Width > 0 && !t.o.Vertical && v.Type == value.Text {
		s := v.Texts[i]
		if limit := (t.o.Width + 2) * cells.ClusterBytesMax; len(s) > limit {
			s = strings.ToValidUTF8(s[:limit], "")
		}
		t.cell = cells.AppendLine(t.cell[:0], s, nil)
	} else {
		t.cell = appendCell(t.cell[:0], &t.cols[k], v, i, &t.o)
	}
	return string(t.cell)
}

// open computes the widths of the columns, then writes the header and the rows
// of the sample. If columns would be hidden and Options.Vertical is set, it
// begins writing in the format vertical instead.
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
		t.clipped = 0 // only values are counted, not names
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

// turn starts to write in another format, as a tree or in the format vertical, because the
// table is too wide. It writes the rows of the sample (the first rows, which the table
// holds).
func (t *table) turn() error {
	if t.tree = newTree(t, t.cols); t.tree != nil {
		sample := t.sample
		t.sample = nil
		for _, row := range sample {
			if err := t.tree.texts(row); err != nil {
				return err
			}
		}
		return nil
	}
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

// row writes row i of the batch b.
func (t *table) row(b *value.Batch, i int) {
	t.buf = append(t.buf, t.dim("│")...)
	for k := range t.widths {
		if v := b.Cols[k]; v.IsNull(i) {
			t.put(k, nullOf(&t.o), dimOn)
		} else {
			t.put(k, t.text(k, v, i), "")
		}
	}
	t.buf = append(t.buf, '\n')
}

// put writes one cell of column k, and the border to the right of it. color is
// a terminal code, or "".
func (t *table) put(k int, text, color string) {
	plain, marks := text, []int(nil)
	if t.painted(k) {
		plain, marks = unmarked(text)
		text = plain
	}
	if t.o.Width > 0 {
		clip := cells.Clip
		if t.cols[k].Type == value.URL {
			clip = cells.ClipMiddle
			text = t.shortened(k, text)
		}
		var clipped bool
		if text, clipped = clip(text, t.widths[k]); clipped {
			t.clipped++
		}
	}
	fill := max(0, t.widths[k]-cells.Width(text))
	t.buf = append(t.buf, ' ')
	if numeric(t.cols[k].Type) {
		t.buf = appendBlanks(t.buf, fill)
		fill = 0
	}
	if marks != nil {
		text = painted(text, plain, marks)
	}
	t.buf = append(t.buf, t.colored(text, color)...)
	t.buf = appendBlanks(t.buf, fill+1)
	t.buf = append(t.buf, t.dim("│")...)
}

// painted reports whether found words, which are marked in column k, are shown in colour.
func (t *table) painted(k int) bool { return t.o.Color && t.cols[k].Marked }

// dim returns s in dimmed letters, if the terminal has colours.
func (t *table) dim(s string) string { return t.colored(s, dimOn) }

// colored returns s in a colour, given as a terminal code, if the terminal has
// colours and color is not "".
func (t *table) colored(s, color string) string {
	if !t.o.Color || color == "" {
		return s
	}
	return color + s + colorOff
}

// rule writes a horizontal line of the box. left, middle and right are the
// characters at its left end, between columns and at its right end.
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

// End writes the end of the table and the footer.
func (t *table) End() error {
	if t.sample != nil {
		if err := t.open(); err != nil {
			return err
		}
	}
	switch {
	case t.tree != nil:
		return t.tree.End()
	case t.vertical != nil:
		return t.vertical.End()
	}
	t.rule("└", "┴", "┘")
	t.buf = append(t.buf, t.dim(t.footer())...)
	t.buf = append(t.buf, '\n')
	return t.flush()
}

// footer returns the last line of the table, such as "(2 rows; 1 column hidden:
// title)".
func (t *table) footer() string {
	parts := []string{value.Counted(t.rows, "row")}
	if hidden := t.names[len(t.widths):]; len(hidden) > 0 {
		parts = append(parts, fmt.Sprintf("%s hidden: %s", value.Counted(len(hidden), "column"), strings.Join(hidden, ", ")))
	}
	for k, start := range t.starts[:len(t.widths)] {
		if start != "" {
			parts = append(parts, t.names[k]+": … is "+start)
		}
	}
	if t.clipped > 0 {
		parts = append(parts, value.Counted(t.clipped, "value")+" shortened")
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// measure computes the widths of the columns from the header and the sample of
// first rows, and sets t.widths. There are fewer widths than columns if some
// columns must be hidden.
func (t *table) measure() {
	cols := t.natural()
	if t.o.Width > 0 && !fits(cols, t.o.Width) {
		t.findStarts()
		cols = t.natural()
	}
	if t.o.Width > 0 {
		t.widths = fit(cols, t.o.Width)
	}
}

// natural returns the columns with the widths at which all values of the sample (the first
// rows) are shown whole. It also sets t.widths to these widths.
func (t *table) natural() []column {
	cols := make([]column, len(t.cols))
	t.widths = make([]int, len(t.cols))
	for k, c := range t.cols {
		width := 0
		if t.o.Header {
			width = cells.Width(t.names[k])
		}
		for _, row := range t.sample {
			text := row[k]
			if text == nullMark {
				text = nullOf(&t.o)
			}
			if t.painted(k) {
				text, _ = unmarked(text)
			}
			text = t.shortened(k, text)
			width = max(width, cells.Width(text))
		}
		cols[k] = column{width, c.Type.Textual()}
		t.widths[k] = width
	}
	return cols
}

// fits reports whether the columns take at most total cells together.
func fits(cols []column, total int) bool {
	for _, c := range cols {
		total -= frame + c.width
	}
	return total >= 1
}

// findStarts sets t.starts. For each column of URLs, that is the start that all URLs in the
// sample (the first rows) share, up to a slash, such as http:// or http://a.cn/news/.
func (t *table) findStarts() {
	for k, c := range t.cols {
		if c.Type != value.URL {
			continue
		}
		start, some := "", 0
		for _, row := range t.sample {
			if row[k] == nullMark {
				continue
			}
			if some++; some == 1 {
				start = row[k]
				continue
			}
			n := 0
			for n < min(len(start), len(row[k])) && start[n] == row[k][n] {
				n++
			}
			start = start[:n]
		}
		start = start[:strings.LastIndexByte(start, '/')+1]
		if some > 1 {
			t.starts[k] = start
		}
	}
}

// shortened returns text, a value of column k, with … in place of the start t.starts[k], if
// text begins with it.
func (t *table) shortened(k int, text string) string {
	if rest, ok := strings.CutPrefix(text, t.starts[k]); ok && t.starts[k] != "" {
		return "…" + rest
	}
	return text
}

// frame is how many cells a column takes besides its text: a space at each side
// and one border. The first column has one border more.
const frame = 3

// column is a column as the function fit sees it.
type column struct {
	width int  // the width that the column needs to show all values whole, in cells
	text  bool // the values are texts and may be shortened; part of a number or a time would mislead
}

// least returns the smallest width that c may get, in cells.
func (c column) least() int {
	if c.text {
		return min(c.width, columnMin)
	}
	return c.width
}

// fit returns widths for the columns so that the table is at most total cells
// wide. It narrows the widest texts first. If that is not enough, it drops
// columns at the end, but never the first column, so the result may be shorter
// than cols.
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

// share returns widths for the columns so that they take at most room cells
// together. room must be enough for the least width of each column, unless
// there is only one column.
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
			if room > 0 { // cells left over by the division
				widths[k]++
				room--
			}
		}
	}
	return widths
}

// commonLimit returns the largest width to which columns can be cut so that all
// fit in room cells together, or math.MaxInt if they fit uncut. widths are the
// widths of the uncut columns.
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
