package rowio

import (
	"io"
	"strings"
	"unicode/utf8"

	"infomall/exec/value"
)

// separated writes csv and tsv: a line a row, its end a line feed. Times are
// RFC 3339, durations seconds. Text that is not UTF-8 gets U+FFFD for what is
// wrong.
type separated struct {
	sink
	o         Options
	comma     byte
	appendRaw func(dst []byte, s string) []byte // a text, quoted or escaped as need be
}

// newCSV writes RFC 4180: a field with a comma, a quote or a line break in it
// is quoted, and so is the empty text, which tells it from NULL. A row of one
// column that is NULL is thus an empty line.
func newCSV(w io.Writer, o Options) Writer {
	return &separated{sink: sink{w: w}, o: o, comma: ',', appendRaw: appendCSV}
}

// newTSV writes \t, \n, \r and \\ for those characters in texts.
func newTSV(w io.Writer, o Options) Writer {
	return &separated{sink: sink{w: w}, o: o, comma: '\t', appendRaw: appendTSV}
}

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

func (s *separated) End() error { return nil }

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

func (s *separated) text(text string) {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	if r, _ := utf8.DecodeRuneInString(text); s.o.Safe && text != "" && strings.ContainsRune(formulaStarts, r) {
		text = "'" + text
	}
	s.buf = s.appendRaw(s.buf, text)
}

// formulaStarts are the characters by which spreadsheets tell a formula; some
// fold the wide ones to the narrow.
const formulaStarts = "=+-@\t\r\n＝＋－＠"

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

func needsQuotes(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ',', '"', '\n', '\r':
			return true
		}
	}
	return false
}

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
