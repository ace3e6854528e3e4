// Package crawl fetches pages into an archive: politely, exactly as they were
// sent, and so that whoever is killed goes on where it was.
//
// Run is one crawl. One goroutine owns its state: the frontier (package
// frontier), which says what is next, and what is remembered of hosts. Workers
// fetch, read the links of what came, and report over one channel:
//
//	seeds ─▶ frontier ─▶ worker: robots, connect, fetch, links ─▶ sink (journal) ─▶ archive
//	            ▲                                        │
//	            └── canonical, scope, traps, seen? ◀─────┘
//
// What was fetched goes to a journal; when that is synced, what was fetched is
// taken out of the frontier, what was found is put in, and each attempt is
// noted, all in one transaction. So a page is durable before it counts as done,
// and after a crash only what was out is asked for again. That takes a while, and
// workers that are ready in the meantime take what was laid out for them before.
//
// The package knows no query and no layout of files: the archive is handed to
// it as small interfaces.
package crawl

import (
	"context"

	"infomall/crawl/frontier"
	"infomall/store/record"
)

// Archive is where a crawl keeps its state and what it fetched.
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

// Past is what the archive held when it was pinned. It may be used from several
// goroutines.
type Past interface {
	// Known gives the last capture of a canonical URL before a time.
	Known(ctx context.Context, url string, before record.Time) (record.Known, error)
	Payload(ctx context.Context, ref record.Ref) (record.Payload, error)
	Close() error
}

// Queue is the state of a crawl on disk. What its methods change is durable when
// Commit has returned. It is used by one goroutine.
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
	Log(f *record.Fetch) error
	// Host gives what SetHost noted of a host, valid until the next call.
	Host(host string) ([]byte, error)
	SetHost(host string, v []byte) error
	// Site returns what SetSite stored of the traps of a host, valid until the
	// next call.
	Site(host string) ([]byte, error)
	SetSite(host string, v []byte) error
	// Crawl gives what SetCrawl set; a crawl without a name was never begun.
	Crawl() (record.Crawl, error)
	SetCrawl(c *record.Crawl) error
	SetWorkers(w []record.Worker) error
	// Orders are what other processes want; SetOrders answers them.
	Orders() (record.CrawlOrders, error)
	SetOrders(o record.CrawlOrders) error
	// Inbox takes out the URLs that other processes gave, n at most.
	Inbox(n int) ([]record.Queued, error)
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

// Sink takes captures into the archive. Put and Sync are called by one
// goroutine.
type Sink interface {
	// Put takes a capture, which then belongs to the sink.
	Put(ctx context.Context, c *record.Capture) error
	// Sync makes what was put durable.
	Sync() error
	// Publish has what was synced come into force soon.
	Publish() error
	// Counts tells what became of the captures that are in force.
	Counts() record.ImportResult
	// Close puts all into force, unless ctx ends before.
	Close(ctx context.Context) error
}
