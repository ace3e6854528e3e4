package record

import (
	"fmt"
	"iter"
	"strings"
)

// Target names a capture that is to be deleted: the key of its URL, and its ref
// in the snapshot that deletes it.
type Target struct {
	Key string
	Ref Ref
}

// DeleteOptions says what is deleted and why.
type DeleteOptions struct {
	// Targets are the captures, in order of their keys.
	Targets iter.Seq2[Target, error]
	Reason  string
	// Dry counts, and deletes nothing.
	Dry bool
}

// DeleteResult says what was deleted.
type DeleteResult struct {
	Pools []RemovedPool // in order of name; those that lose nothing are not among them
	URLs  int64         // of which captures were deleted
	// Left is how many captures are left whose body is one of those deleted: it
	// came in with them as well.
	Left int64
}

// RemovedPool is what a pool loses.
type RemovedPool struct {
	Name     string
	Static   bool
	Captures int64
	Versions int64 // that began with one of them
}

// ErrChanged is returned where captures were to be deleted while another
// process wrote them anew in other files. A new snapshot has them again.
var ErrChanged = fmt.Errorf("another process changed the archive meanwhile")

// DropOptions says which pool is dropped.
type DropOptions struct {
	Pool string
	// Dry counts, and drops nothing.
	Dry bool
}

// DropResult is what went with a pool.
type DropResult struct {
	RemovedPool
	Files int   // that no other pool needs
	Bytes int64 // of these
}

// DependsError is returned where a pool is to be dropped that others need.
type DependsError struct {
	Pool string
	// By are the pools that have bodies, or blocks of them, in it; Revisits of
	// these those which only have visits to what it has.
	By, Revisits []string
}

// Error names the pools.
func (e *DependsError) Error() string {
	s := fmt.Sprintf("pool %s cannot be dropped: ", e.Pool)
	var why []string
	if len(e.By) > 0 {
		why = append(why, "pools "+strings.Join(e.By, ", ")+" use bodies that it has")
	}
	if len(e.Revisits) > 0 {
		why = append(why, "pools "+strings.Join(e.Revisits, ", ")+" have visits to what it has")
	}
	return s + strings.Join(why, "; ")
}

// Tombstone says that captures were removed, when and why, and not which.
type Tombstone struct {
	Time     Time
	Drop     bool // a pool was dropped; else captures were deleted
	Captures int64
	Pools    []string // in which they were
	Reason   string
	// Hidden: they are still in files in force, and hidden; else they are gone.
	Hidden bool
}
