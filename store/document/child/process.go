package child

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"time"

	"infomall/store/document"
)

// process is a running child process, which reads documents for this process.
type process struct {
	o     *Options
	cmd   *exec.Cmd
	in    io.WriteCloser
	pipe  *os.File      // standard output of the child
	out   *bufio.Reader // reads pipe
	ended chan struct{} // closed when the child has ended and was waited for
	timer *time.Timer   // ends the child if it has no work for Options.Idle
	dead  atomic.Bool   // the child was killed
}

// start starts a child process of the pool. The caller holds p.mu.
func (p *Pool) start() (*process, error) {
	c := &process{o: &p.o, cmd: p.o.Command(), ended: make(chan struct{})}
	failed := func(err error) (*process, error) {
		return nil, fmt.Errorf("start the reader of documents %s: %w", c.cmd.Path, err)
	}
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return failed(err)
	}
	// Not StdoutPipe: Wait would close it before the last answer is read.
	out, theirs, err := os.Pipe()
	if err != nil {
		return failed(err)
	}
	c.cmd.Stdout = theirs
	c.in, c.pipe, c.out = in, out, bufio.NewReaderSize(out, 64<<10)
	ownGroup(c.cmd)
	started := make(chan error, 1)
	p.all.Add(1)
	go func() {
		defer p.all.Done()
		defer close(c.ended)
		// Linux kills the child when the thread that started it ends. So this
		// thread stays until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		_ = theirs.Close() // the child has it now
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // how a child ends does not matter: its pipes say what it did
		}
	}()
	if err := <-started; err != nil {
		_ = out.Close()
		return failed(err)
	}
	p.living[c] = true
	return c, nil
}

// kill ends the child at once. It may be called more than once.
func (c *process) kill() {
	c.dead.Store(true)
	_ = c.cmd.Process.Kill() // fails if the child has ended already
	_ = c.in.Close()
	_ = c.pipe.Close()
}

// stoppedError says that a child was killed because reading the body took too
// much time or memory.
type stoppedError struct {
	why  string
	slow bool // it took too much time
}

func (e *stoppedError) Error() string { return e.why }

// unopenedError means that a child failed before the reader was ready, for example because a
// library could not be opened. It says nothing about the body.
type unopenedError struct{ err error }

func (e *unopenedError) Error() string {
	return fmt.Sprintf("the reader of documents %v before it was ready", e.err)
}
func (e *unopenedError) Unwrap() error { return e.err }

// read sends a body to the child and returns its answer. After an error the child is not
// used again. A stoppedError says that the body needs too much time or memory.
func (c *process) read(ctx context.Context, in *document.Input) (*document.Document, error) {
	w := &watch{c: c, time: cmp.Or(in.Limits.Time, c.o.Time), phase: make(chan struct{}), end: make(chan struct{}), done: make(chan struct{})}
	go w.run(ctx)
	d, err := c.exchange(in, w.phase)
	close(w.end)
	<-w.done
	var unopened *unopenedError
	if why := w.why.Load(); why != nil && err != nil && !errors.As(err, &unopened) {
		return nil, why
	}
	return d, err
}

// exchange sends a request and reads the two frames of the answer. It closes
// the channel opened when the first frame has come. An error before that is an
// unopenedError.
func (c *process) exchange(in *document.Input, opened chan<- struct{}) (*document.Document, error) {
	if err := writeFrame(c.in, appendInput(nil, in), in.Body); err != nil {
		return nil, &unopenedError{unexpected(err)}
	}
	first, err := readFrame(c.out)
	if err == nil && len(first) > 0 {
		err = errFrame
	}
	if err != nil {
		return nil, &unopenedError{unexpected(err)}
	}
	close(opened)
	answer, err := readFrame(c.out)
	switch {
	case err != nil:
		return nil, unexpected(err)
	case len(answer) == 0, answer[0] > 1, answer[0] == 0 && len(answer) > 1:
		return nil, errFrame
	case answer[0] == 0:
		return nil, nil
	}
	d, err := document.Unpack(answer[1:])
	if err != nil {
		return nil, errFrame
	}
	return d, nil
}

// unexpected returns the error to report for a child whose pipe failed with
// err.
func unexpected(err error) error {
	if errors.Is(err, errFrame) {
		return err
	}
	return errors.New("ended without an answer")
}

// watch kills a child that takes too much time or memory, or whose context
// ends.
type watch struct {
	c     *process
	time  time.Duration // CPU time that the child may take for the body
	phase chan struct{} // closed when the child has opened what it needs
	end   chan struct{} // closed when the child has answered or failed
	done  chan struct{} // closed when the watch is over
	why   atomic.Pointer[stoppedError]
}

// lookEvery is how often a watch looks at the memory and the CPU time of a child.
const lookEvery = 20 * time.Millisecond

// sleepFactor limits the time of a child by the clock to this many times its
// CPU time, see Options.Time. A child may get less than the whole CPU, for
// example because the machine is busy.
const sleepFactor = 12

func (w *watch) run(ctx context.Context) {
	defer close(w.done)
	o := w.c.o
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	begun, limit := time.Now(), o.Open
	opened := false
	phase := w.phase
	var before time.Duration // CPU time when the child began to read
	stop := func(why string, slow bool) {
		w.why.Store(&stoppedError{why, slow})
		w.c.kill()
	}
	for {
		select {
		case <-w.end:
			return
		case <-ctx.Done():
			w.c.kill()
			return
		case <-phase:
			phase, opened = nil, true
			begun, limit = time.Now(), w.time
			if _, cpu, ok := usage(w.c.cmd.Process.Pid); ok {
				before, limit = cpu, w.time*sleepFactor
			}
		case <-look.C:
			memory, cpu, ok := usage(w.c.cmd.Process.Pid)
			switch {
			case ok && memory > o.Memory:
				stop(fmt.Sprintf("was stopped because it took more than %d MB of memory", o.Memory>>20), false)
				return
			case opened && ok && cpu-before > w.time, opened && time.Since(begun) > limit:
				stop(fmt.Sprintf("was stopped after %v", w.time), true)
				return
			case !opened && time.Since(begun) > limit:
				w.c.kill()
				return
			}
		}
	}
}

// self returns the command that starts this program as a child.
func self() *exec.Cmd {
	path, err := executable()
	cmd := exec.Command(path, Argument)
	cmd.Args[0] = os.Args[0]
	if err != nil {
		cmd.Err = err
	}
	return cmd
}
