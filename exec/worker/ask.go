package worker

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"infomall/exec/session"
	"infomall/exec/spill"
	"infomall/exec/value"
)

// Options says how questions are asked. The zero value works as it is.
type Options struct {
	// PartSeconds is about how many seconds the work of a part takes. 0 means 0.5. Work that
	// is estimated to take less than two parts is not divided.
	PartSeconds float64
	// Attempts is how often a part may fail before the question fails. 0 means 4.
	Attempts int
	// Wait is how long a question waits for a worker if there is none. 0 means 3 s.
	Wait time.Duration
}

// silenceMax is how long a worker may send nothing before it is taken for dead. A worker that
// works sends something each second.
const silenceMax = 3 * time.Second

// Asker asks workers questions. It implements session.Workers.
type Asker struct {
	transport Transport
	o         Options
}

// NewAsker returns an Asker that reaches workers by the given transport.
func NewAsker(t Transport, o Options) *Asker {
	def := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	def(&o.Wait, 3*time.Second)
	if o.PartSeconds == 0 {
		o.PartSeconds = .5
	}
	if o.Attempts == 0 {
		o.Attempts = 4
	}
	return &Asker{t, o}
}

// Parts returns into how many parts work of this many seconds is divided, and how many index chunks
// of each segment a part must have at least; see session.Workers.
func (a *Asker) Parts(seconds float64) (parts, least int) {
	return int(seconds / a.o.PartSeconds), partChunks
}

// partChunks is how many index chunks of each segment a part has at least, on average. Two
// parts read a chunk at their border, so with 4, an eighth to a quarter is read twice.
const partChunks = 4

// Ask yields the records of all parts of q, in the order of the parts; see session.Workers.
//
// Each answer is held until it is whole, in q.Memory and in temporary files. While the
// caller reads an early part, no more than a few later parts are computed.
func (a *Asker) Ask(ctx context.Context, q *session.Question) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		outer := ctx
		ctx, cancel := context.WithCancel(ctx)
		c := newCoordinator(a, q)
		var wait sync.WaitGroup
		defer func() {
			cancel()
			wait.Wait()
			c.closeSpools()
		}()
		finished := make(chan struct{})
		wait.Go(func() {
			defer close(finished)
			c.run(ctx)
		})
		for part := range q.Parts {
			var got result
			select {
			case got = <-c.results[part]:
			case <-outer.Done():
				yield(nil, outer.Err())
				return
			}
			if !got.read(outer, q, part, yield) {
				return
			}
			q.Read()
			select {
			case c.consumed <- part:
			case <-finished: // after an error of a later part
			}
		}
	}
}

// read yields the records of a part, and closes its spool. It returns false if nothing more
// is wanted.
func (r *result) read(ctx context.Context, q *session.Question, part int, yield func([]byte, error) bool) bool {
	switch {
	case r.err != nil:
		yield(nil, r.err)
		return false
	case r.fault:
		for rec, err := range q.Here(ctx, part) {
			if !yield(rec, err) || err != nil {
				return false
			}
		}
		return true
	}
	defer r.spool.Close()
	for rec, err := range r.spool.All() {
		if err == nil {
			err = ctx.Err() // all parts may have been computed when ctx ends
		}
		if !yield(rec, err) || err != nil {
			return false
		}
	}
	return true
}

// result is how a part has ended: with a whole answer, with a fault (an error of the query or
// damage to the archive), or with an error that ends all parts.
type result struct {
	spool *spill.Spool
	fault bool
	err   error
}

// part is a part of a question.
type part struct {
	done     bool
	running  []*attempt
	failures int
	avoid    map[string]bool // workers that have failed it
}

// attempt is one run of a task by one worker.
type attempt struct {
	part   int
	number uint64
	worker *known
	began  time.Time
	cancel context.CancelFunc

	// The next fields are set when it has ended.
	spool *spill.Spool // nil unless the answer is whole
	fault bool
	err   error
}

// known is a worker that has said that it works.
type known struct {
	Info
	running int
	refused error // why it does not answer this question; nil if it does
	other   bool  // it has reported another state of the archive
}

// coordinator gives the parts of one question to workers. Only the goroutine of run uses its
// fields, except the channels.
type coordinator struct {
	a     *Asker
	q     *session.Question
	parts []part

	results  []chan result // of each part, with room for one
	consumed chan int      // the number of a part whose records were read
	ended    chan *attempt
	infos    chan infoOrError

	workers   []*known
	next      int // parts before this one were read
	attempts  uint64
	durations []time.Duration // of the attempts that were whole
	alone     time.Time       // since when no worker can be asked; zero if one can
	wait      sync.WaitGroup  // for the goroutines that run starts
}

// infoOrError is what Transport.Workers yields.
type infoOrError struct {
	Info
	err error
}

// windowParts is the maximum number of parts that are computed or held at a time, besides two for
// each slot of the workers.
const windowParts = 4

func newCoordinator(a *Asker, q *session.Question) *coordinator {
	c := &coordinator{
		a: a, q: q, parts: make([]part, len(q.Parts)), results: make([]chan result, len(q.Parts)),
		consumed: make(chan int), ended: make(chan *attempt), infos: make(chan infoOrError),
	}
	for i := range c.parts {
		c.parts[i].avoid = map[string]bool{}
		c.results[i] = make(chan result, 1)
	}
	return c
}

// closeSpools releases the answers that nobody has read. Call it after run has returned.
func (c *coordinator) closeSpools() {
	for _, ch := range c.results {
		select {
		case r := <-ch:
			if r.spool != nil {
				r.spool.Close()
			}
		default:
		}
	}
}

// run gives parts to workers until all parts are read, the question fails or ctx is done.
func (c *coordinator) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer c.wait.Wait()
	defer cancel()
	c.wait.Go(func() {
		for info, err := range c.a.transport.Workers(ctx, c.q.State) {
			select {
			case c.infos <- infoOrError{info, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	c.alone = time.Now()
	for c.next < len(c.parts) {
		c.assign(ctx)
		var err error
		timer := time.NewTimer(c.pause())
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-timer.C:
			if !c.alone.IsZero() && time.Since(c.alone) >= c.a.o.Wait {
				err = c.nobody()
			}
		case info := <-c.infos:
			if err = info.err; err == nil {
				c.meet(info.Info)
			}
		case part := <-c.consumed:
			c.next = part + 1
		case t := <-c.ended:
			err = c.end(t)
		}
		timer.Stop()
		if err != nil {
			c.fail(err)
			return
		}
	}
}

// fail ends the question with an error.
func (c *coordinator) fail(err error) {
	for i := range c.parts {
		if !c.parts[i].done {
			c.parts[i].done = true
			c.results[i] <- result{err: err}
		}
	}
}

// meet notes what a worker says of itself.
func (c *coordinator) meet(info Info) {
	i := slices.IndexFunc(c.workers, func(w *known) bool { return w.ID == info.ID })
	if i < 0 {
		c.workers = append(c.workers, &known{})
		i = len(c.workers) - 1
	}
	w := c.workers[i]
	w.Info, w.other = info, info.State != c.q.State
	c.lookAround()
}

// usable reports whether w can be asked.
func (w *known) usable() bool { return w.refused == nil && !w.other }

// lookAround notes since when no worker can be asked.
func (c *coordinator) lookAround() {
	switch {
	case slices.ContainsFunc(c.workers, (*known).usable):
		c.alone = time.Time{}
	case c.alone.IsZero():
		c.alone = time.Now()
	}
}

// nobody returns the error for a question that no worker can be asked.
func (c *coordinator) nobody() error {
	for _, w := range c.workers {
		if w.refused != nil {
			return fmt.Errorf("no worker can answer; the one on %s says: %w", w.Host, w.refused)
		}
	}
	for _, w := range c.workers {
		switch w.State {
		case "":
			return fmt.Errorf("no worker can answer; the one on %s has no archive: start it with -a and the folder of this archive", w.Host)
		default:
			return fmt.Errorf("no worker can answer; the one on %s sees another archive, or another state of this one: run the statement again, or start workers with -a and the folder of this archive", w.Host)
		}
	}
	return errors.New("no worker answers; start some with infomall -a DIR --worker URL, or leave out --nats")
}

// assign gives parts to workers with free slots: first the parts that nobody computes, in
// order, then the parts that take long.
func (c *coordinator) assign(ctx context.Context) {
	window := windowParts
	for _, w := range c.workers {
		window += 2 * w.Slots
	}
	waiting := false
	for i := c.next; i < min(len(c.parts), c.next+window); i++ {
		if p := &c.parts[i]; !p.done && len(p.running) == 0 {
			w := c.free(p)
			if w == nil {
				waiting = true
				break
			}
			c.start(ctx, i, w)
		}
	}
	if waiting {
		return
	}
	after := c.hedgeAfter()
	for i := range c.parts {
		p := &c.parts[i]
		if p.done || len(p.running) != 1 || after == 0 || time.Since(p.running[0].began) < after {
			continue
		}
		if w := c.free(p); w != nil {
			c.start(ctx, i, w)
		}
	}
}

// free returns the worker that is to compute p next: the least busy one with a free slot. It
// returns nil if there is none. A worker that has failed p is taken only if no other can be
// asked.
func (c *coordinator) free(p *part) *known {
	var best *known
	avoid := slices.ContainsFunc(c.workers, func(w *known) bool { return w.usable() && !p.avoid[w.ID] })
	for _, w := range c.workers {
		switch {
		case !w.usable() || w.running >= w.Slots || avoid && p.avoid[w.ID]:
		case slices.ContainsFunc(p.running, func(t *attempt) bool { return t.worker == w }):
		case best == nil || w.running*best.Slots < best.running*w.Slots:
			best = w
		}
	}
	return best
}

// hedgeAfter returns the time after which a part is also given to a second worker: a quarter more
// than the time within which 95 % of the whole answers came. It returns 0 while there are too few
// answers.
func (c *coordinator) hedgeAfter() time.Duration {
	const least, few = 50 * time.Millisecond, 2
	if len(c.durations) < few {
		return 0
	}
	sorted := slices.Sorted(slices.Values(c.durations))
	return max(least, sorted[(len(sorted)*95-1)/100]*5/4)
}

// pause returns how long run may wait if nothing happens.
func (c *coordinator) pause() time.Duration {
	pause := time.Hour
	if !c.alone.IsZero() {
		pause = c.a.o.Wait - time.Since(c.alone)
	}
	if after := c.hedgeAfter(); after > 0 {
		for i := range c.parts {
			if p := &c.parts[i]; !p.done && len(p.running) == 1 && c.free(p) != nil {
				pause = min(pause, after-time.Since(p.running[0].began))
			}
		}
	}
	return max(pause, 0)
}

// start gives part i to the worker w.
func (c *coordinator) start(ctx context.Context, i int, w *known) {
	running, cancel := context.WithCancel(ctx)
	c.attempts++
	t := &attempt{part: i, number: c.attempts, worker: w, began: time.Now(), cancel: cancel}
	c.parts[i].running = append(c.parts[i].running, t)
	w.running++
	window := int64(windowParts)
	for _, w := range c.workers {
		window += 2 * int64(w.Slots)
	}
	spool := c.q.Memory.Spool(2 * window)
	c.wait.Go(func() {
		t.fault, t.err = receive(running, c.a, c.q, t, spool)
		if t.err == nil && !t.fault {
			t.spool = spool
		} else {
			spool.Close()
		}
		select {
		case c.ended <- t:
		case <-ctx.Done(): // run has ended
			spool.Close()
		}
	})
}

// end notes that the attempt t has ended. It returns an error if the question fails.
func (c *coordinator) end(t *attempt) error {
	t.cancel()
	p := &c.parts[t.part]
	t.worker.running--
	p.running = slices.DeleteFunc(p.running, func(o *attempt) bool { return o == t })
	switch {
	case p.done: // another attempt was first
		if t.spool != nil {
			t.spool.Close()
		}
		return nil
	case t.err == nil:
		p.done = true
		if !t.fault {
			c.durations = append(c.durations, time.Since(t.began))
		}
		for _, o := range p.running {
			o.cancel()
		}
		c.results[t.part] <- result{spool: t.spool, fault: t.fault}
		return nil
	}
	p.avoid[t.worker.ID] = true
	var refused *refusedError
	var own *ownError
	switch {
	case errors.As(t.err, &own):
		return own // another attempt would fail too
	case errors.As(t.err, &refused):
		t.worker.refused = refused
		c.lookAround()
		return nil
	case errors.Is(t.err, ErrLost):
		// The worker is added again when it replies to the next question who works.
		c.workers = slices.DeleteFunc(c.workers, func(w *known) bool { return w == t.worker })
		c.lookAround()
	}
	p.failures++
	if p.failures < c.a.o.Attempts || len(p.running) > 0 {
		return nil
	}
	return fmt.Errorf("part %d of %d was tried %s; the last time, the worker on %s: %w", t.part+1, len(c.parts), value.Counted(p.failures, "time"), t.worker.Host, t.err)
}
