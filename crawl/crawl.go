package crawl

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"infomall/crawl/fetch"
	"infomall/crawl/frontier"
	"infomall/crawl/links"
	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/crawl/robots"
	"infomall/crawl/trap"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Bounds of a crawl, and the intervals of its repeated work.
const (
	workersDefault = 16
	commitEvery    = 100 * time.Millisecond
	commitRest     = 10              // times what a commit took, before the next: workers wait for one
	commitRestMax  = 2 * time.Second // but no longer than that
	commitMany     = 256             // pages fetched and not acknowledged: what a crash has fetched again
	spareMax       = 512             // what is laid out for workers while a commit lasts
	pollEvery      = 250 * time.Millisecond
	publishEvery   = 30 * time.Second // unless the crawl says it
	lostMax        = 5
	overGrace      = time.Second // for pages under way to come whole when the time is over
	quiet          = 20          // acknowledgements in a batch, below which others are let in after it
)

// Env is the connection of a crawl to the outside world: network and clock. The
// zero value is the Internet and the machine's clock.
type Env struct {
	// Version stands in the User-Agent.
	Version string
	Dial    func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	Lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	TLS     *tls.Config
	Now     func() time.Time
}

// Run crawls until nothing is left, a limit is reached, an order stops it, or
// ctx ends. An unfinished crawl continues where it was. The result counts what
// is in the archive, also if there is an error.
func Run(ctx context.Context, a Archive, o report.CrawlOptions, env Env) (report.CrawlResult, error) {
	e := &engine{a: a, o: o, now: env.Now, results: make(chan *fetchTask), spare: make(chan *fetchTask, spareMax)}
	if e.now == nil {
		e.now = time.Now
	}
	if e.o.Workers == 0 {
		e.o.Workers = workersDefault
	}
	if e.o.PublishEvery == 0 {
		e.o.PublishEvery = publishEvery
	}
	if e.o.Weights == (report.Weights{}) {
		e.o.Weights = report.Weights(order.DefaultWeights)
	}
	e.begun = e.now()
	var err error
	if e.rules, err = newRules(&o); err != nil {
		return report.CrawlResult{}, err
	}
	defer e.rules.files.close()
	if e.client, err = newClient(&o, env, e.now); err != nil {
		return report.CrawlResult{}, err
	}
	defer e.client.Close()
	if e.q, err = a.State(o.Name); err != nil {
		return report.CrawlResult{}, err
	}
	if err = e.remember(ctx); err == nil {
		err = e.start()
	}
	if err == nil {
		e.sink = nowhere{}
		if !o.FromArchive {
			e.sink, err = a.Sink(ctx, o.Name, o.PublishBytes)
		}
		if err == nil {
			err = e.loop(ctx)
			err = errors.Join(err, e.end(ctx, err))
		}
	}
	err = errors.Join(err, e.q.Close(), e.past.pin(nil, e.begun))
	res := report.CrawlResult{Crawl: e.crawl, Lost: e.lost, Ended: e.ended, Elapsed: e.now().Sub(e.begun)}
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
	sink   Sink
	f      *frontier.Frontier
	crawl  report.Crawl
	orders report.CrawlOrders

	hosts     map[string]*host
	manners   manners
	past      past // used by workers too
	sites     sites
	results   chan *fetchTask
	tasks     []*fetchTask // those that are out, by worker; nil is an idle one
	out       int
	spare     chan *fetchTask // what workers take that are ready while the engine is busy
	laidOut   []*fetchTask    // what was put there since it is
	taken     int             // how many took of that the last time
	shelf     []*fetchTask    // what nobody took, out of the frontier and not out yet
	leased    int64           // pages that are out or not acknowledged, which count against the limit
	held      int64           // bytes that came and are not acknowledged, which do so too
	done      []*fetchTask
	lost      []report.Fetch // seeds that brought no answer
	ended     report.Ended   // what a limit or STOP ended
	overSince time.Time      // since when nothing is begun any more; zero while it is
	resumed   bool           // an earlier run began the crawl
	cutOff    bool           // what was under way then has been ended
	committed time.Time
	rest      time.Duration // after committed, before the next commit unless there is much
	polled    time.Time
	published time.Time
}

// fetchTask is a URL on its way through the stages of a crawl.
type fetchTask struct {
	worker int
	u      report.Queued
	robots bool // its host's robots.txt is fetched, and the URL goes back
	step   string
	since  time.Time
	usual  string // charset of most pages of the host that came before

	// What the worker found.
	fetched  chan struct{} // the engine has taken the response in: links may be read
	res      fetch.Response
	entered  netip.Addr        // which the worker asked, by the manners; invalid if none
	captures []*record.Capture // of robots.txt and its redirects
	unread   string            // why robots.txt is not known though it was answered
	first    []byte            // the first part of a body that is not in memory; nil if it leads nowhere
	size     int64             // of that body
	known    *record.Payload   // what the archive has of the page, which is as it was
	again    time.Time         // the address is not to be asked before: nothing was fetched
	final    bool              // the worker has ended
	relieved bool              // another task was begun in its place
	links    []links.Link
	asks     robots.Directives // of the page
	charset  charset.Found     // of the page
	print    *trap.Print       // of what came, if it may be in a trap
	focus    report.FocusVerdict
	took     [report.Stages]time.Duration
	err      error // a fault in what the crawl was asked, which ends it

	// What the engine decided.
	leased  bool // it counts against the limit until it is acknowledged
	came    bool // it brought a page
	failed  bool // it brought no answer
	missed  bool // it was guessed to be a sitemap, and is none
	fetches []report.Fetch
	retry   time.Time // zero: it is done
	keep    bool      // it is in a trap: it is kept back
	line    int       // of robots.txt, that allows it; 0: none says anything
	queued  int       // URLs that it led to and that were not met before
	leftOut int       // URLs that it led to and that a rule left out
}

// remember pins the current content of the archive.
func (e *engine) remember(ctx context.Context) error {
	p, err := e.a.Past(ctx)
	if err != nil {
		return err
	}
	return e.past.pin(p, e.now())
}

// start begins the crawl or continues it.
func (e *engine) start() (err error) {
	if e.crawl, err = e.q.Crawl(); err != nil {
		return err
	}
	begun := e.crawl.Name != "" && e.crawl.State != report.CrawlFinished && e.crawl.State != report.CrawlStopped
	if begun && e.crawl.Statement != e.o.Statement {
		return &report.OtherCrawlError{Crawl: e.crawl}
	}
	var given []report.Queued // to a crawl that was over
	var traps []released
	if !begun {
		id := e.crawl.ID + 1
		if given, err = e.q.Inbox(commitMany); err != nil {
			return err
		}
		if traps, err = e.releases(given); err != nil {
			return err
		}
		if err := e.q.Reset(); err != nil {
			return err
		}
		e.crawl = report.Crawl{ID: id, Name: e.o.Name, Statement: e.o.Statement, Started: record.At(e.begun), Finished: record.NoTime}
	}
	e.resumed = begun
	e.crawl.State, e.crawl.Error = report.CrawlRunning, ""
	if e.o.Order == report.OrderBest {
		e.crawl.Weights = &e.o.Weights
	}
	if e.orders, err = e.q.Orders(); err != nil {
		return err
	}
	e.orders.Pause = false // who runs it again goes on with it
	if err := e.q.SetOrders(e.orders); err != nil {
		return err
	}
	e.client.SetQuota(e.o.MaxBytes, e.crawl.Bytes)
	e.hosts, e.manners = make(map[string]*host), newManners()
	if e.f, err = frontier.New(e.q); err != nil {
		return err
	}
	if !begun {
		for _, s := range e.o.Seeds {
			if _, err := e.add(report.Queued{URL: s}); err != nil {
				return err
			}
		}
		if err := errors.Join(e.renew(traps), e.admit(given)); err != nil {
			return err
		}
	}
	if err := e.q.SetWorkers(nil); err != nil {
		return err
	}
	return e.save()
}

// add queues a URL after setting its Priority, Host and Due. It reports whether
// the URL is new.
func (e *engine) add(u report.Queued) (bool, error) {
	u.Host, u.Due = hostOf(u.URL), record.NoTime
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

// loop runs the crawl. When it returns, all workers have ended.
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
		wait, err := e.lease(work)
		if err != nil {
			return err
		}
		// Whoever was ready is on the way now, and need not wait for this.
		if busy, err := e.keepUp(ctx); err != nil {
			return err
		} else if busy {
			continue
		}
		if e.out == 0 && (e.f.Empty() || e.enough() && (len(e.shelf) == 0 || e.over() != "")) {
			if len(e.done) > 0 {
				if err := e.commit(); err != nil {
					return err
				}
				continue // some may be tried again
			}
			if e.enough() {
				return nil // what is given from now on is for the next
			}
			if err := e.poll(); err != nil {
				return err
			}
			if e.f.Empty() {
				return nil
			}
			continue
		}
		timer := time.NewTimer(e.until(wait))
		select {
		case t := <-e.results:
			err = e.take(ctx, t)
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

// until returns how long the engine may wait for workers before it has other
// work. wait is the time at which a URL becomes ready.
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

// enough reports whether no more URLs may be taken from the frontier.
func (e *engine) enough() bool { return e.over() != "" || e.full() }

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

// full reports whether a limit on pages or bytes is reached if all running
// fetches succeed.
func (e *engine) full() bool {
	return e.client.QuotaSpent() || e.o.MaxPages > 0 && e.crawl.Fetched+e.leased >= e.o.MaxPages || e.o.MaxBytes > 0 && e.crawl.Bytes+e.held >= e.o.MaxBytes
}

// poll reads orders and URLs that other processes sent, and lets these
// processes access the state.
func (e *engine) poll() (err error) {
	e.client.CloseUnused()
	if e.orders, err = e.q.Orders(); err != nil {
		return err
	}
	state := report.CrawlRunning
	if e.orders.Pause {
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
	return e.commit()
}

// admit queues URLs that another process sent.
func (e *engine) admit(given []report.Queued) error {
	for _, u := range given {
		if !u.Forced && e.rules.refuse(u.URL, false) != "" {
			continue
		}
		if _, err := e.add(u); err != nil {
			return err
		}
	}
	return nil
}

// end ends the crawl. err is the error that stopped it, or nil. The state says
// that the crawl is over only after all its pages are visible in the archive.
func (e *engine) end(ctx context.Context, err error) error {
	errs := []error{e.saveSites(true)}
	if err == nil || ctx.Err() != nil {
		errs = append(errs, e.commit()) // what is fetched counts
	}
	closed := e.sink.Close(ctx)
	if ctx.Err() == nil {
		errs = append(errs, closed) // else what was not published is in a journal
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
	default:
		e.crawl.State, e.crawl.Finished = report.CrawlFinished, record.At(e.now())
	}
	return errors.Join(failed, e.save())
}
