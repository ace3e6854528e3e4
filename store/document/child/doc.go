// Package child reads documents in child processes. A reader may hang or take all
// memory, and neither can be stopped inside of a process. A Pool therefore starts
// children, sends each a body, and kills a child that takes too long or too much memory.
// Such a body gets a Document with a Reason, and is not sent again.
//
// A child is the same program, started again with the argument Argument. It calls Serve.
//
// # Protocol
//
// Both pipes of a child carry frames:
//
//	bytes 0-3   number of bytes of the content, little-endian
//	bytes 4-7   CRC-32C of the content
//	then        content
//
// A request is one frame: an Input without its body, and the body. The child answers with
// two frames: an empty one when all that the reader needs is open, and the answer: byte 0
// if no kind reads the body, else byte 1 and the document, as document.Append writes it.
// Opening, such as compiling PDFium, has a time limit of its own.
//
// The child ends when its standard input ends.
package child

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"time"

	"infomall/store/document"
)

// Argument is the argument with which a program starts itself as a child.
const Argument = "--read-documents"

// The defaults of Options.
const (
	timeDefault   = 5 * time.Second
	openDefault   = 2 * time.Minute
	idleDefault   = 10 * time.Second
	memoryDefault = 512 << 20
	sizeMax       = 4
)

// Options are the settings of a Pool. The zero value of a field stands for its default.
type Options struct {
	// Command returns the command of a child. The pool sets its pipes. The default is
	// this program with Argument.
	Command func() *exec.Cmd
	// Kind returns the name of the kind of document that a body is, or "" if no kind reads it. A body
	// without a kind is not sent to a child.
	Kind func(*document.Input) string
	Size int // largest number of children; the default is the number of cores, at most 4
	// Time is how much CPU time a child may take for a body whose Limits do not set it; the default is
	// 5 s. A child that waits is killed after twelve times this, by the clock. If the CPU time of a
	// child cannot be measured, Time is measured by the clock.
	Time   time.Duration
	Open   time.Duration // largest time for opening what the reader needs, by the clock; default 2 min
	Memory int64         // largest memory of a child in bytes; default 512 MB; only on Linux
	Idle   time.Duration // a child ends after being without work for this time; default 10 s
}

func (o Options) withDefaults() Options {
	if o.Command == nil {
		o.Command = self
	}
	if o.Size <= 0 {
		o.Size = min(runtime.GOMAXPROCS(0), sizeMax)
	}
	if o.Time <= 0 {
		o.Time = timeDefault
	}
	if o.Open <= 0 {
		o.Open = openDefault
	}
	if o.Memory <= 0 {
		o.Memory = memoryDefault
	}
	if o.Idle <= 0 {
		o.Idle = idleDefault
	}
	return o
}

// Pool reads documents in children. It starts a child when one is needed. Several
// goroutines may use it. The caller closes it.
type Pool struct {
	o     Options
	seats chan struct{} // holds one element for each body that is being read; its capacity is Options.Size

	mu     sync.Mutex
	idle   []*process        // children without work; the one that was used last comes last
	living map[*process]bool // children that the pool has not killed
	closed bool
	all    sync.WaitGroup // counts the children that have not ended
}

// NewPool returns a pool. It starts no child.
func NewPool(o Options) *Pool {
	o = o.withDefaults()
	return &Pool{o: o, seats: make(chan struct{}, o.Size), living: make(map[*process]bool)}
}

// errClosed is returned by Read after Close.
var errClosed = errors.New("the readers of documents are closed")

// firstPages is the number of pages that are read if reading all pages of a
// body takes too long.
const firstPages = 100

// Read reads a body in a child. It returns nil if no kind reads the body. If the child is killed
// or fails because of the body, the Document has a Reason. If reading all pages takes too long,
// the Document has the first 100 pages. An error means that ctx has ended or that no child can be
// started; it says nothing about the body.
func (p *Pool) Read(ctx context.Context, in *document.Input) (*document.Document, error) {
	kind := p.o.Kind(in)
	if kind == "" {
		return nil, nil
	}
	select {
	case p.seats <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-p.seats }()
	d, err := p.try(ctx, in)
	var stopped *stoppedError
	if !errors.As(err, &stopped) {
		return d, err
	}
	reason := fmt.Sprintf("the reader of %s %v", kind, err)
	if stopped.slow && in.Limits.WithDefaults().Pages > firstPages {
		fewer := *in
		fewer.Limits.Pages = firstPages
		d, err := p.try(ctx, &fewer)
		switch {
		case err == nil && d != nil:
			d.Reason = fmt.Sprintf("%s: no more than %d pages are read", reason, firstPages)
			return d, nil
		case !errors.As(err, &stopped):
			return d, err
		}
	}
	d = document.New()
	d.Kind, d.Reason = kind, reason
	return d, nil
}

// try reads a body in a child. A stoppedError means that the body needs too much time or memory.
// If a child ends without an answer, the body may not be the cause, for example if somebody killed
// the child. try therefore reads the body once more in another child.
func (p *Pool) try(ctx context.Context, in *document.Input) (*document.Document, error) {
	for last := false; ; last = true {
		c, err := p.take()
		if err != nil {
			return nil, err
		}
		d, err := c.read(ctx, in)
		if err == nil {
			p.put(c)
			return d, nil
		}
		p.drop(c)
		<-c.ended
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var stopped *stoppedError
		var unopened *unopenedError
		switch {
		case errors.As(err, &stopped), last && errors.As(err, &unopened):
			return nil, err
		case last:
			return nil, &stoppedError{why: err.Error()}
		}
	}
}

// take returns an idle child of the pool, or starts one if none is idle.
func (p *Pool) take() (*process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed && len(p.idle) > 0 {
		c := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if c.timer.Stop() {
			return c, nil
		} // else drop waits for p.mu to end it
	}
	if p.closed {
		return nil, errClosed
	}
	return p.start()
}

// put returns the child c to the pool, for the next body.
func (p *Pool) put(c *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || c.dead.Load() {
		delete(p.living, c)
		c.kill()
		return
	}
	c.timer = time.AfterFunc(p.o.Idle, func() { p.drop(c) })
	p.idle = append(p.idle, c)
}

// drop ends the child c, which is not to be used again.
func (p *Pool) drop(c *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.living, c)
	p.idle = slices.DeleteFunc(p.idle, func(o *process) bool { return o == c })
	c.kill()
}

// Close ends all children and waits for them. A Read that is running returns an error
// or a document. Later reads return errClosed.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.living {
		if c.timer != nil {
			c.timer.Stop()
		}
		c.kill()
	}
	p.living, p.idle = nil, nil
	p.mu.Unlock()
	p.all.Wait()
	return nil
}
