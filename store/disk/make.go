package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// The permissions of new files and folders. The umask of the process may remove
// some of them.
const (
	permFile = 0o644
	permDir  = 0o755
)

// Create opens a file for reading and writing. It creates the file if it does not
// exist, and empties it otherwise. The caller closes it.
func Create(d FS, name string) (File, error) {
	return d.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, permFile)
}

// Mkdir creates a folder if it does not exist, and makes its name durable. It
// also syncs the name of a folder that exists, because the process that created
// it may have been killed before the sync. If the sync fails, Mkdir removes a
// folder that it has created, because a later sync would not help.
func Mkdir(d FS, name string) error {
	err := d.Mkdir(name, permDir)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	e := d.SyncDir(filepath.Dir(name))
	if e != nil && err == nil {
		_ = d.Remove(name) // if this fails too, the folder exists but may not be durable
	}
	return e
}

// MkdirAll creates a folder and all missing folders above it, each in the same
// way as Mkdir. It also syncs the names of the folders above it that exist. If the
// process may not read the parent of such a folder, another user has created it, and
// MkdirAll does not sync it; that is no error.
func MkdirAll(d FS, name string) error {
	info, err := d.Stat(name)
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

// MkdirTemp creates a new folder in dir and returns its path. The name of the
// folder is prefix and random digits.
func MkdirTemp(d FS, dir, prefix string) (string, error) {
	for {
		name := filepath.Join(dir, prefix+random())
		if err := d.Mkdir(name, permDir); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// random returns ten random digits for a file name. Two results may be equal; the
// caller must create its file in a way that fails if the name exists.
func random() string { return fmt.Sprintf("%010d", rand.Uint32()) }

// RemoveAll removes a file, or a folder with everything in it. It is no error
// if the file or folder does not exist. Symbolic links in the folder are removed, not
// followed; name itself must not be a symbolic link.
func RemoveAll(d FS, name string) error {
	info, err := d.Stat(name)
	if err == nil {
		err = removeAll(d, name, info.IsDir())
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// removeAll does the work of RemoveAll. dir is true if name is a folder.
func removeAll(d FS, name string, dir bool) error {
	if dir {
		entries, err := d.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := removeAll(d, filepath.Join(name, e.Name()), e.IsDir()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return d.Remove(name)
}

// WriteFile replaces the file name, or creates it, with the content b. After a
// crash either the old file or the whole new file is there. The new content is
// durable once the caller has called SyncDir on its folder. WriteFile first
// writes a temporary file whose name begins with a dot.
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
		_ = d.Remove(tmp) // if this fails, the sweep of hidden files removes it later
	}
	return err
}
