package rowio

import (
	"io"

	"infomall/exec/value"
	"infomall/lang/cells"
)

var markdownFormat = &Format{Name: "markdown", MediaType: "text/markdown", Suffixes: []string{".md"}, make: newMarkdown}

// markdown is the Writer of tables in GitHub's Markdown. Such a table needs a
// header, so Options.Header is ignored.
type markdown struct {
	sink
	o Options
}

// newMarkdown returns a writer of the format markdown.
func newMarkdown(w io.Writer, o Options) Writer {
	return &markdown{sink: sink{w: w}, o: o}
}

// special reports whether the character c in a text must be escaped, because it
// would end a cell, or begin HTML or code within a cell.
func special(c byte) bool { return c == '|' || c == '\\' || c == '<' || c == '`' }

// Begin writes the header of the table.
func (m *markdown) Begin(cols []value.Column) error {
	for _, c := range cols {
		m.buf = append(m.buf, "| "...)
		m.buf = cells.AppendLine(m.buf, c.Name, special)
		m.buf = append(m.buf, ' ')
	}
	m.buf = append(m.buf, "|\n"...)
	for _, c := range cols {
		if numeric(c.Type) {
			m.buf = append(m.buf, "| ---: "...)
		} else {
			m.buf = append(m.buf, "| --- "...)
		}
	}
	m.buf = append(m.buf, "|\n"...)
	return m.flush()
}

// Write writes one line per row of the batch.
func (m *markdown) Write(b *value.Batch) error {
	for i := range b.N {
		for _, v := range b.Cols {
			m.buf = append(m.buf, "| "...)
			m.cell(v, i)
			m.buf = append(m.buf, ' ')
		}
		m.buf = append(m.buf, "|\n"...)
		if err := m.full(); err != nil {
			return err
		}
	}
	return m.flush()
}

// cell appends the text for the value in row i of v.
func (m *markdown) cell(v *value.Vector, i int) {
	switch {
	case v.IsNull(i):
		m.buf = append(m.buf, m.o.NullValue...)
	case v.Type == value.Text || v.Type == value.URL:
		m.buf = cells.AppendLine(m.buf, v.Texts[i], special)
	default:
		m.buf = v.AppendText(m.buf, i, m.o.Zone)
	}
}

// End does nothing, because the last line is complete.
func (m *markdown) End() error { return nil }
