package duplicate

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"infomall/exec/op"
)

// spans is a temporary file of records: byte strings of any length. Each is stored with its length
// before it. One goroutine uses it.
type spans struct {
	file *os.File
	out  *bufio.Writer
	end  int64 // length of the file, with what is in out
	held bool  // out has data that is not in the file yet

	window []byte // a part of the file that was read
	from   int64  // the position of window in the file
	next   int64  // the position after the record that was read last
}

// spot is the position of a record of spans in its file. It is never 0, because the length of the
// record lies before it.
type spot int64

const (
	lengthBytes = 4 // of the length before a record
	// readBytes is how much of the file is read for one record, and readAhead how much if the record
	// follows the one that was read last.
	readBytes = 1 << 10
	readAhead = 1 << 15
)

// newSpans creates an empty temporary file.
func newSpans(run *op.Runner) (*spans, error) {
	f, err := run.TempFile()
	if err != nil {
		return nil, err
	}
	const buffer = 1 << 16
	return &spans{file: f, out: bufio.NewWriterSize(f, buffer)}, nil
}

// add appends a record with the bytes b to the file and returns its position.
func (s *spans) add(b []byte) (spot, error) {
	at := spot(s.end + lengthBytes)
	s.end += lengthBytes + int64(len(b))
	s.held = true
	var length [lengthBytes]byte
	binary.LittleEndian.PutUint32(length[:], uint32(len(b)))
	_, err := s.out.Write(length[:])
	if err == nil {
		_, err = s.out.Write(b)
	}
	if err != nil {
		return at, fmt.Errorf("write a temporary file of what is compared: %w", err)
	}
	return at, nil
}

// read returns the bytes of the record at a position that add returned. It uses the memory of buf
// if that is large enough.
func (s *spans) read(at spot, buf []byte) ([]byte, error) {
	if s.held {
		if err := s.out.Flush(); err != nil {
			return nil, fmt.Errorf("write a temporary file of what is compared: %w", err)
		}
		s.held = false
	}
	length, err := s.part(int64(at)-lengthBytes, lengthBytes)
	if err != nil {
		return nil, err
	}
	n := int(binary.LittleEndian.Uint32(length))
	b, err := s.part(int64(at), n)
	if err != nil {
		return nil, err
	}
	s.next = int64(at) + int64(n)
	return append(buf[:0], b...), nil
}

// part returns the n bytes of the file from a position on. They are valid until the next call.
func (s *spans) part(at int64, n int) ([]byte, error) {
	if at < s.from || at+int64(n) > s.from+int64(len(s.window)) {
		size := readBytes
		if at == s.next {
			size = readAhead
		}
		size = int(min(int64(max(size, n)), s.end-at))
		if cap(s.window) < size {
			s.window = make([]byte, size)
		}
		s.window, s.from = s.window[:size], at
		if _, err := io.ReadFull(io.NewSectionReader(s.file, at, int64(size)), s.window); err != nil {
			s.window = nil
			return nil, fmt.Errorf("read a temporary file of what is compared: %w", err)
		}
	}
	return s.window[at-s.from:][:n], nil
}
