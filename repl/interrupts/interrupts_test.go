package interrupts

import (
	"context"
	"io"
	"os/signal"
	"syscall"
	"testing"
)

// TestHangUpIgnored shows that SIGHUP does not end a program that nohup has started.
func TestHangUpIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGHUP)
	defer signal.Reset(syscall.SIGHUP)
	i, _ := Watch(context.Background(), io.Discard, func() {})
	defer i.Close()
	if !signal.Ignored(syscall.SIGHUP) {
		t.Error("SIGHUP is no longer ignored")
	}
}

// TestInterruptAwaited shows that a Ctrl-C typed between a line and its statement
// stops the statement, and one typed before the line does not.
func TestInterruptAwaited(t *testing.T) {
	i := &Interrupts{stderr: io.Discard}
	run := func() error {
		ctx, release := i.During(context.Background())
		defer release()
		return context.Cause(ctx)
	}
	i.interrupt()
	i.Await(true)
	if err := run(); err != nil {
		t.Errorf("a Ctrl-C at the prompt ends the next statement: %v", err)
	}
	i.Await(true)
	i.interrupt()
	if err := run(); err != ErrInterrupted {
		t.Errorf("a Ctrl-C before the statement begins ends it with %v", err)
	}
	if err := run(); err != nil {
		t.Errorf("and the one after it with %v", err)
	}
	i.Await(true)
	i.interrupt()
	i.Await(false)
	i.Await(true)
	if err := run(); err != nil {
		t.Errorf("a Ctrl-C in a line that ran nothing ends a later statement: %v", err)
	}
}
