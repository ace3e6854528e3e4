package task

import (
	"fmt"
	"iter"
	"strings"

	"infomall/store/record"
)

// Target names one capture to delete: the key of its URL, and its Ref in the
// snapshot that deletes it.
type Target struct {
	Key string
	Ref record.Ref
}

// DeleteOptions says which captures DELETE deletes, and why.
type DeleteOptions struct {
	// Targets yields the captures to delete, in order of their keys.
	Targets iter.Seq2[Target, error]
	Reason  string
	// Forever, if not nil, adds an entry to the block-list, together with the removal.
	Forever *Forever
	// Dry means: count the captures, and delete nothing.
	Dry bool
}

// DeleteResult counts what DELETE deleted.
type DeleteResult struct {
	Pools []RemovedPool // pools that lost captures, in order of name
	URLs  int64         // number of URLs of which captures were deleted
	// Left is how many captures that were not deleted have the same body as a
	// deleted capture. Their body stays in the archive.
	Left int64
	// Entry is the number of the new entry of the block-list; 0 if there is none.
	Entry int64
	// Bodiless is how many deleted captures have no body, or an empty one. No digest can keep such a
	// capture out of later imports.
	Bodiless int64
}

// RemovedPool counts what one pool loses by DELETE or DROP POOL.
type RemovedPool struct {
	Name     string
	Static   bool
	Captures int64
	Versions int64 // versions that began with a removed capture
}

// ErrChanged is returned by DELETE if another process has written captures to new
// files while they were being deleted. The caller has to open a new snapshot and
// delete again.
var ErrChanged = fmt.Errorf("another process changed the archive meanwhile")

// DropOptions says which pool DROP POOL removes.
type DropOptions struct {
	Pool string
	// Dry means: count what would be removed, and remove nothing.
	Dry bool
}

// DropResult counts what DROP POOL removed together with a pool.
type DropResult struct {
	RemovedPool
	Files int   // removed files, those that no other pool needs
	Bytes int64 // size of these files
}

// DependsError is returned if DROP POOL should remove a pool that other pools need.
type DependsError struct {
	Pool string
	// By names the pools that use bodies or blocks in Pool. Revisits names the
	// other pools that need it: they only have visits to captures in Pool.
	By, Revisits []string
}

// Error returns a message with the names of the pools.
func (e *DependsError) Error() string {
	s := fmt.Sprintf("pool %s cannot be dropped: ", e.Pool)
	var why []string
	if len(e.By) > 0 {
		why = append(why, "pools "+strings.Join(e.By, ", ")+" use its bodies")
	}
	if len(e.Revisits) > 0 {
		why = append(why, "pools "+strings.Join(e.Revisits, ", ")+" have revisits of its captures")
	}
	return s + strings.Join(why, "; ")
}

// Tombstone notes that captures were removed from the archive, when and why. It
// does not say which captures.
type Tombstone struct {
	Time     record.Time
	Drop     bool // a pool was dropped; if false, captures were deleted
	Captures int64
	Pools    []string // pools that had the captures
	Reason   string
	// Hidden means that files of the archive still have the captures, but no
	// query shows them. If false, the captures are gone from the files.
	Hidden bool
}
