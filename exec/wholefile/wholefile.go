// Package wholefile writes files that get their name only when they are complete.
package wholefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that gets its name only when it is complete. Until then it has
// a temporary name in the same directory.
type File struct {
	*os.File
	path string
	done bool
}

// Create creates a File that will get the name path. The caller writes to it
// and ends it with Commit or Abandon.
func Create(path string) (*File, error) {
	f, err := os.OpenFile(path+"."+rand.Text()[:8]+".open", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("export to %s: there is no folder %s", path, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", path, err)
	}
	return &File{File: f, path: path}, nil
}

// Commit syncs and closes the file, gives it its name in place of an older
// file, and returns its size in bytes.
func (f *File) Commit() (size int64, err error) {
	info, err := f.Stat()
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		return 0, fmt.Errorf("export to %s: %w", f.path, err)
	}
	f.done = true
	return info.Size(), nil
}

// Abandon closes and removes the file, unless it was committed.
func (f *File) Abandon() {
	if f.done {
		return
	}
	f.Close()           // an error does not matter: the file is removed
	os.Remove(f.Name()) // if this fails, the temporary name shows that the file is not complete
}
