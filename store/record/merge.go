package record

// MergeOptions says which pools are merged.
type MergeOptions struct {
	Pools []string // by name; nil is all
	// Dry tells what would be merged, and writes nothing.
	Dry bool
	// Progress, if not nil, is told how many captures of how many of a pool are
	// dealt with.
	Progress func(pool string, done, total int64)
}

// MergeResult is what became of a pool.
type MergeResult struct {
	Pool     string
	Segments int // that were merged into it
	Into     int // segments; 0 if there was nothing to do
	Captures int64
	OldBytes int64 // of the segments that were merged: db-files and indexes
	Bytes    int64 // of those made
}
