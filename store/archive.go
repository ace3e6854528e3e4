// Package store keeps web captures in an archive: a folder of pools, which hold
// immutable segment files, and a catalogue that names the segments that are
// current. It returns captures in order of URL key (SURT) and time. It knows
// nothing of the query language.
//
// # Words
//
//	pool      the captures of one month, such as 200806, or a part of them (200806A)
//	segment   one immutable file of captures of a pool, with its index; also: db-file
//	run       captures of neighbouring URLs in a segment, compressed together
//	block     a piece of a body; stored once, whichever captures contain it
//	layout    the bytes of a page between its leaves; leaf: a block with text
//	recipe    which blocks make up a body
//	facts     what was found out about a page when it was imported
//	fold      how a version's blocks relate to those of earlier versions of its URL
//	hints     what a capture is to the one before it: its Change, Previous, VersionTime
//	settle    to order a URL's captures, drop duplicates and correct their hints
//	removal   captures or pools that were deleted; they stay in files, hidden, until a merge
//	names     a file that says where the blocks of merged segments are now
//	static    a pool that was sealed: no captures are added to it
//
// A generation is one state of the catalogue, numbered from 1. A segment is in
// force if the current generation names it. A snapshot pins a generation: its files
// stay until the snapshot is closed.
//
// # Writing
//
// No file in the folder is ever changed in place. A writer makes new files in a
// folder of its own, syncs them, renames them to their places, and then publishes a
// new generation of the catalogue, again by a rename. Readers therefore never wait,
// and each reader sees one state from start to end. Files that a killed process
// leaves are never in force. FORMAT.md draws the files.
package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"infomall/store/catalog"
	"infomall/store/disk"
)

// Options are the settings of an open archive. The zero value works.
type Options struct {
	// CacheBytes bounds the cache of decoded runs; 0 means 256 MB.
	CacheBytes int64
	// BatchBytes is how much memory an import fills before it publishes a batch; 0
	// means 40 MB. What it remembers of published batches takes at most twice that.
	BatchBytes int64
	// Warn is called with each fault that was found and worked around, such as a
	// damaged index. Nil ignores them. Several goroutines may call it.
	Warn func(error)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Disk makes all changes to files; nil means disk.OS.
	Disk disk.FS
}

const (
	cacheBytesDefault = 256 << 20
	batchBytesDefault = 40 << 20
)

// Archive is an open archive. Its folder need not exist until something is written.
// Several goroutines may use an Archive, and any number of processes may have the
// same archive open. Close it after all its snapshots.
type Archive struct {
	dir  string
	opts Options

	// ahead.go and merge.go explain these bounds.
	goroutines     int
	aheadAfter     int
	sharedCaptures int64
	merging        mergeBounds

	files *files

	mu     sync.Mutex
	warned map[string]bool
	// removals are the removal files read so far, by file name; they never change.
	removals map[string]*catalog.Removal
}

// Open returns the archive in the folder dir. It does not read or create anything
// yet.
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
	a := &Archive{
		dir: dir, opts: o, goroutines: min(runtime.GOMAXPROCS(0), goroutinesMax), aheadAfter: aheadAfter, sharedCaptures: sharedCaptures,
		merging:  mergeBounds{catalog.MergeWays, mergeRuns, mergePlaces},
		removals: make(map[string]*catalog.Removal), warned: make(map[string]bool),
	}
	a.files = newFiles(dir, o.CacheBytes, a.warn)
	return a
}

// Path returns the archive's folder.
func (a *Archive) Path() string { return a.dir }

// Exists reports whether the folder holds an archive, with captures or without. A
// folder that cannot be read counts as an archive; opening it then returns the
// reason.
func (a *Archive) Exists() bool {
	for _, name := range []string{dirCatalog, fileCurrent, dirPools} {
		if _, err := os.Stat(filepath.Join(a.dir, name)); !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// Close closes the index files and frees the cache.
func (a *Archive) Close() error { return a.files.close() }

// warn reports a fault that was worked around, once.
func (a *Archive) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opts.Warn != nil && !a.warned[err.Error()] {
		a.warned[err.Error()] = true
		a.opts.Warn(err)
	}
}
