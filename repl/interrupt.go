package repl

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// errInterrupted is the cause of a context that Ctrl-C ended, errTerminated of
// one that a wish to end the program did.
var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
)

// stuckAfter is how long a statement may take to stop before another Ctrl-C
// ends the program.
const stuckAfter = 2 * time.Second

// interrupts turns signals into cancelled contexts. Signals are asked for once
// for the life of the program: were it done for each statement, a Ctrl-C
// between two of them would kill the shell.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{} // closed when the goroutine of watch has ended
	stderr  io.Writer

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the statement that runs; nil if none does
	stuck  *time.Timer             // set by the first Ctrl-C of a statement
}

// watchInterrupts begins to take signals, until close. The context it gives
// ends when the program is to end.
func watchInterrupts(ctx context.Context, stderr io.Writer) (*interrupts, context.Context) {
	ctx, terminate := context.WithCancelCause(ctx)
	i := &interrupts{signals: make(chan os.Signal, 8), done: make(chan struct{}), stderr: stderr}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		defer close(i.done)
		for s := range i.signals {
			switch s {
			case os.Interrupt:
				i.interrupt()
			case syscall.SIGPIPE:
				// Taken only so that the write fails instead of killing us.
			default:
				terminate(errTerminated)
			}
		}
	}()
	return i, ctx
}

// close ends the taking of signals.
func (i *interrupts) close() {
	signal.Stop(i.signals)
	close(i.signals)
	<-i.done
}

// during gives a context that Ctrl-C cancels, until release is called.
func (i *interrupts) during(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
	return ctx, func() {
		cancel(nil)
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cancel = nil
		if i.stuck != nil {
			i.stuck.Stop()
			i.stuck = nil
			signal.Notify(i.signals, os.Interrupt)
		}
	}
}

// interrupt cancels what runs. Where that does not stop in good time, the next
// Ctrl-C is left to kill the program; the archive stands that.
func (i *interrupts) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.cancel == nil || i.stuck != nil {
		return
	}
	i.cancel(errInterrupted)
	i.stuck = time.AfterFunc(stuckAfter, func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.stuck == nil {
			return // it stopped in this moment
		}
		signal.Reset(os.Interrupt)
		io.WriteString(i.stderr, "\nStill stopping; another Ctrl-C ends the program.\n")
	})
}
