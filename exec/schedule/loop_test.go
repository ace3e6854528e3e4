package schedule

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// diary is Work that records in memory when each entry ran.
type diary struct {
	now func() time.Time
	run func(ctx context.Context, name string) // called by each run; nil does nothing
	rnd *rand.Rand                             // draws faults, one in a hundred runs; nil draws none

	mu      sync.Mutex
	entries []Entry
	begun   map[string][]time.Time
	under   map[string]bool
	twice   bool // an entry ran twice at once
	faults  int
}

func (d *diary) fault() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rnd == nil || d.rnd.IntN(100) > 0 {
		return false
	}
	d.faults++
	return true
}

func (d *diary) Entries(context.Context) ([]Entry, error) {
	if d.fault() {
		return nil, errors.New("made to fail")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Entry(nil), d.entries...), nil
}

func (d *diary) Failed(error) {}

func (d *diary) Run(ctx context.Context, name string) {
	begun := d.now()
	d.mu.Lock()
	d.twice = d.twice || d.under[name]
	d.under[name] = true
	d.begun[name] = append(d.begun[name], begun)
	d.mu.Unlock()
	if d.run != nil {
		d.run(ctx, name)
	}
	fault := d.fault()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.under[name] = false
	if ctx.Err() != nil || fault {
		return // the next moment is not stored
	}
	for i := range d.entries {
		if e := &d.entries[i]; e.Name == name {
			e.Next = After(e.Rule, begun)
		}
	}
}

// newDiary returns a diary whose entries have the rules, with the clock now.
func newDiary(now func() time.Time, rules map[string]Rule) *diary {
	d := &diary{now: now, begun: map[string][]time.Time{}, under: map[string]bool{}}
	for name, r := range rules {
		next, _ := r.Next(now().Add(-time.Nanosecond))
		d.entries = append(d.entries, Entry{Name: name, Rule: r, Next: next})
	}
	return d
}

// during runs a Loop for a time.
func during(d *diary, length time.Duration, o Options) {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	Loop(ctx, d, o)
}

// TestHalfAYear runs rules for 180 days, with one fault in a hundred runs, and
// a loop that is stopped and started again at random. Each planned moment has
// its run in time, nothing runs twice at once, and nothing is left running.
func TestHalfAYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const length, poll = 180 * 24 * time.Hour, 5 * time.Minute
		nightly, err := ParseCron("30 2 * * *", zone(t, "Europe/Berlin"))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		rules := map[string]Rule{
			"hourly": Every{Anchor: start, Length: time.Hour}, "nightly": nightly, "monthly": Every{Anchor: start, Months: 1},
			"slow": Every{Anchor: start, Length: 6 * time.Hour},
		}
		d := newDiary(time.Now, rules)
		d.rnd = rand.New(rand.NewPCG(1, 2))
		d.run = func(ctx context.Context, name string) {
			if name != "slow" {
				return
			}
			select {
			case <-time.After(time.Hour):
			case <-ctx.Done():
			}
		}
		before := runtime.NumGoroutine()
		for time.Since(start) < length {
			during(d, time.Duration(d.rnd.Int64N(int64(10*24*time.Hour))), Options{Poll: poll})
		}
		synctest.Wait() // a run that has sent on ended may not have returned yet
		if after := runtime.NumGoroutine(); after != before {
			t.Errorf("%d goroutines, and %d before", after, before)
		}
		if d.twice {
			t.Error("a rule ran while it ran")
		}
		if d.faults < 100 {
			t.Errorf("%d faults: the test shows nothing", d.faults)
		}
		for name, r := range rules {
			at, ok := r.Next(start.Add(-time.Nanosecond))
			runs := d.begun[name]
			planned := 0
			for ; ok && time.Since(at) > 2*time.Hour; at, ok = r.Next(at) {
				planned++
				for len(runs) > 0 && runs[0].Before(at) {
					runs = runs[1:]
				}
				if len(runs) == 0 || runs[0].Sub(at) > 4*poll {
					t.Fatalf("%s: nothing ran for %v; the next was %v", name, at, runs)
				}
			}
			if extra := len(d.begun[name]) - planned; planned == 0 || extra > d.faults+40 {
				t.Errorf("%s: %d moments were planned, and it ran %d times", name, planned, len(d.begun[name]))
			}
		}
	})
}

// TestMissed shows that missed moments lead to one run, whether no loop ran or
// an earlier run took too long.
func TestMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(time.Now, map[string]Rule{"hourly": Every{Anchor: time.Now(), Length: time.Hour}})
		begun := time.Now()
		time.Sleep(10*time.Hour + 30*time.Minute)
		d.run = func(context.Context, string) { time.Sleep(2*time.Hour + 15*time.Minute) }
		during(d, 6*time.Hour+time.Minute, Options{})
		var got []time.Duration
		for _, b := range d.begun["hourly"] {
			got = append(got, b.Sub(begun).Round(time.Minute))
		}
		// Moments were missed until half past ten, and during the run.
		want := []time.Duration{10*time.Hour + 30*time.Minute, 12*time.Hour + 45*time.Minute, 15 * time.Hour}
		if len(got) != len(want) {
			t.Fatalf("it ran after %v, want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("run %d began after %v, want %v", i+1, got[i], want[i])
			}
		}
	})
}

// TestClockIsSet changes the clock. Set forward, the moments skipped lead to
// one run. Set back, no moment soon after has two runs, and nothing waits for
// the time that the clock showed by mistake.
func TestClockIsSet(t *testing.T) {
	for _, c := range []struct {
		name string
		by   time.Duration
		want int // runs within 3 days, with the day of the change in their middle
	}{
		{"not", 0, 3},
		{"back by an hour", -time.Hour, 3},
		{"forward by an hour", time.Hour, 3},
		{"forward by two days", 48 * time.Hour, 4}, // one run for all that was missed
		{"back by a day", -24 * time.Hour, 2},
		{"back by ten years", -10 * 366 * 24 * time.Hour, 3},
		{"forward by ten years", 10 * 366 * 24 * time.Hour, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var moved time.Duration
				now := func() time.Time {
					mu.Lock()
					defer mu.Unlock()
					return time.Now().Add(moved)
				}
				daily, err := ParseCron("0 3 * * *", time.UTC)
				if err != nil {
					t.Fatal(err)
				}
				d := newDiary(now, map[string]Rule{"daily": daily})
				ctx, cancel := context.WithTimeout(context.Background(), 72*time.Hour)
				defer cancel()
				done := make(chan struct{})
				go func() { Loop(ctx, d, Options{Now: now, Poll: time.Minute}); close(done) }()
				time.Sleep(27*time.Hour + 30*time.Minute) // half past three
				mu.Lock()
				moved = c.by
				mu.Unlock()
				<-done
				if got := len(d.begun["daily"]); got != c.want {
					t.Errorf("it ran %d times, want %d: %v", got, c.want, d.begun["daily"])
				}
			})
		})
	}
}
