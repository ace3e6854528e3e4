// Package segment reads and writes a segment: one immutable, sorted file of
// captures of a pool (the db-file), and its index.
//
// # Words
//
//	record    a unit of the Tianwang format, version 2.0; a db-file is a row of records
//	run       the content of one record: neighbouring captures and the blocks they bring
//	front     the columns of a run that the index has too: key, time, status, hints ...
//	meta      what a run says of its entries and blocks: front and all other columns
//	group     columns of the meta that are compressed together, apart from the others
//	content   the last compressed frame of a run: the blocks, then the facts
//	state     the body that a capture had from a time on, see Info.States
//	chunk     the front of one run, as the index stores it
//	block     a piece of a body; recipe: the blocks that make up a body
//	packed    the smaller form of segments of static pools: their runs build on other runs
//	names     where the blocks of a segment are after it was merged into others
//
// A run builds on another if its content frame is compressed with the other's
// blocks as dictionary. To read it, the other run must be read first.
//
// # Files
//
//	db-file:  | run 0 | run 1 | ... | end record |      sorted by key (SURT), time, sequence
//	index:    | a chunk for each run | table of run ends | Bloom filter of keys | census | sample |
//
// The index is made from the db-file and can be rebuilt from it. store/FORMAT.md
// draws every byte of both.
//
// The package knows one segment at a time. Which segments are in force, and what
// several of them mean together, is the business of package store.
package segment

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"infomall/store/disk"
	"infomall/store/packed"
	"infomall/store/record"
	"infomall/store/segment/column"
)

// Info describes one segment, as the catalogue (the archive's list of its segments)
// has it.
type Info struct {
	ID   uint32
	Pool string
	// Born is the catalogue generation (each publication begins one) that first
	// named the segment. Seen is the newest generation whose captures the segment's
	// hints take into account: Born, if nothing else was published while the
	// segment was written.
	Born, Seen uint64
	// Apart is a catalogue generation: the segment has no capture in common with any
	// segment whose Born is at most Apart.
	Apart uint64
	// Fresh is how many of the segment's URLs are in no earlier segment of its pool;
	// an earlier segment is one whose Born is at most Apart. If no two segments of a
	// pool share a capture, the sum of Fresh over its segments is the pool's number of
	// URLs. Fresh is FreshUnknown if it was not counted.
	Fresh int64
	// Follows is set if every body of the segment is known, and if no capture of the segment
	// changes the versions in segments born up to generation Apart. The same captures, with the
	// same bodies, still begin those versions, although captures of this segment may lie before
	// them.
	Follows bool
	// Lasting is set if no segment that was written after the captures of this segment has
	// changed which of them begin a version. Versions and BodyBytes are then right for the whole
	// archive, unless captures were removed. A hint may still name the wrong kind of change.
	Lasting bool

	File       string // path of the db-file, relative to the archive
	Bytes      int64  // size of the db-file
	CRC        uint32 // crc32c of the db-file
	Index      string // path of the index file; the segment's index is a bucket in it
	IndexBytes int64  // size of the values in that bucket

	Runs int
	// States is how many of the last runs hold states. A state says what body a capture without
	// a body of its own (a revisit) had from a time on, which is the field Added of the state.
	// It is the body of a capture that was deleted since. A state without a body says that the
	// capture had what the other captures of the archive give it. A state has the key, time and
	// sequence of its capture, which is in the same segment. States are no captures: the index
	// has none of them, and none of the numbers of the segment counts them.
	States    int
	Captures  int64
	Versions  int64 // captures that began a version when the segment was written
	URLs      int64
	BodyBytes int64 // total size of the bodies of those versions
	FirstKey  string
	LastKey   string
	First     record.Time
	Last      record.Time
	// AddedFirst and AddedLast are the earliest and the latest time at which the segment's
	// captures were added. If they are equal, all captures were added at that time, whatever
	// their entries say: the entries of an import were written before it was published.
	AddedFirst, AddedLast record.Time
	Blocks                int64    // number of blocks that the segment stores
	Depends               []string // names of other pools whose bodies the segment uses, sorted
	Packed                bool     // the segment has the form of static pools; only set by Rebuild
	Uses                  []uint32 // IDs of other segments whose blocks the segment may refer to, sorted
	// Brief is set by a Writer and by Rebuild if the segment is small. The catalogue of an
	// archive in a bucket stores it.
	Brief *Brief
}

// Brief is the part that most readers need of the index of a small segment. With a Brief, a
// reader can find that the segment lacks a URL, and can read a block, without opening the
// index.
type Brief struct {
	Filter []byte // the Bloom filter of the segment's keys, of at most filterMost bytes
	Runs   []byte // the table of runs: where they lie in the db-file, and on which runs they build
}

// Size returns the size of b in bytes.
func (b *Brief) Size() int { return len(b.Filter) + len(b.Runs) }

// runTable says where the runs of a segment lie in its db-file, and on which runs each of them
// builds. The index stores it.
type runTable struct {
	ends     []int64    // offset at which the record of each run ends
	metaEnds []int64    // offset at which the meta of each run ends
	behind   [][]RunRef // for each run, the runs it builds on, as the head of its record lists them
}

func (t *runTable) add(end, metaEnd int64, behind []RunRef) {
	t.ends, t.metaEnds, t.behind = append(t.ends, end), append(t.metaEnds, metaEnd), append(t.behind, behind)
}

// encode returns t in the form in which the index stores it. id is the ID of the segment.
func (t *runTable) encode(id uint32) []byte {
	var counts, distances, runs []int64
	for _, refs := range t.behind {
		counts = append(counts, int64(len(refs)))
		for _, r := range refs {
			distances, runs = append(distances, int64(id)-int64(r.Segment)), append(runs, int64(r.Run))
		}
	}
	b := binary.AppendUvarint(nil, uint64(len(t.ends)))
	for _, c := range [][]int64{t.ends, t.metaEnds, counts, distances} {
		b = packed.AppendSized(b, column.AppendInts(nil, c))
	}
	return column.AppendInts(b, runs)
}

// decodeRunTable decodes b, the table of runs of the segment i, which runTable.encode made.
func decodeRunTable(b []byte, i *Info) (t runTable, err error) {
	r := packed.Reader{B: b}
	n := r.Uvarint()
	ends, metaEnds, counts, distances := r.Sized(), r.Sized(), r.Sized(), r.Sized()
	if r.Bad || n != uint64(i.Runs) {
		return t, column.ErrDamaged
	}
	ints := func(b []byte, n int) (out []int64) {
		if err == nil {
			out, err = column.DecodeInts(nil, b, n)
		}
		return out
	}
	t.ends, t.metaEnds = ints(ends, int(n)), ints(metaEnds, int(n))
	of := ints(counts, int(n))
	last, refs := int64(0), 0
	for k := range of {
		if t.metaEnds[k] <= last || t.metaEnds[k] >= t.ends[k] || t.ends[k] > i.Bytes || of[k] < 0 || of[k] > behindRead {
			return t, column.ErrDamaged
		}
		last, refs = t.ends[k], refs+int(of[k])
	}
	far, runs := ints(distances, refs), ints(r.B, refs)
	if err != nil {
		return t, err
	}
	all := make([]RunRef, refs)
	for k := range all {
		all[k] = RunRef{uint32(int64(i.ID) - far[k]), uint32(runs[k])}
	}
	for _, n := range of {
		t.behind = append(t.behind, all[:n:n])
		all = all[n:]
	}
	return t, nil
}

// filterMost is the size in bytes, without its head, of the largest Bloom filter that a Brief
// may have. A filter of that size is enough for some 1,700 URLs.
const filterMost = 4 << 10

// IsApart reports whether it is certain that no capture is in both segments i and o. It is
// certain if the writer of the later segment could read the earlier one, or if one merge wrote
// both. If IsApart returns false, some captures may be in both.
func (i *Info) IsApart(o *Info) bool {
	return i.Apart >= o.Born || o.Apart >= i.Born || i.Born == o.Born
}

// Newer reports whether segment i was published after the hints in segment o were computed. The
// hints in o then do not take account of the captures in i.
func (i *Info) Newer(o *Info) bool { return i.Born > o.Seen && !i.together(o) }

// together reports whether one import has written the segments i and o in one generation, or one
// merge. An import compares all captures that it publishes together. A merge that continues in
// another segment does so after a URL, so the two segments share no URL. i and o may be the same.
func (i *Info) together(o *Info) bool {
	if i.Born != o.Born {
		return false
	}
	return i.Pool == o.Pool || i.AddedFirst == i.AddedLast && o.AddedFirst == o.AddedLast && i.AddedLast == o.AddedLast
}

// MayChange reports whether the captures of segment i may change which captures of segment o
// begin a version.
func (i *Info) MayChange(o *Info) bool {
	return i.First <= o.Last && i.Newer(o) && (!i.Follows || i.Apart < o.Born)
}

// FreshUnknown is the value of Info.Fresh if the URLs that are new in the pool were
// not counted.
const FreshUnknown = -1

// Number returns the number in the name of the db-file. It is ID, or, if the
// segment was rewritten with captures and blocks in the same places, the number of
// the rewritten form. No two forms of segments have the same number.
func (i *Info) Number() uint32 {
	id, again, ok := ParseName(filepath.Base(i.File))
	if !ok || again == 0 {
		return max(id, i.ID)
	}
	return again
}

// FileName returns the name of the db-file of segment id, such as "000123.raw".
// again is the number of the segment's rewritten form, as in "000123-000456.raw"; 0
// means that the segment was not rewritten.
func FileName(id, again uint32) string {
	if again == 0 {
		return fmt.Sprintf("%06d.raw", id)
	}
	return fmt.Sprintf("%06d-%06d.raw", id, again)
}

// ParseName splits the name of a db-file, such as "000123-000456.raw", into the
// segment's ID (123) and the number of its rewritten form (456). again is 0 if the
// segment was not rewritten. ok is false if FileName does not make such names.
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

// isNumber reports whether FileName would write a number with exactly these digits:
// at least numberLen of them, and no leading zero if there are more.
func isNumber(digits string) bool {
	return len(digits) == numberLen || len(digits) > numberLen && digits[0] != '0'
}

// numberLen is the least number of digits of a number in the name of a db-file.
const numberLen = 6

// Year returns the year of the pool, such as "2008", or the first bytes of a pool that is not named
// after a month.
func (i *Info) Year() string { return i.Pool[:min(4, len(i.Pool))] }

// Bucket returns the name of the bucket that holds the segment's index in its index
// file: the ID, as in "000123".
func (i *Info) Bucket() []byte { return fmt.Appendf(nil, "%06d", i.ID) }

// Error is a fault in a file of the archive, with the file's name and the offset of
// the fault.
type Error struct {
	File   string
	Offset int64 // where the fault is in the file, in bytes; -1 if it is at no single offset
	Err    error
}

// Damage returns an *Error for err, which was met while the file was read. If err may pass (see
// disk.MayPass), Damage returns err: it says nothing about the file.
func Damage(file string, offset int64, err error) error {
	if disk.MayPass(err) {
		return err
	}
	return &Error{File: file, Offset: offset, Err: err}
}

// Error returns the fault as text, with its file and, if it has one, its offset.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.File, e.Err)
	}
	return fmt.Sprintf("%s at offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns Err, the cause of the fault.
func (e *Error) Unwrap() error { return e.Err }
