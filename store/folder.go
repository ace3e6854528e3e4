package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"infomall/store/disk"
)

// The names of an archive's files and folders.
const (
	fileCurrent = "CURRENT"
	fileLock    = "LOCK"
	fileFormat  = "FORMAT.txt"
	dirCatalog  = "catalog"
	dirPools    = "pools"
	dirIndex    = "index"
	dirWriters  = "writers"
	dirRemoved  = "removed"
)

// folder is the folder of an archive. Several goroutines may use it.
type folder struct {
	path string
	disk disk.FS // makes all changes
}

// openFolder returns the folder with this path. It does not read or create anything
// yet.
func openFolder(path string, d disk.FS) *folder { return &folder{path, d} }

// exists reports whether the folder holds an archive, with captures or without. A
// folder that cannot be read counts as an archive; opening it then returns the
// reason.
func (f *folder) exists() bool {
	for _, name := range []string{dirCatalog, fileCurrent, dirPools} {
		if _, err := os.Stat(filepath.Join(f.path, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// create makes the archive's folders that do not exist. A copy of an archive may
// lack those that were empty.
func (f *folder) create() error {
	_, err := os.Stat(filepath.Join(f.path, fileCurrent))
	exists := err == nil
	for _, d := range []string{dirCatalog, dirPools, dirIndex, dirWriters} {
		dir := filepath.Join(f.path, d)
		if _, err := os.Stat(dir); err == nil && exists {
			continue
		}
		if err := disk.MkdirAll(f.disk, dir); err != nil {
			return fmt.Errorf("make the archive %s: %w", f.path, err)
		}
	}
	return nil
}

// locked calls do while no other writer can publish. It waits for other writers
// until ctx ends.
func (f *folder) locked(ctx context.Context, do func(lock disk.File) error) error {
	return f.lockedBy(ctx, fileLock, do)
}

// lockedBy calls do while it holds the exclusive lock on the named file of the
// archive.
func (f *folder) lockedBy(ctx context.Context, name string, do func(lock disk.File) error) error {
	lock, err := f.disk.OpenFile(filepath.Join(f.path, name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	got := make(chan error, 1)
	go func() { got <- disk.LockExclusive(lock) }()
	select {
	case err = <-got:
	case <-ctx.Done():
		// The wait for a lock cannot be interrupted. This goroutine waits until it
		// gets the lock and then releases it by closing the file.
		go func() {
			<-got
			lock.Close()
		}()
		return ctx.Err()
	}
	defer lock.Close()
	if err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return do(lock)
}

// lockPool takes the merge lock of a pool. free is false if another process holds
// it. Otherwise the caller calls unlock.
func (f *folder) lockPool(pool string) (unlock func(), free bool, err error) {
	dir := filepath.Join(f.path, dirPools, pool)
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return func() {}, true, nil // the pool does not exist
	}
	lock, err := f.disk.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, false, err
	}
	if free, err = disk.TryExclusive(lock); err != nil || !free {
		lock.Close()
		return nil, false, err
	}
	return func() { lock.Close() }, true, nil
}
