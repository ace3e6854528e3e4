// Package store is the archive: a folder of monthly pools of immutable
// segments, and the catalogue that names those in force.
//
// Nothing in the folder is ever changed in place. A writer makes new files
// under its own folder, syncs them, renames them to where they belong and then
// publishes a new generation of the catalogue, which is again a rename. So
// readers wait for nobody, each sees one state from start to end, and what a
// killed process leaves behind is never in force. FORMAT.md draws the files.
//
// The package answers with captures in order of SURT and time. It knows
// nothing of the query language.
package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/dgraph-io/ristretto/v2"

	"infomall/store/disk"
	"infomall/store/segment"
)

// Options are the settings of an open archive. The zero value works.
type Options struct {
	// CacheBytes bounds the cache of decoded runs; 0 is 256 MB.
	CacheBytes int64
	// BatchBytes is how much an import holds in memory before it publishes, and
	// twice that the most of what it has published and remembers; 0 is 40 MB.
	BatchBytes int64
	// Warn is told what was found wrong and worked around, such as a damaged
	// index. Nil drops it. It may be called from several goroutines.
	Warn func(error)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Disk is what changes files; nil is disk.OS.
	Disk disk.FS
}

const (
	cacheBytesDefault = 256 << 20
	batchBytesDefault = 40 << 20
)

// Archive is an archive's folder, which need not exist until something is
// written. It may be used from several goroutines, and any number of processes
// may have it open. Close it when all snapshots are closed.
type Archive struct {
	dir  string
	opts Options

	// See ahead.go and merge.go for these.
	goroutines     int
	aheadAfter     int
	sharedCaptures int64
	merging        mergeBounds

	mu      sync.Mutex
	indexes map[string]*segment.IndexFile // open, by name; they never change
	pinned  int                           // snapshots that are open
	cache   *ristretto.Cache[uint64, *segment.Run]
	warned  map[string]bool
	// removals are those read so far, by file: they never change.
	removals map[string]*removal
}

// Open returns the archive in folder dir. It reads and makes nothing yet.
func Open(dir string, o Options) *Archive {
	if o.CacheBytes == 0 {
		o.CacheBytes = cacheBytesDefault
	}
	if o.BatchBytes == 0 {
		o.BatchBytes = batchBytesDefault
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	return &Archive{
		dir: dir, opts: o, goroutines: min(runtime.GOMAXPROCS(0), goroutinesMax), aheadAfter: aheadAfter, sharedCaptures: sharedCaptures,
		merging: mergeBounds{mergeWays, mergeRuns, mergePlaces},
		indexes: make(map[string]*segment.IndexFile), removals: make(map[string]*removal), warned: make(map[string]bool),
	}
}

// Path is the archive's folder.
func (a *Archive) Path() string { return a.dir }

// Exists reports whether the folder holds an archive, with captures or without. A
// folder that cannot be looked into counts as one: whoever opens it finds out why.
func (a *Archive) Exists() bool {
	for _, name := range []string{dirCatalog, fileCurrent, dirPools} {
		if _, err := os.Stat(filepath.Join(a.dir, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// Close gives back files and memory.
func (a *Archive) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, x := range a.indexes {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	clear(a.indexes)
	if a.cache != nil {
		a.cache.Close()
		a.cache = nil
	}
	return errors.Join(errs...)
}

// unpin is told that a snapshot of c is closed. When none is open any more,
// index files that c does not have are closed: nobody asks for them again.
func (a *Archive) unpin(c *catalog) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pinned--; a.pinned > 0 {
		return nil
	}
	keep := make(map[string]bool, len(c.indexes))
	for _, i := range c.indexes {
		keep[i.name] = true
	}
	var errs []error
	for name, x := range a.indexes {
		if keep[name] {
			continue
		}
		if x != nil {
			errs = append(errs, x.Close())
		}
		delete(a.indexes, name)
	}
	return errors.Join(errs...)
}

// indexCheckedMax is the size of an index file above which its checksum is left
// to VERIFY: reading one takes a millisecond or two for each 10 MB.
const indexCheckedMax = 16 << 20

// index gives an open index file; nil if it can't be opened or is not what the
// catalogue says, which is told once. A database whose pages are damaged must
// not be read: they may lead in circles.
func (a *Archive) index(i indexInfo) *segment.IndexFile {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, ok := a.indexes[i.name]
	if !ok {
		var err error
		if x, err = a.openIndex(i); err != nil {
			a.warnLocked(err)
		}
		a.indexes[i.name] = x
	}
	return x
}

func (a *Archive) openIndex(i indexInfo) (*segment.IndexFile, error) {
	path := filepath.Join(a.dir, i.name)
	if i.bytes <= indexCheckedMax {
		got, err := describeIndex(path, i.name)
		if err == nil && got != i {
			err = &segment.Error{File: i.name, Offset: -1, Err: errors.New("it is not what the catalogue says: reading goes on from the db-files; REINDEX makes it anew")}
		}
		if err != nil {
			return nil, err
		}
	}
	return segment.OpenIndex(path)
}

func (a *Archive) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.warnLocked(err)
}

func (a *Archive) warnLocked(err error) {
	if a.opts.Warn != nil && !a.warned[err.Error()] {
		a.warned[err.Error()] = true
		a.opts.Warn(err)
	}
}

// runBytesTypical sizes the cache's counters: ten for each run it may hold.
const runBytesTypical = 256 << 10

// runCache gives the cache of decoded runs, which is made when first needed.
// It is keyed by segment and run: those never change, so nothing in it ever
// becomes wrong.
func (a *Archive) runCache() (*ristretto.Cache[uint64, *segment.Run], error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cache == nil {
		c, err := ristretto.NewCache(&ristretto.Config[uint64, *segment.Run]{
			NumCounters:        max(10*a.opts.CacheBytes/runBytesTypical, 100),
			MaxCost:            a.opts.CacheBytes,
			BufferItems:        64,
			IgnoreInternalCost: true,
		})
		if err != nil {
			return nil, fmt.Errorf("make the cache of %d bytes: %w", a.opts.CacheBytes, err)
		}
		a.cache = c
	}
	return a.cache, nil
}

// settleCache waits until the cache has what it was given, which it takes in its own
// time: who asks again at once would else find little of it.
func (a *Archive) settleCache() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cache != nil {
		a.cache.Wait()
	}
}

// boundCache sets what the cache may hold.
func (a *Archive) boundCache(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opts.CacheBytes != bytes && a.cache != nil {
		a.cache.UpdateMaxCost(bytes)
	}
	a.opts.CacheBytes = bytes
}

// create makes the archive's folders, as far as they are not there: who copied an
// archive may have left out those that were empty.
func (a *Archive) create() error {
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

// locked runs f while no other writer publishes. Writers queue, until ctx ends.
func (a *Archive) locked(ctx context.Context, f func(lock disk.File) error) error {
	return a.lockedBy(ctx, fileLock, f)
}

// lockedBy runs f while nobody else has the lock of a file of the archive.
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
		// Nothing ends the wait for a lock. When it is had, the file is closed, and
		// with it the lock is free: that takes as long as the writers ahead do.
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
