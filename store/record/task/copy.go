// Package task has the options, results and errors of the statements that work
// on an archive, such as IMPORT, MERGE POOL, VERIFY and DELETE. The executor
// fills the options, the store carries out the task and returns the results.
package task

import "fmt"

// CopyOptions says which pools COPY POOL copies, and where to. Pools that they
// depend on are copied too.
type CopyOptions struct {
	Pools []string // names of pools; nil means all
	Dir   string   // folder of the copy; created if missing
	// Dry means: return what would be copied, and write nothing. A file that
	// exists with the right size counts as already copied.
	Dry bool
	// Progress, if not nil, is called with the number of bytes handled so far
	// and the number of all bytes.
	Progress func(file string, done, total int64)
}

// CopyResult says how many files of one pool COPY POOL copied. An index file that
// several pools share counts for the first of them only.
type CopyResult struct {
	Pool   string
	Files  int   // files of the pool
	Copied int   // files copied; the other files were already there and whole
	Bytes  int64 // size of the copied files
}

// NoPoolError is returned if a statement names a pool that does not exist.
type NoPoolError struct {
	Name  string
	Pools []string // names of the pools that exist, sorted
}

// Error returns a message with the name of the missing pool.
func (e *NoPoolError) Error() string { return fmt.Sprintf("no pool %q", e.Name) }
