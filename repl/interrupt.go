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

// How a second Ctrl-C is taken while the statement has not stopped yet: up to
// sameWish after the first it is the same wish, later it ends the program. After
// stuckAfter the user is told so.
const (
	sameWish   = 250 * time.Millisecond
	stuckAfter = time.Second
)

// interrupts turns signals into cancelled contexts. Signals are asked for once
// for the life of the program: were it done for each statement, a Ctrl-C
// between two of them would kill the shell.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{} // closed when the goroutine of watch has ended
	stderr  io.Writer
	force   func() // ends the program at once; the archive stands that

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the statement that runs; nil if none does
	due    bool                    // a statement was read and is about to run
	missed bool                    // Ctrl-C was typed while it was
	calm   bool                    // another program has the terminal, and Ctrl-C a meaning of its own there
	first  time.Time               // when Ctrl-C was first typed in it
	stuck  *time.Timer             // set by that Ctrl-C
}

// watchInterrupts begins to take signals, until close. The context it gives
// ends when the program is to end. Force ends it without waiting.
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

// await tells whether what was read is about to run: a Ctrl-C from then on is
// for it.
func (i *interrupts) await(due bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.due, i.missed = due, false
}

// during gives a context that Ctrl-C cancels, until release is called, and that a
// Ctrl-C typed while it was awaited has cancelled.
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

// interrupt cancels what runs. Where that has been done and it has not stopped,
// it ends the program.
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
