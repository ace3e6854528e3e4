package export

import (
	"context"
	"path/filepath"

	"infomall/store/formats/warc"
	"infomall/store/record/message"
)

// warcFormat is the format WARC.
var warcFormat = &format{name: "warc", suffixes: []string{".warc"}, captures: newWARCFile}

// warcFile writes a WARC file.
type warcFile struct{ w *warc.Writer }

func newWARCFile(_ context.Context, to captureTarget) (captureWriter, error) {
	out, err := warc.NewWriter(to.w, warc.WriterOptions{
		Plain: !to.gzip, Filename: filepath.Base(to.path), Software: software, Now: to.now,
	})
	return warcFile{out}, err
}

func (f warcFile) Write(s *message.Stored) error {
	_, err := f.w.Write(s)
	return err
}

// Finish does nothing: records follow each other to the end.
func (f warcFile) Finish() error { return nil }

// Close does nothing.
func (f warcFile) Close() {}
