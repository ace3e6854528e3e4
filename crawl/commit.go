package crawl

import (
	"context"

	"infomall/crawl/report"
)

// keepUp does the periodic work that is due: it acknowledges finished tasks,
// reads orders, and publishes pages. busy reports whether any work was due.
func (e *engine) keepUp(ctx context.Context) (busy bool, err error) {
	now := e.now()
	commit := len(e.done) >= commitMany || e.q.Full() || len(e.done) > 0 && now.Sub(e.committed) >= e.rest
	poll, publish := now.Sub(e.polled) >= pollEvery, now.Sub(e.published) >= e.o.PublishEvery
	if !commit && !poll && !publish {
		return false, nil
	}
	defer e.takeBack()
	if err := e.layOut(); err != nil {
		return true, err
	}
	if poll {
		e.polled = now
		if err := e.poll(); err != nil {
			return true, err
		}
	}
	if publish {
		e.published = now
		return true, e.publish(ctx)
	}
	if commit && !poll {
		return true, e.commit()
	}
	return true, nil
}

// publish makes the fetched pages visible in the archive. Every pastEvery it
// also pins the archive again, so that the crawl knows what was added since.
func (e *engine) publish(ctx context.Context) error {
	if err := e.commit(); err != nil {
		return err
	}
	if e.now().Sub(e.past.at) >= pastEvery && !e.o.FromArchive {
		if err := e.pinPast(ctx); err != nil {
			return err
		}
	}
	return e.sink.Publish()
}

// commit makes the fetched captures durable, and after that the state that says
// they were fetched.
func (e *engine) commit() error {
	begun := e.now()
	if err := e.sink.Sync(); err != nil {
		return err
	}
	if len(e.done) > 0 {
		e.crawl.Stages[report.StageWrite].Took += e.now().Sub(begun)
	}
	n := len(e.done)
	for _, t := range e.done {
		if err := e.acknowledge(t); err != nil {
			return err
		}
	}
	e.done = e.done[:0]
	if err := e.saveCookies(); err != nil {
		return err
	}
	if err := e.saveSites(false); err != nil {
		return err
	}
	if err := e.saveTallies(e.ending); err != nil {
		return err
	}
	if err := e.save(); err != nil {
		return err
	}
	if n < quiet {
		if err := e.q.Rest(); err != nil {
			return err
		}
	}
	e.committed = e.now()
	e.rest = min(max(commitRest*e.committed.Sub(begun), commitEvery), commitRestMax)
	return nil
}

// acknowledge records in the state that t is durable and done: it logs the
// attempts of t, and removes its URL from the queue or lets it wait for
// another attempt.
func (e *engine) acknowledge(t *fetchTask) error {
	e.noteLost(t)
	e.count(t)
	if err := e.tally(t); err != nil {
		return err
	}
	for i := range t.fetches {
		t.fetches[i].Unasked = e.unasked(t.fetches[i].URL)
		if err := e.q.Log(&t.fetches[i]); err != nil {
			return err
		}
	}
	if t.robots {
		return nil // the URL of t is in its queue again
	}
	if t.show != nil && t.show.login {
		return e.awaitLogin(t)
	}
	if !t.retry.IsZero() {
		t.u.Tries++
		return e.f.Retry(&t.u, t.retry)
	}
	e.crawl.Waiting--
	if t.keep {
		return e.keep(&t.u, t.fetches[0].Reason)
	}
	return e.f.Done(&t.u)
}

// count adds the result of t, which is now durable, to the counts of the crawl.
func (e *engine) count(t *fetchTask) {
	e.unlimit(t)
	if t.robots || t.missed || len(t.fetches) == 0 {
		return
	}
	switch {
	case t.came:
		e.crawl.Fetched++
		if !t.counted {
			e.crawl.Bytes += t.fetches[0].Bytes
			e.held -= t.fetches[0].Bytes
		}
	case t.failed:
		e.crawl.Failed++
	}
	for i := range t.took {
		if s := report.Stage(i); s == report.StagePrefetch || t.took[i] > 0 {
			e.crawl.Stages[s].Count++
			e.crawl.Stages[s].Took += t.took[i]
		}
	}
}

// noteLost adds t to e.lost, the list of lost seeds for the summary of the crawl. It does so only
// if the URL of t is a seed that got no response and is not tried again.
func (e *engine) noteLost(t *fetchTask) {
	if t.u.Layer > 0 || t.u.Via != "" || t.u.Hop > 0 || t.robots || !t.retry.IsZero() || len(t.fetches) == 0 || len(e.lost) == lostMax {
		return
	}
	if f := t.fetches[0]; f.Bytes < 0 || f.Outcome == report.OutcomeFiltered {
		e.lost = append(e.lost, f)
	}
}
