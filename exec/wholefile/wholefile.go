// Package wholefile writes files that get their name only when they are complete.
package wholefile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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
	if err != nil {
		return nil, Fault(path, err)
	}
	return &File{File: f, path: path}, nil
}

// Fault returns err, which stopped an export to the file at path, with the path and, if the cause is
// one of the usual ones, with what to do.
func Fault(path string, err error) error {
	folder := filepath.Dir(path)
	info, missing := os.Stat(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist) && errors.Is(missing, fs.ErrNotExist):
		return fmt.Errorf("export to %s: there is no folder %s: make it, or name a file in another folder", path, folder)
	case errors.Is(err, syscall.ENOTDIR) && missing == nil && !info.IsDir():
		return fmt.Errorf("export to %s: %s is a file and no folder: name a file in a folder", path, folder)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("export to %s: %w: name a file in a folder into which you may write", path, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("export to %s: %w: delete other files, or name a file on another disk", path, err)
	}
	return fmt.Errorf("export to %s: %w", path, err)
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
		return 0, Fault(f.path, err)
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
