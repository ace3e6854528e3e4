// Package crawl fetches pages into an archive. It is polite to servers, keeps
// responses exactly as they were sent, and continues where it was after it was
// killed.
//
// Run runs one crawl. One goroutine owns the state of the crawl: the frontier
// (package frontier), which decides what is fetched next, and what is known
// about hosts. Workers fetch, read the links of the responses, and report over
// one channel:
//
//	seeds ─▶ frontier ─▶ worker: robots, connect, fetch, links ─▶ sink (journal) ─▶ archive
//	             ▲                                        │
//	             └── canonical, scope, traps, seen? ◀─────┘
//
// Responses go to a journal. When the journal is synced, one transaction
// removes the fetched URLs from the frontier, adds the new URLs and logs each
// attempt. A page is therefore durable before it counts as done. After a crash
// only the URLs that were being fetched are requested again. The transaction
// takes a while; workers that become ready meanwhile take tasks from the spare
// list.
//
// The package knows no queries and no file layout: it uses the archive through
// small interfaces.
//
// # Words
//
//	engine       one crawl that runs
//	task         a URL from the time it leaves the frontier until it is acknowledged
//	acknowledge  to record in the state that a task is durable and done
//	spare        tasks prepared for workers that become ready while the engine is busy
//	shelf        spare tasks that no worker took
//	seat         the place of a task in the list of workers
//	manners      the rule that one address gets one request at a time, with pauses
//	past         the archive's content when the crawl last pinned it
//	requisite    a URL that is needed to show a page, such as an image
//	barren       pages in a row that brought nothing new
//	visit        in traps.go: a session that a URL names, such as sid=123
package crawl

import (
	"context"

	"infomall/crawl/frontier"
	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Archive is where a crawl keeps its state and stores what it fetched.
type Archive interface {
	// State opens the state of the crawl with this name; the caller closes it. It
	// is an error if another process runs that crawl.
	State(name string) (State, error)
	// Sink begins to store captures under the name job. They come into force after
	// at most bytes of responses. The caller closes the sink.
	Sink(ctx context.Context, job string, bytes int64) (Sink, error)
	// Past pins what the archive holds now; the caller closes it.
	Past(ctx context.Context) (Past, error)
}

// Past is the content of the archive at the time it was pinned. Several
// goroutines may use it.
type Past interface {
	// Known gives the last capture of a canonical URL before a time.
	Known(ctx context.Context, url string, before record.Time) (record.Known, error)
	Payload(ctx context.Context, ref record.Ref) (record.Payload, error)
	Close() error
}

// State is the state of one crawl on disk. Only one goroutine may use it.
type State interface {
	frontier.Store
	Met
	Hosts
	Orders
	Batch
}

// Met is what a crawl remembers of URLs.
type Met interface {
	// Meet notes that a URL was met, and reports whether it was met before.
	Meet(url string) (before bool, err error)
	// Claim notes that the URL with the arrival seq will be fetched for all URLs
	// with this key. It returns false if another URL was noted before.
	Claim(key string, seq uint64) (bool, error)
	// Leave notes that a URL was left out because of the page that led to it. It
	// reports whether the URL was met, or left out so, before. Meet may still be
	// called for the URL.
	Leave(url string) (before bool, err error)
	// Log notes an attempt to fetch a URL.
	Log(f *report.Fetch) error
}

// Hosts is what a crawl remembers of hosts.
type Hosts interface {
	// Host returns what SetHost stored for a host, valid until the next call.
	Host(host string) ([]byte, error)
	SetHost(host string, v []byte) error
	// Site returns what SetSite stored about the traps of a host, valid until the
	// next call.
	Site(host string) ([]byte, error)
	SetSite(host string, v []byte) error
}

// Orders connects a crawl with the processes that watch and steer it.
type Orders interface {
	// Crawl returns what SetCrawl set. The name of a crawl that was never begun is
	// empty.
	Crawl() (report.Crawl, error)
	SetCrawl(c *report.Crawl) error
	SetWorkers(w []report.Worker) error
	// Orders returns what other processes ordered; SetOrders answers them.
	Orders() (report.CrawlOrders, error)
	SetOrders(o report.CrawlOrders) error
	// Inbox removes and returns up to n URLs that other processes added.
	Inbox(n int) ([]report.Queued, error)
}

// Batch makes changes of the state durable.
type Batch interface {
	// Commit makes all changes since the last Commit durable, or none.
	Commit() error
	// Full reports whether the changes since Commit are so many that Commit
	// should be called now.
	Full() bool
	// Rest lets other processes read the state until the next call of any method.
	// Changes since Commit are lost.
	Rest() error
	// Reset removes everything except the log of attempts and the inbox.
	Reset() error
	Close() error
}

// Sink stores captures in the archive. Only one goroutine may call Put and
// Sync.
type Sink interface {
	// Put stores a capture, which then belongs to the sink.
	Put(ctx context.Context, c *record.Capture) error
	// Sync makes all captures that were put durable.
	Sync() error
	// Publish makes synced captures come into force soon.
	Publish() error
	// Counts returns the counts of the captures that are in force.
	Counts() task.ImportResult
	// Close puts all captures into force, unless ctx ends before.
	Close(ctx context.Context) error
}
