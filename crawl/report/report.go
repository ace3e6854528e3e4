// Package report has the types in which a crawl is ordered and in which its
// progress is shown: the options and results of CRAWL, and the rows of the
// relations crawls, workers, fetches and frontier. The crawler fills them, and
// queries read them; neither needs to know the other.
package report

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"infomall/store/record"
	"infomall/store/urlkey"
)

// Outcome says how one attempt to fetch a URL ended.
type Outcome uint8

// The values of Outcome. They are stored as numbers; their names are in
// outcomeNames.
const (
	OutcomeOK           Outcome = iota
	OutcomeNotModified          // status 304: the page has not changed
	OutcomeRedirect             // status 3xx, whether the target is fetched or not
	OutcomeHTTPError            // any other status without a page
	OutcomeIncomplete           // the body ended before its declared end
	OutcomeTimeout              // the server took longer than allowed
	OutcomeUnreachable          // no connection, or it broke before a response
	OutcomeDNSFailed            // the host has no address
	OutcomeTLSError             // no secure connection could be made
	OutcomeRobotsDenied         // robots.txt forbids the URL
	OutcomeFiltered             // a rule of the crawl excludes the URL; Reason says which
	OutcomeTruncated            // the body is longer than allowed; its first part is kept
	OutcomeInternal             // an error of this program
)

var outcomeNames = [...]string{
	"ok", "not_modified", "redirect", "http_error", "incomplete", "timeout", "unreachable", "dns_failed",
	"tls_error", "robots_denied", "filtered", "truncated", "internal_error",
}

// String returns the name of the outcome, as a query shows it, such as
// "dns_failed".
func (o Outcome) String() string { return outcomeNames[o] }

// BlockedBy returns the reason, as the log of attempts shows it, for not fetching a URL that the
// block-list keeps out of the archive. entry is the number of the entry in the block-list.
func BlockedBy(entry int64) string {
	return fmt.Sprintf("entry %d of the block-list keeps it out of the archive", entry)
}

// Fetch is one attempt to fetch a URL, or the decision not to fetch it.
type Fetch struct {
	URL     string
	Time    record.Time
	Outcome Outcome
	Status  int           // 0 without a response
	Elapsed time.Duration // from the request to the last byte received
	Bytes   int64         // size of the body; -1 without a response
	IP      string        // address that was connected to; "" without a connection
	Hop     int           // number of redirects before this URL
	Via     string        // page that links to the URL; "" for a seed
	Reason  string        // why the attempt ended so, if Outcome alone does not say it; or ""
	Crawl   string        // name of the crawl
	Unasked bool          // no server was asked, because the URL names a file, or the crawl goes through the archive; not stored

	// These fields say what happened in each stage of the attempt.
	Layer      int     // number of links from a seed
	Score      float64 // priority of the URL in the order BEST
	RobotsLine int     // line of robots.txt with the deciding rule, from 1; 0 if no rule matches
	Took       [Stages]time.Duration
	Links      int // links found in the response
	Queued     int // of Links, URLs that are new to the crawl
	LeftOut    int // of Links, URLs that a rule of the crawl excludes

	Shown *Shown // what a browser made of the page; nil for a URL that RENDER does not concern
}

// Stage is one of the steps that a crawl takes with each URL.
type Stage int

// The stages that a URL passes in a crawl, in order, and their number.
const (
	StagePrefetch Stage = iota // checks scope, traps and robots.txt
	StageFetch
	StageExtract // finds the links in the response
	StageWrite   // writes the response to the journal
	StagePost    // queues the new URLs among the links
	Stages       = iota
)

var stageNames = [Stages]string{"pre-fetch", "fetch", "extract", "write", "post"}

// String returns the name of the stage, as a query shows it, such as
// "pre-fetch".
func (s Stage) String() string { return stageNames[s] }

// StageTally counts the URLs that passed one stage, and the time it took for
// all of them.
type StageTally struct {
	Count int64
	Took  time.Duration
}

// Queued is a URL that a crawl has still to fetch.
type Queued struct {
	URL      string      // canonical
	Host     string      // host and port; each host has a queue of its own
	Priority uint64      // in the queue of its host, the lowest is fetched first
	Seq      uint64      // counts arrivals; among equal priorities, the lowest is first
	Layer    int         // number of links from a seed
	Via      string      // page that links to the URL; "" for a seed
	Origin   string      // the URL requested first, if redirects led to URL; or ""
	Hop      int         // number of redirects before this URL
	Tries    int         // attempts so far
	Due      record.Time // earliest time of the next attempt; NoTime for at once
	Score    float64     // priority in the order BEST
	Hint     float64     // added to the priority: from a sitemap, 0 to 1, and from the topic of the crawl
	Sitemap  bool        // the URL names a sitemap, or the crawl guesses so (Guessed)
	Guessed  bool        // no page names the URL; the crawl tries whether it is a sitemap
	Forced   bool        // fetch the URL even if the crawl has met it: after ADD … FORCE, or because a cookie is new
	Cookie   bool        // one of the redirects before this URL set a new cookie
	Crawl    string      // name of the crawl
	Off      int         // number of pages off the topic in a row, on the path of links to the URL
	Barren   int         // number of pages without anything new in a row, on the path of links to the URL
	Kept     bool        // the URL is in a trap, or excluded by an order, and therefore not fetched
	Excluded bool        // the URL is kept back because an order excludes it
	Terms    *Terms      // what Score consists of; nil in orders other than BEST
	Post     *Post       // the request for URL, if it is a POST; nil for a GET
}

// Post is what a crawl sends to fetch the response to a form. The URL of the response,
// Queued.URL, has the method and the body, as urlkey.WithBody writes them.
type Post struct {
	Media string // value of the header Content-Type
	Body  []byte
}

// GuessedKey returns the key under which a crawl notes that it has guessed the URL of a sitemap.
// The state of a crawl meets the key as if it were a URL (see Met in package crawl).
func GuessedKey(url string) string { return "sitemap:" + url }

// Asked returns the URL to which the request for u is sent: u.URL without the part that stands
// for the method and the body.
func (u *Queued) Asked() string {
	if u.Post == nil {
		return u.URL
	}
	page, _, _, _ := urlkey.Method(u.URL)
	return page
}

// Terms are the parts of a URL's priority in the order BEST. The priority is
// their sum, each multiplied with its weight.
type Terms struct {
	Domain     float64 // weight that the crawl statement gives the domain
	Popularity float64 // number of other hosts that link to the URL
	Parent     float64 // priority of the page that links to the URL; of a higher one than 10, only 10 counts
	Depth      float64 // number of folders in the path of the URL
	Other      float64 // sum of smaller parts: priority in a sitemap, host and path, and how well page and link fit the topic of the crawl
	// Hosts are hashes of the hosts that Popularity counts.
	Hosts []uint32
	// Weights are the weights of the crawl. They are set only for a query that
	// shows the terms.
	Weights *Weights
}

// Weights holds one factor for each of the Terms.
type Weights struct{ Domain, Popularity, Parent, Depth, Other float64 }

// CrawlState says what a crawl is doing, such as CrawlRunning.
type CrawlState uint8

// The states of a crawl. A crawl is interrupted if it is stored as running but
// no process runs it. Interrupted itself is never stored.
const (
	CrawlRunning CrawlState = iota
	CrawlPaused
	CrawlFinished
	CrawlStopped
	CrawlInterrupted
)

var crawlStates = [...]string{"running", "paused", "finished", "stopped", "interrupted"}

// String returns the name of the state, as a query shows it, such as
// "paused".
func (s CrawlState) String() string { return crawlStates[s] }

// Crawl describes one crawl: its statement and how far it has come.
type Crawl struct {
	ID        int64
	Name      string
	State     CrawlState
	Statement string // text of the CRAWL statement
	Started   record.Time
	Finished  record.Time // NoTime unless finished
	// Fetched counts the pages that came, with any status.
	Fetched int64
	Failed  int64  // attempts without a response
	Waiting int64  // URLs to be fetched
	Layer   int    // highest number of links from a seed so far
	Bytes   int64  // size of all bodies
	Error   string // error that ended the last run; or ""
	Stages  [Stages]StageTally
	Weights *Weights // set in the order BEST
	// Submitted counts the submissions of forms that were queued.
	Submitted int64 `json:",omitempty"`
	Kept      int64 `json:",omitempty"` // URLs that are not fetched because they are in traps
	// Traps are the traps that hold kept URLs; only the first few are listed.
	Traps []CrawlTrap `json:",omitempty"`
	// Excluded counts the URLs that are not fetched because an order excludes them.
	Excluded int64 `json:",omitempty"`
	// Outcomes counts the rows in the log of attempts, by Outcome.
	Outcomes [OutcomeInternal + 1]int64
	// Minute and Hour are the rates over the last minute and hour of this run.
	Minute, Hour Rate
	Alerts       int64 `json:",omitempty"` // number of alerts
	// On is the URL of the NATS servers if several processes run the crawl, otherwise "". With
	// On, Name is the name of the crawl, an @, and the name of a process.
	On string `json:",omitempty"`
	// Clicks are the rules by which the browser of the last run clicked; nil for a crawl without
	// RENDER.
	Clicks *Clicks `json:",omitempty"`
}

// Clicks names the files of rules by which a browser clicks on pages. Each field has the
// value of a setting: the absolute path of a file, or "" for none.
type Clicks struct {
	Consent string // consent_rules
	More    string // more_rules
}

// CrawlTrap is a part of a site that has ever more URLs and nothing new,
// such as a calendar. Its URLs are kept back, that is, they are not fetched.
type CrawlTrap struct {
	URL    string // the first URL that was kept back
	Kind   string // kind of its URLs, as named by package trap; host and kind identify a trap
	Reason string
	Kept   int64 // number of URLs kept back
}

// Host returns the host of the trap, with the port if its URLs name one.
func (t *CrawlTrap) Host() string { return urlkey.HostPort(t.URL) }

// Worker says what one worker of a running crawl is doing.
type Worker struct {
	Crawl string
	ID    int
	Step  string // idle, fetch or extract
	URL   string
	Since record.Time
}

// CrawlOrders are the orders that other processes have given a crawl, such as to
// pause. They stay in force until the crawl has ended. An interrupted crawl still has them
// when it continues.
type CrawlOrders struct {
	Pause    bool
	Stop     bool
	Workers  int         // number of workers; 0 means the number in the statement
	Resumed  int         // how often RESUME was ordered; each time, hosts that wait for a login go on
	Excluded []Exclusion `json:",omitempty"` // URLs that the crawl keeps back
	// Delays are in the order in which they were given. If two delays are for the same host, the
	// later one counts.
	Delays []HostDelay `json:",omitempty"`
}

// CrawlOrder says in which order a crawl fetches URLs.
type CrawlOrder uint8

// The orders in which a crawl can fetch URLs. Package order computes them.
const (
	OrderBFS    CrawlOrder = iota // by number of links from a seed, then by arrival
	OrderRandom                   // by a hash of the URL
	OrderBest                     // by priority
)

// CrawlOptions says what to crawl and how. The zero value of a field means
// its default, unless the field says otherwise.
type CrawlOptions struct {
	Name      string
	Statement string   // text of the statement; an unfinished crawl of this name with another text is an error
	Seeds     []string // canonical URLs

	Depth    int           // maximum number of links from a seed; -1 means no bound
	MaxPages int64         // maximum number of responses; 0 means no bound
	MaxBytes int64         // maximum size of all bodies; 0 means no bound
	MaxTime  time.Duration // maximum duration of this run; 0 means no bound

	Within       []urlkey.Scope // allowed URLs; none means the hosts of the seeds and all hosts below them
	Exclude      []urlkey.Scope
	ExcludeMatch []*regexp.Regexp // matched against whole URLs

	// Focus, if not nil, judges the links of each page. A link that it does not
	// want is followed only after fewer than Through such links in a row.
	Focus   Focus
	Through int

	Order CrawlOrder
	// Weights are the factors of the Terms in the order BEST. Domains gives
	// URLs of a scope a weight; the first scope that contains the URL counts.
	Weights Weights
	Domains []DomainWeight

	Workers int // number of fetches at the same time; 0 means 16
	// Delay is the pause between two requests to a host. -1 means five times
	// the duration of the last request, but 1 to 30 s.
	Delay time.Duration
	Rate  int64 // bytes per second, all hosts together; 0 means no bound
	Agent string
	// Proxy is the URL, without a password, of an HTTP proxy for all requests;
	// "" means none.
	Proxy string
	// Netrc is the path of a file with the names and passwords for hosts and
	// for the proxy; "" means none. Its content stays in memory only.
	Netrc         string
	SkipNoArchive bool // do not store pages that ask for noarchive
	// FromArchive follows links through the archive instead of the web: each
	// page is the last capture before the time Before. The crawl then asks no
	// server and stores nothing.
	FromArchive bool
	Before      record.Time
	BodyMax     int64           // maximum size of a body, longer ones are cut; 0 means 64 MB
	Requests    record.Requests // what is kept of the heads of requests
	// PublishEvery and PublishBytes bound the time, and the bytes of responses,
	// after which queries see what was fetched. 0 means 30 s and 64 MB.
	PublishEvery time.Duration
	PublishBytes int64
	// DiskMin is how many bytes must be free on the disk of the archive. With less
	// the crawl pauses until there is room again; 0 means no check.
	DiskMin      int64
	IgnoreRobots bool
	AllowPrivate bool // also connect to addresses outside the public Internet
	Requisites   bool // also fetch what is needed to show a page: images, style sheets, scripts
	TrapsOff     bool // also fetch URLs in traps
	// SkipDocuments leaves out the links of documents that are not pages, such as PDFs.
	SkipDocuments bool
	// TrapLimit is how many pages without anything new a kind of URLs may have
	// before it counts as a trap; 0 means 1000. Pages that are clearly no
	// content count more than once.
	TrapLimit int
	// VisitArgs are the names, in lower case, of arguments that identify a
	// visit, such as session ids; the crawl drops them from URLs. PageArgs are
	// the names of arguments that identify a page. A name that begins with a
	// slash is a pattern for a folder, such as /(s(*)). For all other arguments
	// the crawl finds out by itself.
	VisitArgs, PageArgs []string

	// Render has a browser show pages; nil means that none is shown.
	Render *Render
	// TrustDates leaves out a URL for which a sitemap or feed gives a date if the archive
	// has visited the URL since.
	TrustDates bool
	// Forms are the values that the crawl submits for fields of forms; none submits no
	// form. FormLimit is the greatest number of submissions of one form; of all forms
	// together the crawl makes ten times as many. 0 means 1000.
	Forms     []FormField
	FormLimit int

	// On is the URL of the NATS servers by which several processes run the crawl; "" for one
	// process. Settings and Params are then sent to the other processes, which need them to run
	// the statement: the settings that differ from their defaults, and the parameters.
	On               string
	Settings, Params map[string]string

	// Progress, if not nil, is called from time to time by one goroutine.
	Progress func(Crawl)
}

// FormsPerLimit is how many times more submissions a crawl makes of all its forms together than of
// one form.
const FormsPerLimit = 10

// FormField has the values that a crawl submits for the fields of one name.
type FormField struct {
	Name   string
	Values []string
}

// DomainWeight gives the URLs of a scope a weight in the order BEST.
type DomainWeight struct {
	Scope  urlkey.Scope
	Weight float64
}

// Focus judges how well fetched pages and their links fit the topic of a
// crawl. Its method may be called from several goroutines at once.
type Focus interface {
	// Judge returns how well the page p and its links fit the topic. An error
	// ends the crawl.
	Judge(p *FocusedPage) (FocusVerdict, error)
}

// FocusedPage is a fetched page with its links, for a Focus.
type FocusedPage struct {
	URL        string
	Layer      int    // number of links from a seed
	Status     int    // 0 for a file
	IP         string // address of the server; "" for a file
	Head, Body []byte
	Size       int64 // size of the whole body; Body may be only its first part
	Mime       string
	Links      []FocusedLink
}

// FocusedLink is one link of a page.
type FocusedLink struct {
	URL    string // canonical
	Anchor string // text of the link
}

// FocusVerdict says how well a page and its links fit the topic.
type FocusVerdict struct {
	Similarity float64   // how much the page is about the topic, 0 to 1
	Promise    []float64 // how much each link is about the topic, by its text and URL, 0 to 1
	Follow     []bool    // for each link, whether to follow it; nil means all
}

// CrawlResult says what a crawl did in this run, from its start or resumption
// to its end.
type CrawlResult struct {
	Crawl
	Stored int64 // responses that are the first of their URL or show a change
	Visits int64 // responses that show no change
	// Lost are the seeds that got no response in this run, with the reason;
	// only the first few are listed.
	Lost []Fetch
	// Raised are the alerts of this run; only the first few are listed.
	Raised  []Alert
	Ended   Ended
	Elapsed time.Duration
}

// Ended counts the fetches that were aborted because a limit of the crawl was
// reached or it was stopped.
type Ended struct {
	Why  string // why the last of them was aborted; "" if there are none
	Cut  int    // pages that are kept with the part that had come
	Left int    // URLs without a response, which stay in the frontier
}

// ErrCrawlRunning is returned if another process is running the crawl.
var ErrCrawlRunning = errors.New("another process runs it")

// OtherCrawlError is returned if an unfinished crawl has the same name and
// another statement.
type OtherCrawlError struct{ Crawl Crawl }

// Error returns a message with the name and the statement of the crawl that
// has not ended.
func (e *OtherCrawlError) Error() string {
	return fmt.Sprintf("crawl %s has not ended, and was begun by another statement: %s", e.Crawl.Name, e.Crawl.Statement)
}

// NoCrawlError is returned if a statement names a crawl that does not exist.
type NoCrawlError struct {
	Name   string
	Crawls []string // names of the crawls that exist
}

// Error returns a message with the name of the missing crawl.
func (e *NoCrawlError) Error() string { return fmt.Sprintf("no crawl %q", e.Name) }
