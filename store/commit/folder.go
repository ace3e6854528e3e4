// Package commit puts generations of an archive in force, each step durable before the next,
// and keeps the generations that somebody reads. It knows where the files of an archive are.
// Package catalog knows what a generation has.
//
// # Words
//
//	generation   one state of the catalogue, numbered from 1
//	in force     named by the current generation
//	CURRENT      the file with the number of the generation in force
//	NUMBER       in a bucket, the file with the next free number for a file
//	pin          a lock on a generation: its files stay until it is released
//	writer       the right of a process to add files, with a folder of its own
//	lease        a file that a writer in a bucket renews every few seconds
//	publish      to bring new files to their places and put a generation in force
//	sweep        to remove the files that no generation names and nobody reads
//	stale        a change planned on a generation that has changed, so that it no longer fits
//
// A publication takes these steps. Each is durable before the next, so that the archive is
// whole after a crash at any moment:
//
//	writers/w123/000007.raw       the writer makes files in its own folder
//	pools/200806/000007.raw       they are renamed to their places
//	catalog/000012                the new catalogue names them
//	CURRENT  000012 1b2c3d4e      the new generation is in force
//
// Then the older generations that nobody pins are swept.
//
// In a bucket there are no locks. CURRENT is written on condition that it is as it was read,
// and nothing is pinned: files out of force stay for a grace period. FORMAT.md says more.
package commit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"infomall/store/disk"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// The names of the files and folders in an archive's folder.
const (
	FileCurrent = "CURRENT"
	FileLock    = "LOCK"
	FileFormat  = "FORMAT.txt"
	DirCatalog  = "catalog"
	DirPools    = "pools"
	DirIndex    = "index"
	dirWriters  = "writers"
	DirRemoved  = "removed"
	DirBlocked  = "blocked"
)

// Folder is the folder of an archive. Several goroutines may use it.
type Folder struct {
	Path string  // of the folder; packages other than commit use it in messages only, see Files
	Disk disk.FS // reads and changes all files, by their paths
	// Now is the clock that says when imported captures were added. Open sets it to
	// time.Now; it may be replaced before the first use.
	Now func() time.Time

	pinned lastPinned
	bucket *bucket // nil if the archive lies in a folder
}

// IsURL reports whether the place of an archive is a URL, such as s3://bucket/prefix, and
// not the path of a folder.
func IsURL(place string) bool { return strings.Contains(place, "://") }

// Open returns a Folder for the archive at this path, which need not exist. It does not read or
// create anything yet. If d is a disk.Shared, the archive is in a bucket.
func Open(path string, d disk.FS) *Folder {
	f := &Folder{Path: path, Disk: d, Now: time.Now}
	if s, ok := d.(disk.Shared); ok {
		f.bucket = newBucket(f, s)
	}
	return f
}

// Files returns an FS that reads and changes the files of the archive by their names. The name of
// a file is its path in the archive's folder.
func (f *Folder) Files() disk.FS { return disk.Inside(f.Disk, f.Path) }

// LinkFrom makes the file with this name, which is in the folder from, a file of f too, with the
// same name. In a bucket the link is an upload.
func (f *Folder) LinkFrom(from *Folder, name string) error {
	return f.Disk.Link(filepath.Join(from.Path, name), filepath.Join(f.Path, name))
}

// OpenIndex opens the index file with this name for reading. The caller closes it.
func (f *Folder) OpenIndex(name string) (*indexfile.File, error) {
	path := filepath.Join(f.Path, name)
	if f.Remote() {
		file, err := f.Disk.Open(path)
		if err != nil {
			return nil, err
		}
		return indexfile.OpenRemote(file), nil
	}
	x, err := indexfile.Open(path)
	if err != nil {
		return nil, segment.Damage(path, -1, err)
	}
	return x, nil
}

// Remote reports whether the archive is in a bucket. Its files are then read by ranges of
// bytes, and cannot be mapped into memory.
func (f *Folder) Remote() bool { return f.bucket != nil }

// Exists reports whether the folder holds an archive, with captures or without. A
// folder that cannot be read counts as an archive; opening it then returns the
// reason.
func (f *Folder) Exists() bool {
	if f.bucket != nil {
		_, err := f.Disk.Stat(filepath.Join(f.Path, FileCurrent))
		return !errors.Is(err, os.ErrNotExist)
	}
	for _, name := range []string{DirCatalog, FileCurrent, DirPools} {
		if _, err := f.Disk.Stat(filepath.Join(f.Path, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// Create makes those folders of the archive that do not exist. They may be missing in a copy of
// an archive, if they were empty.
func (f *Folder) Create() error {
	if f.bucket != nil {
		return f.bucket.createArchive()
	}
	_, err := f.Disk.Stat(filepath.Join(f.Path, FileCurrent))
	exists := err == nil
	for _, d := range []string{DirCatalog, DirPools, DirIndex, dirWriters} {
		dir := filepath.Join(f.Path, d)
		if _, err := f.Disk.Stat(dir); err == nil && exists {
			continue
		}
		if err := disk.MkdirAll(f.Disk, dir); err != nil {
			return fmt.Errorf("make the archive %s: %w", f.Path, err)
		}
	}
	return nil
}

// Locked calls the function do while it holds the archive's lock, so that no other writer can
// publish. It waits for the lock until ctx ends. The argument of do is the open lock file. In a
// bucket there is no lock, and the argument is nil. If another writer publishes there meanwhile,
// do cannot publish, and Locked calls do again.
func (f *Folder) Locked(ctx context.Context, do func(lock disk.File) error) error {
	if f.bucket != nil {
		return f.bucket.locked(ctx, func() error { return do(nil) })
	}
	return f.LockedBy(ctx, FileLock, do)
}

// LockedBy calls the function do while it holds the exclusive lock on a file of the
// archive. name is the path of that file in the archive's folder; the file is created if
// it does not exist. LockedBy waits for the lock until ctx ends. The argument of do is
// the open file.
func (f *Folder) LockedBy(ctx context.Context, name string, do func(lock disk.File) error) error {
	lock, err := f.Disk.OpenFile(filepath.Join(f.Path, name), os.O_RDWR|os.O_CREATE, 0o644)
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

// LockPool tries to take the lock that a process holds while it merges a pool, without
// waiting. free is false if another process holds the lock. If free is true, the caller
// calls unlock later. In a bucket the lock holds for this machine only. If two machines
// merge a pool, the second one cannot publish: its error is catalog.ErrStale.
func (f *Folder) LockPool(pool string) (unlock func(), free bool, err error) {
	dir := filepath.Join(f.Path, DirPools, pool)
	if f.bucket != nil {
		if err := disk.MkdirAll(f.Disk, dir); err != nil {
			return nil, false, err
		}
		return f.tryLock(dir)
	}
	if _, err := f.Disk.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return func() {}, true, nil // the pool does not exist
	}
	return f.tryLock(dir)
}

// LockDocuments tries to take the lock that a process holds while it extracts the texts
// of documents, such as PDFs. It does not wait. free is false if another process holds
// the lock. If free is true, the caller calls unlock later.
func (f *Folder) LockDocuments() (unlock func(), free bool, err error) {
	dir := filepath.Join(f.Path, Documents.Dir)
	if err := disk.Mkdir(f.Disk, dir); err != nil {
		return nil, false, err
	}
	return f.tryLock(dir)
}

// tryLock tries to lock the file FileLock in the folder dir, without waiting. free is false if
// another process holds the lock. If free is true, the caller calls unlock later.
func (f *Folder) tryLock(dir string) (unlock func(), free bool, err error) {
	lock, err := f.Disk.OpenFile(filepath.Join(dir, FileLock), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, false, err
	}
	if free, err = disk.TryExclusive(lock); err != nil || !free {
		lock.Close()
		return nil, false, err
	}
	return func() { lock.Close() }, true, nil
}
