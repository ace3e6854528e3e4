package crawl

import (
	"encoding/json"
	"fmt"

	"infomall/crawl/report"
	"infomall/store/record"
)

// lockedOf returns the key under which the state of a crawl stores the time at which a page
// asked for a password, such as "locked http://example.org/".
func lockedOf(url string) string { return "locked " + url }

// lockedAt returns the time of the response with which the page of a URL asked for a
// password and made its host wait; NoTime if it did not, or if the crawl has no profile.
func (e *engine) lockedAt(url string) (record.Time, error) {
	if e.o.Render == nil || e.o.Render.Profile == "" {
		return record.NoTime, nil
	}
	b, err := e.q.Host(lockedOf(url))
	if err != nil || b == nil {
		return record.NoTime, err
	}
	t := record.NoTime
	if err := json.Unmarshal(b, &t); err != nil {
		return t, fmt.Errorf("crawl state: password of %s: %w", url, err)
	}
	return t, nil
}

// locked reports whether t makes its host h wait until the user has logged in: t is a page that
// asks for a password although the crawl has a profile. A page that still asks after the login
// is a page with a password field for another purpose, so locked returns false for it.
func (e *engine) locked(t *fetchTask, h *host) (bool, error) {
	if t.after != record.NoTime {
		return false, nil
	}
	b, err := json.Marshal(t.res.Capture.Time)
	if err == nil {
		err = e.q.SetHost(lockedOf(t.u.URL), b)
	}
	if err != nil {
		return false, err
	}
	t.show.row.Why = fmt.Sprintf("it asks for a password: PROFILE is not logged in, and the host waits until RESUME CRAWL %s", e.o.Name)
	e.uncount(t)
	t.links = nil // those of the form
	h.waits = true
	e.waits++
	return true, nil
}

// awaitLogin holds the host of t, whose attempt was logged, until the user has logged in. Then
// the URL of t is fetched again.
func (e *engine) awaitLogin(t *fetchTask) error {
	t.u.Tries++
	if h := e.hosts[t.u.Host]; !h.waits {
		// The user has resumed the crawl since.
		if err := e.f.Release(t.u.Host, h.next(e.now())); err != nil {
			return err
		}
		return e.f.Retry(&t.u, e.now())
	}
	return e.f.Hold(t.u)
}

// endLoginWait lets the host called name be asked again, if it waits for a login (see locked).
func (e *engine) endLoginWait(name string) error {
	h := e.hosts[name]
	if h == nil || !h.waits {
		return nil
	}
	h.waits = false
	e.waits--
	return e.f.Unhold(name)
}

// obeyResume notes that the user has logged in to all hosts that wait for a login, if RESUME was
// ordered since the orders before were read.
func (e *engine) obeyResume(before report.CrawlOrders) {
	if e.orders.Resumed == before.Resumed {
		return
	}
	for name := range e.hosts {
		e.noteLogin(name)
	}
}

// noteLogin notes that the user has logged in to the host called name, if the host waits for it.
// reload then replaces the browser.
func (e *engine) noteLogin(name string) {
	if h := e.hosts[name]; h != nil && h.waits {
		e.loggedIn = append(e.loggedIn, name)
	}
}
