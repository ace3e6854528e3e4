// Package segment is one immutable sorted db-file of a pool, and its index.
//
// A db-file is a sequence of records of the Tianwang format, version 2.0. Each
// holds a run: neighbouring captures, sorted by SURT, time and sequence, with
// the bodies they bring. The index is made from the db-file and can be made
// again: for each run a chunk with the columns that queries ask for most, a
// table of where runs lie, and a Bloom filter of the URLs. store/FORMAT.md
// draws every byte of both.
//
// The package knows one segment at a time. What several of them mean together,
// and which are in force, is the business of package store.
package segment

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"infomall/store/record"
)

// Info is what the catalogue keeps of a segment.
type Info struct {
	ID   uint32
	Pool string
	// Born is the catalogue generation that first named the segment. Seen is
	// the newest generation whose captures its hints take into account; its own
	// if nothing else was published meanwhile.
	Born, Seen uint64
	// Apart is the newest generation such that the segment has no capture in
	// common with those born by then.
	Apart uint64
	// Fresh is how many of its URLs those of its pool that were born by Apart had
	// not: over a pool whose segments are all apart it sums up to the URLs that the
	// pool has. It is FreshUnknown where that was not counted.
	Fresh int64
	// Follows: no capture of the segment lies before one of the same URL that was
	// born by Apart, and none is without a known body. So what is a version there
	// stays one.
	Follows bool

	File       string // of the db-file, relative to the archive
	Bytes      int64  // of the db-file
	CRC        uint32 // crc32c of the db-file
	Index      string // file that has the index, in a bucket of its own
	IndexBytes int64  // that the bucket's values take

	Runs      int
	Captures  int64
	Versions  int64 // captures that began a version when they were written
	URLs      int64
	BodyBytes int64 // of the bodies of those versions
	FirstKey  string
	LastKey   string
	First     record.Time
	Last      record.Time
	Blocks    int64    // that it stores
	Depends   []string // names of other pools whose bodies it uses, sorted
	Packed    bool     // in the form of static pools; known to who wrote or rebuilt it
	Uses      []uint32 // other segments whose blocks its recipes may name, sorted
}

// IsApart reports whether a segment and another have no capture in common for
// certain: the later was written with the earlier at hand, or one merge wrote
// both.
func (i *Info) IsApart(o *Info) bool {
	return i.Apart >= o.Born || o.Apart >= i.Born || i.Born == o.Born
}

// FreshUnknown stands where a catalogue does not say how many URLs are fresh.
const FreshUnknown = -1

// Number is the number under which the segment was written. It differs from ID
// where it was written anew since, with captures and blocks in the same places:
// no two forms of a segment have the same, nor that of another segment.
func (i *Info) Number() uint32 {
	id, again, ok := ParseName(filepath.Base(i.File))
	if !ok || again == 0 {
		return max(id, i.ID)
	}
	return again
}

// FileName is what the db-file of segment id is called; again is the number
// under which it was written anew, or 0.
func FileName(id, again uint32) string {
	if again == 0 {
		return fmt.Sprintf("%06d.raw", id)
	}
	return fmt.Sprintf("%06d-%06d.raw", id, again)
}

// ParseName reads the name of a db-file.
func ParseName(name string) (id, again uint32, ok bool) {
	stem, ok := strings.CutSuffix(name, ".raw")
	first, second, twice := strings.Cut(stem, "-")
	a, err := strconv.ParseUint(first, 10, 31)
	if err != nil || !ok {
		return 0, 0, false
	}
	if twice {
		b, err := strconv.ParseUint(second, 10, 31)
		if err != nil {
			return 0, 0, false
		}
		again = uint32(b)
	}
	return uint32(a), again, isNumber(first) && (!twice || again != 0 && isNumber(second))
}

// isNumber reports whether FileName writes a number so.
func isNumber(digits string) bool {
	return len(digits) == numberLen || len(digits) > numberLen && digits[0] != '0'
}

// numberLen is how many digits a number in a file name has at least.
const numberLen = 6

// Bucket is the name of the segment's bucket in its index file.
func (i *Info) Bucket() []byte { return fmt.Appendf(nil, "%06d", i.ID) }

// Error says what is wrong with a file of the archive, and where.
type Error struct {
	File   string
	Offset int64 // in bytes; -1 where there is none
	Err    error
}

// Error names the file and the place.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s at offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
