package schedule

import (
	"context"
	"sync"
	"time"
)

// Entry is a named thing that runs by a rule, such as a scheduled statement.
type Entry struct {
	Name string
	Rule Rule
	Next time.Time // the moment of the next run, as it was stored; see Due
}

// Work is what a Loop runs. The caller of Loop implements it. The Loop calls
// its methods from several goroutines.
type Work interface {
	// Entries returns the entries as they are now.
	Entries(ctx context.Context) ([]Entry, error)
	// Run runs the entry with this name. Then it stores the moment of the
	// entry's next run, which is After(rule, begun). If ctx is done first, Run
	// stores nothing, so that the entry runs again. Several entries may run at
	// once, but never the same entry twice.
	Run(ctx context.Context, name string)
	// Failed receives an error that Entries returned. The Loop goes on after
	// the error.
	Failed(err error)
}

// After returns the moment of the next run of an entry whose last run began at
// begun. Thus all moments that passed before that run began, or pass while it
// goes on, lead to at most one further run. If the rule plans no further
// moment, After returns the end of the year 9999.
func After(r Rule, begun time.Time) time.Time {
	next, ok := r.Next(begun)
	if !ok {
		return Never
	}
	return next
}

// Never is a time later than any clock shows.
var Never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Options configure a Loop. The zero value works.
type Options struct {
	// Poll is how often the Loop reads the entries and the clock; 0 means every
	// 2 s. Only then does the Loop notice a new entry, or a clock that was set.
	Poll time.Duration
	// Parallel is the most entries that run at once; 0 means 4.
	Parallel int
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

const (
	pollDefault     = 2 * time.Second
	parallelDefault = 4
	// runShortest is the least time before an entry can run again. Without it, an
	// entry whose next run cannot be stored, as on a full disk, would run
	// without a pause.
	runShortest = time.Second
)

// Loop runs the entries of w when they are due, the longest overdue first. It
// returns after ctx is done and all runs have returned.
func Loop(ctx context.Context, w Work, o Options) {
	if o.Poll == 0 {
		o.Poll = pollDefault
	}
	if o.Parallel == 0 {
		o.Parallel = parallelDefault
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &loop{work: w, o: o, ended: make(chan string), running: make(map[string]bool), moved: make(map[string]time.Time)}
	defer l.wait()
	for ctx.Err() == nil {
		timer := time.NewTimer(l.turn(ctx))
		select {
		case name := <-l.ended:
			delete(l.running, name)
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// loop is the state of one call of Loop. The goroutine of Loop owns it; the
// goroutines of runs only send on ended.
type loop struct {
	work    Work
	o       Options
	ended   chan string          // the names of runs that have returned
	running map[string]bool      // the names of entries that run now
	moved   map[string]time.Time // the corrected moment of each entry whose stored moment Due has corrected, by name
	runs    sync.WaitGroup
}

// wait waits until all runs have returned.
func (l *loop) wait() {
	go func() {
		l.runs.Wait()
		close(l.ended)
	}()
	for range l.ended {
	}
}

// turn starts the entries that are due, as many as may run at once, and returns
// how long to wait until the next turn.
func (l *loop) turn(ctx context.Context) time.Duration {
	entries, err := l.work.Entries(ctx)
	if err != nil {
		if ctx.Err() == nil {
			l.work.Failed(err)
		}
		return l.o.Poll
	}
	now := l.o.Now()
	wait := l.o.Poll
	for len(l.running) < l.o.Parallel {
		first, at := -1, time.Time{}
		for i := range entries {
			if l.running[entries[i].Name] {
				continue
			}
			if due := l.due(&entries[i], now); first < 0 || due.Before(at) {
				first, at = i, due
			}
		}
		if first < 0 {
			break
		}
		if at.After(now) {
			wait = min(wait, at.Sub(now))
			break
		}
		l.begin(ctx, entries[first].Name)
	}
	return wait
}

// due returns the moment when the entry e runs next, as Due does. It remembers
// the moments that Due has corrected: the stored moment stays wrong until the
// entry has run, and each new correction would be later.
func (l *loop) due(e *Entry, now time.Time) time.Time {
	at := Due(e.Rule, e.Next, now)
	if at.Equal(e.Next) {
		delete(l.moved, e.Name)
		return at
	}
	if before, ok := l.moved[e.Name]; ok && !before.After(at) {
		return before
	}
	l.moved[e.Name] = at
	return at
}

// begin runs the entry with this name in a goroutine of its own. The entry
// counts as running for at least runShortest.
func (l *loop) begin(ctx context.Context, name string) {
	l.running[name] = true
	delete(l.moved, name)
	l.runs.Go(func() {
		rest := time.NewTimer(runShortest)
		defer rest.Stop()
		l.work.Run(ctx, name)
		select {
		case <-rest.C:
		case <-ctx.Done():
		}
		l.ended <- name
	})
}
