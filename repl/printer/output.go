package printer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"infomall/repl/term"
)

// outputChunk is the maximum number of bytes in one write to the output. Ctrl-C
// is checked between two writes, because a slow terminal may take seconds for
// one batch of rows.
const outputChunk = 4096

// flushEvery is how long rows may stay in the buffer while more rows are
// computed.
const flushEvery = 100 * time.Millisecond

// OutputError is an error in writing results. Errors in computing results have
// other types.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return fmt.Sprintf("write output: %v", e.Err) }

func (e *OutputError) Unwrap() error { return e.Err }

// IsClosedPipe reports whether err says that the program that reads the output
// has closed the pipe.
func IsClosedPipe(err error) bool {
	var out *OutputError
	return errors.As(err, &out) && errors.Is(out.Err, syscall.EPIPE)
}

// Output writes results to a file or a terminal, with a buffer. After an error
// in writing, every later write returns the same error.
type Output struct {
	Dest     io.Writer
	Terminal *os.File // Dest, if it is a terminal; else nil
	Before   func()   // called before each write to Dest; or nil
	Pager    *Pager   // shows results before they reach the terminal; or nil
	Format   string   // the format of rows if the user has chosen none; "" for csv, or for a table on a terminal
	buf      *bufio.Writer
	ctx      context.Context // context of the statement whose result is written
	flushed  time.Time
	last     byte // the last byte written
	err      error
}

// NewOutput returns an output that writes to w. It does not close w.
func NewOutput(w io.Writer) *Output {
	o := &Output{Dest: w, Terminal: term.Of(w), ctx: context.Background(), last: '\n'}
	o.buf = bufio.NewWriterSize(directOutput{o}, 16*outputChunk)
	return o
}

// directOutput writes to an output without its buffer.
type directOutput struct{ *Output }

// Write writes b in chunks to the pager or to Dest. It stops with the cause of
// the context if the context ends.
func (o directOutput) Write(b []byte) (n int, err error) {
	if o.Before != nil {
		o.Before()
	}
	for n < len(b) && o.err == nil {
		if o.ctx.Err() != nil {
			return n, context.Cause(o.ctx)
		}
		var m int
		m, err = o.to().Write(b[n:min(len(b), n+outputChunk)])
		n += m
		if err != nil {
			o.err = &OutputError{err}
		}
		if m > 0 {
			o.last = b[n-1]
		}
	}
	return n, o.err
}

// to returns the writer that gets the output: the pager, or Dest if there is no
// pager.
func (o *Output) to() io.Writer {
	if o.Pager != nil {
		return o.Pager
	}
	return o.Dest
}

// Begin starts the output of a result. Writing stops with an error if ctx ends.
func (o *Output) Begin(ctx context.Context) {
	o.ctx, o.flushed = ctx, time.Time{}
	o.buf.Reset(directOutput{o}) // also drops the error of a cancelled statement
	if o.Pager != nil {
		o.err = nil // the user only left the pager
	}
}

// Write writes b to the buffer.
func (o *Output) Write(b []byte) (int, error) { return o.buf.Write(b) }

// batchDone writes the buffer to Dest if the last such write was longer than
// flushEvery ago. The printer calls it after each batch of rows. After the
// first batch it always writes, so that the first rows appear at once.
func (o *Output) batchDone() error {
	now := time.Now()
	if now.Sub(o.flushed) < flushEvery {
		return nil
	}
	o.flushed = now
	return o.buf.Flush()
}

// End writes the rest of the buffer, and waits until the user leaves the pager.
// It returns an error in writing.
func (o *Output) End() error {
	err := o.buf.Flush()
	if o.Pager != nil {
		if perr := o.Pager.end(); err == nil && perr != nil {
			err = &OutputError{perr}
		}
	}
	return err
}

// abandon drops the buffer after an error. On a terminal it ends an incomplete
// line.
func (o *Output) abandon() {
	o.buf.Reset(directOutput{o})
	if o.Pager != nil {
		_ = o.Pager.end() // the caller's own error matters more
	}
	if o.Terminal != nil && o.last != '\n' {
		_, _ = io.WriteString(o.Dest, "\n")
		o.last = '\n'
	}
}
