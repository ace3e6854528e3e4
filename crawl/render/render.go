// Package render shows pages in a browser and returns what the browser made of
// them. The browser reaches nothing but a proxy of this package. The proxy hands
// each request of the browser to the caller, who decides, fetches and archives. So
// the caller is the only place that fetches.
//
// The package knows no crawl and no archive. Start starts a browser, and Pool.Show shows a
// page in it.
package render

import (
	"context"
	"time"
)

// Options are the settings of a Pool.
type Options struct {
	Path       string // of the browser; "" looks for Chromium and Chrome in the usual places
	Pages      int    // number of pages that are shown at the same time; 0 means 1
	NoSandbox  bool   // run the browser without its sandbox, as root must
	Temp       string // folder for the files of the browser; Start removes what an earlier run left there; "" means that of the machine
	Profile    string // folder with the profile of a user, which is copied and never written; "" means none
	Agent      string // value of User-Agent, also for scripts
	Consent    []Rule // clicks the buttons of notices
	More       []Rule // clicks buttons that load more of a page, before the rules of this package
	Screenshot bool   // take a picture of each page
	Limits     Limits
}

// Limits bound what one page may cost. A zero field means its default.
type Limits struct {
	Time     time.Duration // from the visit to the last behaviour; a minute
	Steps    int           // steps of one behaviour, such as scrolls; 50
	Requests int           // requests of one page; 1000
	Bytes    int64         // bytes of all responses to one page, and of the bodies of its requests; 100 MB
	DOM      int64         // bytes of the document after load, and of its text; 16 MB
}

// Page is a page to show.
type Page struct {
	URL  string // http or https
	Host string // the host by which rules are chosen, if it is not the host of URL, as in replay; otherwise ""
	// Send answers the requests of the page, the first of which is that for URL. It
	// may be called from several goroutines at once, at most parallel for one host.
	// An error means that the browser gets no response; its text is the reason.
	Send func(ctx context.Context, r *Request) (*Response, error)
}

// parallel is how many requests of one page to one host the proxy passes on at once.
const parallel = 6

// Request is a request that the browser made for a page.
type Request struct {
	Method string
	URL    string // absolute; http or https
	Head   []byte // header lines as the browser sent them, each ended by CR LF, without Host and the lines about the connection to the proxy
	Body   []byte // nil for none
	Main   bool   // the first request of the page, or a redirect of it
	Socket bool   // the request begins a WebSocket; the caller adds Connection: Upgrade
}

// Response is the answer to a Request. If it has status 101 for a WebSocket, the page sees
// the socket open, but no message goes over it in either direction.
type Response struct {
	Head []byte // status line and headers as they were received, with the empty line at the end
	// Body is the body before content-decoding and without the framing of chunks, also
	// if Head says that it is chunked.
	Body []byte
}

// Shown is what the browser made of a page.
type Shown struct {
	URL        string   // of the page at the end, which scripts may have changed
	DOM        []byte   // the document after load and behaviours, as HTML in UTF-8; shadow trees are in elements template, frames in attributes srcdoc
	Text       string   // the text that a reader sees
	Links      []string // targets of links in the document, absolute
	Screenshot []byte   // a PNG; nil if none was asked for
	Sockets    []string // URLs of WebSockets, whose messages are not archived
	Behaviours []Behaviour
	Consent    string // name of the rule that clicked; "" if none did
	Login      bool   // the page asks for a password
	Ended      string // why the visit ended: done, or the limit that ended it: requests, bytes or time
}

// Behaviour says what was done on a page to make it load all its parts.
type Behaviour struct {
	Name  string // scroll, open, dismiss, more
	Steps int
	Ended string // why it ended: done, steps, bytes or time
}
