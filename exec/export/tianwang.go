package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"infomall/exec/wholefile"
	"infomall/store/formats/tianwang"
	"infomall/store/record/message"
)

// tianwangFormat is the format of the Tianwang crawler: captures with their
// bodies.
var tianwangFormat = &format{name: "tianwang", mediaType: "application/octet-stream", suffixes: []string{".raw"}, packed: true, captures: newTianwangFile}

// tianwangFile is a captureWriter that writes a file of Tianwang records, and
// next to it a text file that explains the format.
type tianwangFile struct {
	w   *tianwang.Writer
	dir string
}

// newTianwangFile returns a writer for the export's file, and for FORMAT.txt in
// the same directory. It does not fail.
func newTianwangFile(_ context.Context, to captureTarget) (captureWriter, error) {
	return tianwangFile{tianwang.NewWriter(to.w, to.zlib), filepath.Dir(to.path)}, nil
}

// Write writes the record of the capture s.
func (f tianwangFile) Write(s *message.Stored) error { return f.w.Write(s) }

// Finish writes the file FORMAT.txt, which explains the format, next to the
// export's file, unless a file of that name exists.
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

// Close does nothing, because the writer has no resources.
func (f tianwangFile) Close() {}
