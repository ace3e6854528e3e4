// Package frontier decides which URL a crawl fetches next. It has one queue of
// URLs per host.
//
// # Out
//
// Next takes out the first URL of a host. The URL is out until Done, Keep,
// Retry or Return is called for it. At most one URL of a host is out: the host
// is busy until Release or Return.
//
// # Ready and asleep
//
// A host that is not busy and has a URL in its queue is ready, or it is asleep
// until the time at which it may be asked again. Among the ready hosts, Next
// takes the one whose first URL is first in the order of the crawl.
//
// # Waiting and kept back
//
// A URL waits if it must not be fetched before a time, such as after a failed
// attempt. A URL that is kept back, because it is in a trap or an order excludes
// it, is in no queue until Unkeep.
//
// All queues are in a [Store]; only the head of each queue is in memory. A URL
// that is out stays in the Store until it is done. After a crash, New therefore
// delivers exactly the URLs again that were not done.
package frontier

import (
	"container/heap"
	"slices"
	"time"

	"infomall/crawl/report"
	"infomall/store/record"
)

// Store keeps the queues of a Frontier on disk. Its methods are called only
// by the goroutine that uses the Frontier.
type Store interface {
	Queues
	Waiting
}

// Queues holds the URLs that may be fetched now, in one queue per host.
type Queues interface {
	// Add queues u, and sets u.Seq to its arrival number. It returns false,
	// and queues nothing, if the crawl has met the URL before and u is not
	// Forced.
	Add(u *report.Queued) (bool, error)
	// Load returns up to n URLs in the queue of a host that come after the
	// place (priority, seq), in order. more reports whether others follow
	// them.
	Load(host string, priority, seq uint64, n int) (list []report.Queued, more bool, err error)
	// Hosts returns every host with a URL in its queue.
	Hosts() ([]string, error)
	// Done removes a URL from its queue.
	Done(u *report.Queued) error
	// Find returns the URL url from the queue of a host. ok is false if it
	// is not in the queue or has no Terms (the parts of its priority).
	Find(host, url string) (u report.Queued, ok bool, err error)
	// Move gives a queued URL another priority, and stores its Terms.
	Move(u *report.Queued, priority uint64) error
}

// Waiting holds the URLs that wait for a time, and the URLs that are kept
// back.
type Waiting interface {
	// Postpone takes a URL out of its queue and stores it as waiting until due.
	Postpone(u *report.Queued, due record.Time) error
	// Ripe queues up to n waiting URLs that are due by now, and returns
	// them.
	Ripe(now record.Time, n int) ([]report.Queued, error)
	// NextRipe returns the time at which the next waiting URL is due, or
	// NoTime if none waits.
	NextRipe() (record.Time, error)
	// Keep removes a URL from its queue and keeps it back.
	Keep(u *report.Queued) error
	// KeptHosts returns every host with a URL that is kept back.
	KeptHosts() ([]string, error)
	// Unkeep queues up to n URLs of a host that are kept back and for which
	// match returns true. It looks at them in order of arrival, beginning
	// after the arrival number after. It returns the URLs that it queued,
	// and the arrival number of the last URL that it looked at.
	Unkeep(host string, after uint64, n int, match func(*report.Queued) bool) (list []report.Queued, last uint64, err error)
}

// Bounds on the URLs in memory: windowMax URLs of one host, and windowsAll URLs
// of all hosts together. Each host may have windowMin URLs in any case. ripeMax
// bounds how many waiting URLs are queued at once.
const (
	windowMax  = 64
	windowMin  = 2
	windowsAll = 1 << 16
	ripeMax    = 1000
)

// Frontier holds the queues of one crawl and decides which URL is fetched
// next. It is used by one goroutine.
type Frontier struct {
	store  Store
	hosts  map[string]*host
	ready  readyHosts
	asleep sleepers
	busy   int             // number of hosts of which a URL is out
	out    map[uint64]bool // URLs that are out, by Seq
	ripe   record.Time     // when the next waiting URL is due; NoTime if none waits
}

// host is the queue of one host. Its window holds the first URLs of the
// queue in memory; the others are in the Store only.
type host struct {
	name   string
	window []report.Queued // the head of the queue, in order
	// more means that the Store has URLs after the place loaded, which are not
	// in the window.
	more   bool
	loaded report.Queued // place of the last loaded URL; only Priority and Seq are set
	busy   bool
	held   bool      // by Hold; busy is then set too, but the host is not counted in Frontier.busy
	next   time.Time // when the host may be asked again; zero for at once
	at     int       // index in ready or asleep; -1 if in neither
	sleeps bool      // whether it is in asleep
}

// New returns a Frontier with the queues of s. URLs that an earlier process
// took out with Next and did not finish are in their queues again.
func New(s Store) (*Frontier, error) {
	f := &Frontier{store: s, hosts: make(map[string]*host), out: make(map[uint64]bool)}
	names, err := s.Hosts()
	if err != nil {
		return nil, err
	}
	if f.ripe, err = s.NextRipe(); err != nil {
		return nil, err
	}
	for _, name := range names {
		f.host(name).more = true
	}
	for _, name := range names {
		if err := f.schedule(f.hosts[name]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// host returns the queue of the host called name, and creates it if necessary.
func (f *Frontier) host(name string) *host {
	h := f.hosts[name]
	if h == nil {
		h = &host{name: name, at: -1}
		f.hosts[name] = h
		f.shrink()
	}
	return h
}

// window returns how many URLs of one host may be in memory. The number
// falls as the number of hosts rises.
func (f *Frontier) window() int { return min(max(windowsAll/len(f.hosts), windowMin), windowMax) }

// shrink cuts the windows of all hosts to the length that f.window returns,
// each time the number of hosts has doubled.
func (f *Frontier) shrink() {
	if n := len(f.hosts); n <= windowsAll/windowMax || n&(n-1) != 0 {
		return
	}
	n := f.window()
	for _, h := range f.hosts {
		if h.cut(n); cap(h.window) > 2*n {
			h.window = slices.Clone(h.window)
		}
	}
}

// cut cuts the window of h to its first n URLs. The others remain in the
// Store and are loaded again later.
func (h *host) cut(n int) {
	if len(h.window) > n {
		h.window = slices.Delete(h.window, n, len(h.window))
		h.more, h.loaded = true, place(&h.window[n-1])
	}
}

// before reports whether a comes before b in a queue: by lower priority
// number, then by earlier arrival.
func before(a, b *report.Queued) bool {
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	return a.Seq < b.Seq
}

// Add queues u, and reports whether it did. It does not if the crawl has met
// the URL before and u is not Forced.
func (f *Frontier) Add(u report.Queued) (bool, error) {
	added, err := f.store.Add(&u)
	if !added || err != nil {
		return added, err
	}
	if u.Due != record.NoTime {
		f.noteDue(u.Due)
		return true, nil
	}
	return true, f.insert(u)
}

// Raise raises the priority of the URL url, if it waits in the queue of host and has Terms (the
// parts of its priority). It calls change with the URL; if change returns true, the URL gets the
// returned priority, which must not mean a later place in the queue. A URL that Next has taken
// out, or that is in no queue, stays unchanged.
func (f *Frontier) Raise(host, url string, change func(*report.Queued) (uint64, bool)) error {
	u, ok, err := f.store.Find(host, url)
	if err != nil || !ok || f.out[u.Seq] {
		return err
	}
	priority, ok := change(&u)
	if !ok {
		return nil
	}
	h := f.host(host)
	if err := f.store.Move(&u, priority); err != nil {
		return err
	}
	if i := slices.IndexFunc(h.window, func(w report.Queued) bool { return w.Seq == u.Seq }); i >= 0 {
		h.window = slices.Delete(h.window, i, i+1)
	}
	return f.insert(u)
}

// noteDue notes that some URL must not be fetched before the time due, so that Next looks for it
// at that time.
func (f *Frontier) noteDue(due record.Time) {
	if f.ripe == record.NoTime || due < f.ripe {
		f.ripe = due
	}
}

// Return puts u, which Next has taken out, back into its queue, and makes
// its host available as Release does: the host is not asked again before the
// time next.
func (f *Frontier) Return(u report.Queued, next time.Time) error {
	delete(f.out, u.Seq)
	if err := f.insert(u); err != nil {
		return err
	}
	return f.Release(u.Host, next)
}

// insert adds u, which the Store already has, to the window of its host if u
// is among the first URLs of the queue. The host then becomes ready if it
// may be asked.
func (f *Frontier) insert(u report.Queued) error {
	h := f.host(u.Host)
	if h.more && before(&h.loaded, &u) {
		return f.schedule(h) // fill loads u when the window is empty
	}
	i, _ := slices.BinarySearchFunc(h.window, &u, func(a report.Queued, b *report.Queued) int {
		if before(&a, b) {
			return -1
		}
		return 1
	})
	h.window = slices.Insert(h.window, i, u)
	h.cut(f.window())
	if i > 0 && h.at >= 0 {
		return nil // the first URL of the host is the same
	}
	return f.schedule(h)
}

// place returns only the place of u in its queue: a Queued with no fields
// set but Priority and Seq.
func place(u *report.Queued) report.Queued {
	return report.Queued{Priority: u.Priority, Seq: u.Seq}
}

// fill loads URLs from the Store into the window of h if the window is
// empty. It loads at most half of the allowed number, to leave room for URLs
// that are added.
func (f *Frontier) fill(h *host) error {
	for len(h.window) == 0 && h.more {
		list, more, err := f.store.Load(h.name, h.loaded.Priority, h.loaded.Seq, f.window()/2)
		if err != nil {
			return err
		}
		h.more = more
		if n := len(list); n > 0 {
			h.loaded = place(&list[n-1])
		}
		h.window = slices.DeleteFunc(list, func(u report.Queued) bool { return f.out[u.Seq] })
	}
	return nil
}

// schedule puts h among the ready or the sleeping hosts, or in neither if h is
// busy or has no URL. It forgets a host that has no URL and no time to wait
// for.
func (f *Frontier) schedule(h *host) error {
	f.unschedule(h)
	if h.busy {
		return nil
	}
	if err := f.fill(h); err != nil {
		return err
	}
	switch {
	case len(h.window) == 0:
		if h.next.IsZero() {
			delete(f.hosts, h.name)
		}
	case h.next.IsZero():
		heap.Push(&f.ready, h)
	default:
		h.sleeps = true
		heap.Push(&f.asleep, h)
	}
	return nil
}

// unschedule removes h from the ready and the sleeping hosts.
func (f *Frontier) unschedule(h *host) {
	switch {
	case h.at < 0:
	case h.sleeps:
		heap.Remove(&f.asleep, h.at)
	default:
		heap.Remove(&f.ready, h.at)
	}
	h.sleeps = false
}

// Next takes out the URL to fetch now. If ok is false, no URL may be fetched
// now, and wait is the time at which to call Next again. A zero wait then
// means: wait until a running fetch ends or a URL is added.
func (f *Frontier) Next(now time.Time) (u report.Queued, wait time.Time, ok bool, err error) {
	if err := f.wake(now); err != nil {
		return u, wait, false, err
	}
	if len(f.ready) == 0 {
		if len(f.asleep) > 0 {
			wait = f.asleep[0].next
		}
		if f.ripe != record.NoTime && (wait.IsZero() || f.ripe.Std().Before(wait)) {
			wait = f.ripe.Std()
		}
		return u, wait, false, nil
	}
	h := f.ready[0]
	f.unschedule(h)
	u = h.window[0]
	h.window = slices.Delete(h.window, 0, 1)
	h.busy, f.out[u.Seq] = true, true
	f.busy++
	return u, wait, true, nil
}

// wake queues the waiting URLs that are due at now, and then makes the hosts
// ready that may be asked again. The order matters: a host whose only URL
// becomes due now would otherwise not be ready until the next call.
func (f *Frontier) wake(now time.Time) error {
	if f.ripe != record.NoTime && f.ripe <= record.At(now) {
		if err := f.ripen(now); err != nil {
			return err
		}
	}
	for len(f.asleep) > 0 && !f.asleep[0].next.After(now) {
		h := f.asleep[0]
		h.next = time.Time{}
		if err := f.schedule(h); err != nil {
			return err
		}
	}
	return nil
}

// ripen puts the waiting URLs that are due at the time now back into their
// queues, at most ripeMax of them.
func (f *Frontier) ripen(now time.Time) error {
	list, err := f.store.Ripe(record.At(now), ripeMax)
	if err != nil {
		return err
	}
	if f.ripe, err = f.store.NextRipe(); err != nil {
		return err
	}
	for _, u := range list {
		if err := f.insert(u); err != nil {
			return err
		}
	}
	return nil
}

// Release ends the fetch from the host called name, for which Next has taken
// out a URL. Another URL of the host may then be taken out, but not before
// the time next; a zero time means at once.
func (f *Frontier) Release(name string, next time.Time) error {
	h := f.host(name)
	if h.held {
		return nil
	}
	if h.busy {
		h.busy = false
		f.busy--
	}
	h.next = next
	return f.schedule(h)
}

// Hasten lets the host called name be asked at the time next already; a zero
// time means at once. If a URL of the host is out, or the host is unknown, Hasten
// does nothing.
func (f *Frontier) Hasten(name string, next time.Time) error {
	h := f.hosts[name]
	if h == nil || h.busy {
		return nil
	}
	h.next = next
	return f.schedule(h)
}

// Done removes u, which Next has taken out, for good. The host stays busy
// until Release.
func (f *Frontier) Done(u *report.Queued) error {
	delete(f.out, u.Seq)
	return f.store.Done(u)
}

// Hold puts u, which Next has taken out, back into its queue, and holds its host: Next
// takes out no URL of the host until Unhold. The host does not count for Empty.
func (f *Frontier) Hold(u report.Queued) error {
	h := f.host(u.Host)
	if h.busy && !h.held {
		f.busy--
	}
	f.unschedule(h)
	h.busy, h.held = true, true
	delete(f.out, u.Seq)
	return f.insert(u)
}

// Unhold ends the effect of Hold for the host called name.
func (f *Frontier) Unhold(name string) error {
	h := f.hosts[name]
	if h == nil || !h.held {
		return nil
	}
	h.busy, h.held = false, false
	return f.schedule(h)
}

// Keep keeps back u, which Next has taken out: it is not fetched until
// Unkeep queues it again. The host stays busy until Release.
func (f *Frontier) Keep(u *report.Queued) error {
	delete(f.out, u.Seq)
	return f.store.Keep(u)
}

// Unkeep queues all URLs of host that are kept back and for which match
// returns true. n is the number of URLs that it queued.
func (f *Frontier) Unkeep(host string, match func(*report.Queued) bool) (n int, err error) {
	for after := uint64(0); ; {
		list, last, err := f.store.Unkeep(host, after, ripeMax, match)
		if err != nil {
			return n, err
		}
		for _, u := range list {
			if err := f.insert(u); err != nil {
				return n, err
			}
		}
		if n += len(list); len(list) < ripeMax {
			return n, nil
		}
		after = last
	}
}

// Retry makes u, which Next has taken out, wait until due. The host stays
// busy until Release.
func (f *Frontier) Retry(u *report.Queued, due time.Time) error {
	delete(f.out, u.Seq)
	f.noteDue(record.At(due))
	return f.store.Postpone(u, record.At(due))
}

// Empty reports whether nothing is left to fetch: no URL is in a queue, being
// fetched, or waiting for its time. URLs that are kept back do not count.
func (f *Frontier) Empty() bool {
	return f.busy == 0 && len(f.ready) == 0 && len(f.asleep) == 0 && f.ripe == record.NoTime
}

// readyHosts is a heap of ready hosts. At its root is the host whose first
// URL is to be fetched first.
type readyHosts []*host

func (r readyHosts) Len() int           { return len(r) }
func (r readyHosts) Less(i, j int) bool { return before(&r[i].window[0], &r[j].window[0]) }
func (r readyHosts) Swap(i, j int)      { r[i], r[j] = r[j], r[i]; r[i].at, r[j].at = i, j }
func (r *readyHosts) Push(x any)        { h := x.(*host); h.at = len(*r); *r = append(*r, h) }

func (r *readyHosts) Pop() any {
	h := (*r)[len(*r)-1]
	h.at = -1
	*r = (*r)[:len(*r)-1]
	return h
}

// sleepers is a heap of sleeping hosts. At its root is the host that may be
// asked again first.
type sleepers []*host

func (s sleepers) Len() int           { return len(s) }
func (s sleepers) Less(i, j int) bool { return s[i].next.Before(s[j].next) }
func (s sleepers) Swap(i, j int)      { s[i], s[j] = s[j], s[i]; s[i].at, s[j].at = i, j }
func (s *sleepers) Push(x any)        { h := x.(*host); h.at = len(*s); *s = append(*s, h) }

func (s *sleepers) Pop() any {
	h := (*s)[len(*s)-1]
	h.at = -1
	*s = (*s)[:len(*s)-1]
	return h
}
