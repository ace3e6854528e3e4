package export

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/exec/rowio"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// formats lists all formats of files that EXPORT writes, in the order in which messages
// list them: the formats of rows, and then those of captures.
var formats = append(rowFormats(),
	parquet,
	edges,
	graphML,
	warcFormat,
	tianwangFormat,
	waczFormat,
	cdxjFormat,
)

// format is a format of files. It has either rows or captures.
type format struct {
	name     string
	suffixes []string // how the names of its files end, such as ".csv"
	packed   bool     // its files are compressed inside, so they are not compressed with gzip
	links    bool     // only rows that are links can be written
	// rows returns a writer of rows. It writes to w.
	rows func(w io.Writer, to rowTarget) (rowio.Writer, error)
	// captures returns a writer of captures.
	captures func(ctx context.Context, to captureTarget) (captureWriter, error)
}

// rowTarget is what a writer of rows needs to know about the export.
type rowTarget struct {
	cols  []value.Column
	zone  *time.Location
	names *spill.Lines // for the names of the nodes of a graph
}

// rowFormats returns the formats of package rowio that files have.
func rowFormats() (list []*format) {
	for _, f := range rowio.AllFormats() {
		if f.Suffixes == nil {
			continue
		}
		list = append(list, &format{name: f.Name, suffixes: f.Suffixes, rows: func(w io.Writer, to rowTarget) (rowio.Writer, error) {
			return rowio.New(f.Name, w, rowio.Options{Zone: to.zone, Header: true})
		}})
	}
	return list
}

// Formats returns the words after FORMAT in an EXPORT.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// findFormat returns the format with a name, or nil if there is none. Case does not
// count.
func findFormat(name string) *format {
	return first(func(f *format) bool { return strings.EqualFold(f.name, name) })
}

// formatOf returns the format of a file by the suffix of its name, or nil if no format
// has that suffix.
func formatOf(suffix string) *format {
	return first(func(f *format) bool { return slices.Contains(f.suffixes, suffix) })
}

// first returns the first format for which fits is true, or nil if there is none.
func first(fits func(*format) bool) *format {
	if i := slices.IndexFunc(formats, fits); i >= 0 {
		return formats[i]
	}
	return nil
}
