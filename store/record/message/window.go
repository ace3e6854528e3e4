package message

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ViewMax is the maximum number of bytes that Window.View returns at once.
const ViewMax = 1 << 20

// windowMin and windowMax bound the number of bytes that a Window reads at once. It
// begins with windowMin, because many files are small, and doubles the number each
// time up to windowMax.
const (
	windowMin = 16 << 10
	windowMax = 256 << 10
)

// Window reads parts of a file. Reading is fast if offsets ascend, but an offset
// may also be smaller than the one before. The readers of record formats use a
// Window to look ahead, and to go back after damage. Only one goroutine may use it.
type Window struct {
	ctx context.Context
	r   io.ReaderAt
	buf []byte // bytes of the file, beginning at off
	off int64
}

// NewWindow returns a Window on the file r. Once ctx has ended, the methods that
// must read from r return the cause of that end.
func NewWindow(ctx context.Context, r io.ReaderAt) *Window {
	return &Window{ctx: ctx, r: r}
}

// View returns the n bytes of the file at offset off, or fewer if the file ends
// before. n must be at most ViewMax. The bytes are valid until the next call of any
// method.
func (w *Window) View(off int64, n int) ([]byte, error) {
	if off >= w.off && off-w.off <= int64(len(w.buf)) && int(off-w.off)+n <= len(w.buf) {
		at := int(off - w.off)
		return w.buf[at : at+n], nil
	}
	if err := context.Cause(w.ctx); err != nil {
		return nil, err
	}
	size := max(n, windowMin, min(2*cap(w.buf), windowMax))
	if cap(w.buf) < size {
		w.buf = make([]byte, size)
	}
	got, err := w.r.ReadAt(w.buf[:size], off)
	w.buf, w.off = w.buf[:got], off
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read at byte %d: %w", off, err)
	}
	return w.buf[:min(n, got)], nil
}

// Sees reports whether the byte at offset off is in memory.
func (w *Window) Sees(off int64) bool { return off >= w.off && off-w.off < int64(len(w.buf)) }

// Find returns the offset of the first occurrence of pattern that begins at or
// after the offset from. If there is none, found is false and at is the size of the
// file.
func (w *Window) Find(from int64, pattern []byte) (at int64, found bool, err error) {
	return w.FindFunc(from, len(pattern), func(b []byte) int { return bytes.Index(b, pattern) })
}

// FindFunc returns the offset of the first occurrence, at or after the offset from,
// of a pattern that has length bytes. The function index returns the place of the
// first occurrence in b, or -1. If there is none in the file, found is false and at
// is the size of the file.
func (w *Window) FindFunc(from int64, length int, index func(b []byte) int) (at int64, found bool, err error) {
	const step = 64 << 10
	for {
		b, err := w.View(from, step)
		if err != nil {
			return 0, false, err
		}
		if i := index(b); i >= 0 {
			return from + int64(i), true, nil
		}
		if len(b) < step {
			return from + int64(len(b)), false, nil
		}
		from += int64(len(b) - length + 1)
	}
}

// Read fills p with the bytes of the file at offset off. It returns
// io.ErrUnexpectedEOF if the file ends before p is full.
func (w *Window) Read(p []byte, off int64) error {
	if at := off - w.off; at >= 0 && at+int64(len(p)) <= int64(len(w.buf)) {
		copy(p, w.buf[at:])
		return nil
	}
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	n, err := w.r.ReadAt(p, off)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	default:
		return fmt.Errorf("read %d bytes at byte %d: %w", len(p), off, err)
	}
}
