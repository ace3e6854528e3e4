package rowio

import (
	"io"
	"strings"
	"unicode/utf8"

	"infomall/exec/value"
)

var (
	csvFormat = &Format{Name: "csv", MediaType: "text/csv", Suffixes: []string{".csv"}, make: newCSV}
	tsvFormat = &Format{Name: "tsv", MediaType: "text/tab-separated-values", Suffixes: []string{".tsv"}, make: newTSV}
)

// separated is the Writer of csv and tsv: one line per row, which ends in a
// line feed. Times are written as RFC 3339, durations as seconds. Bytes that
// are not UTF-8 become U+FFFD.
type separated struct {
	sink
	o         Options
	comma     byte
	appendRaw func(dst []byte, s string) []byte // appends a text, quoted or escaped if necessary
}

// newCSV returns a writer of CSV as in RFC 4180. A field with a comma, a quote
// or a line break is quoted. The empty text is quoted too, to distinguish it
// from NULL. Thus a row of one column that is NULL is an empty line.
func newCSV(w io.Writer, o Options) Writer {
	return &separated{sink: sink{w: w}, o: o, comma: ',', appendRaw: appendCSV}
}

// newTSV returns a writer of tab-separated values. Tabs, line breaks and
// backslashes in texts are written as \t, \n, \r and \\.
func newTSV(w io.Writer, o Options) Writer {
	return &separated{sink: sink{w: w}, o: o, comma: '\t', appendRaw: appendTSV}
}

// Begin writes the line with the names of the columns, if Options.Header asks
// for it.
func (s *separated) Begin(cols []value.Column) error {
	if !s.o.Header {
		return nil
	}
	for i, c := range cols {
		if i > 0 {
			s.buf = append(s.buf, s.comma)
		}
		s.buf = s.appendRaw(s.buf, strings.ToValidUTF8(c.Name, "\uFFFD"))
	}
	s.buf = append(s.buf, '\n')
	return s.flush()
}

// Write writes one line per row of the batch.
func (s *separated) Write(b *value.Batch) error {
	for i := range b.N {
		for k, v := range b.Cols {
			if k > 0 {
				s.buf = append(s.buf, s.comma)
			}
			s.cell(v, i)
		}
		s.buf = append(s.buf, '\n')
		if err := s.full(); err != nil {
			return err
		}
	}
	return s.flush()
}

// End does nothing, because the last line is complete.
func (s *separated) End() error { return nil }

// cell appends the field for the value in row i of v.
func (s *separated) cell(v *value.Vector, i int) {
	switch {
	case v.IsNull(i):
		s.buf = append(s.buf, s.o.NullValue...)
	case v.Type == value.Text || v.Type == value.URL:
		s.text(v.Texts[i])
	case v.Type == value.Duration:
		s.buf = value.AppendSeconds(s.buf, v.Ints[i])
	default:
		s.buf = v.AppendText(s.buf, i, s.o.Zone)
	}
}

// text appends a field that is a text. If Options.Safe is set, it puts ' before
// a text that a spreadsheet would take for a formula.
func (s *separated) text(text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if r, _ := utf8.DecodeRuneInString(text); s.o.Safe && text != "" && strings.ContainsRune(formulaStarts, r) {
		text = "'" + text
	}
	s.buf = s.appendRaw(s.buf, text)
}

// formulaStarts are the characters at the start of a text that make a spreadsheet read the
// text as a formula. Some spreadsheets treat the full-width characters like the narrow ones.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

// appendCSV appends s as a CSV field, in quotes if it needs them.
func appendCSV(dst []byte, s string) []byte {
	if s != "" && !needsQuotes(s) {
		return append(dst, s...)
	}
	dst = append(dst, '"')
	for {
		i := strings.IndexByte(s, '"')
		if i < 0 {
			break
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, '"', '"')
		s = s[i+1:]
	}
	dst = append(dst, s...)
	return append(dst, '"')
}

// needsQuotes reports whether s has a character for which a CSV field must be
// quoted.
func needsQuotes(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ',', '"', '\n', '\r':
			return true
		}
	}
	return false
}

// appendTSV appends s with its tabs, line breaks and backslashes written as \t,
// \n, \r and \\.
func appendTSV(dst []byte, s string) []byte {
	for i := range len(s) {
		switch c := s[i]; c {
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\\':
			dst = append(dst, '\\', '\\')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
