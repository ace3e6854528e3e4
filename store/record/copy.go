package record

import "fmt"

// CopyOptions says what is copied where.
type CopyOptions struct {
	Pools []string // by name; nil is all
	Dir   string   // folder of the copy, made if need be
	// Dry tells what would be copied, by what is there and how large it is,
	// and writes nothing.
	Dry bool
	// Progress, if not nil, is told how many bytes of how many are dealt with.
	Progress func(file string, done, total int64)
}

// CopyResult is what became of one pool. An index file that several pools share
// is counted with the first of them.
type CopyResult struct {
	Pool   string
	Files  int   // that the pool has
	Copied int   // of these; the others were there, whole
	Bytes  int64 // of those copied
}

// NoPoolError is returned where a pool is named that is not there.
type NoPoolError struct {
	Name  string
	Pools []string // those that are there, in order of name
}

// Error names the pool.
func (e *NoPoolError) Error() string { return fmt.Sprintf("no pool %q", e.Name) }
