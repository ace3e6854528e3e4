package export

import (
	"context"
	"path/filepath"

	"infomall/store/formats/warc"
	"infomall/store/record/message"
)

// warcFormat is the format WARC: captures with their bodies.
var warcFormat = &format{name: "warc", mediaType: "application/warc", suffixes: []string{".warc"}, captures: newWARCFile}

// warcFile is a captureWriter that writes a WARC file.
type warcFile struct{ w *warc.Writer }

// newWARCFile returns a writer for the export's file, which compresses each
// record with gzip if the file's name ends in .gz. It writes the record with
// information on the file.
func newWARCFile(_ context.Context, to captureTarget) (captureWriter, error) {
	out, err := warc.NewWriter(to.w, warc.WriterOptions{
		Plain: !to.gzip, Filename: filepath.Base(to.path), Software: software, Now: to.now,
	})
	return warcFile{out}, err
}

// Write writes the record of the capture s.
func (f warcFile) Write(s *message.Stored) error {
	_, err := f.w.Write(s)
	return err
}

// Finish does nothing, because a WARC file has nothing after its last record.
func (f warcFile) Finish() error { return nil }

// Close does nothing, because the writer has no resources.
func (f warcFile) Close() {}
