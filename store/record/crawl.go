package record

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"infomall/store/urlkey"
)

// Outcome says how one attempt to fetch a URL ended.
type Outcome uint8

// The outcomes, a closed set.
const (
	OutcomeOK           Outcome = iota
	OutcomeNotModified          // 304: a visit, no new version
	OutcomeRedirect             // 3xx, whether it leads anywhere or not
	OutcomeHTTPError            // any other status that brings no page
	OutcomeIncomplete           // the body ended before its declared end
	OutcomeTimeout              // the server took longer than it is given
	OutcomeUnreachable          // no connection, or it broke before an answer
	OutcomeDNSFailed            // the host has no address
	OutcomeTLSError             // no secure connection
	OutcomeRobotsDenied         // robots.txt asks not to
	OutcomeFiltered             // left out by a rule; Reason says which
	OutcomeTruncated            // longer than allowed: what came before is kept
	OutcomeInternal             // a fault of our own
)

var outcomeNames = [...]string{
	"ok", "not_modified", "redirect", "http_error", "incomplete", "timeout", "unreachable", "dns_failed",
	"tls_error", "robots_denied", "filtered", "truncated", "internal_error",
}

// String is the outcome as a query shows it.
func (o Outcome) String() string { return outcomeNames[o] }

// Fetch is one attempt to fetch a URL, also one that was decided against.
type Fetch struct {
	URL     string
	Time    Time
	Outcome Outcome
	Status  int           // 0 without an answer
	Elapsed time.Duration // from the first byte asked to the last received
	Bytes   int64         // of the body; -1 without an answer
	IP      string        // really connected to; "" without a connection
	Hop     int           // redirects before it
	Via     string        // page that led here; "" for a seed
	Reason  string        // why it ended so, where the outcome does not say it all
	Crawl   string        // name of the crawl
}

// Queued is a URL that a crawl is to fetch.
type Queued struct {
	URL      string  // canonical
	Host     string  // host and port, whose queue it stands in
	Priority uint64  // of one host's URLs the lowest is fetched first
	Seq      uint64  // by arrival; of equal priorities the lowest is first
	Layer    int     // hops from a seed
	Via      string  // page that led here; "" for a seed
	Origin   string  // URL first asked for, where redirects led here; or ""
	Hop      int     // redirects before it
	Tries    int     // attempts so far
	Due      Time    // not to be fetched before; NoTime for at once
	Score    float64 // its priority in the order BEST
	Hint     float64 // priority that a sitemap gives it, 0 to 1
	Sitemap  bool    // it was named as a sitemap
	Forced   bool    // by ADD … FORCE: also if the crawl has met it
	Crawl    string  // name of the crawl
}

// Known is what an archive has of a URL.
type Known struct {
	Time      Time // NoTime if it has nothing
	Status    int
	Kind      Kind
	Truncated bool
	Ref       Ref // of the capture, for its payload
}

// CrawlState says what a crawl is doing.
type CrawlState uint8

// The states. A crawl that no process runs any more and that is not finished
// is interrupted; it is never stored as that.
const (
	CrawlRunning CrawlState = iota
	CrawlPaused
	CrawlFinished
	CrawlStopped
	CrawlInterrupted
)

var crawlStates = [...]string{"running", "paused", "finished", "stopped", "interrupted"}

// String is the state as a query shows it.
func (s CrawlState) String() string { return crawlStates[s] }

// Crawl describes one crawl: what was asked, and how far it is.
type Crawl struct {
	ID        int64
	Name      string
	State     CrawlState
	Statement string // as it can be typed
	Started   Time
	Finished  Time // NoTime while it is not
	Fetched   int64
	Failed    int64 // attempts that brought no answer
	Waiting   int64 // URLs to fetch
	Layer     int   // the deepest reached
	Bytes     int64 // of bodies
	Error     string
}

// Worker is what one fetcher of a running crawl does now.
type Worker struct {
	Crawl string
	ID    int
	Step  string // idle, fetch, extract, write
	URL   string
	Since Time
}

// CrawlOrders are what a crawl was told while it runs.
type CrawlOrders struct {
	Pause   bool
	Stop    bool
	Workers int // 0: as the statement says
}

// CrawlOrder says which URL is next.
type CrawlOrder uint8

// The orders.
const (
	OrderBFS    CrawlOrder = iota // by layer, then by arrival
	OrderRandom                   // by a hash of the URL
	OrderBest                     // by priority: see package order
)

// CrawlOptions say what to crawl and how. The zero value of each field is its
// default.
type CrawlOptions struct {
	Name      string
	Statement string   // as it can be typed, to tell whether a crawl is the same
	Seeds     []string // canonical URLs

	Depth    int           // hops from a seed; -1 is without bound
	MaxPages int64         // responses; 0 is without bound
	MaxBytes int64         // of bodies; 0 is without bound
	MaxTime  time.Duration // of this run; 0 is without bound

	Within       []urlkey.Scope // none: the seeds' hosts and those below them
	Exclude      []urlkey.Scope
	ExcludeMatch []*regexp.Regexp // of whole URLs

	Order   CrawlOrder
	Workers int // 0 is 16
	// Delay is the pause between two requests to a host; -1 is five times what
	// the last took, within 1 and 30 s.
	Delay time.Duration
	Rate  int64 // bytes a second of all; 0 is without bound
	Agent string
	// Proxy is the URL of the HTTP proxy that is asked in place of the servers;
	// "" for none. It has no password in it.
	Proxy string
	// Netrc is a file with the names and passwords of hosts, and of the proxy;
	// "" for none. What it says is kept in memory only.
	Netrc         string
	SkipNoArchive bool // pages that ask for no copy to be kept are not
	// FromArchive walks the pages that the archive has, as they were before
	// Before, without asking any server; nothing is stored.
	FromArchive  bool
	Before       Time
	BodyMax      int64 // bytes of a body, after which it is cut; 0 is 64 MB
	IgnoreRobots bool
	AllowPrivate bool // also addresses that are not of the public Internet
	Requisites   bool // also what pages need to be shown: images, style sheets, scripts

	// Progress, if not nil, is told now and then how far the crawl is, from one
	// goroutine.
	Progress func(Crawl)
}

// CrawlResult is what a crawl did in this run.
type CrawlResult struct {
	Crawl
	Stored int64 // responses that brought something new
	Visits int64 // responses that found what was known
	// Lost are the seeds that brought no answer in this run, with the reason; the
	// first few.
	Lost    []Fetch
	Elapsed time.Duration
}

// ErrCrawlRunning is returned where another process runs a crawl.
var ErrCrawlRunning = errors.New("another process runs it")

// OtherCrawlError is returned where a crawl of that name is not at its end, and
// was another statement.
type OtherCrawlError struct{ Crawl Crawl }

// Error names the crawl and what it was.
func (e *OtherCrawlError) Error() string {
	return fmt.Sprintf("crawl %s is not at its end, and was another statement: %s", e.Crawl.Name, e.Crawl.Statement)
}

// NoCrawlError is returned where a crawl is named that is not there.
type NoCrawlError struct {
	Name   string
	Crawls []string // those that are
}

// Error names the crawl.
func (e *NoCrawlError) Error() string { return fmt.Sprintf("no crawl %q", e.Name) }
