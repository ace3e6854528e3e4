// Package rowio writes the rows of a result in the output formats, such as csv
// and json for other programs and table for people. It also reads files of
// rows, and files of edges for graphs. Writers stream: their memory does not
// grow with the number of rows.
//
// A cell is the space that one narrow character takes on a terminal; Chinese
// characters take two. Where a Width is given in cells, a cell is that unit. A
// cell of a table is one value in it.
package rowio

import (
	"fmt"
	"infomall/lang/ast"
	"io"
	"strings"
	"time"

	"infomall/exec/value"
)

// Options say how rows are written. With zero Options, no header is written and
// nothing is shortened.
type Options struct {
	Zone      *time.Location // the zone in which times are written; nil means UTC
	Header    bool           // write the names of the columns first, in formats that can do without them
	NullValue string         // the text for NULL, except in json and jsonl; "" means "NULL" in table, vertical, chart and html
	Width     int            // in cells, for table and chart; 0: shorten nothing in a table, and draw a chart 80 wide
	Vertical  bool           // write a table that is wider than Width as vertical instead of hiding columns
	Color     bool           // dim everything that is not data in table, vertical and chart
	Safe      bool           // in csv and tsv, put ' before a text that a spreadsheet would run as a formula
}

// Writer writes one result. Call Begin once, Write any number of times, then
// End once. A Writer never closes the io.Writer below it. It returns an error
// of that io.Writer unchanged; after an error the result cannot go on.
type Writer interface {
	// Begin takes the columns of the result. All batches have them.
	Begin(cols []value.Column) error
	// Write writes the rows of b, and does not keep b.
	Write(b *value.Batch) error
	// End writes the end of the result, such as a footer.
	End() error
}

// formats are the output formats, in the order in which error messages list
// them.
var formats = [...]struct {
	name string
	make func(w io.Writer, o Options) Writer
}{
	{"table", newTable},
	{"csv", newCSV},
	{"tsv", newTSV},
	{"json", newJSON},
	{"jsonl", newJSONL},
	{"markdown", newMarkdown},
	{"vertical", newVertical},
	{"html", newHTML},
	{"chart", newChart},
}

// Formats returns the names of the formats that New accepts.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// New returns a writer of the named format, which writes to w. The error for an
// unknown name suggests the nearest format, or lists all.
func New(format string, w io.Writer, o Options) (Writer, error) {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	for _, f := range formats {
		if f.name == format {
			return f.make(w, o), nil
		}
	}
	if n := ast.Nearest(format, Formats()); n != "" {
		return nil, fmt.Errorf("no format %q; did you mean %s?", format, n)
	}
	return nil, fmt.Errorf("no format %q; there are %s", format, strings.Join(Formats(), ", "))
}

// flushBytes is how many bytes a writer collects before it writes them out.
// Each Write also ends with a flush, so that rows appear as they come.
const flushBytes = 64 << 10

// sink collects bytes in buf and writes them to w in large pieces.
type sink struct {
	w   io.Writer
	buf []byte
}

// flush writes the collected bytes to w.
func (s *sink) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// full flushes if flushBytes or more are collected.
func (s *sink) full() error {
	if len(s.buf) < flushBytes {
		return nil
	}
	return s.flush()
}

// numeric reports whether tables align a column of type t to the right: numbers
// and durations.
func numeric(t value.Type) bool {
	return t.Numeric() || t == value.Duration
}

// rowsText returns a count of rows for a footer, such as "1 row" or "12 rows".
func rowsText(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
