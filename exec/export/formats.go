package export

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"infomall/exec/rowio"
	"infomall/exec/spill"
)

// formats lists all formats of files that EXPORT writes, in the order in which
// messages list them: the formats of rows, and then the formats of captures.
var formats = append(rowFormats(),
	edges,
	graphML,
	warcFormat,
	tianwangFormat,
	waczFormat,
	cdxjFormat,
)

// format is a format of files that EXPORT writes. Exactly one of its functions
// rows and captures is set.
type format struct {
	name      string
	suffixes  []string // how the names of its files end, such as ".csv"
	mediaType string   // how HTTP names the format
	packed    bool     // files of the format are compressed inside, so EXPORT does not compress them with gzip
	links     bool     // the format has links only: the rows must have the columns of links
	// rows returns a writer of rows that writes to w.
	rows func(w io.Writer, to rowTarget) (rowio.Writer, error)
	// captures returns a writer of captures that writes to the export's file.
	captures func(ctx context.Context, to captureTarget) (captureWriter, error)
}

// rowTarget is what a writer of rows needs to know about the export.
type rowTarget struct {
	zone      *time.Location // in which times are written
	names     *spill.Lines   // sorts the names of the nodes of a graph
	statement string         // as the user wrote it, for a report
	archive   string         // the path of the archive, for a report
}

// rowFormats returns the formats of package rowio that EXPORT can write: those
// whose files have a suffix.
func rowFormats() (list []*format) {
	for _, f := range rowio.AllFormats() {
		if f.Suffixes == nil {
			continue
		}
		list = append(list, &format{name: f.Name, mediaType: f.MediaType, suffixes: f.Suffixes, packed: f.Packed, rows: func(w io.Writer, to rowTarget) (rowio.Writer, error) {
			return f.New(w, rowio.Options{Zone: to.zone, Header: true, Statement: to.statement, Archive: to.archive}), nil
		}})
	}
	return list
}

// Formats returns the words that can follow FORMAT in an EXPORT statement, such
// as "csv".
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// findFormat returns the format with the given name, or nil if there is none.
// Upper and lower case are the same.
func findFormat(name string) *format {
	return first(func(f *format) bool { return strings.EqualFold(f.name, name) })
}

// formatOf returns the format for files whose names end in suffix, such as
// ".csv". It returns nil if no format has that suffix.
func formatOf(suffix string) *format {
	return first(func(f *format) bool { return slices.Contains(f.suffixes, suffix) })
}

// first returns the first format for which the function fits returns true, or
// nil if there is none.
func first(fits func(*format) bool) *format {
	if i := slices.IndexFunc(formats, fits); i >= 0 {
		return formats[i]
	}
	return nil
}
