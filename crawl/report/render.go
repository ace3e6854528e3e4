package report

// Render says which pages of a crawl a browser shows, and how.
type Render struct {
	// When decides which pages are shown. If it is nil, the crawl shows the pages with status
	// 200 to which the browser adds text or links that their response lacks.
	When Condition
	// Browsers is how many pages are shown at the same time; 0 means 1.
	Browsers   int
	Screenshot bool   // also store a picture of each page
	Profile    string // folder with the profile of a user, which is copied; "" means none

	Temp      string // folder in which the browser has its profile while it runs
	Path      string // of the browser; "" looks for one
	NoSandbox bool   // run the browser without its sandbox
	Consent   string // path of a file with rules that click the buttons of notices; "" means none
	More      string // path of a file with rules that click buttons that load more; "" means none
}

// Condition decides about fetched pages. Its method may be called from several goroutines
// at once.
type Condition interface {
	// Holds reports whether the condition is true of the page p, whose Links are not
	// set. An error ends the crawl.
	Holds(p *FocusedPage) (bool, error)
}

// Shown says what a browser made of a fetched page, or why no browser showed the page.
type Shown struct {
	Rendered   bool
	Why        string // why the page was shown or not, such as "RENDER WHEN is not true of it"
	Gained     bool   // the document after load has text, links or parts that the response lacks
	Parts      int    // requests of the page that were answered, without the page itself
	Refused    int    // requests of the page that were not sent, or that no server answered
	Sockets    int    // WebSockets that the page opened; their messages are not archived
	Consent    string // name of the rule that clicked; "" if none did
	Behaviours string // what was done on the page and why that ended, such as "scroll: 5 steps, done"
}
