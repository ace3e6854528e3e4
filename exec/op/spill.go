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
	// spillBuffer bytes; more are first merged into one.
	spillRunsMax = 64
	spillBuffer  = 64 << 10
	// chunkBytes is how much memory a sorter asks for at a time.
	chunkBytes = 256 << 10
	// ctxEvery is after how many records a context is asked again.
	ctxEvery = 4096
)

// rec is a key and what belongs to it.
type rec struct{ key, val []byte }

// sorter sorts records by their keys as bytes; those of equal keys keep the
// order in which they came. It holds at most limit bytes, and what is more in
// runs on disk. It is for one goroutine, which closes it.
type sorter struct {
	ctx   context.Context // of the query that sorts
	limit int64
	dirs  []string
	held  []heldRec
	bytes int64
	chunk []byte // memory not used yet
	// chunks are all that were asked for since there was nothing held, and spare
	// those of before, which are used again.
	chunks, spare [][]byte
	runs          []*os.File
}

// heldRec is a record in memory and its place in the order of arrival, which
// makes a sort stable that by itself is not, and is faster so.
type heldRec struct {
	rec
	seq int
}

// newSorter makes a sorter that uses a share of the memory given to operators.
// It holds a third of that: as much again may be garbage not yet collected, and
// the list of what is held grows by copies.
func (r *Runner) newSorter(ctx context.Context, share int64) *sorter {
	return &sorter{ctx: ctx, limit: r.MemoryBytes / (3 * share), dirs: r.TempDirs}
}

// add takes a copy of a record.
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

// moreMemory makes room for size bytes.
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

// sort orders what is held in memory, which may be millions of records. Once
// the context has ended, all are equal to it, and it is soon through.
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

// spill moves what is held to a run on disk.
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

// mergeRuns makes one run of all.
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
		w.Write(head[:n]) // errors come with Flush
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

// sorted yields all records in order, once. A record is valid until the
// iteration moves on.
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

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // an unlinked file: closing frees its space
	}
}

// TempFile makes a temporary file whose space is free again once it is closed.
func (r *Runner) TempFile() (*os.File, error) { return tempFile(r.TempDirs) }

// tempFile makes a file that is unlinked already, so that nothing is left
// behind however the program ends.
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

// run reads one run of a merge.
type run struct {
	rec
	in    *bufio.Reader
	buf   []byte
	index int // earlier runs first where keys are equal
}

// advance reads the next record; io.EOF after the last.
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

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *run) before(o *run) bool {
	c := bytes.Compare(r.key, o.key)
	return c < 0 || c == 0 && r.index < o.index
}

// merge yields the records of sorted runs in order.
func merge(ctx context.Context, files []*os.File) iter.Seq2[rec, error] {
	return func(yield func(rec, error) bool) {
		var heap []*run // the least first, as container/heap has it
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

// siftDown restores the order of a heap in which only entry i may be too great.
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
