package task

import "infomall/store/record"

// MoveOptions says which pools MOVE POOL moves, and to which place.
type MoveOptions struct {
	Pools []string // names of pools; nil means all
	// To is the place to which db-files are moved: a folder, or a place in a bucket. "" means that
	// they are moved back to the archive's folder.
	To string
	// Ended limits the move to pools whose month had ended by this time.
	Ended record.Time
	// Dry means: return what would be moved, and move nothing.
	Dry bool
	// Progress, if not nil, is called with the number of bytes handled so far and the
	// number of all bytes.
	Progress func(file string, done, total int64)
}

// MoveResult says how many db-files of one pool MOVE POOL moved.
type MoveResult struct {
	Pool  string
	Files int   // number of db-files of the pool
	Moved int   // db-files that were moved; the others were already at MoveOptions.To
	Bytes int64 // size of the moved files
}
