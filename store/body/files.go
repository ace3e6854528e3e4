package body

import (
	"errors"
	"fmt"
	"sync"

	"github.com/dgraph-io/ristretto/v2"

	"infomall/store/catalog"
	"infomall/store/commit"
	"infomall/store/segment"
	"infomall/store/segment/indexfile"
)

// Files has what all snapshots of an open archive share: the open index files, and the cache of
// decoded runs. Several goroutines may use it.
type Files struct {
	Folder *commit.Folder
	Warn   func(error) // is called with each fault that a reader can work around

	mu         sync.Mutex
	indexes    map[string]*indexfile.File // open index files, by name; nil for a file that cannot be used
	replaced   []*indexfile.File          // open index files that were replaced since the last moment without a snapshot
	pinned     int                        // number of open snapshots
	cache      *ristretto.Cache[uint64, *segment.Run]
	cacheBytes int64
}

// NewFiles returns the Files of the archive in a folder. cacheBytes is the size limit, in
// bytes, of the cache of decoded runs. warn is called with each error that does not stop the
// reader.
func NewFiles(folder *commit.Folder, cacheBytes int64, warn func(error)) *Files {
	return &Files{Folder: folder, Warn: warn, indexes: make(map[string]*indexfile.File), cacheBytes: cacheBytes}
}

// Close closes the index files and frees the cache.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	errs := []error{f.closeReplaced()}
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

// Pin counts one more open snapshot. Unpin must be called when the snapshot is
// closed.
func (f *Files) Pin() {
	f.mu.Lock()
	f.pinned++
	f.mu.Unlock()
}

// Unpin counts one open snapshot less. c is the catalogue of the snapshot that the
// caller closes. If no snapshot remains open, Unpin closes the index files that c does
// not name, because nobody will read them again.
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
	errs := []error{f.closeReplaced()}
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

// indexCheckedMax is the size in bytes up to which an index file's checksum is
// checked when the file is opened. The check takes a millisecond or two for each 10
// MB. VERIFY also checks larger files.
const indexCheckedMax = 16 << 20

// index returns the open index file for i, the catalogue's entry for it. If the file cannot be
// opened, or its size or checksum differs from i, index warns once and returns nil: the db-files
// are read then.
func (f *Files) index(i catalog.IndexFile) *indexfile.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	x, ok := f.indexes[i.Name]
	if !ok {
		var err error
		if x, err = f.openIndex(i); err != nil {
			f.Warn(err)
			var damage *segment.Error
			if f.Folder.Remote() && !errors.As(err, &damage) {
				return nil // the store may answer the next time
			}
		}
		f.indexes[i.Name] = x
	}
	return x
}

func (f *Files) openIndex(i catalog.IndexFile) (*indexfile.File, error) {
	// Reading all of a remote file for the checksum would take longer than the question. Without
	// this check, a reader still finds the damage that it meets.
	if !f.Folder.Remote() && i.Bytes <= indexCheckedMax {
		got, err := commit.DescribeIndex(f.Folder.Files(), i.Name, i.Name)
		if err == nil && got != i {
			err = &segment.Error{File: i.Name, Offset: -1, Err: errors.New("it is not the file that the catalogue describes: the db-files are read instead; REINDEX makes it again")}
		}
		if err != nil {
			return nil, err
		}
	}
	return f.Folder.OpenIndex(i.Name)
}

// ForgetIndex is called when the index file with this name was replaced. The next
// reader opens the new file. The old file stays open as long as any snapshot is open, because
// readers that use it continue with it.
func (f *Files) ForgetIndex(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.indexes[name]; x != nil {
		f.replaced = append(f.replaced, x)
	}
	delete(f.indexes, name)
}

// closeReplaced closes the index files that were replaced. The caller holds f.mu.
func (f *Files) closeReplaced() error {
	var errs []error
	for _, x := range f.replaced {
		errs = append(errs, x.Close())
	}
	f.replaced = nil
	return errors.Join(errs...)
}

// runBytesTypical is the assumed size of a decoded run in bytes. If n runs of this size
// fit into the cache, the cache counts the uses of 10n runs.
const runBytesTypical = 256 << 10

// runCache returns the cache of decoded runs. The first call creates it. A key is
// made of the numbers of a segment and of a run (see runKey). Because a run never
// changes, an entry of the cache never becomes wrong.
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

// settleCache waits until the cache has stored everything that was put into it. The
// cache stores entries in the background, so a statement that reads immediately
// afterwards would find few of them.
func (f *Files) settleCache() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cache != nil {
		f.cache.Wait()
	}
}

// boundCache changes the size limit of the cache of decoded runs, in bytes.
func (f *Files) boundCache(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.cacheBytes != bytes && f.cache != nil {
		f.cache.UpdateMaxCost(bytes)
	}
	f.cacheBytes = bytes
}
