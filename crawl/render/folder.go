package render

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/store/disk"
)

// folderPrefix begins the names of the folders of browsers. The process number and a
// random end follow.
const folderPrefix = "infomall-browser-"

// folder holds the profile of a browser while the browser runs. As long as the process that made
// the folder lives, it holds a lock on a file in the folder.
type folder struct {
	path string
	lock *os.File
}

// newFolder makes a folder in temp. The profile is a copy of the folder user, or empty
// if user is "".
func newFolder(temp, user string) (*folder, error) {
	path, err := os.MkdirTemp(temp, fmt.Sprintf("%s%d-", folderPrefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("make a folder for the browser: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if f.lock, err = os.Create(filepath.Join(path, "lock")); err == nil {
		_, err = disk.TryExclusive(f.lock)
	}
	if err == nil && user != "" {
		err = copyProfile(f.profile(), user)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a folder for the browser: %w", err), f.remove())
	}
	return f, nil
}

// profile returns the path of the folder with the profile of the browser.
func (f *folder) profile() string { return filepath.Join(f.path, "profile") }

// remove removes the folder after the browser has ended.
func (f *folder) remove() error {
	if f.lock != nil {
		f.lock.Close()
	}
	return removeAll(f.path)
}

// Processes of the browser may write into the profile for a moment after the browser
// has ended.
const (
	removeTries = 100
	removePause = 50 * time.Millisecond
)

// removeAll removes a folder. It tries again while others add files.
func removeAll(path string) error {
	for try := 1; ; try++ {
		err := os.RemoveAll(path)
		if err == nil || try == removeTries {
			return err
		}
		time.Sleep(removePause)
	}
}

// sweep removes the folders in temp that browsers of ended processes have left. It leaves the folders
// of other users of the machine.
func sweep(temp string) error {
	if temp == "" {
		temp = os.TempDir()
	}
	list, err := os.ReadDir(temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for folders of earlier browsers: %w", err)
	}
	for _, e := range list {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		if err := sweepOne(filepath.Join(temp, e.Name())); err != nil && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("remove the folder of an earlier browser: %w", err)
		}
	}
	return nil
}

// sweepOne removes the folder at path if the process that made it has ended.
func sweepOne(path string) error {
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		// The process that makes the folder has not made the lock yet, or ended before.
		if info, err := os.Stat(path); err != nil || time.Since(info.ModTime()) < time.Minute {
			return nil
		}
		return removeAll(path)
	}
	if err != nil {
		return err
	}
	free, err := disk.TryExclusive(lock)
	lock.Close()
	if err != nil || !free {
		return err
	}
	return removeAll(path)
}

// copyProfile copies the profile of a user from one folder to another, without caches
// and without the files by which a browser says that it runs.
func copyProfile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("the profile: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("the profile %s is no folder", from)
	}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if path != from && (strings.HasPrefix(name, "Singleton") || strings.Contains(name, "Cache") || name == "LOCK") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch target := filepath.Join(to, rel); {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type().IsRegular():
			return copyFile(target, path)
		}
		return nil
	})
}

// copyFile copies one file.
func copyFile(to, from string) error {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.ReadFrom(r)
	return errors.Join(err, w.Close())
}
