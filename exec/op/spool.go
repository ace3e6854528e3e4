package op

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"
)

// spool holds rows that can be read several times, in their order. Rows beyond
// a limit of memory go to a temporary file. One goroutine uses it and closes
// it.
type spool struct {
	n     int
	limit int64
	dirs  []string
	held  [][]byte
	bytes int64
	file  *os.File
	out   *bufio.Writer
}

// newSpool returns an empty spool that holds at most limit bytes in memory.
func newSpool(limit int64, dirs []string) *spool { return &spool{limit: limit, dirs: dirs} }

// add adds a copy of a row.
func (s *spool) add(row []byte) error {
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
		s.out = bufio.NewWriterSize(s.file, spillBuffer)
	}
	var head [binary.MaxVarintLen64]byte
	s.out.Write(head[:binary.PutUvarint(head[:], uint64(len(row)))]) // the next Write returns the error
	_, err := s.out.Write(row)
	return spoolFault("write", err)
}

// spoolFault adds to an error what was done with the temporary file. deed is
// "read" or "write".
func spoolFault(deed string, err error) error {
	if err != nil {
		return fmt.Errorf("%s a temporary file for joining: %w", deed, err)
	}
	return nil
}

// all yields the rows. Each row is valid until the iteration moves on.
func (s *spool) all() iter.Seq2[[]byte, error] {
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
		in := bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), spillBuffer)
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

// clear removes all rows.
func (s *spool) clear() {
	s.close()
	s.n, s.bytes, s.held = 0, 0, s.held[:0]
}

// close releases the file.
func (s *spool) close() {
	if s.file != nil {
		s.file.Close() // an unlinked file: closing frees its space
	}
	s.file, s.out = nil, nil
}
