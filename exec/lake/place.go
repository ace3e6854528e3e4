package lake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"infomall/exec/wholefile"
	"infomall/store/disk"
)

// Place is where a data set lies. Names of files are relative to it and have / between
// folders.
type Place interface {
	// Read returns n bytes of a file from off on, or fewer if the file ends before. The error
	// wraps fs.ErrNotExist if there is no such file.
	Read(ctx context.Context, name string, off, n int64) ([]byte, error)
	// Write replaces a file, or creates it, with size bytes of body. The file is durable
	// when Write returns. At any time either the old file or the whole new file is there.
	Write(ctx context.Context, name string, body io.ReaderAt, size int64) error
	// List yields all files of the place, in any order. A place that does not exist has none.
	List(ctx context.Context) iter.Seq2[File, error]
	// Remove removes a file. It is no error if the file does not exist.
	Remove(ctx context.Context, name string) error
}

// File is one file of a place.
type File struct {
	Name string
	Size int64 // in bytes
}

// Folder is the place in a folder of this machine, which need not exist yet.
type Folder string

func (f Folder) path(name string) string { return filepath.Join(string(f), filepath.FromSlash(name)) }

// Read reads a part of a file. It implements Place.
func (f Folder) Read(_ context.Context, name string, off, n int64) ([]byte, error) {
	file, err := os.Open(f.path(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.NewSectionReader(file, off, n))
}

// Write writes a file under another name, syncs it, and renames it. It creates missing
// folders. It implements Place.
func (f Folder) Write(_ context.Context, name string, body io.ReaderAt, size int64) error {
	path := f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return wholefile.Fault(path, err)
	}
	w, err := wholefile.Create(path)
	if err != nil {
		return err
	}
	defer w.Abandon()
	if _, err := io.Copy(w, io.NewSectionReader(body, 0, size)); err != nil {
		return wholefile.Fault(path, err)
	}
	if _, err := w.Commit(); err != nil {
		return err
	}
	return disk.OS.SyncDir(filepath.Dir(path))
}

// List yields all files of the folder and of the folders in it. It implements Place.
func (f Folder) List(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		stopped := errors.New("the consumer wants no more")
		err := filepath.WalkDir(string(f), func(path string, e fs.DirEntry, err error) error {
			if err == nil {
				err = ctx.Err()
			}
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil // the folder is not there, or a file was removed meanwhile
			case err != nil:
				return err
			case e.IsDir():
				return nil
			}
			info, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return err
			}
			name, err := filepath.Rel(string(f), path)
			if err != nil {
				return err
			}
			if !yield(File{Name: filepath.ToSlash(name), Size: info.Size()}, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && err != stopped {
			yield(File{}, fmt.Errorf("list %s: %w", string(f), err))
		}
	}
}

// Remove removes a file, and the folders around it that are empty then. It implements
// Place.
func (f Folder) Remove(_ context.Context, name string) error {
	if err := os.Remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for {
		slash := strings.LastIndexByte(name, '/')
		if slash < 0 {
			return nil
		}
		name = name[:slash]
		if os.Remove(f.path(name)) != nil {
			return nil // the folder has other files
		}
	}
}

// readBytes is how many bytes of a file are read at once.
const readBytes = 4 << 20

// contents yields the content of a file in pieces. The error wraps fs.ErrNotExist if there is
// no such file.
func contents(ctx context.Context, p Place, name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for off := int64(0); ; off += readBytes {
			b, err := p.Read(ctx, name, off, readBytes)
			if !yield(b, err) || err != nil || len(b) < readBytes {
				return
			}
		}
	}
}
