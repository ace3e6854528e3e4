// Package finder finds captures of a snapshot by the words of their texts and by the
// targets of their links. It reads the indexes of words, which lie beside the segments, and
// it makes them. Without an index it reads the stored text of the pages.
//
// # Words
//
//	leaf     a stored block with text; the text of a page is the texts of its leaves
//	reading  a charset and whether a leaf is markup: how a leaf's bytes become text
//	users    the captures of a run as an index lists them: which leaves each one has
//	group    the segments that share one index
//	span     blocks that lie one after the other in a run
//	facts    what was found out about a page and its blocks when it was imported
//	recipe   the list of a body's blocks
package finder

import (
	"io/fs"
	"os"
	"sync"
	"unsafe"

	"infomall/store/commit"
	"infomall/store/memo"
	"infomall/store/record"
	"infomall/store/search/index"
	"infomall/store/snapshot"
)

// Finder is a snapshot whose captures can be found by words and links. Several goroutines
// may use it. Close it instead of its snapshot.
type Finder struct {
	*snapshot.Snapshot
	indexes *Indexes
	kept    *memo.Cache // nil if the snapshot uses no cache
	open    *openFiles
	part    bool // KnownAt made v from another Finder, and that Finder closes the files
}

// openFiles has the indexes of words that are too large to be kept in memory, by file name. A
// snapshot reads the same files until it is closed.
type openFiles struct {
	mu     sync.Mutex
	file   map[string]*index.File
	own    []*index.File // the indexes that no later snapshot uses; Finder.Close closes them
	closed bool          // Finder.Close was called
}

// Indexes opens the indexes of words of one archive, and keeps what it has read of them in
// memory. All Finders of the archive share it. Several goroutines may use it.
type Indexes struct {
	folder *commit.Folder
	kept   *memo.Cache

	mu   sync.Mutex
	open map[string]openIndex // indexes that stay open between snapshots, by file name
	old  []*index.File        // indexes that open had, but whose names other files have now
	// finders is the number of Finders that are not closed.
	finders int
}

// openIndex is an open index of words, with what the folder said of its file before it was opened.
type openIndex struct {
	*index.File
	info fs.FileInfo
}

// keptBytes is how many bytes of indexes an Indexes keeps in memory, until SetCache sets another
// limit. SetCache uses one part in keptShare of the bytes that it is given for indexes.
const (
	keptBytes = 32 << 20
	keptShare = 2
)

// NewIndexes returns the Indexes of the archive in the folder f. It reads nothing yet.
func NewIndexes(f *commit.Folder) *Indexes {
	return &Indexes{folder: f, kept: memo.New(keptBytes), open: make(map[string]openIndex)}
}

// Close closes the indexes that stay open between snapshots. All Finders must be closed.
func (x *Indexes) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closeUnused(nil)
}

// closeUnused closes all open indexes but those in used. No Finder may be open.
func (x *Indexes) closeUnused(used map[string]*index.File) {
	for _, f := range x.old {
		_ = f.Close() // it was only read
	}
	x.old = nil
	for name, f := range x.open {
		if used[name] != f.File {
			_ = f.Close()
			delete(x.open, name)
		}
	}
}

// Finder returns a Finder for snapshot v of the archive.
func (x *Indexes) Finder(v *snapshot.Snapshot) *Finder {
	x.mu.Lock()
	x.finders++
	x.mu.Unlock()
	return &Finder{v, x, x.kept, &openFiles{file: make(map[string]*index.File)}, false}
}

// KnownAt returns a Finder that shows only the captures that were added at time t or earlier,
// see Snapshot.KnownAt.
func (v *Finder) KnownAt(t record.Time) *Finder {
	return &Finder{v.Snapshot.KnownAt(t), v.indexes, v.kept, v.open, true}
}

// SetCache sets how many bytes of decoded runs and of indexes of words all snapshots of the
// archive together keep in memory. If bytes is 0, only v changes: it keeps nothing, and the limit
// of the other snapshots stays as it is.
func (v *Finder) SetCache(bytes int64) {
	v.kept = nil
	if bytes > 0 {
		v.kept = v.indexes.kept
		v.kept.Bound(bytes / keptShare)
		bytes -= bytes / keptShare
	}
	v.Snapshot.SetCache(bytes)
}

// Memo returns the cache for results that were computed from the archive. All snapshots of the
// archive share it. Memo returns nil if v uses no cache. If a result depends on the state of the
// snapshot, the caller makes the text that State returns a part of its key.
func (v *Finder) Memo() *memo.Cache { return v.kept }

// Close closes the snapshot. If no other snapshot is open, the indexes that v used stay open for the
// next one, and the others are closed. If KnownAt made the Finder, Close does nothing.
func (v *Finder) Close() error {
	if v.part {
		return nil
	}
	v.open.mu.Lock()
	defer v.open.mu.Unlock()
	if !v.open.closed {
		v.open.closed = true
		v.indexes.release(v.open.file)
	}
	for _, f := range v.open.own {
		_ = f.Close() // it was only read
	}
	clear(v.open.file)
	v.open.own = nil
	return v.Snapshot.Close()
}

// release is called when a Finder is closed that used the indexes used.
func (x *Indexes) release(used map[string]*index.File) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.finders--; x.finders == 0 && len(used) > 0 {
		x.closeUnused(used)
	}
}

// fileKey is the key, in the cache Indexes.kept, of the index that was read from the file with
// this name. A file of an index never changes.
type fileKey struct{ name string }

// file returns the index of words in the file with this name. If the index is too large to be
// kept in memory, the file stays open until v is closed, or longer.
func (v *Finder) file(name string) (*index.File, error) {
	if f, ok := memo.Get[*index.File](v.kept, fileKey{name}); ok {
		return f, nil
	}
	v.open.mu.Lock()
	defer v.open.mu.Unlock()
	if f := v.open.file[name]; f != nil {
		return f, nil
	}
	var info fs.FileInfo // nil if the file does not stay open
	if v.kept == v.indexes.kept && !v.indexes.folder.Remote() {
		info, _ = v.indexes.folder.Files().Stat(name) // if that fails, index.Open returns an error
	}
	if f := v.indexes.known(name, info); f != nil {
		v.open.file[name] = f
		return f, nil
	}
	f, err := index.Open(v.indexes.folder.Files(), name, v.kept)
	switch {
	case err != nil:
		return nil, err
	case f.Memory() > 0: // such an index needs no Close
		v.kept.Put(fileKey{name}, f, f.Memory()+int64(len(f.Runs))*int64(unsafe.Sizeof(index.Run{})))
		return f, nil
	case info == nil:
		v.open.own = append(v.open.own, f)
	default:
		v.indexes.keep(name, openIndex{f, info})
	}
	v.open.file[name] = f
	return f, nil
}

// known returns the open index in the file with this name, or nil. info is what the folder says of
// the file now: the index is not used if another file has the name since. info may be nil.
//
// To open and to close 20 indexes takes .5 ms, a third of the time of a count of a rare word in a
// million captures.
func (x *Indexes) known(name string, info fs.FileInfo) *index.File {
	x.mu.Lock()
	defer x.mu.Unlock()
	f, ok := x.open[name]
	if !ok || info == nil || !os.SameFile(f.info, info) || f.info.Size() != info.Size() || !f.info.ModTime().Equal(info.ModTime()) {
		return nil
	}
	return f.File
}

// keep lets the index f, in the file with this name, stay open.
func (x *Indexes) keep(name string, f openIndex) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if before, ok := x.open[name]; ok {
		x.old = append(x.old, before.File)
	}
	x.open[name] = f
}
