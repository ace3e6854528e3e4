package task

import "fmt"

// MergeOptions says which pools MERGE POOL or SEAL POOL works on, and how.
type MergeOptions struct {
	Pools []string // names of pools; nil means all
	// Seal makes the pools static: they are stored as small as possible and
	// never change again.
	Seal bool
	// PoolLimit is the size in bytes above which a pool is split by URL; 0
	// means 64 GB.
	PoolLimit int64
	// Dry means: return what would be merged, and write nothing.
	Dry bool
	// Progress, if not nil, is called with the number of captures merged so far, and the number of all
	// captures of the pools to merge.
	Progress func(done, total int64)
	// Indexing, if not nil, is called while the words are indexed after the merge. Its arguments are
	// the number of bytes indexed so far, and the number of all bytes.
	Indexing func(done, total int64)
}

// MergeResult says what MERGE or SEAL did in one pool.
type MergeResult struct {
	Pool     string
	Segments int      // number of segments that were merged
	Into     int      // segments that replace them; 0 if there was nothing to do
	Static   bool     // the pool was static before
	Deleted  bool     // files of the pool still hold deleted captures
	Large    bool     // the pool is above PoolLimit and should be split
	Parts    []string // pools into which the pool was split, first the pool itself; nil if it was not split
	Captures int64
	OldBytes int64 // size of the merged segments, db-files and indexes
	Bytes    int64 // size of the segments that replace them
}

// StaticError is returned if a statement would change a static pool.
type StaticError struct{ Pool string }

// Error returns a message with the name of the pool.
func (e *StaticError) Error() string {
	return fmt.Sprintf("pool %s is static: it is one sorted run already, and never changes", e.Pool)
}
