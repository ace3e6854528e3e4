// Package interchange reads tables in the two interchange formats of early spreadsheets:
// DIF (Data Interchange Format, of VisiCalc) and SYLK (Symbolic Link, of Multiplan). Both
// are lines of text.
package interchange

import (
	"bytes"
	"strings"

	"infomall/store/document"
	"infomall/store/document/table"
	"infomall/store/page/charset"
)

// Kind reads DIF and SYLK.
var Kind = document.Kind{Name: "interchange", Is: is, Read: read}

// columnsMax is the largest number of columns of a table.
const columnsMax = 1 << 14

func is(in *document.Input) bool { return isDIF(in.Body) || isSYLK(in.Body) }

// isDIF reports whether body begins with the header of DIF: the lines TABLE and 0,1.
func isDIF(body []byte) bool {
	line, rest := cutLine(string(body[:min(len(body), 64)]))
	next, _ := cutLine(rest)
	return strings.TrimRight(line, " ") == "TABLE" && strings.TrimRight(next, " ") == "0,1"
}

// isSYLK reports whether body begins with the SYLK record that names a program,
// followed by another record.
func isSYLK(body []byte) bool {
	if !bytes.HasPrefix(body, []byte("ID;P")) {
		return false
	}
	_, rest := cutLine(string(body[:min(len(body), 256)]))
	kind, _, ok := strings.Cut(rest, ";")
	return ok && len(kind) <= 2 && strings.Trim(kind, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && kind != "" || strings.TrimSpace(rest) == "E"
}

func read(b *document.Builder, in *document.Input) error {
	cs := charset.Find(in.Body, "text/plain; charset="+in.Charset, "").Charset
	text := string(charset.ToUTF8(in.Body, cs))
	if isSYLK(in.Body) {
		return readSYLK(b, text)
	}
	return readDIF(b, text)
}

// cutLine returns the first line of text and the text after it. A line ends in "\n", "\r\n"
// or "\r".
func cutLine(text string) (line, rest string) {
	i := strings.IndexAny(text, "\r\n")
	if i < 0 {
		return text, ""
	}
	line, rest = text[:i], text[i+1:]
	if text[i] == '\r' {
		rest = strings.TrimPrefix(rest, "\n")
	}
	return line, rest
}

// unquote returns text without the quotes around it, and with each pair of
// quotes inside it replaced by one quote. quoted reports whether text has
// quotes around it.
func unquote(text string) (plain string, quoted bool) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text, false
	}
	return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`), true
}

// rows writes a table row by row. cells are the cells of the current row.
type rows struct {
	w     *table.Writer
	cells []string
}

// set sets the cell of the current row in a column, which is counted from 0. It
// ignores columns from columnsMax on.
func (r *rows) set(column int, text string) {
	if column < 0 || column >= columnsMax {
		return
	}
	for len(r.cells) <= column {
		r.cells = append(r.cells, "")
	}
	r.cells[column] = text
}

// end writes the current row to the table and begins the next.
func (r *rows) end() error {
	err := r.w.Add(r.cells...)
	r.cells = r.cells[:0]
	return err
}
