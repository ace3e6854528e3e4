package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"infomall/crawl/report"
	"infomall/crawl/state"
	"infomall/store/record"
)

// The defaults of Options.
const (
	partitionsDefault = 1024
	leaseDefault      = 15 * time.Second
)

// slotsMax is how many fetchers of one crawl one archive can have on one machine.
const slotsMax = 256

// Options says how a process takes part in a crawl.
type Options struct {
	URL   string // of the NATS servers, separated by commas
	Begin Begin

	MaxPages int64         // most pages of all processes together; 0 means no bound
	MaxTime  time.Duration // longest time from the beginning of the crawl; 0 means no bound
	Delay    time.Duration // pause between two requests to a host; -1 means that it depends on the last request
	Workers  int           // number of fetches of this process at the same time

	Partitions int           // of a crawl that Join begins; 0 means 1,024
	Lease      time.Duration // after which a silent process counts as dead; 0 means 15 s
	Every      time.Duration // how often a process says that it is alive; 0 means a quarter of Lease

	Folder *state.Folder // where the states of crawls are, on the disk of this process
	// Run runs the engine with the state s of the crawl called name, until s.Leaves, an
	// error, or the end of ctx. It closes s.
	Run func(ctx context.Context, name string, s *Session) (report.CrawlResult, error)
	// Log, if not nil, is called with messages about this process.
	Log func(format string, args ...any)
}

// fetcher is a process that takes part in a crawl.
type fetcher struct {
	o     Options
	run   *run
	name  string // unique
	local string // name of its state in the folder
	ran   bool   // a session of f has begun, so that the state is of this crawl
	ctx   context.Context
	ends  time.Time     // when the crawl reaches its limit of time; zero for never
	kick  chan struct{} // makes watch look at once
	log   func(format string, args ...any)

	clean     map[int]bool // partitions of f, and whether all that was done with their hosts is known
	quiet     time.Time    // until then, the fetcher that had partitions of f before may ask their hosts
	lastAlive []string     // fetchers that were alive when f looked last; used by watch only

	ledgerMu sync.Mutex // held while the ledger changes

	mu      sync.Mutex
	part    part      // what f says about itself
	renewed time.Time // from then on, the session holds its partitions for two thirds of the lease; see hold
	crawl   Crawl     // as f read it last
	parts   []part    // of all fetchers, as f read them last
	session *Session  // nil between two sessions
	granted int64     // pages that the ledger lets f fetch
	denied  time.Time // when the ledger gave no more
}

// Join begins or continues a crawl, and takes part in it until it has ended or ctx ends.
// The result counts what all processes have fetched. The error is a
// *report.OtherCrawlError if a crawl of this name has another statement, and ErrOver if
// o.Begin.Part is set and the crawl does not run.
func Join(ctx context.Context, o Options) (res report.CrawlResult, err error) {
	if o.Partitions == 0 {
		o.Partitions = partitionsDefault
	}
	if o.Lease == 0 {
		o.Lease = leaseDefault
	}
	if o.Every == 0 {
		o.Every = o.Lease / 4
	}
	begun := time.Now()
	s, err := connect(ctx, o.URL)
	if err != nil {
		return res, err
	}
	defer s.close()
	r, err := s.begin(ctx, o.Begin, o.Partitions, begun)
	if err != nil {
		return res, err
	}
	f := &fetcher{o: o, run: r, ctx: ctx, kick: make(chan struct{}, 1), clean: make(map[int]bool), crawl: r.crawl, log: o.Log}
	if f.log == nil {
		f.log = func(string, ...any) {}
	}
	if o.MaxTime > 0 {
		f.ends = r.crawl.Started.Std().Add(o.MaxTime)
	}
	if err := f.chooseName(); err != nil {
		return res, err
	}
	watching, end := context.WithCancel(context.WithoutCancel(ctx))
	var ended sync.WaitGroup
	ended.Go(func() { f.watch(watching) })
	res, err = f.sessions(ctx)
	end()
	ended.Wait()
	err = errors.Join(err, f.conclude())
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), o.Lease)
	defer cancel()
	err = errors.Join(err, f.depart(leaving))
	f.addCounts(leaving, &res)
	res.Elapsed = time.Since(begun)
	return res, err
}

// chooseName gives f its name. It also chooses a name for the state of f in the folder, one that no
// other process uses.
func (f *fetcher) chooseName() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	base := f.o.Begin.Name + "@" + host
	for i := 1; i <= slotsMax; i++ {
		if f.local = base; i > 1 {
			f.local = fmt.Sprintf("%s-%d", base, i)
		}
		q, err := f.o.Folder.OpenCrawl(f.local)
		if errors.Is(err, report.ErrCrawlRunning) {
			continue
		}
		if err != nil {
			return err
		}
		if err := q.Close(); err != nil {
			return err
		}
		f.name = f.local + "." + strings.ToLower(rand.Text()[:8])
		c := f.run.crawl
		f.part = part{Fetcher: f.name, Crawl: report.Crawl{ID: c.ID, Name: f.local, Statement: c.Statement, Started: c.Started, Finished: record.NoTime, On: f.o.URL}}
		return nil
	}
	return fmt.Errorf("crawl %s: this machine runs %d processes for it, the most that one archive can have", f.o.Begin.Name, slotsMax)
}

// sessions runs sessions until the crawl has ended or ctx ends.
func (f *fetcher) sessions(ctx context.Context) (res report.CrawlResult, err error) {
	pause := f.o.Every / 2
	for {
		if err := f.storePart(ctx); err != nil {
			return res, f.endError(ctx, err)
		}
		owned, err := f.acquire(ctx)
		if err != nil || len(owned) == 0 {
			return res, f.endError(ctx, err)
		}
		one, err := f.runSession(ctx, owned)
		res.Ended, res.Raised = one.Ended, append(res.Raised, one.Raised...)
		res.Lost = append(res.Lost, one.Lost...)
		f.mu.Lock()
		f.part.Stored += one.Stored
		f.part.Visits += one.Visits
		f.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return res, context.Cause(ctx)
		case f.over():
			return res, nil
		case err == nil:
			continue
		case !errors.Is(err, errLost) && !passes(err):
			return res, err
		}
		f.log("crawl %s: %v; this process begins its part again", f.o.Begin.Name, err)
		select {
		case <-ctx.Done():
			return res, context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// endError returns the error with which sessions ends after err: the cause of ctx if ctx has
// ended, nil if the crawl has ended for all processes, otherwise err.
func (f *fetcher) endError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f.over() {
		return nil
	}
	return err
}

// acquire takes the partitions that f is to own, and returns them. It waits until f owns one or
// more. If the crawl ends meanwhile, it returns none. For partitions that other fetchers have
// not given up yet, it waits no longer than the lease.
func (f *fetcher) acquire(ctx context.Context) ([]int, error) {
	begun := time.Now()
	for {
		o, m, err := f.settle(ctx)
		if err != nil {
			return nil, err
		}
		owned := o.of(f.name)
		if f.over() || len(owned) > 0 && (m.wait == 0 || time.Since(begun) >= f.o.Lease) {
			if f.over() {
				return nil, nil
			}
			return owned, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(min(f.o.Every/2, idleEvery)):
		}
		if err := f.refresh(ctx); err != nil {
			return nil, err
		}
	}
}

// refresh reads the description of the crawl from the servers, to find out whether the crawl has
// ended.
func (f *fetcher) refresh(ctx context.Context) error {
	c, _, err := read[Crawl](ctx, f.run.crawls, token(f.o.Begin.Name))
	if err != nil {
		return err
	}
	if c.Run != f.run.crawl.Run {
		c.State = report.CrawlStopped
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.crawl = c
	return nil
}

// runSession runs one session with the partitions owned.
func (f *fetcher) runSession(ctx context.Context, owned []int) (res report.CrawlResult, err error) {
	q, err := f.o.Folder.OpenCrawl(f.local)
	if err != nil {
		return res, err
	}
	s, err := newSession(ctx, f, q, owned)
	if err != nil {
		return res, err
	}
	f.ran = true
	f.enter(s)
	if err := f.hold(ctx, s); err != nil {
		s.lose(err)
	}
	res, err = f.o.Run(ctx, f.local, s)
	f.enter(nil)
	// Only a session that ended by itself has written down all its requests. If an earlier fetcher
	// of the partition died, its last requests are unknown, so the partition stays unclean.
	whole := err == nil && ctx.Err() == nil && s.failure() == nil && res.Ended.Why == ""
	for _, p := range owned {
		f.clean[p] = f.clean[p] && whole
	}
	if failed := s.failure(); failed != nil {
		err = failed // the errors of the engine follow from it
	}
	return res, err
}

// enter records s as the current session of f; nil means that no session runs.
func (f *fetcher) enter(s *Session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.session, f.part.Idle, f.part.Owners, f.part.Read = s, false, 0, 0
}

// over reports whether the crawl has ended.
func (f *fetcher) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.crawl.over()
}

// late reports whether f has not renewed its lease on its partitions for two thirds of the
// lease's length. f then sends no requests, because another fetcher may soon take the
// partitions.
func (f *fetcher) late() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return time.Since(f.renewed) > f.o.Lease*2/3
}

// orders returns the orders for the crawl.
func (f *fetcher) orders() report.CrawlOrders {
	f.mu.Lock()
	defer f.mu.Unlock()
	o := f.crawl.Orders
	o.Stop = f.crawl.State == report.CrawlStopped
	return o
}

// counts returns what f has counted in all its sessions, such as pages fetched. setCounts
// replaces it.
func (f *fetcher) counts() report.Crawl {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.part.Crawl
}

func (f *fetcher) setCounts(c report.Crawl) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.part.Crawl = c
}

// setIdle notes whether f has nothing to fetch. read is the number of messages that f had read
// at that moment.
func (f *fetcher) setIdle(idle bool, read uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if idle && !f.part.Idle {
		select {
		case f.kick <- struct{}{}:
		default:
		}
	}
	f.part.Idle, f.part.Read = idle, read
}

func (f *fetcher) isIdle() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.part.Idle
}

// conclude writes into the stored description of what f has done that the crawl has ended. The
// last session of f may have ended earlier, because its partitions moved, and then did not write
// this.
func (f *fetcher) conclude() error {
	f.mu.Lock()
	crawl := f.crawl
	f.mu.Unlock()
	if !f.ran || !crawl.over() {
		return nil
	}
	q, err := f.o.Folder.OpenCrawl(f.local)
	if err != nil {
		return err
	}
	c, err := q.Crawl()
	if err == nil && c.State == report.CrawlRunning {
		c.State, c.Finished = crawl.State, crawl.Finished
		err = errors.Join(q.SetCrawl(&c), q.Commit())
	}
	return errors.Join(err, q.Close())
}

// depart gives up the partitions of f, and says that f takes part no more.
func (f *fetcher) depart(ctx context.Context) error {
	_, _, err := change(ctx, f.run.at, keyOwners, func(o *owners) error {
		o.resize(f.run.crawl.Partitions)
		mine := o.of(f.name)
		if len(mine) == 0 {
			return errKeep
		}
		for _, p := range mine {
			o.Of[p], o.Clean[p] = "", f.clean[p]
		}
		return nil
	})
	f.mu.Lock()
	if f.part.Left, f.part.Idle = true, false; !f.crawl.over() {
		f.part.Crawl.Waiting = 0 // others fetch it
	}
	f.mu.Unlock()
	return errors.Join(err, f.storePart(ctx))
}

// addCounts adds the counts of all fetchers to res. If the crawl has ended, addCounts first waits until the
// other fetchers have left, or ctx ends.
func (f *fetcher) addCounts(ctx context.Context, res *report.CrawlResult) {
	c := f.run.crawl
	f.mu.Lock()
	parts := f.parts
	c.State, c.Finished, c.Orders = f.crawl.State, f.crawl.Finished, f.crawl.Orders
	f.mu.Unlock()
	for {
		now, err := f.run.parts(ctx, f.name, f.o.Lease)
		if err == nil {
			parts = now
		}
		if err != nil || !c.over() || len(alive(parts)) == 0 {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(f.o.Every / 4):
			continue
		}
		break
	}
	res.Crawl = report.Crawl{ID: c.ID, Name: c.Name, Statement: c.Statement, State: c.State, Started: c.Started, Finished: c.Finished}
	res.Stored, res.Visits = 0, 0
	for i := range parts {
		p := &parts[i]
		res.Stored += p.Stored
		res.Visits += p.Visits
		x := &p.Crawl
		res.Fetched += x.Fetched
		res.Failed += x.Failed
		if p.alive || p.Left { // otherwise others have its URLs
			res.Waiting += x.Waiting
		}
		res.Bytes += x.Bytes
		res.Kept += x.Kept
		res.Excluded += x.Excluded
		res.Alerts += x.Alerts
		res.Layer = max(res.Layer, x.Layer)
	}
}

// Watch calls join for each crawl at url that runs, once, in a goroutine of its own, until
// ctx ends. It returns when all calls have returned. When join returns and the crawl still
// runs, Watch calls it again. It calls log with errors after which it tries again. Watch
// returns an error if it cannot connect.
func Watch(ctx context.Context, url string, join func(ctx context.Context, c Crawl), log func(format string, args ...any)) error {
	s, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer s.close()
	var joined sync.WaitGroup
	defer joined.Wait()
	var mu sync.Mutex
	in := make(map[string]bool) // by name of the run
	for {
		list, err := s.crawls(ctx)
		if err != nil && ctx.Err() == nil {
			log("look for crawls at %s: %v", url, err)
		}
		mu.Lock()
		for _, c := range list {
			if c.over() || in[c.Run] {
				continue
			}
			in[c.Run] = true
			joined.Go(func() {
				join(ctx, c)
				mu.Lock()
				defer mu.Unlock()
				delete(in, c.Run)
			})
		}
		mu.Unlock()
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(watchEvery):
		}
	}
}

// watchEvery is how often Watch looks for crawls.
const watchEvery = time.Second
