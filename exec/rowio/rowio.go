// Package rowio writes the rows of a result: as CSV and similar formats for
// other programs, and as tables for people. Writers stream: their memory does
// not grow with the number of rows. The package also reads rows from files
// (Table) and lists of edges (ReadEdges). A file per format declares it as a Format;
// formats and binaryFormats list them.
package rowio

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/exec/value"
	"infomall/lang/ast"
)

// Options say how rows are written. With the zero Options, formats that can leave out the
// header do so, and no values are shortened.
type Options struct {
	Zone      *time.Location // the time zone in which times are written; nil means UTC
	Header    bool           // write the names of the columns first, in formats that can leave them out
	NullValue string         // the text for NULL, except in json and jsonl; in table, vertical, chart and html, "" means the text NULL
	Width     int            // the width of a table or a chart, in cells; 0 means a table of any width, and a chart of 80 cells
	Vertical  bool           // a table that is too wide for Width is written in the format vertical, instead of with hidden columns
	Color     bool           // table, vertical and chart write in dimmed letters what is not data
	Statement string         // the statement that gave the rows, which chart and html show below them; "" shows none
	Archive   string         // the archive that was asked, which chart and html show below; "" shows none
	Safe      bool           // csv and tsv put ' before a text that a spreadsheet takes for a formula
}

// Writer writes the rows of one result. The caller calls Begin once, Write any
// number of times, and End once. The Writer writes to the io.Writer that it was
// made with, and never closes it. It returns an error of the io.Writer
// unchanged; the result ends there.
type Writer interface {
	// Begin takes the columns that all batches of the result have. It may write
	// the start of the result.
	Begin(cols []value.Column) error
	// Write writes the rows of a batch. The Writer does not use the batch after
	// that.
	Write(b *value.Batch) error
	// End writes the end of the result, such as a footer.
	End() error
}

// Format is a format of rows, such as csv. The Go file with the format's writer
// declares it.
type Format struct {
	Name     string
	Suffixes []string // the ends of names of files in this format; none for a format that only people read
	Packed   bool     // files of the format are compressed inside
	// MediaType is how HTTP names the format, such as text/csv; "" for a format that only people read.
	MediaType string
	make      func(w io.Writer, o Options) Writer
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

// New returns a writer of the format that writes to w. Without a zone, times are in UTC.
func (f *Format) New(w io.Writer, o Options) Writer {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return f.make(w, o)
}

// binaryFormats lists the formats of rows that a terminal cannot show.
var binaryFormats = []*Format{
	parquetFormat,
	arrowFormat,
}

// AllFormats returns all formats: the text formats, and then the binary formats. The caller
// may change the result.
func AllFormats() []*Format { return slices.Concat(formats, binaryFormats) }

// FormatOf returns the format of a file with this name, by the end of the name, or nil if
// no format has such files.
func FormatOf(file string) *Format {
	for _, f := range AllFormats() {
		for _, suffix := range f.Suffixes {
			if strings.HasSuffix(strings.ToLower(file), suffix) {
				return f
			}
		}
	}
	return nil
}

// MediaType returns how HTTP names the format with this name, such as "text/csv". It
// panics if there is no such format.
func MediaType(format string) string {
	all := AllFormats()
	return all[slices.IndexFunc(all, func(f *Format) bool { return f.Name == format })].MediaType
}

// Formats returns the names of the text formats, which New accepts.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.Name
	}
	return names
}

// NewBinary returns a writer of the given binary format that writes to w, or nil if there
// is no such format.
func NewBinary(format string, w io.Writer) Writer {
	for _, f := range binaryFormats {
		if f.Name == format {
			return f.New(w, Options{})
		}
	}
	return nil
}

// New returns a writer of the text format with this name that writes to w. If there is no
// such format, the error names the most similar one, or all.
func New(format string, w io.Writer, o Options) (Writer, error) {
	for _, f := range formats {
		if f.Name == format {
			return f.New(w, o), nil
		}
	}
	if n := ast.Nearest(format, Formats()); n != "" {
		return nil, fmt.Errorf("no format %q; did you mean %s?", format, n)
	}
	return nil, fmt.Errorf("no format %q; there are %s", format, strings.Join(Formats(), ", "))
}

// flushBytes is how many bytes a writer collects before it writes them. It also writes what
// it has at the end of each batch, so that the user sees rows early.
const flushBytes = 64 << 10

// sink collects the output of a writer in memory.
type sink struct {
	w   io.Writer
	buf []byte
}

// flush writes the collected bytes to s.w.
func (s *sink) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	return err
}

// full calls flush if flushBytes or more bytes are collected.
func (s *sink) full() error {
	if len(s.buf) < flushBytes {
		return nil
	}
	return s.flush()
}

// numeric reports whether t is a type of numbers or durations. Tables align columns of these
// types to the right.
func numeric(t value.Type) bool {
	return t.Numeric() || t == value.Duration
}
