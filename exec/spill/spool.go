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
	n     int
	limit int64
	dirs  []string
	held  [][]byte
	bytes int64
	file  *os.File
	out   *bufio.Writer
}

// Spool returns an empty Spool that may use the memory m divided by share.
// Further rows go to a temporary file.
func (m *Memory) Spool(share int64) *Spool { return &Spool{limit: m.Bytes / share, dirs: m.Dirs} }

// Add adds a copy of a row.
func (s *Spool) Add(row []byte) error {
	const overhead = 24 // of a slice
	s.n++
	if s.bytes += int64(len(row)) + overhead; s.bytes <= s.limit {
		s.held = append(s.held, append([]byte(nil), row...))
		return nil
	}
	if s.file == nil {
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
		return fmt.Errorf("%s a temporary file for joining: %w", deed, err)
	}
	return nil
}

// All yields the rows in the order in which they were added. Each row is valid
// until the iteration moves on.
func (s *Spool) All() iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, row := range s.held {
			if !yield(row, nil) {
				return
			}
		}
		if s.file == nil {
			return
		}
		if err := s.out.Flush(); err != nil {
			yield(nil, spoolFault("write", err))
			return
		}
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), bufferBytes)
		var row []byte
		for range s.n - len(s.held) {
			size, err := binary.ReadUvarint(in)
			if err == nil {
				row = append(row[:0], make([]byte, size)...)
				_, err = io.ReadFull(in, row)
			}
			if err != nil {
				yield(nil, spoolFault("read", unexpected(err)))
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// Reader returns a reader of the rows, in the order in which they were added. The
// caller must call its Close.
func (s *Spool) Reader() *SpoolReader {
	r := &SpoolReader{held: s.held}
	if s.file != nil {
		r.next, r.stop = iter.Pull2(s.All())
	}
	return r
}

// SpoolReader reads the rows of a Spool one by one, while no rows are added.
type SpoolReader struct {
	held [][]byte                     // the rows, if all are in memory
	next func() ([]byte, error, bool) // otherwise
	stop func()
}

// Next returns the next row, which is valid until the next call, or nil and false
// after the last.
func (r *SpoolReader) Next() (row []byte, ok bool, err error) {
	if r.next != nil {
		row, err, ok = r.next()
		return row, ok && err == nil, err
	}
	if len(r.held) == 0 {
		return nil, false, nil
	}
	row, r.held = r.held[0], r.held[1:]
	return row, true, nil
}

// Close ends the reading.
func (r *SpoolReader) Close() {
	if r.stop != nil {
		r.stop()
	}
}

// Clear removes all rows. The Spool can be used again.
func (s *Spool) Clear() {
	s.Close()
	s.n, s.bytes, s.held = 0, 0, s.held[:0]
}

// Close closes the temporary file, which frees its space.
func (s *Spool) Close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	s.file, s.out = nil, nil
}
