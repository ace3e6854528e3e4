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
// If the State is a Shared too, several processes run the crawl, each with some of the
// hosts: package crawl/state/nats.
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
//	submission   a form that is filled in; a URL of the frontier, for a POST with the body that is sent
//	requisite    a URL that is needed to show a page, such as an image
//	barren       pages in a row that brought nothing new
//	tally        counts of one host, which the relation crawl_hosts shows
//	visit        a session that a URL names, such as sid=123
//	show         to have a browser open a fetched page (RENDER)
//	part         a response that a page needs when a browser shows it
//
// # Pages that a browser shows
//
// A worker has the page of its task shown after the engine has stored the response. The
// browser requests nothing itself: package render calls send for each request, on
// goroutines of its own. These have the engine decide on the request, and store the
// response, through calls:
//
//	worker: fetch ─▶ engine: store ─▶ worker: show ─▶ extract ─▶ engine: document after load, links
//	                                     │ ▲
//	         parts: may it be sent? ─────▶ engine ◀──── store this part
//
// The host of the page stays taken until the page is shown. Each part is kept in a temporary
// file. If another page needs the part, it comes from this file.
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
	// Sink begins to store captures under the name job. Captures come into
	// force, so that queries see them, after Publish, and at the latest
	// after the given number of bytes of responses; 0 means 64 MB. The
	// caller closes the sink.
	Sink(ctx context.Context, job string, bytes int64) (Sink, error)
	// Past pins the present content of the archive: the result does not
	// change when captures are added later. The caller closes it.
	Past(ctx context.Context) (Past, error)
}

// Past is the content of the archive at the time it was pinned. Several
// goroutines may use it.
type Past interface {
	// Known describes the last capture of a canonical URL before a time. The
	// Time of the result is NoTime if the archive has no such capture.
	Known(ctx context.Context, url string, before record.Time) (record.Known, error)
	// Head returns the status line and headers of the capture that ref identifies, as
	// they were received; nil if none are stored with it.
	Head(ctx context.Context, ref record.Ref) ([]byte, error)
	// Payload returns the stored response of the capture that ref identifies.
	Payload(ctx context.Context, ref record.Ref) (record.Payload, error)
	// Blocked returns the number of the entry of the block-list that keeps out what is
	// fetched from a canonical URL at time t, or 0 if no entry does.
	Blocked(ctx context.Context, url string, t record.Time) (entry int64, err error)
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

// Met is what a crawl remembers of the URLs that it has met: those of its
// seeds, and those to which fetched pages led.
type Met interface {
	// Meet notes that the crawl has met a URL, and reports whether it had
	// met the URL before. In place of a URL it may get a key with one of the
	// prefixes below.
	Meet(url string) (before bool, err error)
	// Claim notes that among all URLs with this key the crawl fetches only
	// the URL with the arrival number seq. It returns true if the key is
	// claimed by that URL, now or before, and false if another URL claimed
	// it before.
	Claim(key string, seq uint64) (bool, error)
	// Leave notes that the crawl leaves a URL out because of the page that
	// led to it. It reports whether the crawl had met the URL or left it out
	// before. The URL does not count as met, so another page may still lead
	// to it.
	Leave(url string) (before bool, err error)
	// Log adds an attempt to fetch a URL, or the decision not to fetch it,
	// to the log of attempts.
	Log(f *report.Fetch) error
}

// Prefixes of the keys that Met.Meet and Met.Claim get besides URLs; report.GuessedKey makes
// others. A visit is a session that a URL names, such as sid=123. If URLs differ only in the visit,
// the crawl fetches the first of them.
const (
	keyForm    = "form:"   // and Form.ID: a form that was submitted
	keyCookie  = "cookie:" // and a URL: it was queued again because of a new cookie
	keyLinked  = "visits:" // and a URL without its visit: a link led to the page
	keyFetched = "visit:"  // and a URL without its visit: claimed by the URL that was fetched
)

// Hosts is what a crawl remembers of hosts.
type Hosts interface {
	// Host returns what SetHost stored for a host, or nil. The bytes are
	// valid until the next call of any method.
	Host(host string) ([]byte, error)
	SetHost(host string, v []byte) error
	// Site returns what SetSite stored about the traps of a host, or nil.
	// The bytes are valid until the next call of any method.
	Site(host string) ([]byte, error)
	SetSite(host string, v []byte) error
	// Tally returns what SetTally stored for a host. Its Host is "" if SetTally
	// was never called.
	Tally(host string) (report.HostTally, error)
	SetTally(t *report.HostTally) error
}

// Orders connects a crawl with the processes that watch and steer it.
type Orders interface {
	// Crawl returns the description that SetCrawl stored. Its Name is "" if
	// SetCrawl was never called.
	Crawl() (report.Crawl, error)
	SetCrawl(c *report.Crawl) error
	SetWorkers(w []report.Worker) error
	// Orders returns what other processes have ordered, such as to pause.
	// SetOrders replaces these orders, for example after the crawl has
	// stopped.
	Orders() (report.CrawlOrders, error)
	SetOrders(o report.CrawlOrders) error
	// Inbox removes up to n URLs that other processes added from the inbox,
	// and returns them.
	Inbox(n int) ([]report.Queued, error)
	// Alert adds an alert to the log of alerts, which keeps the newest ones.
	Alert(a *report.Alert) error
}

// Batch makes changes of the state durable.
type Batch interface {
	// Commit makes all changes since the last Commit durable, or none.
	Commit() error
	// Full reports whether so much has changed since the last Commit that
	// Commit should be called now.
	Full() bool
	// Rest lets other processes read the state until the next call of any
	// method. Changes since the last Commit are lost.
	Rest() error
	// Reset removes everything except the log of attempts, the failures in it, the
	// log of alerts and the inbox.
	Reset() error
	Close() error
}

// Sink stores captures in the archive. Only one goroutine may call Put and
// Sync.
type Sink interface {
	// Put stores a capture, which then belongs to the sink.
	Put(ctx context.Context, c *record.Capture) error
	// Sync makes all captures durable that were put so far.
	Sync() error
	// Publish makes synced captures come into force soon: queries then see
	// them.
	Publish() error
	// Counts counts the captures that are in force.
	Counts() task.ImportResult
	// Close brings all captures into force. If ctx ends before, the rest
	// stays in a journal on disk.
	Close(ctx context.Context) error
}
