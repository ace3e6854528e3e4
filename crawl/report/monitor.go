package report

import (
	"fmt"
	"strings"
	"time"

	"infomall/store/record"
)

// Rate is how fast a crawl fetches pages.
type Rate struct {
	Pages float64 // per second
	Bytes float64 // per second
}

// HostTally is what a crawl has counted for one host.
type HostTally struct {
	Crawl   string `json:"-"` // name of the crawl
	Host    string // host and port; the name of the queue
	Fetched int64  // pages that came, with any status
	Failed  int64  // attempts without a response
	Errors  int64  // responses with an error status, or incomplete
	Bytes   int64  // size of all bodies

	// LastTime is the time of the last attempt to fetch a page, or NoTime if there was none.
	LastTime    record.Time
	LastOutcome Outcome
	LastStatus  int // 0 without a response

	Next   record.Time   // when the host may be asked again, as of the last request; NoTime if no request was sent
	Delay  time.Duration // pause after the last request
	Fails  int           // requests in a row without a response
	Silent record.Time   // since when the host has been silent; NoTime if it is not. See AlertSilent

	// Soft is the share of soft 404s among the last pages; see AlertSoft404.
	Soft float64

	// ErrorTime is the time of the last attempt that failed, or NoTime if there was none.
	ErrorTime record.Time
	ErrorURL  string
	Error     string // outcome and reason

	// A reader of the state counts these; the crawl does not store them.
	Waiting int64 `json:"-"` // URLs to be fetched
	Kept    int64 `json:"-"` // URLs that are kept back: in a trap, or excluded by an order
}

// NewHostTally returns the tally of a host for which nothing was counted yet.
func NewHostTally(host string) HostTally {
	return HostTally{Host: host, LastTime: record.NoTime, Next: record.NoTime, Silent: record.NoTime, ErrorTime: record.NoTime}
}

// State says what the crawl has to do with the host: "silent" if the host does
// not answer, "waiting" if it has URLs to be fetched, or "done".
func (t *HostTally) State() string {
	switch {
	case t.Silent != record.NoTime:
		return "silent"
	case t.Waiting > 0:
		return "waiting"
	}
	return "done"
}

// AlertKind says what an Alert is about.
type AlertKind uint8

// The kinds of alerts. They are stored as numbers; their names are in alertKinds.
const (
	AlertSilent  AlertKind = iota // a host that answered before does not answer any more, while others do
	AlertAnswers                  // a silent host answers again
	AlertOffline                  // no host answers any more
	AlertOnline                   // some host answers again, after AlertOffline
	AlertSoft404                  // many pages of a host with status 200 have the same text, or the text of a page that does not exist
	AlertDiskLow                  // the disk has less room than the setting disk_min; the crawl waits
	AlertDiskOK                   // the disk has room again; the crawl goes on
)

var alertKinds = [...]string{"silent", "answers", "offline", "online", "soft_404", "disk_low", "disk_ok"}

// String returns the name of the kind, as a query shows it, such as "silent".
func (k AlertKind) String() string {
	if int(k) >= len(alertKinds) {
		return fmt.Sprintf("kind %d", k)
	}
	return alertKinds[k]
}

// Failure is a URL whose last fetch by a crawl brought no response.
type Failure struct {
	URL  string
	Time record.Time // of that fetch
}

// Alert is something about a crawl that its operator should know.
type Alert struct {
	Time  record.Time
	Crawl string `json:"-"` // name of the crawl
	Kind  AlertKind
	Host  string // host and port; "" if the alert is about no single host
	URL   string // a page that the alert is about, such as a soft 404; or ""
	Text  string // what happened, in one sentence
}

// Exclusion is a set of URLs that an order excludes from a crawl: the URLs in a
// scope, or the URLs that a regular expression matches. Values with equal fields
// are the same exclusion.
type Exclusion struct {
	From  string `json:",omitempty"` // the scope, or the start of a range of scopes
	To    string `json:",omitempty"` // the end of the range; "" if From is the whole scope
	Match string `json:",omitempty"` // the regular expression; "" for a scope
}

// String returns the exclusion as a statement writes it, such as 'a.example'.
func (x Exclusion) String() string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	switch {
	case x.Match != "":
		return "~" + quote(x.Match)
	case x.To != "":
		return quote(x.From) + " .. " + quote(x.To)
	}
	return quote(x.From)
}

// HostDelay is an order that sets the pause between two requests to a host.
type HostDelay struct {
	Scope string        // the hosts, as a scope; "" means all hosts without a delay of their own
	Delay time.Duration // the crawl still obeys a longer Crawl-delay of robots.txt
}
