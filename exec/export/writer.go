package export

import (
	"io"

	"infomall/exec/op"
	"infomall/store/record"
	"infomall/store/record/message"
)

// captureWriter writes captures to a file of one format. Captures of a URL must
// come together and in order of time.
type captureWriter interface {
	Write(s *message.Stored) error
	// Finish writes what follows the captures.
	Finish() error
	// Close releases what the writer holds beside the file.
	Close()
}

// captureTarget is the file that captures go to, and what a writer needs to
// know about the export.
type captureTarget struct {
	target
	w   io.Writer
	now record.Time
	run *op.Runner // for what is sorted
}

// software is the name of this program, as exported files give it.
const software = "infomall"
