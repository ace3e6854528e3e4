package crawl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/forms"
	"infomall/crawl/frontier"
	"infomall/crawl/links"
	"infomall/crawl/order"
	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/crawl/robots"
	"infomall/crawl/trap"
	"infomall/store/document"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Bounds of a crawl, and the intervals of its repeated work.
const (
	workersDefault = 16
	commitEvery    = 100 * time.Millisecond
	commitRest     = 10              // the pause after a commit is commitRest times its duration, because workers wait for commits
	commitRestMax  = 2 * time.Second // longest pause after a commit
	commitMany     = 256             // fetched pages that are not acknowledged; after a crash these are fetched again
	spareMax       = 512             // tasks that are prepared for workers while a commit lasts
	pollEvery      = 250 * time.Millisecond
	publishEvery   = 30 * time.Second // unless the options of the crawl say otherwise
	lostMax        = 5                // seeds without a response that the result lists
	overGrace      = time.Second      // how long running fetches may go on after the crawl is over
	quiet          = 20               // after a commit of fewer tasks, other processes may read the state
)

// Env is the connection of a crawl to the outside world: network and clock. The
// zero value is the Internet and the machine's clock.
type Env struct {
	// Dial connects to an address, Lookup returns the addresses of a host, and Now returns
	// the current time.
	Dial   func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	Now    func() time.Time
	// Documents reads documents, such as PDF files, for their links; nil reads none.
	Documents Documents
	// DiskFree returns how many bytes are free on the disk of the archive; nil means
	// that this is not known.
	DiskFree func() (int64, error)
	// Browser starts the browser of a crawl with RENDER. Run closes it.
	Browser func(ctx context.Context, o *report.CrawlOptions) (Browser, error)
}

// Browser shows pages, several at a time. Package render has one.
type Browser interface {
	// Show shows a page and returns what the browser made of it. It does not call Send
	// of the page after it has returned. An error is about this page only, such as that
	// the browser broke down over it, or is that of ctx.
	Show(ctx context.Context, p render.Page) (*render.Shown, error)
	// Cookies returns the cookies of the profile that the browser was started with. The
	// crawl sends them with its own requests too.
	Cookies() []render.Cookie
	Close() error
}

// Documents reads documents that are not pages. Several goroutines may use it.
type Documents interface {
	// Read reads a body. The result is nil if no kind of document reads it. Read takes
	// a bounded time. An error means that no body can be read, or it is that of ctx.
	Read(ctx context.Context, in *document.Input) (*document.Document, error)
}

// Run runs one crawl until no URL is left, a limit of o is reached, an order
// stops it, or ctx ends. A crawl of the same name and statement that has not
// ended is continued. The result counts what is in the archive, also if Run
// returns an error.
func Run(ctx context.Context, a Archive, o report.CrawlOptions, env Env) (report.CrawlResult, error) {
	e := &engine{
		a: a, o: o, now: env.Now, results: make(chan *fetchTask), spare: make(chan *fetchTask, spareMax),
		documents: env.Documents, documentSeats: make(chan struct{}, documentsMax), calls: make(chan *call),
		diskFree: env.DiskFree,
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.o.SkipDocuments {
		e.documents = nil
	}
	if e.o.Workers == 0 {
		e.o.Workers = workersDefault
	}
	if e.o.PublishEvery == 0 {
		e.o.PublishEvery = publishEvery
	}
	if e.o.Weights == (report.Weights{}) {
		e.o.Weights = order.DefaultWeights
	}
	e.begun = e.now()
	e.monitor = newMonitor(e.begun)
	var err error
	if e.rules, err = newRules(&o); err != nil {
		return report.CrawlResult{}, err
	}
	defer e.rules.files.close()
	if e.client, err = newClient(&o, env, e.now, e.holds); err != nil {
		return report.CrawlResult{}, err
	}
	defer e.client.Close()
	if err := e.startBrowser(ctx, env); err != nil {
		return report.CrawlResult{}, err
	}
	if e.q, err = a.State(o.Name); err != nil {
		return report.CrawlResult{}, errors.Join(err, e.closeBrowser())
	}
	e.shared, _ = e.q.(Shared)
	if err = e.pinPast(ctx); err == nil {
		err = e.start()
	}
	if err == nil {
		e.sink = nowhere{}
		if !o.FromArchive {
			e.sink, err = a.Sink(ctx, o.Name, o.PublishBytes)
		}
		if err == nil && e.browser != nil && e.resumed {
			err = e.pinPast(ctx) // with what the earlier run left in a journal
		}
		if err == nil {
			err = e.loop(ctx)
			err = errors.Join(err, e.end(ctx, err))
		}
	}
	err = errors.Join(err, e.closeBrowser(), e.q.Close(), e.past.pin(nil, e.begun))
	res := report.CrawlResult{Crawl: e.crawl, Lost: e.lost, Raised: e.monitor.raised, Ended: e.ended, Elapsed: e.now().Sub(e.begun)}
	if e.sink != nil {
		c := e.sink.Counts()
		res.Stored, res.Visits = c.Stored, c.Visits
	}
	return res, err
}

// engine is one crawl that runs. Its fields belong to the goroutine of Run. The
// fields of a task belong to its worker until the worker reports.
type engine struct {
	a      Archive
	o      report.CrawlOptions
	now    func() time.Time
	begun  time.Time
	rules  *rules
	client *fetch.Client
	q      State
	shared Shared // q, if several processes run the crawl; otherwise nil
	sink   Sink
	f      *frontier.Frontier
	crawl  report.Crawl
	orders report.CrawlOrders
	ordered
	monitor  monitor
	diskFree func() (int64, error) // nil: not known
	ending   bool                  // the crawl is over: its last commits store everything

	hosts   map[string]*host
	manners manners
	past    past // used by workers too

	documents     Documents     // used by workers too; nil reads none
	documentSeats chan struct{} // one for each worker that reads a document
	sitemap       sync.Mutex    // held while a sitemap is read for its links: it may take 50 MB

	browser Browser // of a crawl with RENDER; nil shows no pages
	parts   parts   // responses to the parts of shown pages
	waits   int     // number of hosts that wait until the user has logged in

	newBrowser func() (Browser, error)
	screen     sync.RWMutex   // locked for reading while a page is shown, and for writing while the browser is replaced
	reloading  bool           // the browser is being replaced
	reloads    sync.WaitGroup // of the goroutine that replaces it
	loggedIn   []string       // hosts that go on with the next browser

	calls chan *call // calls of goroutines that show a page; see engine.call

	sites      sites
	results    chan *fetchTask
	tasks      []*fetchTask    // the running tasks, by worker; nil for an idle worker
	out        int             // number of running tasks
	spare      chan *fetchTask // tasks for workers that become ready while the engine is busy
	laidOut    []*fetchTask    // tasks put into spare since the engine is busy
	taken      int             // how many tasks workers took from spare the last time
	shelf      []*fetchTask    // spare tasks that no worker took: out of the frontier, but not running
	leased     int64           // pages that are being fetched or not acknowledged; they count against the limit
	held       int64           // bytes of fetched pages that are not acknowledged; they count too
	done       []*fetchTask    // finished tasks that are not acknowledged
	lost       []report.Fetch  // seeds that got no response
	ended      report.Ended    // fetches that a limit or STOP ended
	overSince  time.Time       // when the crawl began no more fetches; zero while it still does
	resumed    bool            // an earlier run began the crawl
	crawlBegan record.Time     // when the first run began the crawl
	cutOff     bool            // the fetches that ran when the crawl was over have been cancelled
	committed  time.Time       // end of the last commit
	rest       time.Duration   // pause after committed before the next commit, unless many tasks are done
	polled     time.Time       // last time that poll was called
	published  time.Time       // last time that publish was called
}

// fetchTask is a URL on its way through the stages of a crawl.
type fetchTask struct {
	worker       int
	u            report.Queued
	part         bool // the task fetches robots.txt for a part of a page, which does not wait for the pauses of the address
	robots       bool // the task fetches the robots.txt of the host of u; u then returns to the frontier
	step         string
	since        time.Time
	usualCharset string // charset of most earlier pages of the host

	// These fields are set by the worker.
	fetched  chan struct{} // closed when the engine has handled the response; the worker then reads the links
	res      fetch.Response
	entered  netip.Addr        // address for which manners gave permission; invalid if none
	captures []*record.Capture // of robots.txt and its redirects
	unread   string            // why robots.txt is not known although there was a response
	first    []byte            // the first part of a body that is not in memory; nil if the body cannot have links
	size     int64             // size of the whole body if first is set
	known    *record.Payload   // the archive's copy of the page, if the page is unchanged
	again    time.Time         // if not zero, nothing was fetched; the address may be asked again at this time
	final    bool              // the worker has ended
	relieved bool              // another task was begun in its place
	links    []links.Link
	forms    []*forms.Form
	asks     robots.Directives // of the page
	charset  charset.Found     // of the page
	print    *trap.Print       // content of the response, to find traps
	focus    report.FocusVerdict
	after    record.Time // responses that the crawl stored until then do not count; the page asked for a password then
	had      bool        // the crawl has stored the response already; see cameBefore
	counted  bool        // the bytes of the response were counted as those of a part
	verdict  verdict     // whether pages like that of u are shown, if RENDER has no WHEN
	show     *showing    // of a page that RENDER concerns, otherwise nil
	took     [report.Stages]time.Duration
	err      error // an error of the crawl's Focus, which ends the crawl

	// These fields are set by the engine.
	leased  bool           // the task counts against the limit until it is acknowledged
	came    bool           // the response is a page
	failed  bool           // there was no response
	missed  bool           // u was guessed to be a sitemap, and is none
	fetches []report.Fetch // rows for the log of attempts
	retry   time.Time      // when to fetch u again; zero if u is done
	keep    bool           // u is in a trap and is kept back, that is, not fetched
	line    int            // line of robots.txt with the rule that decided on u; 0 if no rule matches
	queued  int            // number of links that are new to the crawl
	leftOut int            // number of links that a rule left out
}

// pinPast pins the current content of the archive in e.past, so that the
// crawl can compare pages with it.
func (e *engine) pinPast(ctx context.Context) error {
	p, err := e.a.Past(ctx)
	if err != nil {
		return err
	}
	return e.past.pin(p, e.now())
}

// start begins the crawl, or continues it if a crawl of this name has not
// ended. It returns a *report.OtherCrawlError if that crawl has another
// statement.
func (e *engine) start() (err error) {
	if e.crawl, err = e.q.Crawl(); err != nil {
		return err
	}
	begun := e.crawl.Name != "" && e.crawl.State != report.CrawlFinished && e.crawl.State != report.CrawlStopped
	if begun && e.crawl.Statement != e.o.Statement {
		return &report.OtherCrawlError{Crawl: e.crawl}
	}
	var given []report.Queued // URLs that were added to the previous crawl after its end
	var traps []releasedTrap
	if !begun {
		id := e.crawl.ID + 1
		if given, err = e.q.Inbox(commitMany); err != nil {
			return err
		}
		if traps, err = e.trapsOf(given); err != nil {
			return err
		}
		if err := e.q.Reset(); err != nil {
			return err
		}
		e.crawl = report.Crawl{ID: id, Name: e.o.Name, Statement: e.o.Statement, Started: record.At(e.begun), Finished: record.NoTime}
	}
	e.resumed, e.crawlBegan = begun, e.crawl.Started
	e.crawl.State, e.crawl.Error = report.CrawlRunning, ""
	if r := e.o.Render; r != nil {
		e.crawl.Clicks = &report.Clicks{Consent: r.Consent, More: r.More}
	}
	if e.o.Order == report.OrderBest {
		e.crawl.Weights = &e.o.Weights
	}
	orders, err := e.q.Orders()
	if err != nil {
		return err
	}
	orders.Pause = false // a paused crawl that is run again continues
	if err := e.q.SetOrders(orders); err != nil {
		return err
	}
	e.client.SetQuota(e.o.MaxBytes, e.crawl.Bytes)
	e.hosts, e.manners = make(map[string]*host), newManners()
	if e.f, err = frontier.New(e.q); err != nil {
		return err
	}
	if err := e.takeOrders(); err != nil {
		return err
	}
	if err := e.includeAgain(); err != nil { // an order may have ended while no process ran the crawl
		return err
	}
	if err := e.checkDisk(); err != nil {
		return err
	}
	if !begun {
		for _, s := range e.o.Seeds {
			if _, err := e.add(report.Queued{URL: s}); err != nil {
				return err
			}
		}
		if err := errors.Join(e.releaseTraps(traps), e.admit(given)); err != nil {
			return err
		}
	}
	if err := e.q.SetWorkers(nil); err != nil {
		return err
	}
	return e.save()
}

// add queues a URL after setting its Priority, Host and Due. It reports whether
// the URL was queued: it is new to the crawl, or Forced.
func (e *engine) add(u report.Queued) (bool, error) {
	u.Host, u.Due = hostOf(u.URL), record.NoTime
	if e.shared != nil && !e.shared.Owns(u.Host) {
		return e.shared.Send(u)
	}
	u.Priority = e.priority(&u)
	added, err := e.f.Add(u)
	if added {
		e.crawl.Waiting++
		e.crawl.Layer = max(e.crawl.Layer, u.Layer)
	}
	return added, err
}

// save makes the state of the crawl durable.
func (e *engine) save() error {
	if err := e.q.SetCrawl(&e.crawl); err != nil {
		return err
	}
	return e.q.Commit()
}

// workers returns what each worker does at the moment.
func (e *engine) workers() []report.Worker {
	var list []report.Worker
	for i, t := range e.tasks {
		w := report.Worker{Crawl: e.o.Name, ID: i + 1, Step: "idle", Since: record.NoTime}
		if t != nil {
			w.Step, w.URL, w.Since = t.step, t.u.URL, record.At(t.since)
		}
		list = append(list, w)
	}
	return list
}

// loop runs the crawl until it is over or ctx ends. When loop returns, all
// workers have ended.
func (e *engine) loop(ctx context.Context) error {
	work, end := context.WithCancelCause(ctx)
	defer func() {
		end(nil)
		for e.out > 0 {
			e.abandon(<-e.results)
		}
	}()
	e.polled, e.published, e.committed, e.rest = e.begun, e.begun, e.begun, commitEvery
	for {
		e.endFetches(end)
		e.reload(work)
		wait, err := e.lease(work)
		if err != nil {
			return err
		}
		// All idle workers have tasks now, so they need not wait for keepUp.
		if busy, err := e.keepUp(ctx); err != nil {
			return err
		} else if busy {
			continue
		}
		if e.out == 0 && !e.reloading && !e.awaits() && (e.f.Empty() || e.enough() && (len(e.shelf) == 0 || e.over() != "")) {
			if len(e.done) > 0 {
				if err := e.commit(); err != nil {
					return err
				}
				continue // some URLs may be tried again
			}
			if e.enough() {
				return nil // URLs that are added from now on are for the next crawl
			}
			if err := e.poll(); err != nil {
				return err
			}
			if e.f.Empty() && len(e.loggedIn) == 0 {
				return nil
			}
			continue
		}
		timer := time.NewTimer(e.until(wait))
		select {
		case t := <-e.results:
			err = e.take(ctx, t)
		case c := <-e.calls:
			err = c.run(ctx)
			close(c.done)
		case <-timer.C:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// until returns how long the engine may wait for a report of a worker before other work is due.
// wait is the time at which the next URL becomes ready; zero if none is waiting.
func (e *engine) until(wait time.Time) time.Duration {
	now := e.now()
	d := pollEvery - now.Sub(e.polled)
	if len(e.done) > 0 {
		d = min(d, e.rest-now.Sub(e.committed))
	}
	if !wait.IsZero() {
		d = min(d, wait.Sub(now))
	}
	return max(d, 0)
}

// enough reports whether no more URLs may be taken from the frontier,
// because the crawl is over or a limit is reached.
func (e *engine) enough() bool { return e.over() != "" || e.leaves() || e.full() }

// over returns why no more fetches are begun, such as "the crawl was stopped",
// or "" while the crawl goes on.
func (e *engine) over() string {
	switch {
	case e.orders.Stop:
		return "the crawl was stopped"
	case e.o.MaxTime > 0 && e.now().Sub(e.begun) >= e.o.MaxTime:
		return fmt.Sprintf("the crawl reached its LIMIT of %v", e.o.MaxTime)
	}
	return ""
}

// endFetches cancels the running fetches when the crawl has been over for
// overGrace. The received part of a page is kept. A URL without an answer stays
// in the frontier.
func (e *engine) endFetches(end context.CancelCauseFunc) {
	why := e.over()
	switch now := e.now(); {
	case why == "" || e.cutOff:
	case e.overSince.IsZero():
		e.overSince = now
	case now.Sub(e.overSince) >= overGrace:
		e.cutOff = true
		end(&fetch.EndedError{Why: why})
	}
}

// full reports whether a limit on pages or bytes is reached, counting the
// running fetches as if they all succeed.
func (e *engine) full() bool {
	if e.shared != nil && e.o.MaxPages > 0 {
		return !e.shared.Allows(e.crawl.Fetched + e.leased + 1)
	}
	return e.client.QuotaSpent() || e.o.MaxPages > 0 && e.crawl.Fetched+e.leased >= e.o.MaxPages || e.o.MaxBytes > 0 && e.crawl.Bytes+e.held >= e.o.MaxBytes
}

// poll reads the orders and URLs that other processes sent, and commits the
// state, so that these processes can read it.
func (e *engine) poll() (err error) {
	e.client.CloseUnused()
	before := e.orders
	if err := e.takeOrders(); err != nil {
		return err
	}
	e.obeyResume(before)
	if err := e.checkDisk(); err != nil {
		return err
	}
	now := e.now()
	e.crawl.Minute, e.crawl.Hour = e.monitor.minute.rate(now), e.monitor.hour.rate(now)
	state := report.CrawlRunning
	if e.paused() {
		state = report.CrawlPaused
	}
	e.crawl.State = state
	given, err := e.q.Inbox(commitMany)
	if err != nil {
		return err
	}
	for _, u := range given {
		if err := e.release(u.URL); err != nil {
			return err
		}
	}
	if err := e.admit(given); err != nil {
		return err
	}
	if e.o.Progress != nil {
		e.o.Progress(e.crawl)
	}
	if err := e.q.SetWorkers(e.workers()); err != nil {
		return err
	}
	if e.shared != nil {
		return e.exchange()
	}
	return e.commit()
}

// admit queues URLs that another process added. It leaves out a URL that a rule
// of the crawl excludes, unless the URL is forced.
func (e *engine) admit(given []report.Queued) error {
	for _, u := range given {
		e.noteLogin(hostOf(u.URL))
		if !u.Forced && e.refuses(&u, false) != "" {
			continue
		}
		if _, err := e.add(u); err != nil {
			return err
		}
	}
	return nil
}

// end ends the crawl. err is the error that stopped the loop, or nil. end
// stores that the crawl is over only after all its pages are visible in the
// archive. It returns its own errors, not err.
func (e *engine) end(ctx context.Context, err error) error {
	e.ending = true
	errs := []error{e.saveSites(true)}
	if err == nil || ctx.Err() != nil {
		errs = append(errs, e.commit()) // keep what was fetched
	}
	closed := e.sink.Close(ctx)
	if ctx.Err() == nil {
		errs = append(errs, closed) // if ctx has ended, the rest is safe in a journal
	}
	failed := errors.Join(errs...)
	switch {
	case ctx.Err() != nil:
		return failed
	case err != nil || failed != nil:
		e.crawl.Error = errors.Join(err, failed).Error()
	case e.orders.Stop:
		e.crawl.State, e.crawl.Finished = report.CrawlStopped, record.At(e.now())
		failed = e.q.SetOrders(report.CrawlOrders{})
	case e.waits > 0:
		// Hosts wait until the user has logged in, so the crawl counts as interrupted.
	default:
		e.crawl.State, e.crawl.Finished = report.CrawlFinished, record.At(e.now())
	}
	return errors.Join(failed, e.save())
}
