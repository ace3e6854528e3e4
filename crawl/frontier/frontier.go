// Package frontier says which URL a crawl fetches next. It keeps a queue for
// each host, of which one URL at a time is out, and takes hosts when their time
// comes: among those that are ready, the one whose first URL is first in the
// order of the crawl.
//
// The queues are in a Store; of each only the head is in memory. What is taken
// out stays in the Store until it is done, so that it is delivered again to who
// goes on after a crash, and nothing else is.
package frontier

import (
	"container/heap"
	"slices"
	"time"

	"infomall/store/record"
)

// Store keeps the queues. Its methods are called by the goroutine that uses the
// Frontier.
type Store interface {
	// Add queues a URL unless it was met before, and sets its Seq.
	Add(u *record.Queued) (bool, error)
	// Load gives the first n URLs of a host's queue behind a place, and tells
	// whether there are more.
	Load(host string, priority, seq uint64, n int) (list []record.Queued, more bool, err error)
	// Hosts gives every host with a queue.
	Hosts() ([]string, error)
	// Done takes a URL out of its queue.
	Done(u *record.Queued) error
	// Postpone has a URL wait until due, and Ripe brings back those whose time
	// has come.
	Postpone(u *record.Queued, due record.Time) error
	Ripe(now record.Time, n int) ([]record.Queued, error)
	// Find gives a URL that stands in the queue of a host and has Terms; ok is false
	// for any other. Move gives it another priority, and writes its terms.
	Find(host, url string) (u record.Queued, ok bool, err error)
	Move(u *record.Queued, priority uint64) error
	NextRipe() (record.Time, error)
	// Keep takes a URL out of its queue and keeps it back. Unkeep queues up to n
	// URLs of a host that are kept back, arrived after a place and match; it
	// returns them and the place of the last one that it looked at.
	Keep(u *record.Queued) error
	Unkeep(host string, after uint64, n int, match func(url string) bool) (list []record.Queued, last uint64, err error)
}

// Bounds of what is in memory of the queues: of one host's, and of all
// together, where each has some all the same.
const (
	windowMax  = 64
	windowMin  = 2
	windowsAll = 1 << 16
	ripeMax    = 1000
)

// Frontier is used by one goroutine.
type Frontier struct {
	store  Store
	hosts  map[string]*host
	ready  readyHosts
	asleep sleepers
	busy   int             // hosts of which a URL is out
	out    map[uint64]bool // URLs that are out and not done, by Seq
	ripe   record.Time     // when the first of those that wait is due; NoTime if none waits
}

// host is the queue of one host.
type host struct {
	name   string
	window []record.Queued // the head of the queue, in order
	// more: there are URLs in the Store behind loaded, which are not in the
	// window.
	more   bool
	loaded record.Queued // only the place
	busy   bool
	next   time.Time // when it may be asked again
	at     int       // in ready or asleep; -1 in neither
	sleeps bool      // it is in asleep
}

// New takes up the queues of a store.
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
		if err := f.place(f.hosts[name]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Frontier) host(name string) *host {
	h := f.hosts[name]
	if h == nil {
		h = &host{name: name, at: -1}
		f.hosts[name] = h
		f.shrink()
	}
	return h
}

// window is how many URLs of a host may be in memory, with as many hosts.
func (f *Frontier) window() int { return min(max(windowsAll/len(f.hosts), windowMin), windowMax) }

// shrink gives back what hosts have in memory beyond that. It looks at all of
// them, each time that there are twice as many.
func (f *Frontier) shrink() {
	if n := len(f.hosts); n <= windowsAll/windowMax || n&(n-1) != 0 {
		return
	}
	n := f.window()
	for _, h := range f.hosts {
		if h.keep(n); cap(h.window) > 2*n {
			h.window = slices.Clone(h.window)
		}
	}
}

// keep leaves the first n URLs in the window.
func (h *host) keep(n int) {
	if len(h.window) > n {
		h.window = slices.Delete(h.window, n, len(h.window))
		h.more, h.loaded = true, place(&h.window[n-1])
	}
}

// before is the order within a queue.
func before(a, b *record.Queued) bool {
	if a.Priority != b.Priority {
		return a.Priority < b.Priority
	}
	return a.Seq < b.Seq
}

// Add queues a URL unless it was met before, and reports whether it did.
func (f *Frontier) Add(u record.Queued) (bool, error) {
	added, err := f.store.Add(&u)
	if !added || err != nil {
		return added, err
	}
	if u.Due != record.NoTime {
		f.waits(u.Due)
		return true, nil
	}
	return true, f.insert(u)
}

// Raise lets change see a URL that stands in the queue of a host, and gives it the
// priority that change says, which is not behind the one it has, if change says
// so. A URL that is out, or in no queue, is as it was.
func (f *Frontier) Raise(host, url string, change func(*record.Queued) (uint64, bool)) error {
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
	if i := slices.IndexFunc(h.window, func(w record.Queued) bool { return w.Seq == u.Seq }); i >= 0 {
		h.window = slices.Delete(h.window, i, i+1)
	}
	return f.insert(u)
}

// waits notes that a URL waits until due.
func (f *Frontier) waits(due record.Time) {
	if f.ripe == record.NoTime || due < f.ripe {
		f.ripe = due
	}
}

// Return puts a URL that is out back where it was, and gives its host back,
// which is not asked before next.
func (f *Frontier) Return(u record.Queued, next time.Time) error {
	delete(f.out, u.Seq)
	if err := f.insert(u); err != nil {
		return err
	}
	return f.Release(u.Host, next)
}

// insert puts u, which the store has, into the window if it belongs there.
func (f *Frontier) insert(u record.Queued) error {
	h := f.host(u.Host)
	if h.more && before(&h.loaded, &u) {
		return f.place(h) // it is found when the window is filled
	}
	i, _ := slices.BinarySearchFunc(h.window, &u, func(a record.Queued, b *record.Queued) int {
		if before(&a, b) {
			return -1
		}
		return 1
	})
	h.window = slices.Insert(h.window, i, u)
	h.keep(f.window())
	if i > 0 && h.at >= 0 {
		return nil // its first is as it was
	}
	return f.place(h)
}

// place is where u stands in its queue.
func place(u *record.Queued) record.Queued {
	return record.Queued{Priority: u.Priority, Seq: u.Seq}
}

// fill loads the window where it is empty: half of it, so that what comes in
// between has room.
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
		h.window = slices.DeleteFunc(list, func(u record.Queued) bool { return f.out[u.Seq] })
	}
	return nil
}

// place puts h where it belongs: among the ready, the sleeping, or neither.
func (f *Frontier) place(h *host) error {
	f.take(h)
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

// take takes h out of the ready and the sleeping.
func (f *Frontier) take(h *host) {
	switch {
	case h.at < 0:
	case h.sleeps:
		heap.Remove(&f.asleep, h.at)
	default:
		heap.Remove(&f.ready, h.at)
	}
	h.sleeps = false
}

// Next takes out the URL to fetch now. Without one it says when there may be: a
// zero time is not before a URL that is out is done, or one is added.
func (f *Frontier) Next(now time.Time) (u record.Queued, wait time.Time, ok bool, err error) {
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
	f.take(h)
	u = h.window[0]
	h.window = slices.Delete(h.window, 0, 1)
	h.busy, f.out[u.Seq] = true, true
	f.busy++
	return u, wait, true, nil
}

// wake brings back URLs and hosts whose time has come: URLs first, as the host of
// one that waited falls asleep when it has nothing else, though its time has come.
func (f *Frontier) wake(now time.Time) error {
	if f.ripe != record.NoTime && f.ripe <= record.At(now) {
		if err := f.ripen(now); err != nil {
			return err
		}
	}
	for len(f.asleep) > 0 && !f.asleep[0].next.After(now) {
		h := f.asleep[0]
		h.next = time.Time{}
		if err := f.place(h); err != nil {
			return err
		}
	}
	return nil
}

// ripen brings back URLs whose time has come.
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

// Release gives a host back, of which a URL was out. It is not asked before
// next; a zero time is at once.
func (f *Frontier) Release(name string, next time.Time) error {
	h := f.host(name)
	if h.busy {
		h.busy = false
		f.busy--
	}
	h.next = next
	return f.place(h)
}

// Done takes a URL that was out away for good. Release gives its host back.
func (f *Frontier) Done(u *record.Queued) error {
	delete(f.out, u.Seq)
	return f.store.Done(u)
}

// Keep takes a URL that was out away and keeps it back, until Unkeep. Release
// gives its host back.
func (f *Frontier) Keep(u *record.Queued) error {
	delete(f.out, u.Seq)
	return f.store.Keep(u)
}

// Unkeep queues the URLs of a host that are kept back and match, and returns how
// many they are.
func (f *Frontier) Unkeep(host string, match func(url string) bool) (n int, err error) {
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

// Retry has a URL that was out wait until due.
func (f *Frontier) Retry(u *record.Queued, due time.Time) error {
	delete(f.out, u.Seq)
	f.waits(record.At(due))
	return f.store.Postpone(u, record.At(due))
}

// Empty reports whether nothing is left: no URL is out, queued or waiting.
func (f *Frontier) Empty() bool {
	return f.busy == 0 && len(f.ready) == 0 && len(f.asleep) == 0 && f.ripe == record.NoTime
}

// readyHosts is a heap by the first URLs of the hosts.
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

// sleepers is a heap by when the hosts may be asked again.
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
