package table

import (
	"hash/fnv"
	"strings"

	"infomall/store/document"
)

// Writer adds rows to a document as parts of kind Table. The content of the rows decides where a
// part ends. If a row is inserted in the next version of the document, only one part changes, and
// not all parts after it.
type Writer struct {
	b    *document.Builder
	rows []string
}

// A part has from rowsMin to rowsMax rows. From rowsMin on one row in rowsBetween ends
// it.
const (
	rowsMin     = 8
	rowsMax     = 50
	rowsBetween = 16
)

// NewWriter returns a Writer that adds to b. The caller calls Flush after the last row.
func NewWriter(b *document.Builder) *Writer { return &Writer{b: b} }

// Add adds a row. Cells become single lines, and empty cells at its end are left out. A
// row of empty cells is left out.
func (w *Writer) Add(cells ...string) error {
	clean := make([]string, len(cells))
	last := 0
	for i, c := range cells {
		if clean[i] = document.Clean(c); clean[i] != "" {
			last = i + 1
		}
	}
	if last == 0 {
		return nil
	}
	row := strings.Join(clean[:last], "\t")
	w.rows = append(w.rows, row)
	h := fnv.New32a()
	h.Write([]byte(row))
	if n := len(w.rows); n < rowsMax && (n < rowsMin || h.Sum32()%rowsBetween != 0) {
		return nil
	}
	return w.Flush()
}

// Flush adds the rows that are not in a part yet.
func (w *Writer) Flush() error {
	text := strings.Join(w.rows, "\n")
	w.rows = w.rows[:0]
	return w.b.Add(document.Table, text)
}
