package duplicate

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"infomall/exec/op"
)

// span is the place of some data in a temporary file: offset and length in
// bytes.
type span struct {
	at    int64
	bytes uint32
}

// spans is a temporary file to which data is appended and from which it is read
// by span.
type spans struct {
	file *os.File
	out  *bufio.Writer
	at   int64
	held bool // out has data that is not in the file yet
}

// newSpans creates an empty temporary file.
func newSpans(run *op.Runner) (*spans, error) {
	f, err := run.TempFile()
	if err != nil {
		return nil, err
	}
	const buffer = 1 << 16
	return &spans{file: f, out: bufio.NewWriterSize(f, buffer)}, nil
}

// add appends b to the file and returns the position of b in it.
func (s *spans) add(b []byte) (span, error) {
	at := span{s.at, uint32(len(b))}
	s.at += int64(len(b))
	s.held = true
	if _, err := s.out.Write(b); err != nil {
		return at, fmt.Errorf("write a temporary file of what is compared: %w", err)
	}
	return at, nil
}

// read returns the data at a position that add returned. It uses the memory of buf if that
// is large enough.
func (s *spans) read(at span, buf []byte) ([]byte, error) {
	if s.held {
		if err := s.out.Flush(); err != nil {
			return nil, fmt.Errorf("write a temporary file of what is compared: %w", err)
		}
		s.held = false
	}
	buf = slices.Grow(buf[:0], int(at.bytes))[:at.bytes]
	if _, err := s.file.ReadAt(buf, at.at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read a temporary file of what is compared: %w", err)
	}
	return buf, nil
}

// pieces collects a long list piece by piece. A single growing slice would have a quarter
// of unused room, and during each growth two copies.
type pieces[T any] struct {
	full [][]T
	last []T
	n    int // length of the whole list
}

// pieceLength is the length of a piece, unless more is added at once.
const pieceLength = 1 << 13

// add appends x to the list.
func (p *pieces[T]) add(x ...T) {
	if len(p.last)+len(x) > cap(p.last) {
		p.full, p.last = append(p.full, p.last), make([]T, 0, max(pieceLength, len(x)))
	}
	p.last, p.n = append(p.last, x...), p.n+len(x)
}

// join returns the list, and empties p.
func (p *pieces[T]) join() []T {
	out := make([]T, 0, p.n)
	p.full = append(p.full, p.last)
	for i, piece := range p.full {
		out = append(out, piece...)
		p.full[i] = nil // the collector may free it
	}
	*p = pieces[T]{}
	return out
}
