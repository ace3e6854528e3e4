package store

import (
	"context"
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
	dirJournal  = "journal"
)

// Create makes the archive's folders that do not exist. A copy of an archive may
// lack those that were empty.
func (a *Archive) Create() error {
	_, err := os.Stat(filepath.Join(a.dir, fileCurrent))
	exists := err == nil
	for _, d := range []string{dirCatalog, dirPools, dirIndex, dirWriters} {
		dir := filepath.Join(a.dir, d)
		if _, err := os.Stat(dir); err == nil && exists {
			continue
		}
		if err := disk.MkdirAll(a.opts.Disk, dir); err != nil {
			return fmt.Errorf("make the archive %s: %w", a.dir, err)
		}
	}
	return nil
}

// locked runs f while no other writer can publish. It waits for other writers until
// ctx ends.
func (a *Archive) locked(ctx context.Context, f func(lock disk.File) error) error {
	return a.lockedBy(ctx, fileLock, f)
}

// lockedBy runs f while it holds the exclusive lock on the named file of the
// archive.
func (a *Archive) lockedBy(ctx context.Context, name string, f func(lock disk.File) error) error {
	lock, err := a.opts.Disk.OpenFile(filepath.Join(a.dir, name), os.O_RDWR|os.O_CREATE, 0o644)
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
	return f(lock)
}
