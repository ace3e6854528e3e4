package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// Sizes in the file of a bbolt database, in bytes, and flags. A page begins with its id (8), flags (2),
// the number of its elements (2), and its overflow (4). An element of a branch page has the id of a page
// in its second half. The value of a bucket begins with the id of its first page.
const (
	pageHeadBytes = 16
	elementBytes  = 16
	metaBytes     = 64
	metaRoot      = 16 // place of the id of the first page
	metaTxid      = 48 // place of the number of the transaction

	pageIsBranch    = 1
	pageIsLeaf      = 2
	elementIsBucket = 1
)

// errCircle is returned by checkPages for a page that is below itself.
var errCircle = errors.New("its pages form a circle")

// checkPages returns an error that wraps errState if the pages of the database of tx form a circle.
// bbolt would follow the circle until the stack is full, which ends the program and cannot be caught.
// With names, checkPages checks only the buckets that have them.
//
// checkPages reads the branch pages, which are about a hundredth of the file, and not the leaf pages: all
// of them are at the same level. So it does not notice an old branch page in the place of a leaf page. For
// a million URLs it takes some 30 ms if the file is in memory.
func checkPages(tx *bolt.Tx, names ...[]byte) error {
	f, err := os.Open(tx.DB().Path())
	if err != nil {
		return err
	}
	defer f.Close()
	r := pageReader{f: f, pageBytes: int64(tx.DB().Info().PageSize), branches: make(map[uint64]bool)}
	root, err := r.root(tx)
	if err != nil {
		return err
	}
	leaves, err := r.walk(root)
	var buckets []uint64
	for _, id := range leaves {
		if err == nil {
			buckets, err = r.buckets(id, names, buckets)
		}
	}
	for _, id := range buckets {
		if err == nil {
			_, err = r.walk(id)
		}
	}
	if errors.Is(err, errCircle) || errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w (%v)", tx.DB().Path(), errState, err)
	}
	return err
}

// pageReader reads the pages of a database.
type pageReader struct {
	f         io.ReaderAt
	pageBytes int64
	branches  map[uint64]bool // the branch pages that were read
	buffer    []byte
}

// read returns n bytes of the page id. They are valid until the next call.
func (r *pageReader) read(id uint64, at, n int) ([]byte, error) {
	r.buffer = slices.Grow(r.buffer[:0], n)[:n]
	if id > 1<<40 {
		return nil, io.EOF
	}
	_, err := r.f.ReadAt(r.buffer, int64(id)*r.pageBytes+int64(at))
	return r.buffer, err
}

// root returns the id of the first page of the database, as tx sees it.
func (r *pageReader) root(tx *bolt.Tx) (uint64, error) {
	txid := uint64(tx.ID())
	if tx.Writable() {
		txid-- // the number of the transaction before, which is on disk
	}
	for id := range uint64(2) {
		b, err := r.read(id, pageHeadBytes, metaBytes)
		if err != nil {
			return 0, err
		}
		if binary.LittleEndian.Uint64(b[metaTxid:]) == txid {
			return binary.LittleEndian.Uint64(b[metaRoot:]), nil
		}
	}
	return 0, io.EOF // Unreachable unless the file changes meanwhile.
}

// head returns the flags of the page id and the number of its elements.
func (r *pageReader) head(id uint64) (flags uint16, count int, err error) {
	b, err := r.read(id, 0, pageHeadBytes)
	return binary.LittleEndian.Uint16(b[8:]), int(binary.LittleEndian.Uint16(b[10:])), err
}

// children appends the ids of the pages directly below the page id to list; none if the page is not a
// branch page. It returns errCircle for a branch page that it has read before.
func (r *pageReader) children(id uint64, list []uint64) ([]uint64, error) {
	flags, count, err := r.head(id)
	if err != nil || flags != pageIsBranch {
		return list, err // bbolt notices other flags
	}
	if r.branches[id] {
		return nil, errCircle
	}
	r.branches[id] = true
	b, err := r.read(id, pageHeadBytes, count*elementBytes)
	for ; err == nil && len(b) > 0; b = b[elementBytes:] {
		list = append(list, binary.LittleEndian.Uint64(b[8:]))
	}
	return list, err
}

// walk reads all branch pages from the page root down, level by level, and returns the ids of the leaf
// pages. The error is errCircle if it comes to a branch page again.
func (r *pageReader) walk(root uint64) ([]uint64, error) {
	for level := []uint64{root}; ; {
		flags, _, err := r.head(level[0])
		if err != nil {
			return nil, err
		}
		if flags != pageIsBranch {
			if slices.ContainsFunc(level, func(id uint64) bool { return r.branches[id] }) {
				return nil, errCircle
			}
			return level, nil
		}
		slices.Sort(level) // the order in the file
		var next []uint64
		for _, id := range level {
			if next, err = r.children(id, next); err != nil {
				return nil, err
			}
		}
		if level = next; len(level) == 0 {
			return nil, nil
		}
	}
}

// buckets appends to list the ids of the first pages of the buckets in the leaf page id. If names is not
// empty, it leaves out all other buckets. A small bucket has no page.
func (r *pageReader) buckets(id uint64, names [][]byte, list []uint64) ([]uint64, error) {
	flags, count, err := r.head(id)
	if err != nil || flags != pageIsLeaf {
		return list, err
	}
	elements, err := r.read(id, pageHeadBytes, count*elementBytes)
	if err != nil {
		return nil, err
	}
	elements = slices.Clone(elements)
	for i := range count {
		e := elements[i*elementBytes:]
		at, keyBytes := int(binary.LittleEndian.Uint32(e[4:])), int(binary.LittleEndian.Uint32(e[8:]))
		if binary.LittleEndian.Uint32(e)&elementIsBucket == 0 || keyBytes > bolt.MaxKeySize {
			continue
		}
		b, err := r.read(id, pageHeadBytes+i*elementBytes+at, keyBytes+8)
		if err != nil {
			return nil, err
		}
		named := func(name []byte) bool { return string(name) == string(b[:keyBytes]) }
		if first := binary.LittleEndian.Uint64(b[keyBytes:]); first != 0 && (len(names) == 0 || slices.ContainsFunc(names, named)) {
			list = append(list, first)
		}
	}
	return list, nil
}
