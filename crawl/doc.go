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
	// Queue takes the state of the crawl called name; the caller closes it. It
	// is an error if another process runs that crawl.
	Queue(name string) (Queue, error)
	// Sink begins to take in captures under the name job, which come into force
	// after so many bytes of responses at the latest; the caller closes it.
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

// Queue is the state of one crawl on disk. Changes are durable when Commit has
// returned. Only one goroutine may use it.
type Queue interface {
	frontier.Store
	// Meet notes that a URL was met, and reports whether it had been before.
	Meet(url string) (before bool, err error)
	// Claim notes that the URL which arrived as seq is the one to fetch of those
	// with that key, and reports whether no other one was before.
	Claim(key string, seq uint64) (bool, error)
	// Leave notes that a URL was left out for the page which led to it, and
	// reports whether it had been met, or left out so, before. It may be met yet.
	Leave(url string) (before bool, err error)
	// Log notes an attempt.
	Log(f *report.Fetch) error
	// Host gives what SetHost noted of a host, valid until the next call.
	Host(host string) ([]byte, error)
	SetHost(host string, v []byte) error
	// Site returns what SetSite stored of the traps of a host, valid until the
	// next call.
	Site(host string) ([]byte, error)
	SetSite(host string, v []byte) error
	// Crawl gives what SetCrawl set; a crawl without a name was never begun.
	Crawl() (report.Crawl, error)
	SetCrawl(c *report.Crawl) error
	SetWorkers(w []report.Worker) error
	// Orders are what other processes want; SetOrders answers them.
	Orders() (report.CrawlOrders, error)
	SetOrders(o report.CrawlOrders) error
	// Inbox takes out the URLs that other processes gave, n at most.
	Inbox(n int) ([]report.Queued, error)
	// Reset forgets all but the attempts and the inbox.
	Reset() error
	Commit() error
	// Full reports whether so much was changed since Commit that it should come
	// now.
	Full() bool
	// Rest lets other processes in until the next call. What was not committed
	// is forgotten.
	Rest() error
	Close() error
}

// Sink stores captures in the archive. Only one goroutine may call Put and
// Sync.
type Sink interface {
	// Put takes a capture, which then belongs to the sink.
	Put(ctx context.Context, c *record.Capture) error
	// Sync makes what was put durable.
	Sync() error
	// Publish has what was synced come into force soon.
	Publish() error
	// Counts tells what became of the captures that are in force.
	Counts() task.ImportResult
	// Close puts all into force, unless ctx ends before.
	Close(ctx context.Context) error
}
