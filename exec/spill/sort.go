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
	// Bytes is about how many bytes an operator that holds rows may hold in
	// memory. Further rows go to temporary files.
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
	ctx   context.Context // the context of the query that sorts
	limit int64
	dirs  []string
	held  []heldRec
	bytes int64
	chunk []byte // the unused rest of the current chunk
	// chunks are the chunks allocated since held was last empty. spare are older
	// chunks, which are used again.
	chunks, spare [][]byte
	runs          []*os.File
}

// heldRec is a record in memory, with its number in the order of arrival. The
// number makes the sort stable; that is faster than a stable sort.
type heldRec struct {
	Record
	seq int
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
	const overhead = 56 // of a heldRec
	size := len(key) + len(val)
	if s.bytes+int64(size) > s.limit && len(s.held) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if size > len(s.chunk) {
		s.moreMemory(size)
	}
	n := copy(s.chunk, key)
	copy(s.chunk[n:], val)
	s.held = append(s.held, heldRec{Record{s.chunk[:n:n], s.chunk[n:size:size]}, len(s.held)})
	s.chunk = s.chunk[size:]
	s.bytes += int64(size) + overhead
	return nil
}

// Empty reports whether no record was added.
func (s *Sorter) Empty() bool { return len(s.held) == 0 && len(s.runs) == 0 }

// moreMemory sets s.chunk, the memory for further records, to a new or spare
// piece with room for size bytes.
func (s *Sorter) moreMemory(size int) {
	if n := len(s.spare); n > 0 && size <= chunkBytes {
		s.chunk, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		s.chunk = make([]byte, max(size, chunkBytes))
	}
	if len(s.chunk) == chunkBytes {
		s.chunks = append(s.chunks, s.chunk)
	}
}

// sort sorts the records in memory, which may be millions. When the context is
// done, the comparison reports all records as equal, so that the sort ends
// soon, and sort returns the context's error.
func (s *Sorter) sort() error {
	n, ended := 0, false
	slices.SortFunc(s.held, func(a, b heldRec) int {
		if n++; n%ctxEvery == 0 {
			ended = s.ctx.Err() != nil
		}
		if ended {
			return 0
		}
		if c := bytes.Compare(a.Key, b.Key); c != 0 {
			return c
		}
		return a.seq - b.seq
	})
	return s.ctx.Err()
}

// spill sorts the records in memory and writes them to a new run (a sorted
// temporary file). If there are then more than runsMax runs, it merges them
// into one.
func (s *Sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	held := s.held
	err := s.writeRun(func(yield func(Record, error) bool) {
		for i, r := range held {
			var err error
			if i%ctxEvery == 0 {
				err = s.ctx.Err()
			}
			if !yield(r.Record, err) {
				return
			}
		}
	})
	clear(s.held)
	s.held, s.bytes, s.chunk = s.held[:0], 0, nil
	s.spare, s.chunks = append(s.spare, s.chunks...), s.chunks[:0]
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
	return s.writeRun(merge(s.ctx, old))
}

// writeRun writes sorted records to a new run (a temporary file) and adds it to
// s.runs.
func (s *Sorter) writeRun(in iter.Seq2[Record, error]) (err error) {
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
	var head [2 * binary.MaxVarintLen64]byte
	for r, err := range in {
		if err != nil {
			return err
		}
		n := binary.PutUvarint(head[:], uint64(len(r.Key)))
		n += binary.PutUvarint(head[n:], uint64(len(r.Val)))
		w.Write(head[:n]) // Flush returns the error
		w.Write(r.Key)
		if _, err := w.Write(r.Val); err != nil {
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
			if !yield(r.Record, nil) {
				return
			}
		}
	}
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
