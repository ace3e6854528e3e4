package record

// ReindexOptions say what to make anew.
type ReindexOptions struct {
	Pool string // "" is all
	// Derived makes anew what was read off bodies when they came in, where an
	// older version of the program did it, instead of indexes.
	Derived bool
	// PageLimit is as in ImportOptions.
	PageLimit int64
	Dry       bool // only say what would be done
	// Progress, if not nil, is called now and then from one goroutine. Bytes
	// are those of the db-files.
	Progress func(done, total int64)
}

// ReindexResult says what was done for one pool.
type ReindexResult struct {
	Pool       string
	Segments   int   // whose index was made anew
	Captures   int64 // in them
	Bytes      int64 // of their db-files
	IndexBytes int64 // of the new indexes' values
	// Damaged is how many db-files are not what the catalogue says: their
	// indexes were left as they are.
	Damaged int
	// Catalogue: the catalogue was lost, and was made anew as well.
	Catalogue bool
}
