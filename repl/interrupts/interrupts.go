// Package interrupts turns signals of the process, such as Ctrl-C, into cancelled contexts
// of statements and of the whole program.
package interrupts

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

// ErrInterrupted is the cause of a context that Ctrl-C has cancelled, and
// ErrTerminated of one that a signal to end the program has cancelled.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrTerminated  = errors.New("terminated")
)

// A second Ctrl-C ends the program if the statement has not stopped after the
// first. If the second comes within sameWish of the first, it is ignored.
// stuckAfter is the time after the first Ctrl-C at which a message says that
// another one ends the program.
const (
	sameWish   = 250 * time.Millisecond
	stuckAfter = time.Second
)

// Interrupts turns signals into cancelled contexts. It handles signals for the
// whole life of the program. If it handled them only while a statement runs, a
// Ctrl-C between two statements would kill the shell.
type Interrupts struct {
	signals chan os.Signal
	done    chan struct{} // closed when the goroutine of Watch has ended
	stderr  io.Writer
	force   func() // ends the program at once, which is safe for the archive

	mu     sync.Mutex
	cancel context.CancelCauseFunc // cancels the running statement; nil if none runs
	due    bool                    // a statement was read and will run next
	missed bool                    // Ctrl-C was typed while due was set
	calm   bool                    // another program, such as a pager, has the terminal and handles Ctrl-C itself
	first  time.Time               // time of the first Ctrl-C during the running statement
	stuck  *time.Timer             // the timer of the message, started by the first Ctrl-C; nil if there was none
}

// Watch starts to handle signals, until the caller calls Close. It
// returns the interrupts and a context that ends when a signal ends the
// program. It calls the function force if the program must end without waiting.
func Watch(ctx context.Context, stderr io.Writer, force func()) (*Interrupts, context.Context) {
	ctx, terminate := context.WithCancelCause(ctx)
	i := &Interrupts{signals: make(chan os.Signal, 8), done: make(chan struct{}), stderr: stderr, force: force}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) { // a process that nohup has started ignores it
		signal.Notify(i.signals, syscall.SIGHUP)
	}
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
				terminate(ErrTerminated)
			}
		}
	}()
	return i, ctx
}

// Close stops the handling of signals, and waits for the goroutine of
// Watch.
func (i *Interrupts) Close() {
	signal.Stop(i.signals)
	close(i.signals)
	<-i.done
}

// Await notes by the flag due whether a statement was read and will run next.
// If so, a Ctrl-C before the statement begins cancels the statement.
func (i *Interrupts) Await(due bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.due, i.missed = due, false
}

// During returns a context for a statement, which Ctrl-C cancels until the
// caller calls release. If Ctrl-C was typed after Await(true), the context is
// already cancelled.
func (i *Interrupts) During(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.cancel = cancel
	if i.missed {
		cancel(ErrInterrupted)
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

// Patiently makes Ctrl-C never end the program, until the caller calls release.
// Ctrl-C still cancels the running statement.
func (i *Interrupts) Patiently() (release func()) {
	set := func(calm bool) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.calm = calm
	}
	set(true)
	return func() { set(false) }
}

// interrupt handles one Ctrl-C. It cancels the running statement. If an earlier
// Ctrl-C has cancelled the statement and the statement has not stopped,
// interrupt ends the program.
func (i *Interrupts) interrupt() {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.cancel == nil:
		i.missed = i.due
	case i.calm:
		i.cancel(ErrInterrupted)
	case i.stuck == nil:
		i.cancel(ErrInterrupted)
		i.first = time.Now()
		i.stuck = time.AfterFunc(stuckAfter, func() {
			io.WriteString(i.stderr, "\nStill stopping; another Ctrl-C ends the program.\n")
		})
	case time.Since(i.first) > sameWish:
		i.force()
	}
}
