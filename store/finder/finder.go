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
	used    *usedFiles
}

// usedFiles are the indexes that a snapshot reads until it is closed.
type usedFiles struct {
	mu   sync.Mutex
	list []*wordFiles
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
	keptShare = 4
)

// NewIndexes returns the Indexes of the archive in a folder. It reads nothing yet.
func NewIndexes(f *commit.Folder) *Indexes { return &Indexes{f, memo.New(keptBytes)} }

// Finder returns a Finder of a snapshot of the archive.
func (x *Indexes) Finder(v *snapshot.Snapshot) *Finder { return &Finder{v, x, x.kept, new(usedFiles)} }

// KnownAt returns a Finder of what the snapshot knew at a time, see Snapshot.KnownAt.
func (v *Finder) KnownAt(t record.Time) *Finder {
	return &Finder{v.Snapshot.KnownAt(t), v.indexes, v.kept, v.used}
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

// Close ends the snapshot.
func (v *Finder) Close() error {
	v.used.mu.Lock()
	for _, files := range v.used.list {
		_ = files.close() // they were only read
	}
	v.used.list = nil
	v.used.mu.Unlock()
	return v.Snapshot.Close()
}

// fileKey is the key of an index in Indexes.kept, with its file name. A file never changes.
type fileKey struct{ name string }

// file returns the index of words in a file, open. The caller closes it.
func (v *Finder) file(name string) (*index.File, error) {
	if f, ok := memo.Get[*index.File](v.kept, fileKey{name}); ok {
		return f, nil
	}
	f, err := index.Open(v.indexes.folder.Disk, v.indexes.folder.Path, name, v.kept)
	if err == nil && f.Memory() > 0 { // such an index needs no Close
		v.kept.Put(fileKey{name}, f, f.Memory()+int64(len(f.Runs))*int64(unsafe.Sizeof(index.Run{})))
	}
	return f, err
}
