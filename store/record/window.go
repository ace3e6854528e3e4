package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// ViewMax is how many bytes a Window shows at most at one time.
const ViewMax = 1 << 20

// How much a Window reads at once, in bytes: little at first, as many files
// are small, and twice as much each time.
const (
	windowMin = 16 << 10
	windowMax = 256 << 10
)

// Window shows parts of a file, cheaply if they are asked for in rising order.
// The readers of record formats look at a file through it: they look ahead,
// and go back after damage. It is for one goroutine.
type Window struct {
	ctx context.Context
	r   io.ReaderAt
	buf []byte // what is known of the file from off on
	off int64
}

// NewWindow returns a window on r. When ctx ends, its methods return the
// cause.
func NewWindow(ctx context.Context, r io.ReaderAt) *Window {
	return &Window{ctx: ctx, r: r}
}

// View returns the n bytes at off, or fewer where the file ends before. n is
// at most ViewMax. The bytes are valid until the next call of any method.
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

// Find returns the offset of the first pattern at from or later. Where there
// is none, found is false and at the size of the file.
func (w *Window) Find(from int64, pattern []byte) (at int64, found bool, err error) {
	return w.FindFunc(from, len(pattern), func(b []byte) int { return bytes.Index(b, pattern) })
}

// FindFunc is Find for a pattern of length bytes that index finds: index returns
// the place of the first one in b, or -1.
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

// Read fills p with the bytes at off. It returns io.ErrUnexpectedEOF where the
// file ends before.
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
