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

// outputChunk is how much is written at once. Between chunks a Ctrl-C is
// heeded: a slow terminal takes seconds for what a query gives in one batch.
const outputChunk = 4096

// flushEvery bounds how long rows lie in the buffer while more are computed.
const flushEvery = 100 * time.Millisecond

// outputError is a failure to write results, as opposed to one of computing
// them.
type outputError struct{ err error }

func (e *outputError) Error() string { return fmt.Sprintf("write output: %v", e.err) }

func (e *outputError) Unwrap() error { return e.err }

// isClosedPipe reports whether err came of a reader that has seen enough.
func isClosedPipe(err error) bool {
	var out *outputError
	return errors.As(err, &out) && errors.Is(out.err, syscall.EPIPE)
}

// output is where results go, buffered. The first error of writing is given
// for every later write too.
type output struct {
	dest     io.Writer
	terminal *os.File // dest, if that is a terminal
	before   func()   // called before each write to dest; or nil
	pager    *pager   // between here and the terminal; or nil
	buf      *bufio.Writer
	ctx      context.Context // of the statement whose result is written
	flushed  time.Time
	last     byte // written
	err      error
}

// newOutput makes an output to w. It does not close w.
func newOutput(w io.Writer) *output {
	o := &output{dest: w, terminal: terminalOf(w), ctx: context.Background(), last: '\n'}
	o.buf = bufio.NewWriterSize(directOutput{o}, 16*outputChunk)
	return o
}

// terminalOf is the terminal that w writes to, or nil.
func terminalOf(w any) *os.File {
	if f, ok := w.(*os.File); ok && term.IsTerminal(f) {
		return f
	}
	return nil
}

// directOutput is the unbuffered side of an output.
type directOutput struct{ *output }

// Write implements io.Writer.
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

// to is what chunks are written to.
func (o *output) to() io.Writer {
	if o.pager != nil {
		return o.pager
	}
	return o.dest
}

// begin makes ctx the one that stops what is written from now on.
func (o *output) begin(ctx context.Context) {
	o.ctx, o.flushed = ctx, time.Time{}
	o.buf.Reset(directOutput{o}) // forgets the error of a statement cancelled
	if o.pager != nil {
		o.err = nil // so it was a pager that the user left
	}
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) { return o.buf.Write(b) }

// batchDone is called after each batch of rows. It passes on what is buffered
// when that has waited long, and at first, so that a reader who wants one row
// has it at once.
func (o *output) batchDone() error {
	now := time.Now()
	if now.Sub(o.flushed) < flushEvery {
		return nil
	}
	o.flushed = now
	return o.buf.Flush()
}

// end passes on all that is buffered, and waits for the pager.
func (o *output) end() error {
	err := o.buf.Flush()
	if o.pager != nil {
		if perr := o.pager.end(); err == nil && perr != nil {
			err = &outputError{perr}
		}
	}
	return err
}

// abandon drops what is buffered and ends a line begun on a terminal.
func (o *output) abandon() {
	o.buf.Reset(directOutput{o})
	if o.pager != nil {
		_ = o.pager.end() // the error at hand comes first
	}
	if o.terminal != nil && o.last != '\n' {
		_, _ = io.WriteString(o.dest, "\n")
		o.last = '\n'
	}
}
