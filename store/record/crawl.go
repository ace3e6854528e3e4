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

	// How it went through the stages. Attempts noted by an older version of the
	// program have zeros.
	Layer      int     // hops from a seed
	Score      float64 // its priority in the order BEST
	RobotsLine int     // of robots.txt, that allows it; 0: none says anything
	Took       [Stages]time.Duration
	Links      int // found in what came
	Queued     int // of these, URLs that the crawl had not met before
	LeftOut    int // of these, those that a rule left out
}

// Stage is a part of what a crawl does with a URL.
type Stage int

// The stages, in order.
const (
	StagePrefetch Stage = iota // scope, traps, robots
	StageFetch
	StageExtract // the links of what came
	StageWrite   // into the journal
	StagePost    // what is new of what was found
	Stages       = iota
)

var stageNames = [Stages]string{"pre-fetch", "fetch", "extract", "write", "post"}

// String is the stage as a query shows it.
func (s Stage) String() string { return stageNames[s] }

// StageTally counts what went through a stage, and how long that took.
type StageTally struct {
	Count int64
	Took  time.Duration
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
	Hint     float64 // priority that a sitemap gives it, 0 to 1, and the topic of the crawl
	Sitemap  bool    // it was named as a sitemap, or is guessed to be one
	Guessed  bool    // nothing names it: it is fetched to see whether it is a sitemap
	Forced   bool    // by ADD … FORCE, or for a new cookie: also if the crawl has met it
	Cookie   bool    // one of the redirects that led here set a new cookie
	Crawl    string  // name of the crawl
	Off      int     // pages off the topic in a row, on the way here
	Barren   int     // pages that brought nothing new in a row, on the way here
	Kept     bool    // it is kept back, because it is in a trap
	Terms    *Terms  // what Score is made of; nil in orders other than BEST
}

// Terms are what the priority of a URL is made of, in the order BEST.
type Terms struct {
	Domain     float64 // weight of the domain, as told
	Popularity float64 // of the links to it: hosts other than its own that link to it
	Parent     float64 // priority of the page that led here
	Depth      float64 // folders above it
	Other      float64 // further ones, summed: priority in a sitemap, where it lies, what its page and anchor say
	// Hosts are those that Popularity counts, as hashes.
	Hosts []uint32
	// Weights are those of the crawl, where a query reads the terms.
	Weights *Weights
}

// Weights are the coefficients of the terms.
type Weights struct{ Domain, Popularity, Parent, Depth, Other float64 }

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
	Stages    [Stages]StageTally
	Weights   *Weights // in the order BEST
	Kept      int64    `json:",omitempty"` // URLs that are kept back, because they are in traps
	// Traps are the traps that URLs are kept back from, the first few.
	Traps []CrawlTrap `json:",omitempty"`
}

// CrawlTrap is a part of a site that goes on without anything new.
type CrawlTrap struct {
	URL    string // the first one that was kept back
	Kind   string // of URLs, as package trap names it; with the host it tells traps apart
	Reason string
	Kept   int64 // URLs that are kept back
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

	// Focus, if not nil, judges the links of pages; those that it would not follow
	// are where fewer than Through pages that led there were such.
	Focus   Focus
	Through int

	Order CrawlOrder
	// Weights are the coefficients of the terms in the order BEST, and Domains what
	// is added for URLs of scopes, the first that fits.
	Weights Weights
	Domains []DomainWeight

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
	FromArchive bool
	Before      Time
	BodyMax     int64 // bytes of a body, after which it is cut; 0 is 64 MB
	// PublishEvery and PublishBytes are after which time, or bytes of responses,
	// what was fetched comes into force at the latest; 0 is 30 s, and 64 MB.
	PublishEvery time.Duration
	PublishBytes int64
	IgnoreRobots bool
	AllowPrivate bool // also addresses that are not of the public Internet
	Requisites   bool // also what pages need to be shown: images, style sheets, scripts
	TrapsOff     bool // also pages without end that bring nothing new
	// TrapLimit is how many pages of a kind that bring nothing new are fetched
	// before the kind is taken for a trap; 0 is 1000.
	TrapLimit int
	// VisitArgs are the names, in lower case, of arguments of URLs that name visits
	// and are dropped. PageArgs are the names of arguments that name pages. A name
	// that begins with a slash is a pattern of a folder, such as /(s(*)). The crawl
	// finds out about all others.
	VisitArgs, PageArgs []string

	// Progress, if not nil, is told now and then how far the crawl is, from one
	// goroutine.
	Progress func(Crawl)
}

// DomainWeight is what the URLs of a scope are worth.
type DomainWeight struct {
	Scope  urlkey.Scope
	Weight float64
}

// Focus judges pages that a crawl fetched, and their links. It is used from
// several goroutines. An error ends the crawl.
type Focus interface {
	Judge(p *FocusedPage) (FocusVerdict, error)
}

// FocusedPage is a page that was fetched, with its links.
type FocusedPage struct {
	URL        string
	Layer      int // hops from a seed
	Status     int // 0 of a file
	Head, Body []byte
	Mime       string
	Links      []FocusedLink
}

// FocusedLink is a link of a page.
type FocusedLink struct {
	URL    string // canonical
	Anchor string
}

// FocusVerdict is what a page and its links are worth.
type FocusVerdict struct {
	Similarity float64   // of the page to what is looked for: 0 to 1
	Promise    []float64 // of each link, by itself: 0 to 1
	Follow     []bool    // whether each is to be followed; nil: all are
}

// CrawlResult is what a crawl did in this run.
type CrawlResult struct {
	Crawl
	Stored int64 // responses that brought something new
	Visits int64 // responses that found what was known
	// Lost are the seeds that brought no answer in this run, with the reason; the
	// first few.
	Lost    []Fetch
	Ended   Ended
	Elapsed time.Duration
}

// Ended counts the fetches of a run that were under way when a limit of the crawl
// was reached, or it was stopped, and did not come to their end.
type Ended struct {
	Why  string // the last of them; "" if there were none
	Cut  int    // pages of which the part that came is kept
	Left int    // URLs that brought no answer and stay in the frontier
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
