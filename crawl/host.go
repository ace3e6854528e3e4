package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"sync"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/report"
	"infomall/crawl/robots"
	"infomall/store/page/charset"
	"infomall/store/page/coding"
	"infomall/store/record"
	"infomall/store/record/message"
	"infomall/store/urlkey"
)

// Bounds of the pause between two requests to a host if no delay is set. The
// pause is then delayTimes the duration of the last request.
const (
	delayTimes = 5
	delayMin   = time.Second
	delayMax   = 30 * time.Second
)

// host is what a crawl knows about one host: the rules of its robots.txt,
// and when it may be asked again.
type host struct {
	group    *robots.Group  // nil before robots.txt was fetched
	expires  time.Time      // when robots.txt must be fetched again
	unread   int            // times in a row that robots.txt was asked for and group is not Known
	fails    int            // requests in a row without an answer
	free     time.Time      // when the host may be asked again
	charsets charset.Counts // of the pages fetched from it

	// These fields are used only in a crawl with RENDER.
	kinds  map[string]*kindShown // by kind of URL, as trap.KindOf names it; nil before it is needed
	asking chan struct{}         // closed when robots.txt has come that a part of a page waits for; nil if none does
	shut   time.Time             // no part of a page is requested before this time, because of shutBy
	shutBy *refusal
	waits  bool // until the user has logged in

	// These fields describe the last request to the host.
	asked  time.Time // when its response had come
	took   time.Duration
	polite bool       // free is no more than the usual pause after it
	addr   netip.Addr // the address that was asked; invalid if none

	failing     time.Time        // when the first of the last fails requests failed
	answersThen int64            // value of monitor.answers at that time
	tally       report.HostTally // which the relation crawl_hosts shows
	soft        softWatch
}

// stale reports whether robots.txt must be fetched, because it never was or
// because it is too old.
func (h *host) stale(now time.Time) bool { return h.group == nil || !now.Before(h.expires) }

// next returns the time at which the host may be asked again, or the zero time if it may be
// asked now.
func (h *host) next(now time.Time) time.Time {
	if h.free.After(now) {
		return h.free
	}
	return time.Time{}
}

// countCharset counts the charset of the page of t for its host, if the page
// itself declares the charset. Pages that declare none are then read in the
// usual charset of the host.
func (e *engine) countCharset(t *fetchTask) error {
	if !t.charset.Tells() {
		return nil
	}
	h, err := e.host(t.u.Host)
	if err == nil {
		h.charsets.Add(t.charset.Charset)
	}
	return err
}

// savedRobots is a robots.txt in the form in which the state of a crawl
// stores it.
type savedRobots struct {
	Status int
	Body   []byte // its decoded text, at most as much as is evaluated
	Time   record.Time
	Unread string // why its text is not known although there was a response; completes "robots.txt …"; else ""
}

// newSavedRobots returns the robots.txt that t has fetched: the last
// response, after redirects. A text that was received only in part, or
// cannot be decoded, counts as unread, because the missing part could forbid
// any URL.
func newSavedRobots(t *fetchTask) savedRobots {
	last := t.captures[len(t.captures)-1]
	s := savedRobots{Status: last.Status, Time: last.Time, Unread: t.unread}
	var err error
	switch {
	case s.Unread != "":
	case t.res.Outcome == report.OutcomeIncomplete || t.res.Outcome == report.OutcomeTimeout || t.res.Ended:
		s.Unread = "came in part (" + t.res.Reason + ")"
	default:
		if s.Body, err = robotsText(last); err != nil {
			s.Unread = fmt.Sprintf("cannot be read (%v)", err)
		}
	}
	return s
}

// robotsText returns the text of the robots.txt c with its content codings
// decoded, cut one byte after the length that is evaluated.
func robotsText(c *record.Capture) (text []byte, err error) {
	text = c.Body
	if c.Spool != nil {
		if text, err = io.ReadAll(io.NewSectionReader(c.Spool.File, 0, robots.BytesMax+1)); err != nil {
			return nil, err
		}
	}
	if text, err = coding.Decode(text, message.Codings(c.Head), fetch.MemoryMax); err != nil {
		return nil, err
	}
	return text[:min(len(text), robots.BytesMax+1)], nil
}

// host returns what is known about the host called name. The first call
// reads what an earlier run of the crawl stored.
func (e *engine) host(name string) (*host, error) {
	if h := e.hosts[name]; h != nil {
		return h, nil
	}
	h := new(host)
	e.hosts[name] = h
	if err := e.restoreCookies(name); err != nil {
		return nil, err
	}
	if err := e.restoreTally(name, h); err != nil {
		return nil, err
	}
	b, err := e.q.Host(name)
	if err != nil || b == nil {
		return h, err
	}
	var s savedRobots
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("crawl state: robots.txt of %s: %w", name, err)
	}
	e.obey(h, s.file(), s.Time)
	return h, nil
}

// restoreTally reads the counts of the host called name, which an earlier run of the
// crawl stored, into h.
func (e *engine) restoreTally(name string, h *host) (err error) {
	if name != "" {
		h.tally, err = e.q.Tally(name)
	}
	if h.tally.Host != "" && h.tally.Next != record.NoTime {
		h.free = (h.tally.Next + 1).Std() // Next is rounded down
	}
	if h.tally.Host == "" {
		h.tally = report.NewHostTally("")
	}
	return err
}

// saveRobots stores the robots.txt s of the host called name, for later runs
// of the crawl.
func (e *engine) saveRobots(name string, s *savedRobots) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return e.q.SetHost(name, b)
}

// file returns the parsed robots.txt.
func (s *savedRobots) file() *robots.File {
	if s.Unread != "" {
		return robots.Unreachable(s.Unread)
	}
	return robots.Of(s.Status, s.Body)
}

// obey sets the rules of h, and the time until which they hold, from the robots.txt f, which
// was received at the time at.
func (e *engine) obey(h *host, f *robots.File, at record.Time) {
	h.group, h.expires = f.Group(robots.Product(e.o.Agent)), at.Std().Add(f.Fresh())
}

// handleRobots handles the robots.txt that was fetched before the page of task t: it stores the file,
// applies its rules to the host h, and returns the URL of the page to the frontier. If the host did
// not respond, its earlier rules go on; without earlier rules, the page counts as failed.
func (e *engine) handleRobots(ctx context.Context, t *fetchTask, h *host) error {
	switch now := e.now(); {
	case t.res.Capture != nil:
	case h.group != nil && h.group.Known() && !t.res.Ended:
		asked, err := urlkey.Resolve(t.u.URL, "/robots.txt")
		if err != nil {
			return err
		}
		t.fetches = []report.Fetch{e.row(&t.u, &t.res, asked, 0)}
		h.expires = now.Add(robots.RetryAfter)
		return e.f.Return(t.u, h.next(now))
	default:
		// The host does not respond, so the URL has failed too.
		t.fetches = []report.Fetch{e.row(&t.u, &t.res, t.u.URL, t.u.Hop)}
		t.robots = false
		e.limit(t)
		e.planRetry(t, h)
		return e.f.Release(t.u.Host, h.next(now))
	}
	f, err := e.storeRobots(ctx, t, h)
	if err != nil {
		return err
	}
	if f != nil {
		if err := e.sitemaps(t, t.fetches[0].URL, f, h); err != nil {
			return err
		}
	}
	return e.f.Return(t.u, h.next(e.now()))
}

// storeRobots stores the robots.txt that t has fetched, and applies its rules to h, the host of t.
// It returns the parsed file, or nil if the server did not send robots.txt, such as with status 503.
// The rules that h had before then go on, as RFC 9309 allows. If h had none, robots.txt is asked for
// again, and h waits until then. After triesMax times, all URLs of h are forbidden for a while.
func (e *engine) storeRobots(ctx context.Context, t *fetchTask, h *host) (*robots.File, error) {
	s, last, now := newSavedRobots(t), t.captures[len(t.captures)-1], e.now()
	again := fetch.RetryAfter(last, now)
	for _, c := range t.captures {
		if err := e.sink.Put(ctx, c); err != nil {
			return nil, err
		}
	}
	f := s.file()
	group := f.Group(robots.Product(e.o.Agent))
	switch {
	case group.Known():
		h.unread = 0
		e.obey(h, f, s.Time)
		return f, e.saveRobots(t.u.Host, &s)
	case h.group != nil && h.group.Known():
		h.expires = now.Add(max(again, robots.RetryAfter))
		return nil, nil
	}
	if h.unread++; h.unread < triesMax {
		h.group, h.expires, h.polite = group, now.Add(max(again, e.backoff(h.unread))), false
		if h.free.Before(h.expires) {
			h.free = h.expires
		}
		return nil, nil
	}
	e.obey(h, f, s.Time)
	return nil, e.saveRobots(t.u.Host, &s)
}

// pause returns how long to wait before the next request to h, the host called
// name. took is the duration of the last request.
func (e *engine) pause(name string, h *host, took time.Duration) time.Duration {
	d := e.delayOf(name)
	if d < 0 {
		d = min(max(delayTimes*took, delayMin), delayMax)
	}
	if d > 0 {
		// A random part, as in the pauses of a person who reads.
		d += time.Duration(rand.Int64N(int64(d)/2 + 1))
	}
	if h.group != nil && !e.o.IgnoreRobots {
		d = max(d, h.group.Delay)
	}
	return d
}

// manners enforces that one address gets one request at a time, with pauses.
// All hosts at one address count as one machine, and the pauses of each of
// them hold for all. All workers use the same manners.
type manners struct {
	mu *sync.Mutex
	at map[netip.Addr]*machine
}

// machine is one address: whether a request to it is running, and when the
// next one may begin.
type machine struct {
	busy bool
	free time.Time
}

func newManners() manners { return manners{new(sync.Mutex), make(map[netip.Addr]*machine)} }

// busyAgain is how long to wait before asking again for an address to which
// another request is running.
const busyAgain = 20 * time.Millisecond

// enter asks for permission to send a request to address a. A zero time
// grants it; the caller must then call leave after the request. Any other
// result is the time at which to call enter again.
func (m manners) enter(a netip.Addr, now time.Time) time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := m.at[a]
	if x == nil {
		x = new(machine)
		m.at[a] = x
	}
	switch {
	case x.busy:
		return now.Add(busyAgain)
	case x.free.After(now):
		return x.free
	}
	x.busy = true
	return time.Time{}
}

// hasten lets address a be asked at the time free already, if no request to it is
// running.
func (m manners) hasten(a netip.Addr, free time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if x := m.at[a]; x != nil && !x.busy && free.Before(x.free) {
		x.free = free
	}
}

// leave ends a request to address a. The address gets no other request
// before the time free.
func (m manners) leave(a netip.Addr, free time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at[a].busy, m.at[a].free = false, free
}
