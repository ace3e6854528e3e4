package export

import (
	"context"
	"path/filepath"

	"infomall/exec/spill"
	"infomall/store/formats/wacz"
	"infomall/store/record/message"
)

// waczFormat is the format WACZ.
var waczFormat = &format{name: "wacz", suffixes: []string{".wacz"}, packed: true, captures: newWACZFile}

// waczFile writes a WACZ file, including its index.
type waczFile struct {
	w     *wacz.Writer
	lines *spill.Lines
	line  []byte
}

func newWACZFile(ctx context.Context, to captureTarget) (captureWriter, error) {
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

func (f *waczFile) Write(s *message.Stored) error {
	e, err := f.w.Write(s)
	if err != nil {
		return err
	}
	f.line = e.Append(f.line[:0])
	return f.lines.Add(f.line)
}

func (f *waczFile) Finish() error { return f.w.Finish(f.lines.Sorted()) }

func (f *waczFile) Close() {
	f.lines.Close()
	f.w.Close() // of a file that is unlinked already
}
