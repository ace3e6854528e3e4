// Package finder finds captures of a snapshot by the words of their texts and by the
// targets of their links. It reads the indexes of words, which lie beside the segments, and
// it makes them. Without an index it reads the stored text of the pages.
//
// # Words
//
//	leaf     a stored block with text; the text of a page is the texts of its leaves
//	reading  a charset and whether a leaf is markup: how a leaf's bytes become text
//	users    the captures of a run as an index lists them: which leaves each one has
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
	part    bool // v is a part of another Finder, which closes the files
}

// openFiles has the indexes of words that are too large for memory, by file name. A snapshot
// keeps them open until it is closed.
type openFiles struct {
	mu   sync.Mutex
	file map[string]*index.File
}

// Indexes opens the indexes of words of one archive, and keeps in memory what was read of
// them. All Finders of the archive share it. Several goroutines may use it.
type Indexes struct {
	folder *commit.Folder
	kept   *memo.Cache
}

// keptBytes is how many bytes Indexes keep before SetCache says it, and keptShare is which
// part of the cache of a snapshot they take.
const (
	keptBytes = 32 << 20
	keptShare = 2
)

// NewIndexes returns the Indexes of the archive in a folder. It reads nothing yet.
func NewIndexes(f *commit.Folder) *Indexes { return &Indexes{f, memo.New(keptBytes)} }

// Finder returns a Finder of a snapshot of the archive.
func (x *Indexes) Finder(v *snapshot.Snapshot) *Finder {
	return &Finder{v, x, x.kept, &openFiles{file: make(map[string]*index.File)}, false}
}

// KnownAt returns a Finder of what the snapshot knew at a time, see Snapshot.KnownAt.
func (v *Finder) KnownAt(t record.Time) *Finder {
	return &Finder{v.Snapshot.KnownAt(t), v.indexes, v.kept, v.open, true}
}

// SetCache sets the size limit in bytes of what all snapshots of the archive keep in memory:
// decoded runs, and what was read of indexes of words. With 0, this snapshot keeps nothing,
// and the limit stays.
func (v *Finder) SetCache(bytes int64) {
	v.kept = nil
	if bytes > 0 {
		v.kept = v.indexes.kept
		v.kept.Bound(bytes / keptShare)
		bytes -= bytes / keptShare
	}
	v.Snapshot.SetCache(bytes)
}

// Memo returns the cache of results that were computed from the archive, which all its
// snapshots share, or nil if the snapshot uses no cache. A key names the State of the
// snapshot if the result depends on it.
func (v *Finder) Memo() *memo.Cache { return v.kept }

// Close ends the snapshot. Close of a Finder that KnownAt has made does nothing.
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

// fileKey is the key of an index in Indexes.kept, with its file name. A file never changes.
type fileKey struct{ name string }

// file returns the index of words in a file, which stays open until v is closed.
func (v *Finder) file(name string) (*index.File, error) {
	if f, ok := memo.Get[*index.File](v.kept, fileKey{name}); ok {
		return f, nil
	}
	v.open.mu.Lock()
	defer v.open.mu.Unlock()
	if f := v.open.file[name]; f != nil {
		return f, nil
	}
	f, err := index.Open(v.indexes.folder.Disk, v.indexes.folder.Path, name, v.kept)
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
