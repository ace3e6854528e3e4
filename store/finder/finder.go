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

// openFiles has the indexes of words that are too large to be kept in memory, by file name.
// They stay open until the snapshot is closed.
type openFiles struct {
	mu   sync.Mutex
	file map[string]*index.File
}

// Indexes opens the indexes of words of one archive, and keeps what it has read of them in
// memory. All Finders of the archive share it. Several goroutines may use it.
type Indexes struct {
	folder *commit.Folder
	kept   *memo.Cache
}

// keptBytes is how many bytes of indexes an Indexes keeps in memory, until SetCache sets another
// limit. SetCache uses one part in keptShare of the bytes that it is given for indexes.
const (
	keptBytes = 32 << 20
	keptShare = 2
)

// NewIndexes returns the Indexes of the archive in the folder f. It reads nothing yet.
func NewIndexes(f *commit.Folder) *Indexes { return &Indexes{f, memo.New(keptBytes)} }

// Finder returns a Finder for snapshot v of the archive.
func (x *Indexes) Finder(v *snapshot.Snapshot) *Finder {
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

// Close closes the snapshot, and the indexes that it has opened. If KnownAt made the Finder,
// Close does nothing.
func (v *Finder) Close() error {
	if v.part {
		return nil
	}
	v.open.mu.Lock()
	defer v.open.mu.Unlock()
	for _, f := range v.open.file {
		_ = f.Close() // it was only read
	}
	clear(v.open.file)
	return v.Snapshot.Close()
}

// fileKey is the key, in the cache Indexes.kept, of the index that was read from the file with
// this name. A file of an index never changes.
type fileKey struct{ name string }

// file returns the index of words in the file with this name. If the index is too large to be
// kept in memory, the file stays open until v is closed.
func (v *Finder) file(name string) (*index.File, error) {
	if f, ok := memo.Get[*index.File](v.kept, fileKey{name}); ok {
		return f, nil
	}
	v.open.mu.Lock()
	defer v.open.mu.Unlock()
	if f := v.open.file[name]; f != nil {
		return f, nil
	}
	f, err := index.Open(v.indexes.folder.Files(), name, v.kept)
	switch {
	case err != nil:
		return nil, err
	case f.Memory() > 0: // such an index needs no Close
		v.kept.Put(fileKey{name}, f, f.Memory()+int64(len(f.Runs))*int64(unsafe.Sizeof(index.Run{})))
	default:
		v.open.file[name] = f
	}
	return f, nil
}
