package crawl

import "infomall/crawl/report"

// Shared is a State of a crawl that several processes run together. Each process owns
// some of the hosts, and fetches only from these. Package crawl/state/nats has one. Only
// the goroutine of the State may call the methods, but any goroutine may call Holds.
type Shared interface {
	// Owns reports whether this process fetches from a host.
	Owns(host string) bool
	// Send gives u, a URL of a host that another process owns, to that process with the
	// next Commit. It reports whether this process has sent the URL for the first time.
	Send(u report.Queued) (bool, error)
	// Receive calls add with URLs that were sent to this process, up to about n of them.
	// The first call yields all URLs of its hosts that the crawl has still to fetch.
	// given says that a user has added the URL.
	Receive(n int, add func(u report.Queued, given bool) error) error
	// Allows reports whether this process may fetch the given number of pages, which
	// includes those of its earlier runs, within the limit on the pages of all processes.
	Allows(pages int64) bool
	// Leaves reports whether this process must end its run: because the crawl has ended, or
	// because its hosts go to another process. Leaves returns true as long as Holds returns
	// false.
	Leaves() bool
	// Holds reports whether no other process can own the hosts of this one at this moment.
	// The engine calls it right before each request. Time may have passed since the
	// engine chose the URL: the system may have stopped the process meanwhile.
	Holds() bool
	// SetIdle says whether this process has nothing left to fetch. The crawl ends when all
	// processes have nothing left.
	SetIdle(idle bool)
}

// receiveMany is how many URLs of other processes the engine queues at one time, roughly.
const receiveMany = 4096

// leaves reports whether this process must begin no more fetches, because the crawl has ended
// for all processes, or because its hosts go to other processes.
func (e *engine) leaves() bool { return e.shared != nil && e.shared.Leaves() }

// holds reports whether a request may be sent at this moment; see Shared. Any goroutine
// may call it.
func (e *engine) holds() bool { return e.shared == nil || e.shared.Holds() }

// awaits reports whether the engine goes on without any URL, because other processes of
// the crawl may still send one.
func (e *engine) awaits() bool {
	return e.shared != nil && e.over() == "" && !e.shared.Leaves()
}

// exchange queues the URLs that other processes sent, and commits the state, which sends
// URLs to them.
func (e *engine) exchange() error {
	err := e.shared.Receive(receiveMany, func(u report.Queued, given bool) error {
		if !given {
			_, err := e.add(u) // the process that sent u has applied the rules
			return err
		}
		if err := e.release(u.URL); err != nil {
			return err
		}
		return e.admit([]report.Queued{u})
	})
	if err != nil {
		return err
	}
	if err := e.commit(); err != nil {
		return err
	}
	e.shared.SetIdle(e.out == 0 && e.f.Empty() && len(e.shelf) == 0)
	return nil
}
