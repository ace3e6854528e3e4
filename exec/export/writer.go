package export

import (
	"io"

	"infomall/exec/op"
	"infomall/store/record"
	"infomall/store/record/message"
)

// captureWriter writes captures to a file of one format. The captures of a URL
// must come one after the other, in order of time.
type captureWriter interface {
	// Write writes the capture s.
	Write(s *message.Stored) error
	// Finish writes what the format has after the captures, such as an index.
	// It does not close the file.
	Finish() error
	// Close releases what the writer holds besides the file. It must be called
	// in the end, also after an error.
	Close()
}

// captureTarget is the file that captures are written to, and what a writer of
// captures needs to know about the export.
type captureTarget struct {
	target
	w   io.Writer
	now record.Time
	run *op.Runner // has the memory and temporary files for sorting
}

// software is the name of this program in the files that it exports.
const software = "infomall"
