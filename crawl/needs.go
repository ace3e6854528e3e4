package crawl

import (
	"encoding/json"
	"fmt"

	"infomall/crawl/report"
	"infomall/crawl/trap"
	"infomall/store/record"
)

// Bounds of the decision which pages a browser shows, if RENDER has no WHEN. A browser
// takes a hundred times the CPU time of a request, and most sites need none.
const (
	barrenShown = 3  // after so many pages of a kind in a row to which a browser added nothing, the kind is not shown any more
	checkEvery  = 20 // of a kind that is not shown, one page in so many is shown all the same, as a check
	kindsMax    = 64 // kinds of a host; the URLs of all further kinds count as one
)

// kindShown is what a crawl knows about one kind of URLs of a host: whether a browser
// adds something to its pages that their responses lack. The state of the crawl stores it.
type kindShown struct {
	Barren  int // pages in a row to which a browser added nothing
	Skipped int // pages that were not shown since a page of the kind was shown
}

// verdict says whether a browser shows the response for a URL if it is a page, and why.
type verdict struct {
	show bool
	why  string
	kind string
}

// verdict reports whether a browser shows the next page of this kind of URLs, and why.
func (k *kindShown) verdict() (show bool, why string) {
	switch {
	case k.Barren < barrenShown:
		return true, "pages like it may need a browser"
	case k.Skipped+1 >= checkEvery:
		return true, fmt.Sprintf("a check: one of %d pages like it", checkEvery)
	}
	return false, fmt.Sprintf("a browser made nothing more of the last %d pages like it", barrenShown)
}

// usually sets t.usually: whether a browser shows pages of this kind of URLs. It does so only in
// a crawl that decides by itself which pages a browser shows. h is the host of t.
func (e *engine) usually(t *fetchTask, h *host) error {
	if e.o.Render == nil || e.o.Render.When != nil {
		return nil
	}
	k, kind, err := e.kindShown(t, h)
	if err == nil {
		t.usually.kind = kind
		t.usually.show, t.usually.why = k.verdict()
	}
	return err
}

// shownOf returns the key, such as "shown example.org", under which the state of a crawl
// stores the kindShown of each kind of URLs of a host.
func shownOf(host string) string { return "shown " + host }

// kindShown returns what the crawl knows about the kind of URLs that the URL of t belongs
// to, and the name of this kind. h is the host of t. The first call for a host reads what
// an earlier run stored.
func (e *engine) kindShown(t *fetchTask, h *host) (k *kindShown, kind string, err error) {
	if h.kinds == nil {
		b, err := e.q.Host(shownOf(t.u.Host))
		if err != nil {
			return nil, "", err
		}
		h.kinds = make(map[string]*kindShown)
		if b != nil {
			if err := json.Unmarshal(b, &h.kinds); err != nil {
				return nil, "", fmt.Errorf("crawl state: pages shown of %s: %w", t.u.Host, err)
			}
		}
	}
	kind = trap.KindOf(t.u.URL)
	if h.kinds[kind] == nil && len(h.kinds) >= kindsMax {
		kind = "*"
	}
	if h.kinds[kind] == nil {
		h.kinds[kind] = new(kindShown)
	}
	return h.kinds[kind], kind, nil
}

// learn notes for the kind of the URL of t whether a browser made more of the page than
// its response has, and stores this. h is the host of t.
func (e *engine) learn(t *fetchTask, h *host) error {
	s := t.show
	k := h.kinds[s.kind]
	if s.kind == "" || k == nil {
		return nil
	}
	switch {
	case !s.wanted:
		k.Skipped++
	case s.page == nil:
		return nil // a browser that failed says nothing about the pages
	case s.row.Gained:
		*k = kindShown{}
	default:
		k.Barren, k.Skipped = min(k.Barren+1, barrenShown), 0
	}
	b, err := json.Marshal(h.kinds)
	if err != nil {
		return err
	}
	return e.q.SetHost(shownOf(t.u.Host), b)
}

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
	e.takeAgain(t)
	t.links = nil // those of the form
	h.waits = true
	e.waits++
	return true, nil
}

// wait holds the host of t, whose attempt was logged, until the user has logged in. Then
// the URL of t is fetched again.
func (e *engine) wait(t *fetchTask) error {
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

// goOn lets the host called name be asked again, if it waits for a login (see locked).
func (e *engine) goOn(name string) error {
	h := e.hosts[name]
	if h == nil || !h.waits {
		return nil
	}
	h.waits = false
	e.waits--
	return e.f.Unhold(name)
}

// obeyResume notes for all hosts that wait for a login that the user has logged in, if RESUME
// was ordered. o are the orders before; an order in them is not new.
func (e *engine) obeyResume(o report.CrawlOrders) {
	if e.orders.Resumed == o.Resumed {
		return
	}
	for name := range e.hosts {
		e.loginNoted(name)
	}
}

// loginNoted notes that the user has logged in to the host called name, if the host waits for
// it.
func (e *engine) loginNoted(name string) {
	if h := e.hosts[name]; h != nil && h.waits {
		e.loggedIn = append(e.loggedIn, name)
	}
}
