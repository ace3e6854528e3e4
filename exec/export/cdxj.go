package export

import (
	"compress/gzip"
	"context"
	"io"
	"path"
	"path/filepath"

	"infomall/exec/spill"
	"infomall/store/formats/cdx"
	"infomall/store/formats/warc"
	"infomall/store/record"
	"infomall/store/record/message"
)

// cdxjFormat is the format CDXJ: an index of captures, without the captures
// themselves.
var cdxjFormat = &format{name: "cdxj", mediaType: "text/x-cdxj", suffixes: []string{".cdxj"}, captures: newCDXJFile}

// cdxjFile is a captureWriter for CDXJ: it writes an index of the files from
// which the captures were imported. The lines are sorted when all captures are
// written.
type cdxjFile struct {
	w     io.WriteCloser
	lines *spill.Lines
	line  []byte
}

// newCDXJFile returns a writer for the export's file, compressed with gzip if
// the file's name ends in .gz.
func newCDXJFile(ctx context.Context, to captureTarget) (captureWriter, error) {
	f := &cdxjFile{w: nopCloser{to.w}, lines: to.run.Lines(ctx)}
	if to.gzip {
		f.w = gzip.NewWriter(to.w)
	}
	return f, nil
}

// Write adds the index line of the capture s. Finish writes the line to the
// file.
func (f *cdxjFile) Write(s *message.Stored) error {
	digest, err := warc.PayloadDigest(s)
	if err != nil {
		return err
	}
	e := cdx.Entry{
		URL: s.URL, AskedURL: s.AskedURL, Time: s.Time, Mime: s.MediaType(), Status: s.Status,
		Revisit: s.Via == record.ViaRevisit, Digest: digest, Offset: s.Offset, File: path.Base(filepath.ToSlash(s.Source)),
	}
	f.line = e.Append(f.line[:0])
	return f.lines.Add(f.line)
}

// Finish writes all lines, sorted, to the file.
func (f *cdxjFile) Finish() error {
	for line, err := range f.lines.Sorted() {
		if err == nil {
			_, err = f.w.Write(line)
		}
		if err != nil {
			return err
		}
	}
	return f.w.Close()
}

func (f *cdxjFile) Close() { f.lines.Close() }

// nopCloser is an io.WriteCloser whose Close does nothing.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
