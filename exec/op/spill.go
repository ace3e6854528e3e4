package op

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
	// spillRunsMax is how many runs are merged at once, each with a buffer of
	// spillBuffer bytes. More runs are first merged into one.
	spillRunsMax = 64
	spillBuffer  = 64 << 10
	// chunkBytes is how much memory a sorter allocates at a time.
	chunkBytes = 256 << 10
	// ctxEvery is after how many records loops check their context.
	ctxEvery = 4096
)

// rec is a record: a key to sort by, and a value.
type rec struct{ key, val []byte }

// sorter sorts records by the bytes of their keys. Records with equal keys keep
// their order. It holds at most limit bytes in memory, and writes the rest to
// sorted runs on disk. One goroutine uses it and closes it.
type sorter struct {
	ctx   context.Context // of the query that sorts
	limit int64
	dirs  []string
	held  []heldRec
	bytes int64
	chunk []byte // the unused rest of the current chunk
	// chunks are those allocated since held was last empty. spare are older
	// ones, to be used again.
	chunks, spare [][]byte
	runs          []*os.File
}

// heldRec is a record in memory, with its place in the order of arrival. The
// place makes the sort stable; that is faster than a stable sort.
type heldRec struct {
	rec
	seq int
}

// newSorter returns a sorter that uses one part in share of the memory for
// operators. It holds a third of that in records: as much again may be garbage
// not yet collected, and the list of records grows by copying.
func (r *Runner) newSorter(ctx context.Context, share int64) *sorter {
	return &sorter{ctx: ctx, limit: r.MemoryBytes / (3 * share), dirs: r.TempDirs}
}

// add adds a copy of a record.
func (s *sorter) add(key, val []byte) error {
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
	s.held = append(s.held, heldRec{rec{s.chunk[:n:n], s.chunk[n:size:size]}, len(s.held)})
	s.chunk = s.chunk[size:]
	s.bytes += int64(size) + overhead
	return nil
}

// moreMemory starts a new chunk with room for size bytes.
func (s *sorter) moreMemory(size int) {
	if n := len(s.spare); n > 0 && size <= chunkBytes {
		s.chunk, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		s.chunk = make([]byte, max(size, chunkBytes))
	}
	if len(s.chunk) == chunkBytes {
		s.chunks = append(s.chunks, s.chunk)
	}
}

// sort sorts the records in memory, which may be millions. When the context
// ends, the comparison reports all as equal, so that the sort ends soon.
func (s *sorter) sort() error {
	n, ended := 0, false
	slices.SortFunc(s.held, func(a, b heldRec) int {
		if n++; n%ctxEvery == 0 {
			ended = s.ctx.Err() != nil
		}
		if ended {
			return 0
		}
		if c := bytes.Compare(a.key, b.key); c != 0 {
			return c
		}
		return a.seq - b.seq
	})
	return s.ctx.Err()
}

// spill writes the records in memory to a new run on disk.
func (s *sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	held := s.held
	err := s.writeRun(func(yield func(rec, error) bool) {
		for i, r := range held {
			var err error
			if i%ctxEvery == 0 {
				err = s.ctx.Err()
			}
			if !yield(r.rec, err) {
				return
			}
		}
	})
	clear(s.held)
	s.held, s.bytes, s.chunk = s.held[:0], 0, nil
	s.spare, s.chunks = append(s.spare, s.chunks...), s.chunks[:0]
	if err == nil && len(s.runs) > spillRunsMax {
		err = s.mergeRuns()
	}
	return err
}

// mergeRuns merges all runs into one.
func (s *sorter) mergeRuns() error {
	old := s.runs
	s.runs = nil
	defer closeAll(old)
	return s.writeRun(merge(s.ctx, old))
}

// writeRun writes sorted records to a new run.
func (s *sorter) writeRun(in iter.Seq2[rec, error]) (err error) {
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
	w := bufio.NewWriterSize(f, spillBuffer)
	var head [2 * binary.MaxVarintLen64]byte
	for r, err := range in {
		if err != nil {
			return err
		}
		n := binary.PutUvarint(head[:], uint64(len(r.key)))
		n += binary.PutUvarint(head[n:], uint64(len(r.val)))
		w.Write(head[:n]) // Flush returns the error
		w.Write(r.key)
		if _, err := w.Write(r.val); err != nil {
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

// sorted yields all records, sorted. It can be called once. Each record is
// valid until the iteration moves on.
func (s *sorter) sorted() iter.Seq2[rec, error] {
	return func(yield func(rec, error) bool) {
		if len(s.runs) > 0 {
			if err := s.spill(); err != nil {
				yield(rec{}, err)
				return
			}
			merge(s.ctx, s.runs)(yield)
			return
		}
		if err := s.sort(); err != nil {
			yield(rec{}, err)
			return
		}
		for i, r := range s.held {
			if i%ctxEvery == 0 && s.ctx.Err() != nil {
				yield(rec{}, s.ctx.Err())
				return
			}
			if !yield(r.rec, nil) {
				return
			}
		}
	}
}

// close releases memory and files.
func (s *sorter) close() {
	closeAll(s.runs)
	*s = sorter{}
}

// closeAll closes files.
func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // an unlinked file: closing frees its space
	}
}

// TempFile creates a temporary file. Its space becomes free when it is closed.
func (r *Runner) TempFile() (*os.File, error) { return tempFile(r.TempDirs) }

// tempFile creates a file and unlinks it at once, so that nothing is left on
// disk however the program ends.
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

// run reads one run during a merge. rec is the current record.
type run struct {
	rec
	in    *bufio.Reader
	buf   []byte
	index int // of runs with equal keys, the one with the lower index comes first
}

// advance reads the next record. It returns io.EOF after the last.
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
	r.key, r.val = r.buf[:key:key], r.buf[key:]
	return nil
}

// unexpected returns io.ErrUnexpectedEOF for io.EOF, and other errors
// unchanged.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// before reports whether the current record of r sorts before that of o.
func (r *run) before(o *run) bool {
	c := bytes.Compare(r.key, o.key)
	return c < 0 || c == 0 && r.index < o.index
}

// merge yields the records of sorted runs, sorted.
func merge(ctx context.Context, files []*os.File) iter.Seq2[rec, error] {
	return func(yield func(rec, error) bool) {
		var heap []*run // a binary heap with the least record first
		for i, f := range files {
			r := &run{in: bufio.NewReaderSize(f, spillBuffer), index: i}
			switch err := r.advance(); err {
			case nil:
				heap = append(heap, r)
			case io.EOF:
			default:
				yield(rec{}, fmt.Errorf("read a temporary file: %w", err))
				return
			}
		}
		for i := len(heap)/2 - 1; i >= 0; i-- {
			siftDown(heap, i)
		}
		for n := 0; len(heap) > 0; n++ {
			if n%ctxEvery == 0 && ctx.Err() != nil {
				yield(rec{}, ctx.Err())
				return
			}
			if !yield(heap[0].rec, nil) {
				return
			}
			switch err := heap[0].advance(); err {
			case nil:
			case io.EOF:
				heap[0] = heap[len(heap)-1]
				heap = heap[:len(heap)-1]
			default:
				yield(rec{}, fmt.Errorf("read a temporary file: %w", err))
				return
			}
			siftDown(heap, 0)
		}
	}
}

// siftDown restores a heap in which only element i may be too great.
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
