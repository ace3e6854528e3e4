// Package wholefile writes files that get their name only when they are complete.
package wholefile

import (
	"crypto/rand"
	"fmt"
	"os"
)

// File is a file that gets its name only when it is complete.
type File struct {
	*os.File
	path string
	done bool
}

// Create begins a file beside path. It ends with Commit or Abandon.
func Create(path string) (*File, error) {
	f, err := os.OpenFile(path+"."+rand.Text()[:8]+".open", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("export to %s: %w", path, err)
	}
	return &File{File: f, path: path}, nil
}

// Commit gives the file its name, in place of an older file, and returns its
// size.
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

// Abandon removes the file unless it was committed.
func (f *File) Abandon() {
	if f.done {
		return
	}
	f.Close()           // it goes anyway
	os.Remove(f.Name()) // if this fails, its name tells that it is not whole
}
