package export

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"infomall/exec/op"
	"infomall/exec/spill"
	"infomall/exec/wholefile"
	"infomall/store/formats/cdx"
	"infomall/store/formats/tianwang"
	"infomall/store/formats/wacz"
	"infomall/store/formats/warc"
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
	exportTarget
	w   io.Writer
	now record.Time
	run *op.Runner // for what is sorted
}

// captureWriters maps each format that holds captures to the function that
// makes its writer.
var captureWriters = map[string]func(ctx context.Context, to captureTarget) (captureWriter, error){
	"warc":     newWARCFile,
	"tianwang": newTianwangFile,
	"wacz":     newWACZFile,
	"cdxj":     newCDXJFile,
}

// software is the name of this program, as exported files give it.
const software = "infomall"

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

// tianwangFile writes a file of Tianwang records, and next to it a text that
// explains the format.
type tianwangFile struct {
	w   *tianwang.Writer
	dir string
}

func newTianwangFile(_ context.Context, to captureTarget) (captureWriter, error) {
	return tianwangFile{tianwang.NewWriter(to.w, to.zlib), filepath.Dir(to.path)}, nil
}

func (f tianwangFile) Write(s *message.Stored) error { return f.w.Write(s) }

// Finish writes FORMAT.txt next to the file, unless a file of that name exists.
func (f tianwangFile) Finish() error {
	name := filepath.Join(f.dir, "FORMAT.txt")
	if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := wholefile.Create(name)
	if err != nil {
		return err
	}
	defer out.Abandon()
	if _, err := io.WriteString(out, tianwang.FormatText); err != nil {
		return err
	}
	_, err = out.Commit()
	return err
}

// Close does nothing.
func (f tianwangFile) Close() {}

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

// cdxjFile writes an index of the files that captures were imported from.
type cdxjFile struct {
	w     io.WriteCloser
	lines *spill.Lines
	line  []byte
}

func newCDXJFile(ctx context.Context, to captureTarget) (captureWriter, error) {
	f := &cdxjFile{w: nopCloser{to.w}, lines: to.run.Lines(ctx)}
	if to.gzip {
		f.w = gzip.NewWriter(to.w)
	}
	return f, nil
}

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

// nopCloser is a writer that has nothing to close.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
