package record

import "fmt"

// MergeOptions says which pools are merged or sealed.
type MergeOptions struct {
	Pools []string // by name; nil is all
	// Seal makes the pools static: they never change any more, and are stored as
	// small as can be.
	Seal bool
	// PoolLimit is the size in bytes above which a pool is split by URL; 0 is
	// 64 GB.
	PoolLimit int64
	// Dry tells what would be merged, and writes nothing.
	Dry bool
	// Progress, if not nil, is told how many captures of how many of a pool are
	// dealt with.
	Progress func(pool string, done, total int64)
}

// MergeResult is what became of a pool.
type MergeResult struct {
	Pool     string
	Segments int      // that were merged into it
	Into     int      // segments; 0 if there was nothing to do
	Static   bool     // it was so before
	Deleted  bool     // it has captures that were deleted and are in its files
	Large    bool     // above PoolLimit: it is to be split
	Parts    []string // that it was split into, itself first; nil where it was not
	Captures int64
	OldBytes int64 // of the segments that were merged: db-files and indexes
	Bytes    int64 // of those made
}

// StaticError is returned where a pool is to be changed that never changes.
type StaticError struct{ Pool string }

// Error names the pool.
func (e *StaticError) Error() string {
	return fmt.Sprintf("pool %s is static: it is one sorted run already, and never changes", e.Pool)
}
