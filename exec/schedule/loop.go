package schedule

import (
	"context"
	"sync"
	"time"
)

// Entry is something that runs by a rule.
type Entry struct {
	Name string
	Rule Rule
	Next time.Time // when it is to run next, as it was noted; see Due
}

// Work is what a Loop has run.
type Work interface {
	// Entries lists what is scheduled.
	Entries(ctx context.Context) ([]Entry, error)
	// Run runs an entry, and then notes when it is to run next: After(rule, begun).
	// Where ctx ends that is not noted, so that it runs again. Several run at
	// once, but not twice one of a name.
	Run(ctx context.Context, name string)
	// Failed is told of an error of Entries, after which the Loop goes on.
	Failed(err error)
}

// After is when an entry is to run next that was begun at a moment: so moments
// that pass while it runs, or before it was begun, come to one run at most.
func After(r Rule, begun time.Time) time.Time {
	next, ok := r.Next(begun)
	if !ok {
		return never
	}
	return next
}

// never is a time that no clock shows.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// Options are the settings of a Loop. The zero value works.
type Options struct {
	// Poll is how often the entries and the clock are looked at; 0 is 2 s.
	// A clock that is set, and an entry that is new, wait so long.
	Poll time.Duration
	// Parallel is how many run at once; 0 is 4.
	Parallel int
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

const (
	pollDefault     = 2 * time.Second
	parallelDefault = 4
	// runShortest is how long a run counts at least, so that one that cannot be
	// noted, as the disk is full, does not run all the time.
	runShortest = time.Second
)

// Loop runs what is due, when it is, until ctx ends and all that runs has ended.
// What is due first is first.
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

// loop is one Loop. Its goroutine owns it; those of runs report by ended.
type loop struct {
	work    Work
	o       Options
	ended   chan string
	running map[string]bool
	moved   map[string]time.Time // when entries run whose noted time a clock has set off
	runs    sync.WaitGroup
}

// wait waits for all that runs.
func (l *loop) wait() {
	go func() {
		l.runs.Wait()
		close(l.ended)
	}()
	for range l.ended {
	}
}

// turn begins what is due, and tells how long nothing else is.
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

// due is Due, with a memory of what it has put right: until the entry has run,
// what was noted is still wrong.
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
