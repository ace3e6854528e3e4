package repl

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

// TestOutputErrors shows the exit status after an error of writing results.
func TestOutputErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{syscall.EPIPE, statusDone},
		{syscall.ENOSPC, statusArchive},
		{io.ErrShortWrite, statusFailed},
	} {
		o := newOutput(&failingWriter{left: 10_000, err: c.err})
		_, err := io.WriteString(o, strings.Repeat("x", 1<<20))
		if err == nil {
			err = o.end()
		}
		if !errors.Is(err, c.err) {
			t.Fatalf("writing gave %v, want %v", err, c.err)
		}
		if got := statusOf(err); got != c.status {
			t.Errorf("after %v the status is %d, want %d", c.err, got, c.status)
		}
		if _, err := (directOutput{o}).Write([]byte("more")); !errors.Is(err, c.err) {
			t.Errorf("writing again gave %v, want %v", err, c.err)
		}
	}
	// The same errors of an archive are no closed pipe.
	if got := statusOf(fmt.Errorf("import: %w", syscall.EPIPE)); got != statusFailed {
		t.Errorf("EPIPE that is not of the output makes status %d, want %d", got, statusFailed)
	}
}

// TestOutputCancelled shows that Ctrl-C stops the output, and that the next
// statement writes again.
func TestOutputCancelled(t *testing.T) {
	var dest strings.Builder
	o := newOutput(&dest)
	ctx, cancel := context.WithCancelCause(context.Background())
	o.before = func() { cancel(errInterrupted) }
	o.begin(ctx)
	_, err := io.WriteString(o, strings.Repeat("x", 1<<20))
	if !errors.Is(err, errInterrupted) || dest.Len() > 0 {
		t.Errorf("wrote %d bytes after a Ctrl-C, with error %v", dest.Len(), err)
	}
	o.abandon()
	o.before = nil
	o.begin(context.Background())
	io.WriteString(o, "next")
	if err := o.end(); err != nil || dest.String() != "next" {
		t.Errorf("after that wrote %q, %v", dest.String(), err)
	}
}
