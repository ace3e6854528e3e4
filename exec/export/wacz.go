package export

import (
	"context"
	"path/filepath"

	"infomall/exec/spill"
	"infomall/store/formats/wacz"
	"infomall/store/record/message"
)

// waczFormat is the format WACZ: captures with their bodies and an index, in a
// ZIP file.
var waczFormat = &format{name: "wacz", mediaType: "application/wacz", suffixes: []string{".wacz"}, packed: true, captures: newWACZFile}

// waczFile is a captureWriter that writes a WACZ file, including its index of
// captures.
type waczFile struct {
	w     *wacz.Writer
	lines *spill.Lines
	line  []byte
}

// newWACZFile returns a writer for the export's file. The caller closes it.
func newWACZFile(ctx context.Context, to captureTarget) (captureWriter, error) {
	return openWACZ(ctx, to)
}

// openWACZ is like newWACZFile, and returns the waczFile itself.
func openWACZ(ctx context.Context, to captureTarget) (*waczFile, error) {
	o := wacz.WriterOptions{Title: filepath.Base(to.path), Software: software, Now: to.now}
	if len(to.run.Memory.Dirs) > 0 {
		o.TempDir = to.run.Memory.Dirs[0]
	}
	out, err := wacz.NewWriter(to.w, o)
	if err != nil {
		return nil, err
	}
	return &waczFile{w: out, lines: to.run.Lines(ctx)}, nil
}

// Write writes the record of the capture s, and adds its line to the index.
func (f *waczFile) Write(s *message.Stored) error {
	_, err := f.add(s)
	return err
}

// add is like Write, and returns the identifier of the record.
func (f *waczFile) add(s *message.Stored) (id string, err error) {
	e, id, err := f.w.Write(s)
	if err != nil {
		return "", err
	}
	f.line = e.Append(f.line[:0])
	return id, f.lines.Add(f.line)
}

// Finish writes the index, sorted, and the rest of the WACZ file.
func (f *waczFile) Finish() error { return f.w.Finish(f.lines.Sorted()) }

// Close releases memory and temporary files of the writer.
func (f *waczFile) Close() {
	f.lines.Close()
	f.w.Close() // closes a temporary file that is unlinked already
}
