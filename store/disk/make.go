package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// The permissions that new files and folders ask for.
const (
	permFile = 0o644
	permDir  = 0o755
)

// Create makes a file, or empties the one that is there, for reading and
// writing.
func Create(d FS, name string) (File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, permFile)
}

// Mkdir makes a folder, if it is not there, and makes its name durable: also of
// one that is there, since who made it may have been killed before it came to
// that. Where that fails a new folder is taken away again: no later sync would
// make that name any better.
func Mkdir(d FS, name string) error {
	err := d.Mkdir(name, permDir)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	e := d.SyncDir(filepath.Dir(name))
	if e != nil && err == nil {
		_ = d.Remove(name) // failing that, the folder stays in doubt
	}
	return e
}

// MkdirAll makes a folder, and those it lies in as far as they are missing, as
// Mkdir does. What may not be read was made by somebody else, and its
// durability is left to them.
func MkdirAll(d FS, name string) error {
	info, err := os.Stat(name)
	parent := filepath.Dir(name)
	switch {
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is a file and should be a folder", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case parent == name:
		return err // the root, or the working folder
	}
	if e := MkdirAll(d, parent); e != nil {
		return e
	}
	if err == nil {
		if err = d.SyncDir(parent); errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	return Mkdir(d, name)
}

// MkdirTemp makes a folder in dir with a name of its own behind prefix, and
// gives its path.
func MkdirTemp(d FS, dir, prefix string) (string, error) {
	for {
		name := filepath.Join(dir, prefix+random())
		if err := d.Mkdir(name, permDir); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// random is a part of a name. That two are alike is found out by who makes
// the file.
func random() string { return fmt.Sprintf("%010d", rand.Uint32()) }

// RemoveAll removes a file or a folder with all that is in it. What is gone
// already is no error.
func RemoveAll(d FS, name string) error {
	info, err := os.Lstat(name)
	if err == nil && info.IsDir() {
		var entries []fs.DirEntry
		entries, err = os.ReadDir(name)
		for _, e := range entries {
			if err := RemoveAll(d, filepath.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	if err == nil {
		err = d.Remove(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// WriteFile puts a file in the place of the one of that name, if any: after a
// crash there is the old one or the new one whole. SyncDir of its folder then
// makes it the new one. Until it is whole its name begins with a dot.
func WriteFile(d FS, name string, b []byte) error {
	tmp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+"."+random())
	f, err := d.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, permFile)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = d.Rename(tmp, name)
	}
	if err != nil {
		_ = d.Remove(tmp) // failing that, the sweep of hidden files takes it
	}
	return err
}
