package body

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/dgraph-io/ristretto/v2"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/segment"
)

// Files are what the snapshots of an open archive share: its open index files, and
// the cache of decoded runs. Several goroutines may use them.
type Files struct {
	Folder *commit.Folder
	Warn   func(error) // is called with each fault that is worked around

	mu         sync.Mutex
	indexes    map[string]*segment.IndexFile // open index files by name; index files never change
	pinned     int                           // number of open snapshots
	cache      *ristretto.Cache[uint64, *segment.Run]
	cacheBytes int64
}

// NewFiles returns the files of the archive in the folder. cacheBytes bounds the
// cache of decoded runs.
func NewFiles(folder *commit.Folder, cacheBytes int64, warn func(error)) *Files {
	return &Files{Folder: folder, Warn: warn, indexes: make(map[string]*segment.IndexFile), cacheBytes: cacheBytes}
}

// Close closes the index files and frees the cache.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, x := range f.indexes {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	clear(f.indexes)
	if f.cache != nil {
		f.cache.Close()
		f.cache = nil
	}
	return errors.Join(errs...)
}

// Pin counts a snapshot that was opened.
func (f *Files) Pin() {
	f.mu.Lock()
	f.pinned++
	f.mu.Unlock()
}

// Unpin is called when a snapshot of c is closed. After the last snapshot, it
// closes the index files that c does not name: nobody will read them again.
func (f *Files) Unpin(c *catalog.Catalog) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.pinned--; f.pinned > 0 {
		return nil
	}
	keep := make(map[string]bool, len(c.Indexes))
	for _, i := range c.Indexes {
		keep[i.Name] = true
	}
	var errs []error
	for name, x := range f.indexes {
		if keep[name] {
			continue
		}
		if x != nil {
			errs = append(errs, x.Close())
		}
		delete(f.indexes, name)
	}
	return errors.Join(errs...)
}

// indexCheckedMax is the size in bytes up to which the checksum of an index file is
// checked when it is opened: that takes a millisecond or two for each 10 MB. VERIFY
// checks larger ones.
const indexCheckedMax = 16 << 20

// index returns an open index file. It returns nil, and warns once, if the file
// cannot be opened or differs from its entry in the catalogue. A damaged bbolt
// database must not be read: its pages may form a circle.
func (f *Files) index(i catalog.IndexFile) *segment.IndexFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	x, ok := f.indexes[i.Name]
	if !ok {
		var err error
		if x, err = f.openIndex(i); err != nil {
			f.Warn(err)
		}
		f.indexes[i.Name] = x
	}
	return x
}

func (f *Files) openIndex(i catalog.IndexFile) (*segment.IndexFile, error) {
	path := filepath.Join(f.Folder.Path, i.Name)
	if i.Bytes <= indexCheckedMax {
		got, err := commit.DescribeIndex(path, i.Name)
		if err == nil && got != i {
			err = &segment.Error{File: i.Name, Offset: -1, Err: errors.New("it is not the file that the catalogue describes: the db-files are read instead; REINDEX makes it again")}
		}
		if err != nil {
			return nil, err
		}
	}
	return segment.OpenIndex(path)
}

// ForgetIndex makes the next snapshot open an index file again. Readers of the old
// file continue with it, so it stays open.
func (f *Files) ForgetIndex(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.indexes, name)
}

// runBytesTypical is the assumed size of a decoded run. The cache counts ten keys
// for each run it can hold.
const runBytesTypical = 256 << 10

// runCache returns the cache of decoded runs, and creates it at the first call. Its
// keys are segment and run; since those never change, an entry never becomes wrong.
func (f *Files) runCache() (*ristretto.Cache[uint64, *segment.Run], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cache == nil {
		c, err := ristretto.NewCache(&ristretto.Config[uint64, *segment.Run]{
			NumCounters:        max(10*f.cacheBytes/runBytesTypical, 100),
			MaxCost:            f.cacheBytes,
			BufferItems:        64,
			IgnoreInternalCost: true,
		})
		if err != nil {
			return nil, fmt.Errorf("make the cache of %d bytes: %w", f.cacheBytes, err)
		}
		f.cache = c
	}
	return f.cache, nil
}

// settleCache waits until the cache has taken in what was put into it. The cache
// does that in the background, so a caller that reads at once would find little.
func (f *Files) settleCache() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cache != nil {
		f.cache.Wait()
	}
}

// boundCache changes the size of the cache in bytes.
func (f *Files) boundCache(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cacheBytes != bytes && f.cache != nil {
		f.cache.UpdateMaxCost(bytes)
	}
	f.cacheBytes = bytes
}
