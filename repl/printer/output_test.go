package printer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
)

// failingWriter is a writer that returns an error after some bytes.
type failingWriter struct {
	left int
	err  error
}

func (f *failingWriter) Write(b []byte) (int, error) {
	n := min(len(b), f.left)
	f.left -= n
	if n < len(b) {
		return n, f.err
	}
	return n, nil
}

// errStopped is the cause of a context that a test cancels.
var errStopped = errors.New("stopped")

// TestOutputErrors shows that an error in writing results stays, and which of these errors
// means a closed pipe.
func TestOutputErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		closed bool
	}{
		{syscall.EPIPE, true},
		{syscall.ENOSPC, false},
		{io.ErrShortWrite, false},
	} {
		o := NewOutput(&failingWriter{left: 10_000, err: c.err})
		_, err := io.WriteString(o, strings.Repeat("x", 1<<20))
		if err == nil {
			err = o.End()
		}
		if !errors.Is(err, c.err) {
			t.Fatalf("writing gave %v, want %v", err, c.err)
		}
		if got := IsClosedPipe(err); got != c.closed {
			t.Errorf("after %v IsClosedPipe gave %v, want %v", c.err, got, c.closed)
		}
		if _, err := (directOutput{o}).Write([]byte("more")); !errors.Is(err, c.err) {
			t.Errorf("writing again gave %v, want %v", err, c.err)
		}
	}
	// The same errors of an archive are no closed pipe.
	if IsClosedPipe(fmt.Errorf("import: %w", syscall.EPIPE)) {
		t.Error("EPIPE that is not of the output counts as a closed pipe")
	}
}

// TestOutputCancelled shows that Ctrl-C stops the output, and that the next
// statement writes again.
func TestOutputCancelled(t *testing.T) {
	var dest strings.Builder
	o := NewOutput(&dest)
	ctx, cancel := context.WithCancelCause(context.Background())
	o.Before = func() { cancel(errStopped) }
	o.Begin(ctx)
	_, err := io.WriteString(o, strings.Repeat("x", 1<<20))
	if !errors.Is(err, errStopped) || dest.Len() > 0 {
		t.Errorf("wrote %d bytes after a Ctrl-C, with error %v", dest.Len(), err)
	}
	o.abandon()
	o.Before = nil
	o.Begin(context.Background())
	io.WriteString(o, "next")
	if err := o.End(); err != nil || dest.String() != "next" {
		t.Errorf("after that wrote %q, %v", dest.String(), err)
	}
}
