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

// Causes of a cancelled context: errInterrupted after Ctrl-C, errTerminated
// after a signal that ends the program.
var (
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
)

// How a second Ctrl-C is handled while the statement has not stopped. Within
// sameWish after the first it is ignored; later it ends the program. After
// stuckAfter a message says so.
const (
	sameWish   = 250 * time.Millisecond
	stuckAfter = time.Second
)

// interrupts turns signals into cancelled contexts. It handles signals for the
// whole life of the program. If it did so for each statement only, a Ctrl-C
// between two statements would kill the shell.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{} // closed when the goroutine of watchInterrupts has ended
	stderr  io.Writer
	force   func() // ends the program at once, which is safe for the archive

	mu     sync.Mutex
	cancel context.CancelCauseFunc // cancels the running statement; nil if none runs
	due    bool                    // a statement was read and will run next
	missed bool                    // Ctrl-C was typed while due was set
	calm   bool                    // another program, such as a pager, has the terminal and handles Ctrl-C itself
	first  time.Time               // time of the first Ctrl-C during the running statement
	stuck  *time.Timer             // timer started by that Ctrl-C
}

// watchInterrupts starts to handle signals, until close. The context it returns
// ends when a signal ends the program. force is called if the program must end
// without waiting.
func watchInterrupts(ctx context.Context, stderr io.Writer, force func()) (*interrupts, context.Context) {
	ctx, terminate := context.WithCancelCause(ctx)
	i := &interrupts{signals: make(chan os.Signal, 8), done: make(chan struct{}), stderr: stderr, force: force}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		defer close(i.done)
		for s := range i.signals {
			switch s {
			case os.Interrupt:
				i.interrupt()
			case syscall.SIGPIPE:
				// Handled only so that a write fails instead of killing the
				// program.
			default:
				terminate(errTerminated)
			}
		}
	}()
	return i, ctx
}

// close stops the handling of signals.
func (i *interrupts) close() {
	signal.Stop(i.signals)
	close(i.signals)
	<-i.done
}

// await notes whether a statement was read and will run next. A Ctrl-C that is
// typed then cancels that statement.
func (i *interrupts) await(due bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.due, i.missed = due, false
}

// during returns a context for a statement that Ctrl-C cancels, until release
// is called. If Ctrl-C was typed since await, the context is already cancelled.
func (i *interrupts) during(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
	if i.missed {
		cancel(errInterrupted)
	}
	i.due, i.missed = false, false
	return ctx, func() {
		cancel(nil)
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cancel = nil
		if i.stuck != nil {
			i.stuck.Stop()
			i.stuck = nil
		}
	}
}

// patiently makes Ctrl-C never end the program, until release is called.
func (i *interrupts) patiently() (release func()) {
	set := func(calm bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.calm = calm
	}
	set(true)
	return func() { set(false) }
}

// interrupt cancels the running statement. If it was cancelled before and has
// not stopped, interrupt ends the program.
func (i *interrupts) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.cancel == nil:
		i.missed = i.due
	case i.calm:
		i.cancel(errInterrupted)
	case i.stuck == nil:
		i.cancel(errInterrupted)
		i.first = time.Now()
		i.stuck = time.AfterFunc(stuckAfter, func() {
			io.WriteString(i.stderr, "\nStill stopping; another Ctrl-C ends the program.\n")
		})
	case time.Since(i.first) > sameWish:
		i.force()
	}
}
