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

	"infomall/store/commit"
	"infomall/store/search/index"
	"infomall/store/snapshot"
)

// Finder is a snapshot whose captures can be found by words and links. Several goroutines
// may use it. It needs no Close besides that of its snapshot.
type Finder struct {
	*snapshot.Snapshot
	indexes *Indexes
}

// Indexes opens the indexes of words of one archive, and keeps some of them in memory. All
// Finders of the archive share it. Several goroutines may use it.
type Indexes struct {
	folder *commit.Folder

	mu sync.Mutex
	// cache has indexes of words that were read into memory, by file name. A file never
	// changes, and a File in memory needs no Close.
	cache map[string]*index.File
	bytes int64 // how many bytes of memory the indexes in cache take
}

// NewIndexes returns the Indexes of the archive in a folder. It reads nothing yet.
func NewIndexes(f *commit.Folder) *Indexes { return &Indexes{folder: f} }

// Finder returns a Finder of a snapshot of the archive.
func (x *Indexes) Finder(v *snapshot.Snapshot) *Finder { return &Finder{v, x} }

// cacheBytes is how many bytes of indexes of words stay in memory.
const cacheBytes = 32 << 20

// file returns the index of words in a file, open. The caller closes it.
func (x *Indexes) file(name string) (*index.File, error) {
	x.mu.Lock()
	f := x.cache[name]
	x.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := index.Open(x.folder.Disk, x.folder.Path, name)
	if err != nil {
		return nil, err
	}
	if f.Memory() == 0 {
		return f, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.bytes += f.Memory(); x.bytes > cacheBytes || x.cache == nil {
		x.cache, x.bytes = make(map[string]*index.File), f.Memory()
	}
	x.cache[name] = f
	return f, nil
}
