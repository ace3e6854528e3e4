package repl

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

// outputError is an error in writing results. Errors in computing results have
// other types.
type outputError struct{ err error }

func (e *outputError) Error() string { return fmt.Sprintf("write output: %v", e.err) }

func (e *outputError) Unwrap() error { return e.err }

// isClosedPipe reports whether err says that the program that reads the output
// has closed the pipe.
func isClosedPipe(err error) bool {
	var out *outputError
	return errors.As(err, &out) && errors.Is(out.err, syscall.EPIPE)
}

// output writes results to a file or a terminal, with a buffer. After an error
// in writing, every later write returns the same error.
type output struct {
	dest     io.Writer
	terminal *os.File // dest, if it is a terminal; else nil
	before   func()   // called before each write to dest; or nil
	pager    *pager   // shows results before they reach the terminal; or nil
	buf      *bufio.Writer
	ctx      context.Context // context of the statement whose result is written
	flushed  time.Time
	last     byte // the last byte written
	err      error
}

// newOutput returns an output that writes to w. It does not close w.
func newOutput(w io.Writer) *output {
	o := &output{dest: w, terminal: terminalOf(w), ctx: context.Background(), last: '\n'}
	o.buf = bufio.NewWriterSize(directOutput{o}, 16*outputChunk)
	return o
}

// terminalOf returns w if it is a file that is open on a terminal, else nil.
func terminalOf(w any) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(f) {
		return f
	}
	return nil
}

// directOutput writes to an output past its buffer.
type directOutput struct{ *output }

// Write writes b in chunks to the pager or to dest. It stops with the cause of
// the context if the context ends.
func (o directOutput) Write(b []byte) (n int, err error) {
	if o.before != nil {
		o.before()
	}
	for n < len(b) && o.err == nil {
		if o.ctx.Err() != nil {
			return n, context.Cause(o.ctx)
		}
		var m int
		m, err = o.to().Write(b[n:min(len(b), n+outputChunk)])
		n += m
		if err != nil {
			o.err = &outputError{err}
		}
		if m > 0 {
			o.last = b[n-1]
		}
	}
	return n, o.err
}

// to returns the writer that gets the output: the pager, or dest if there is no
// pager.
func (o *output) to() io.Writer {
	if o.pager != nil {
		return o.pager
	}
	return o.dest
}

// begin starts the output of a result. Writing stops with an error if ctx ends.
func (o *output) begin(ctx context.Context) {
	o.ctx, o.flushed = ctx, time.Time{}
	o.buf.Reset(directOutput{o}) // also drops the error of a cancelled statement
	if o.pager != nil {
		o.err = nil // the user only left the pager
	}
}

// Write writes b to the buffer.
func (o *output) Write(b []byte) (int, error) { return o.buf.Write(b) }

// batchDone writes the buffer to dest if the last such write was longer than
// flushEvery ago. The printer calls it after each batch of rows. After the
// first batch it always writes, so that the first rows appear at once.
func (o *output) batchDone() error {
	now := time.Now()
	if now.Sub(o.flushed) < flushEvery {
		return nil
	}
	o.flushed = now
	return o.buf.Flush()
}

// end writes the rest of the buffer, and waits until the user leaves the pager.
// It returns an error in writing.
func (o *output) end() error {
	err := o.buf.Flush()
	if o.pager != nil {
		if perr := o.pager.end(); err == nil && perr != nil {
			err = &outputError{perr}
		}
	}
	return err
}

// abandon drops the buffer after an error. On a terminal it ends an incomplete
// line.
func (o *output) abandon() {
	o.buf.Reset(directOutput{o})
	if o.pager != nil {
		_ = o.pager.end() // the caller's own error matters more
	}
	if o.terminal != nil && o.last != '\n' {
		_, _ = io.WriteString(o.dest, "\n")
		o.last = '\n'
	}
}
