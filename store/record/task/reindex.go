package task

import "time"

// ReindexOptions says what REINDEX builds again.
type ReindexOptions struct {
	Pool string // name of a pool; "" means all
	// Derived reads again what an older version of the program read from bodies, such as titles.
	// Indexes are then not built again.
	Derived bool
	// Words makes the indexes of words, with which MATCH and SEARCH are answered.
	// Other indexes are then left alone.
	Words bool
	// Documents reads documents, such as PDFs, that were never read, or that another version of the
	// program read. Indexes are then not built again.
	Documents bool
	// DocumentTime is how much CPU time the reading of a document may take; 0 is the
	// default of the reader.
	DocumentTime time.Duration
	// PageLimit is how many bytes of a body are parsed for its title, text,
	// links and blocks; 0 means 8 MB.
	PageLimit int64
	Dry       bool // only return what would be done
	// Progress, if not nil, is called from time to time by one goroutine. done
	// and total are bytes of the db-files.
	Progress func(done, total int64)
}

// ReindexResult says what REINDEX did in one pool.
type ReindexResult struct {
	Pool       string
	Segments   int   // segments with a new index
	Captures   int64 // captures in these segments
	Bytes      int64 // size of their db-files
	IndexBytes int64 // size of the values in the new indexes
	// Damaged is how many db-files differ from what the catalogue says. Their
	// indexes were left as they are.
	Damaged int
	// Catalogue means that the catalogue was lost and was built again too.
	Catalogue bool
}
