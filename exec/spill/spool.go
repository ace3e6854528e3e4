package spill

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
)

// Spool holds rows that can be read several times, in their order. Rows beyond
// a limit of memory go to a temporary file. One goroutine uses it and closes
// it.
type Spool struct {
	n      int
	limit  int64
	dirs   []string
	chunks [][]byte // the first rows, each after its length
	bytes  int64    // how much memory chunks take
	file   *os.File // the other rows, in the same form
	out    *bufio.Writer
}

// Spool returns an empty Spool that may use the memory m divided by share.
// Further rows go to a temporary file.
func (m *Memory) Spool(share int64) *Spool { return &Spool{limit: m.Bytes / share, dirs: m.Dirs} }

// Add adds a copy of a row.
func (s *Spool) Add(row []byte) error {
	s.n++
	if s.file == nil {
		last := len(s.chunks) - 1
		size := binary.MaxVarintLen64 + len(row)
		if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < size {
			size = max(size, min(chunkBytes, int(s.bytes)))
			if s.bytes+int64(size) <= s.limit {
				s.chunks = append(s.chunks, make([]byte, 0, size))
				s.bytes += int64(size)
				last++
			} else {
				last = -1
			}
		}
		if last >= 0 {
			chunk := binary.AppendUvarint(s.chunks[last], uint64(len(row)))
			s.chunks[last] = append(chunk, row...)
			return nil
		}
		var err error
		if s.file, err = tempFile(s.dirs); err != nil {
			return err
		}
		s.out = bufio.NewWriterSize(s.file, bufferBytes)
	}
	var head [binary.MaxVarintLen64]byte
	s.out.Write(head[:binary.PutUvarint(head[:], uint64(len(row)))]) // the next Write returns the error
	_, err := s.out.Write(row)
	return spoolFault("write", err)
}

// Len returns how many rows the Spool has.
func (s *Spool) Len() int { return s.n }

// spoolFault wraps an error of the temporary file with the deed, which is
// "read" or "write". It returns nil if err is nil.
func spoolFault(deed string, err error) error {
	if err != nil {
		return fmt.Errorf("%s a temporary file for rows: %w", deed, err)
	}
	return nil
}

// All yields the rows in the order in which they were added. Each row is valid
// until the iteration moves on.
func (s *Spool) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := s.Reader()
		for {
			row, ok, err := r.Next()
			if !ok && err == nil || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// Reader returns a reader of the rows, in the order in which they were added. No
// row may be added while it is used.
func (s *Spool) Reader() *SpoolReader { return &SpoolReader{spool: s, left: s.n, chunks: s.chunks} }

// SpoolReader reads the rows of a Spool one by one.
type SpoolReader struct {
	spool  *Spool
	left   int      // how many rows follow
	chunk  []byte   // the rest of the chunk that is read
	chunks [][]byte // the chunks after it
	in     *bufio.Reader
	row    []byte // the last row of the file
}

// Next returns the next row, which is valid until the next call. ok is false after the last row.
func (r *SpoolReader) Next() (row []byte, ok bool, err error) {
	if r.left == 0 {
		return nil, false, nil
	}
	r.left--
	for len(r.chunk) == 0 && len(r.chunks) > 0 {
		r.chunk, r.chunks = r.chunks[0], r.chunks[1:]
	}
	if len(r.chunk) > 0 {
		size, n := binary.Uvarint(r.chunk)
		row = r.chunk[n : n+int(size) : n+int(size)]
		r.chunk = r.chunk[n+int(size):]
		return row, true, nil
	}
	if r.in == nil {
		if err := r.spool.out.Flush(); err != nil {
			return nil, false, spoolFault("write", err)
		}
		r.in = bufio.NewReaderSize(io.NewSectionReader(r.spool.file, 0, 1<<62), bufferBytes)
	}
	size, err := binary.ReadUvarint(r.in)
	if err == nil {
		r.row = append(r.row[:0], make([]byte, size)...)
		_, err = io.ReadFull(r.in, r.row)
	}
	if err != nil {
		return nil, false, spoolFault("read", unexpected(err))
	}
	return r.row, true, nil
}

// Clear removes all rows. The Spool can be used again; its readers cannot.
func (s *Spool) Clear() {
	s.Close()
	s.n = 0
	if len(s.chunks) > 0 { // the last is the largest, or as large as others
		last := s.chunks[len(s.chunks)-1]
		s.chunks, s.bytes = append(s.chunks[:0], last[:0]), int64(cap(last))
	}
}

// Close closes the temporary file, which frees its space.
func (s *Spool) Close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	s.file, s.out = nil, nil
}
