// Package gzipped gives access to a file of records that may be compressed with
// gzip. The records of a compressed file may have one gzip member each, or
// share members, or lie across several. The inflated bytes of all members form
// one stream, and a reader of records reads it at offsets. A damaged member is
// a break in the stream. The package does not know the formats of records.
//
// # Words
//
//	member    one gzip header, its compressed data and a checksum; a file consists of members
//	stream    the inflated bytes of all members, one after the other, from offset 0
//	break     the place where the stream stops because a member is damaged; Resume
//	          continues with a later member
//	release   to give up the bytes before an offset, so that their memory is free
//
//	file    | member 1 | member 2 | damaged | member 4 |
//	stream  | 0 ..............    break     | ........ |
package gzipped

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Input is the stream of records that a file holds: the bytes of a plain file, or
// the decompressed bytes of a file of gzip members. Only one goroutine may use it.
type Input interface {
	// ReadAt reads at an offset of the stream. The offset must not be before that
	// of the last Release.
	io.ReaderAt
	// Release promises that the caller does not read the bytes of the stream before
	// off again.
	Release(off int64)
	// Locate translates the offset off of a byte in the stream to an offset in the
	// file. In a compressed file, at is the offset of the member that has the byte,
	// and first reports whether the byte is the first of that member.
	Locate(off int64) (at int64, first bool)
	// Holds reports whether the stream may have n bytes at off. If the result is
	// false, the bytes are missing; if it is true, they may still be missing.
	Holds(off, n int64) (bool, error)
	// Broken returns the damage because of which reads end before the end of the
	// file, or nil. Resume then continues with a later member. It returns where that
	// member begins in the stream and in the file.
	Broken() error
	Resume() (stream, file int64, err error)
	// Doubt returns an error if some bytes of the stream before end may be wrong,
	// although ReadAt returned them, because they are from the damaged member at which
	// reads end. It returns nil if all are from whole members, or if no damage is
	// known yet. The caller must first read beyond end, so that damage directly after
	// end is known.
	Doubt(end int64) error
	Compressed() bool
	// Close removes temporary files. The file that was opened stays open.
	Close()
}

// Options says how to read a file that is compressed with gzip.
type Options struct {
	TempDir string // directory for records too large for memory; "" is os.TempDir()
	// Starts reports whether a record starts in text, the decompressed bytes at the
	// beginning of a member. After a damaged member, reading continues with the
	// next member for which Starts is true.
	Starts func(text []byte) bool
}

// Open returns the decompressed stream of r, a file of gzip members. When ctx ends,
// reads return its cause. The caller must close the Input.
func Open(ctx context.Context, r io.ReaderAt, o Options) Input { return newStream(ctx, r, o) }

// Plain returns r, a file that is not compressed, as an Input.
func Plain(r io.ReaderAt) Input { return plain{r} }

// magic is the first three bytes of a gzip member: the two identification bytes
// and the compression method deflate, the only one.
var magic = []byte{0x1f, 0x8b, 8}

// isMember reports whether a gzip member begins at offset off of file, and a record starts in that
// member. isMember calls the function starts with the first decompressed bytes of the member; the
// function reports whether a record starts in them.
func isMember(file io.ReaderAt, off int64, starts func(text []byte) bool) bool {
	const look = 256 << 10
	var begin [3]byte
	if n, _ := file.ReadAt(begin[:], off); n < len(begin) || !bytes.Equal(begin[:], magic) {
		return false
	}
	z, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(file, off, look)))
	if err != nil {
		return false
	}
	z.Multistream(false)
	text, _ := io.ReadAll(io.LimitReader(z, look)) // cut or damaged, what comes before counts
	return starts(text)
}

// Detect looks for a record in the first megabyte of file, as it stands or in a gzip member, and
// reports whether it found one. startsAt reports whether a record starts at start[at]; starts
// reports whether one starts anywhere in text. compressed is whether the record, or else the
// beginning of the file, is compressed with gzip.
func Detect(file io.ReaderAt, startsAt func(start []byte, at int) bool, starts func(text []byte) bool) (is, compressed bool, err error) {
	for _, look := range []int{4 << 10, 1 << 20} {
		start := make([]byte, look)
		n, err := file.ReadAt(start, 0)
		if err != nil && err != io.EOF {
			return false, false, fmt.Errorf("read the file's first bytes: %w", err)
		}
		start = start[:n]
		for at := range start {
			if start[at] == magic[0] && isMember(file, int64(at), starts) {
				return true, true, nil
			}
			if startsAt(start, at) {
				return true, false, nil
			}
		}
		if compressed = bytes.HasPrefix(start, magic); n < look {
			break
		}
	}
	return false, compressed, nil
}

type plain struct{ io.ReaderAt }

func (plain) Release(int64) {}

func (plain) Locate(off int64) (int64, bool) { return off, true }

func (p plain) Holds(off, n int64) (bool, error) {
	if n == 0 {
		return true, nil
	}
	var last [1]byte
	m, err := p.ReadAt(last[:], off+n-1)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("read the file: %w", err)
	}
	return m == 1, nil
}

func (plain) Broken() error { return nil }

func (plain) Resume() (stream, file int64, err error) {
	panic("gzipped: a plain file has no breaks")
}

func (plain) Doubt(int64) error { return nil }

func (plain) Compressed() bool { return false }

func (plain) Close() {}
