// Package spill sorts and keeps rows that may not fit in memory.
//
// A Sorter writes sorted runs of records to temporary files and merges them. A
// Spool keeps rows in their order, and writes them to a temporary file after a
// limit. Temporary files have no name, so nothing is left on disk however the
// program ends.
package spill

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
)

const (
	// runsMax is how many runs (sorted temporary files) are merged at once,
	// each with a buffer of bufferBytes bytes. More runs are first merged into
	// one.
	runsMax     = 64
	bufferBytes = 64 << 10
	// chunkBytes is how much memory a Sorter allocates at a time.
	chunkBytes = 256 << 10
	// ctxEvery is how many records a loop handles before it checks its context again.
	ctxEvery = 4096
)

// Memory says how much memory each operator of a query may use, and where its
// temporary files are created.
type Memory struct {
	// Bytes is about how many bytes of memory an operator may take for the rows that it holds.
	// Further rows go to temporary files.
	Bytes int64
	// Dirs are the directories for temporary files. The first directory in
	// which a file can be created is used. If there is none, it is the system's
	// directory for temporary files.
	Dirs []string
}

// Record is a key, by which a Sorter sorts, and a value.
type Record struct{ Key, Val []byte }

// Sorter sorts records by the bytes of their keys. Records with equal keys keep
// their order. It holds at most limit bytes in memory, and writes further
// records to runs: sorted temporary files. One goroutine uses it and closes it.
type Sorter struct {
	ctx     context.Context // the context of the query that sorts
	limit   int64
	dirs    []string
	held    []heldRec // the records in memory
	bytes   int64
	chunks  [][]byte // the memory of the records, in the form of appendRecord
	spare   [][]byte // older chunks of chunkBytes, which are used again
	runs    []*os.File
	sorting []heldRec // memory for sortByPrefix
}

// heldRec is a record in memory. It has no pointers, so that the garbage
// collector does not look at millions of them.
type heldRec struct {
	prefix uint64 // a part of the key, for sortFrom
	chunk  uint32 // the record is in this chunk
	at     uint32 // and begins at this byte of it
}

// before reports whether r was added before o.
func (r heldRec) before(o heldRec) bool {
	return r.chunk < o.chunk || r.chunk == o.chunk && r.at < o.at
}

// encoded returns the bytes of a chunk from the record r on.
func (s *Sorter) encoded(r heldRec) []byte { return s.chunks[r.chunk][r.at:] }

// record decodes the record r.
func (s *Sorter) record(r heldRec) Record {
	rec, _ := decodeRecord(s.encoded(r))
	return rec
}

// appendRecord appends to dst the record with this key and value, as chunks and
// runs hold it: the lengths of both, the key, the value.
func appendRecord(dst, key, val []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(key)))
	dst = binary.AppendUvarint(dst, uint64(len(val)))
	dst = append(dst, key...)
	return append(dst, val...)
}

// decodeRecord returns the record at the start of b, and how many bytes it takes.
func decodeRecord(b []byte) (Record, int) {
	k, n := binary.Uvarint(b)
	v, m := binary.Uvarint(b[n:])
	key := n + m
	val := key + int(k)
	end := val + int(v)
	return Record{b[key:val:val], b[val:end:end]}, end
}

// Sorter returns a Sorter that may use the memory m divided by share. It holds
// records in a third of that: as much again may be garbage that is not yet
// collected, and the list of records grows by copying. The Sorter's methods
// fail when ctx is done.
func (m *Memory) Sorter(ctx context.Context, share int64) *Sorter {
	return &Sorter{ctx: ctx, limit: m.Bytes / (3 * share), dirs: m.Dirs}
}

// Add adds a copy of a record. When memory is full, it first writes the records
// in memory to a temporary file.
func (s *Sorter) Add(key, val []byte) error {
	const overhead = 40 // of a heldRec in a list that grows, and in the memory of sortByPrefix
	size := len(key) + len(val) + 2*binary.MaxVarintLen64
	if s.bytes+int64(size) > s.limit && len(s.held) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < size {
		s.chunks = append(s.chunks, s.moreMemory(size))
		last++
	}
	chunk := s.chunks[last]
	s.held = append(s.held, heldRec{chunk: uint32(last), at: uint32(len(chunk))})
	s.chunks[last] = appendRecord(chunk, key, val)
	s.bytes += int64(len(s.chunks[last])-len(chunk)) + overhead
	return nil
}

// Empty reports whether no record was added.
func (s *Sorter) Empty() bool { return len(s.held) == 0 && len(s.runs) == 0 }

// moreMemory returns an empty chunk, spare or new, with room for size bytes.
func (s *Sorter) moreMemory(size int) []byte {
	if n := len(s.spare); n > 0 && size <= chunkBytes {
		chunk := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return chunk
	}
	return make([]byte, 0, max(size, chunkBytes))
}

// spill sorts the records in memory and writes them to a new run (a sorted
// temporary file). If there are then more than runsMax runs, it merges them
// into one.
func (s *Sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	err := s.writeRun(func(yield func([]byte, error) bool) {
		for i, r := range s.held {
			var err error
			if i%ctxEvery == 0 {
				err = s.ctx.Err()
			}
			b := s.encoded(r)
			_, n := decodeRecord(b)
			if !yield(b[:n], err) {
				return
			}
		}
	})
	s.forget()
	if err == nil && len(s.runs) > runsMax {
		err = s.mergeRuns()
	}
	return err
}

// mergeRuns merges all runs (sorted temporary files) into one.
func (s *Sorter) mergeRuns() error {
	old := s.runs
	s.runs = nil
	defer closeAll(old)
	var buf []byte
	return s.writeRun(func(yield func([]byte, error) bool) {
		for r, err := range merge(s.ctx, old) {
			buf = appendRecord(buf[:0], r.Key, r.Val)
			if !yield(buf, err) {
				return
			}
		}
	})
}

// writeRun writes sorted records, each in the form of appendRecord, to a new run
// (a temporary file) and adds it to s.runs.
func (s *Sorter) writeRun(in iter.Seq2[[]byte, error]) (err error) {
	f, err := tempFile(s.dirs)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			err = fmt.Errorf("write a temporary file for sorting: %w", err)
		}
	}()
	w := bufio.NewWriterSize(f, bufferBytes)
	for r, err := range in {
		if err != nil {
			return err
		}
		if _, err := w.Write(r); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	return nil
}

// Sorted yields all records, sorted by key. It can be called only once. Each
// record is valid until the iteration moves on.
func (s *Sorter) Sorted() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if len(s.runs) > 0 {
			if err := s.spill(); err != nil {
				yield(Record{}, err)
				return
			}
			merge(s.ctx, s.runs)(yield)
			return
		}
		if err := s.sort(); err != nil {
			yield(Record{}, err)
			return
		}
		for i, r := range s.held {
			if i%ctxEvery == 0 && s.ctx.Err() != nil {
				yield(Record{}, s.ctx.Err())
				return
			}
			if !yield(s.record(r), nil) {
				return
			}
		}
	}
}

// Added yields the records in memory in the order in which they were added. Call it before Sorted,
// and only if s has written no temporary file.
func (s *Sorter) Added() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, r := range s.held {
			if !yield(s.record(r)) {
				return
			}
		}
	}
}

// Reset removes all records and keeps memory for others. Then s can be used like a new Sorter.
func (s *Sorter) Reset() {
	closeAll(s.runs)
	s.runs = nil
	s.forget()
}

// forget removes the records in memory and keeps their chunks for other records.
func (s *Sorter) forget() {
	for _, chunk := range s.chunks {
		if cap(chunk) == chunkBytes {
			s.spare = append(s.spare, chunk[:0])
		}
	}
	s.held, s.bytes, s.chunks = s.held[:0], 0, s.chunks[:0]
}

// Close releases memory and temporary files.
func (s *Sorter) Close() {
	closeAll(s.runs)
	*s = Sorter{}
}

// closeAll closes all files, which frees the space of unlinked files. It
// ignores errors.
func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // an unlinked file: closing frees its space
	}
}

// TempFile creates a temporary file without a name. Its space on disk becomes
// free when the file is closed.
func (m *Memory) TempFile() (*os.File, error) { return tempFile(m.Dirs) }

// tempFile creates a file in the first of dirs that works, or in the system's
// directory for temporary files. It unlinks the file at once, so that nothing
// is left on disk however the program ends.
func tempFile(dirs []string) (*os.File, error) {
	var errs []error
	for _, dir := range append(slices.Clone(dirs), "") {
		f, err := os.CreateTemp(dir, ".infomall-tmp-*")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if err := os.Remove(f.Name()); err != nil {
			f.Close()
			return nil, fmt.Errorf("unlink a temporary file: %w", err)
		}
		return f, nil
	}
	return nil, fmt.Errorf("make a temporary file: %w", errors.Join(errs...))
}

// run reads one run (a sorted temporary file) during a merge. The field Record
// is the current record.
type run struct {
	Record
	in    *bufio.Reader
	buf   []byte
	index int // the number of the run; of equal keys, the key in the run with the lower index comes first
}

// advance reads the next record of the run into r.Record. It returns io.EOF
// after the last record.
func (r *run) advance() error {
	key, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	val, err := binary.ReadUvarint(r.in)
	if err != nil {
		return unexpected(err)
	}
	r.buf = slices.Grow(r.buf[:0], int(key+val))[:key+val]
	if _, err := io.ReadFull(r.in, r.buf); err != nil {
		return unexpected(err)
	}
	r.Key, r.Val = r.buf[:key:key], r.buf[key:]
	return nil
}

// unexpected returns io.ErrUnexpectedEOF if err is io.EOF. It returns other
// errors unchanged.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// before reports whether the current record of r sorts before the current
// record of o.
func (r *run) before(o *run) bool {
	c := bytes.Compare(r.Key, o.Key)
	return c < 0 || c == 0 && r.index < o.index
}

// merge yields the records of all files, which are sorted, in sorted order.
// Records with equal keys come in the order of the files.
func merge(ctx context.Context, files []*os.File) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var heap []*run // a binary heap with the least record first
		for i, f := range files {
			r := &run{in: bufio.NewReaderSize(f, bufferBytes), index: i}
			switch err := r.advance(); err {
			case nil:
				heap = append(heap, r)
			case io.EOF:
			default:
				yield(Record{}, fmt.Errorf("read a temporary file: %w", err))
				return
			}
		}
		for i := len(heap)/2 - 1; i >= 0; i-- {
			siftDown(heap, i)
		}
		for n := 0; len(heap) > 0; n++ {
			if n%ctxEvery == 0 && ctx.Err() != nil {
				yield(Record{}, ctx.Err())
				return
			}
			if !yield(heap[0].Record, nil) {
				return
			}
			switch err := heap[0].advance(); err {
			case nil:
			case io.EOF:
				heap[0] = heap[len(heap)-1]
				heap = heap[:len(heap)-1]
			default:
				yield(Record{}, fmt.Errorf("read a temporary file: %w", err))
				return
			}
			siftDown(heap, 0)
		}
	}
}

// siftDown restores the order of a binary heap, with the least record first, in
// which only the element i may be greater than its children.
func siftDown(heap []*run, i int) {
	for {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(heap) && heap[child].before(heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}
