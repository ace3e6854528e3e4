// Package gzipped reads a file of records that may be compressed with gzip: as
// a member a record, or in any other way. What it inflates to is one stream,
// of which a reader of records looks at parts; damaged members are breaks in
// it. The formats of records are for others.
package gzipped

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// Input is the stream of records that a file holds: the file itself, or what
// it inflates to. It is for one goroutine.
type Input interface {
	// ReadAt reads at offsets from the last Release on.
	io.ReaderAt
	// Release says that nothing before off will be read again.
	Release(off int64)
	// Locate tells the place in the file of the stream's byte off: for gzip that
	// of its member, and whether it is the member's first.
	Locate(off int64) (at int64, first bool)
	// Holds reports whether there may be n bytes at off; it never says no where
	// there are.
	Holds(off, n int64) (bool, error)
	// Broken is why reads end before the stream does, or nil; Resume then goes
	// on at a later place, and tells where that is in the stream and the file.
	Broken() error
	Resume() (stream, file int64, err error)
	// Doubt returns why the bytes before end may be wrong, although they can be
	// read: some are from the damaged member that ends the reads. It returns nil
	// if all are from whole members, or if no damage has been met yet. The caller
	// reads on after end first, so that damage right there has been met.
	Doubt(end int64) error
	Compressed() bool
	// Close removes what is on disk. The file stays open.
	Close()
}

// Options says how to read a compressed file.
type Options struct {
	TempDir string // for records too large for memory; "" is os.TempDir()
	// Starts reports whether a record starts in what a member inflates to. Where
	// one is damaged, reading goes on with the next that has a record.
	Starts func(text []byte) bool
}

// Open reads r as gzip members. Reads end with the cause for which ctx ended.
func Open(ctx context.Context, r io.ReaderAt, o Options) Input { return newStream(ctx, r, o) }

// Plain is a file that is not compressed.
func Plain(r io.ReaderAt) Input { return plain{r} }

// Magic begins a gzip member: its identification and the only method there is.
var Magic = []byte{0x1f, 0x8b, 8}

// IsMember reports whether a member starts at off of file that has a record's
// start among its first bytes.
func IsMember(file io.ReaderAt, off int64, starts func(text []byte) bool) bool {
	const look = 256 << 10
	var begin [3]byte
	if n, _ := file.ReadAt(begin[:], off); n < len(begin) || !bytes.Equal(begin[:], Magic) {
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
