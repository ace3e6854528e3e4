// Package rowio writes the rows of a result: as CSV and its like for other
// programs, as tables for people. Writers stream: what they hold does not grow
// with the rows.
package rowio

import (
	"fmt"
	"io"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
)

// Options say how rows are written. The zero Options leave out the header and
// shorten nothing.
type Options struct {
	Zone      *time.Location // times are written in; nil is UTC
	Header    bool           // the names of the columns come first, where a format can do without
	NullValue string         // stands for NULL but in json and jsonl; in table and vertical "" is NULL
	Width     int            // of a table or a chart in cells; 0: nothing of a table is shortened, a chart has 80
	Vertical  bool           // a table wider than Width is written as vertical rather than with columns hidden
	Color     bool           // table, vertical and chart dim what is no data
	Safe      bool           // csv and tsv put ' before a text that a spreadsheet takes for a formula
}

// Writer writes one result: Begin once, Write any number of times, End once.
// It writes to what it was made with and never closes it. An error of that is
// returned as it is and ends the result.
type Writer interface {
	// Begin takes the columns that all batches have.
	Begin(cols []value.Column) error
	// Write writes a batch. The batch is not kept.
	Write(b *value.Batch) error
	// End writes what ends the result.
	End() error
}

// Format is a format of rows. The file of its writer declares it.
type Format struct {
	Name     string
	Suffixes []string // how the names of its files end; none for what only people read
	make     func(w io.Writer, o Options) Writer
}

// formats lists all formats, in the order in which messages list them.
var formats = []*Format{
	tableFormat,
	csvFormat,
	tsvFormat,
	jsonFormat,
	jsonlFormat,
	markdownFormat,
	verticalFormat,
	htmlFormat,
	chartFormat,
}

// AllFormats returns all formats. The caller must not change the result.
func AllFormats() []*Format { return formats }

// Formats lists the names that New takes.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// New makes a writer of a format. The error of an unknown one names the
// nearest, or all.
func New(format string, w io.Writer, o Options) (Writer, error) {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	for _, f := range formats {
		if f.Name == format {
			return f.make(w, o), nil
		}
	}
	if n := ast.Nearest(format, Formats()); n != "" {
		return nil, fmt.Errorf("no format %q; did you mean %s?", format, n)
	}
	return nil, fmt.Errorf("no format %q; there are %s", format, strings.Join(Formats(), ", "))
}

// flushBytes is how much a writer gathers before it writes it out; each batch
// ends with what is left, so that rows show as they come.
const flushBytes = 64 << 10

// sink gathers bytes.
type sink struct {
	w   io.Writer
	buf []byte
}

// flush writes out what was gathered.
func (s *sink) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// full flushes if there is much.
func (s *sink) full() error {
	if len(s.buf) < flushBytes {
		return nil
	}
	return s.flush()
}

// numeric tells the columns that tables align to the right.
func numeric(t value.Type) bool {
	return t.Numeric() || t == value.Duration
}
