package crawl

import (
	"context"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// lease gives tasks to idle workers. If an idle worker remains for which there is no task, wait
// is the time at which there may be one. Zero means: wait for the next report of a worker.
func (e *engine) lease(ctx context.Context) (wait time.Time, err error) {
	for e.out < e.width() && len(e.done) < commitMany && !e.paused() {
		if len(e.shelf) > 0 && e.over() == "" {
			t := e.shelf[0]
			e.shelf = slices.Delete(e.shelf, 0, 1)
			if e.excludes(&t.u) != "" { // by an order that came since
				e.unlimit(t)
				if err := e.f.Return(t.u, time.Time{}); err != nil {
					return wait, err
				}
				continue
			}
			e.launch(ctx, t)
			continue
		}
		t, wait, err := e.next()
		if t == nil || err != nil {
			return wait, err
		}
		e.launch(ctx, t)
	}
	return wait, nil
}

// width returns the number of workers: the number in the last order, or else the number in the
// statement.
func (e *engine) width() int {
	if e.orders.Workers > 0 {
		return e.orders.Workers
	}
	return e.o.Workers
}

// next takes the next task from the frontier. If no task is ready, t is nil, and wait is the time
// at which one may become ready. A zero wait means that the caller waits for the next report of a
// worker. URLs that may not be fetched are logged and skipped.
func (e *engine) next() (t *fetchTask, wait time.Time, err error) {
	for len(e.done) < commitMany+spareMax && !e.enough() {
		now := e.now()
		u, wait, ok, err := e.f.Next(now)
		if err != nil || !ok {
			return nil, wait, err
		}
		t := &fetchTask{u: u, since: now, step: "fetch", fetched: make(chan struct{})}
		h, err := e.host(u.Host)
		if err != nil {
			return nil, wait, err
		}
		if h.free.After(now) { // an earlier run, or another process, has asked the host
			if err := e.f.Return(u, h.free); err != nil {
				return nil, wait, err
			}
			continue
		}
		t.usualCharset = h.charsets.Usual()
		if t.after, err = e.lockedAt(u.URL); err != nil {
			return nil, wait, err
		}
		if err := e.setVerdict(t, h); err != nil {
			return nil, wait, err
		}
		why, err := e.skipReason(t, now)
		if err != nil {
			return nil, wait, err
		}
		if why != "" {
			if err := e.skip(t, h, report.OutcomeFiltered, why); err != nil {
				return nil, wait, err
			}
			continue
		}
		if !e.o.IgnoreRobots && !e.unasked(u.URL) {
			if t.robots = h.stale(now); !t.robots {
				d := h.group.Decide(u.Asked())
				t.line = d.Rule.Line
				if !d.Allowed {
					if err := e.skip(t, h, report.OutcomeRobotsDenied, d.Reason); err != nil {
						return nil, wait, err
					}
					continue
				}
			}
		}
		if !t.robots {
			e.limit(t)
		}
		t.took[report.StagePrefetch] = e.now().Sub(now)
		return t, wait, nil
	}
	return nil, wait, nil
}

// skipReason returns why the URL of t, which was taken from the frontier, is not fetched, or "" if
// it may be. robots.txt may still forbid the URL. If the URL is kept back, skipReason sets t.keep.
func (e *engine) skipReason(t *fetchTask, now time.Time) (why string, err error) {
	u := &t.u
	if !e.o.FromArchive {
		if why, err = e.past.blocked(u.URL, now); why != "" || err != nil {
			return why, err
		}
		if asked := u.Asked(); asked != u.URL {
			if why, err = e.past.blocked(asked, now); why != "" || err != nil {
				return why, err
			}
		}
		if why = unsent(u); why != "" {
			return why, nil
		}
	}
	if why = e.excludes(u); why != "" {
		t.keep, u.Excluded = true, true
		return why, nil
	}
	if why, err = e.inTrap(u); why != "" || err != nil {
		t.keep = why != ""
		return why, err
	}
	if u.Guessed {
		return "", nil
	}
	return e.revisits(u)
}

// layOut puts tasks on the spare list before the engine becomes busy, so that idle workers can
// take a task without waiting for the engine. These tasks are chosen before the results of the
// running fetches are known, which may give a worse order. layOut therefore adds not many more
// than workers took the last time.
func (e *engine) layOut() error {
	n := min(2*e.taken+e.width()/8, e.width()-1, cap(e.spare))
	for len(e.laidOut) < n && !e.paused() {
		t, _, err := e.next()
		if t == nil || err != nil {
			return err
		}
		e.laidOut = append(e.laidOut, t)
		e.spare <- t
	}
	return nil
}

// takeBack ends a busy time of the engine. It moves the spare tasks that no worker took to the
// shelf, the list of tasks that are leased before all others. The spare tasks that a worker took
// are running; takeBack puts them into e.tasks.
func (e *engine) takeBack() {
	left := len(e.shelf)
	for empty := false; !empty; {
		select {
		case t := <-e.spare:
			e.shelf = append(e.shelf, t)
		default:
			empty = true
		}
	}
	e.taken = len(e.laidOut) - (len(e.shelf) - left)
	for _, t := range e.laidOut {
		if !slices.Contains(e.shelf[left:], t) {
			e.seat(t)
		}
	}
	e.laidOut = e.laidOut[:0]
}

// launch starts a worker for t.
func (e *engine) launch(ctx context.Context, t *fetchTask) {
	t.since = e.now()
	e.seat(t)
	go e.work(ctx, t)
}

// seat puts t on the list of running tasks.
func (e *engine) seat(t *fetchTask) {
	t.worker = slices.Index(e.tasks, nil)
	if t.worker < 0 {
		t.worker = len(e.tasks)
		e.tasks = append(e.tasks, nil)
	}
	e.tasks[t.worker] = t
	e.out++
}

// free removes t, whose worker has ended, from the list of running tasks.
func (e *engine) free(t *fetchTask) {
	e.tasks[t.worker] = nil
	for n := len(e.tasks); n > e.width() && e.tasks[n-1] == nil; n-- {
		e.tasks = e.tasks[:n-1]
	}
	e.out--
}

// limit counts t against the limit of pages until unlimit is called.
func (e *engine) limit(t *fetchTask) {
	t.leased = true
	e.leased++
}

// unlimit ends the effect of limit. It is called when t is acknowledged, or has no result.
func (e *engine) unlimit(t *fetchTask) {
	if t.leased {
		t.leased = false
		e.leased--
	}
}

// skip logs that the URL of t, which was taken from the frontier, is not fetched, and lets
// another URL of its host h be fetched. The log shows the outcome o and the reason why.
func (e *engine) skip(t *fetchTask, h *host, o report.Outcome, why string) error {
	t.fetches = []report.Fetch{{
		URL: t.u.URL, Time: record.At(t.since), Outcome: o, Bytes: -1,
		Hop: t.u.Hop, Via: t.u.Via, Reason: why, Layer: t.u.Layer,
	}}
	t.took[report.StagePrefetch] = e.now().Sub(t.since)
	e.fillRow(t)
	e.done = append(e.done, t)
	return e.f.Release(t.u.Host, h.next(t.since))
}

// abandon discards the result of t when the crawl ends. Its URL stays in the
// frontier.
func (e *engine) abandon(t *fetchTask) {
	if !t.final {
		if t.res.Capture != nil {
			t.res.Capture.Close()
		}
		for _, c := range t.captures {
			c.Close()
		}
		t.res.Capture = nil
		close(t.fetched)
		return
	}
	e.free(t)
}
