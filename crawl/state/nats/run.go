package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"infomall/crawl/report"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// Crawl describes a crawl that several processes run together. The NATS servers keep it.
type Crawl struct {
	ID        int64
	Name      string
	Statement string
	// Settings and Params are the settings and parameters with which the statement runs,
	// by name.
	Settings, Params map[string]string

	State    report.CrawlState // CrawlRunning, CrawlFinished or CrawlStopped
	Started  record.Time
	Finished record.Time // NoTime unless finished or stopped
	Orders   report.CrawlOrders

	Run        string // names the streams
	Partitions int
}

// over reports whether the crawl has ended.
func (c *Crawl) over() bool {
	return c.State == report.CrawlFinished || c.State == report.CrawlStopped
}

// crawlsTable is the name of the table with all crawls.
const crawlsTable = "infomall/crawl"

// run is the streams of a run.
type run struct {
	*server
	crawl  Crawl // as it began
	crawls *table
	at     *table
	log    jetstream.Stream
	prefix string // of the subjects of log
}

// openRun opens the streams of the run of c, and creates them if they do not exist.
func (s *server) openRun(ctx context.Context, crawls *table, c Crawl) (*run, error) {
	r := &run{server: s, crawl: c, crawls: crawls, prefix: "infomall.log." + c.Run + "."}
	var err error
	if r.at, err = s.openTable(ctx, "infomall/at/"+c.Run); err != nil {
		return nil, err
	}
	r.log, err = s.stream(ctx, jetstream.StreamConfig{Name: "infomall-log-" + c.Run, Subjects: []string{r.prefix + ">"}})
	return r, err
}

// removeRun removes the streams of a run. A run that does not exist is no error.
func (s *server) removeRun(ctx context.Context, id string) error {
	var errs error
	for _, name := range []string{"infomall-at-" + id, "infomall-log-" + id} {
		errs = errors.Join(errs, retry(ctx, func(ctx context.Context) error {
			if err := s.js.DeleteStream(ctx, name); !errors.Is(err, jetstream.ErrStreamNotFound) {
				return err
			}
			return nil
		}))
	}
	return errs
}

// addSubject returns the subject of the log of the URLs that were met in partition p.
// doneSubject returns that of the log of the URLs that are done.
func (r *run) addSubject(p int) string  { return r.prefix + "add." + strconv.Itoa(p) }
func (r *run) doneSubject(p int) string { return r.prefix + "done." + strconv.Itoa(p) }

// give publishes URLs: each in the log of the partition that its host belongs to. given says
// that a user added them to a running crawl.
func (r *run) give(ctx context.Context, urls []report.Queued, given bool) error {
	logs := newAdds(r, rand.Text(), given)
	for i := range urls {
		logs.add(partitionOf(urlkey.Host(urls[i].URL), r.crawl.Partitions), &urls[i])
	}
	return r.publish(ctx, logs.take())
}

// adds collects URLs in messages for the logs of partitions.
type adds struct {
	r       *run
	session string
	given   bool
	open    map[int]*message // the message of a partition to which URLs are added
	full    []*message
}

func newAdds(r *run, session string, given bool) *adds {
	return &adds{r: r, session: session, given: given, open: make(map[int]*message)}
}

// add adds u to a message for partition p.
func (a *adds) add(p int, u *report.Queued) {
	m := a.open[p]
	if m == nil {
		m = &message{subject: a.r.addSubject(p), data: appendAdd(nil, a.session, a.given)}
		a.open[p] = m
	}
	if m.data = appendURL(m.data, u); len(m.data) >= addBytes {
		a.full = append(a.full, m)
		delete(a.open, p)
	}
}

// take returns all messages, and removes them from a.
func (a *adds) take() []*message {
	list := a.full
	for _, m := range a.open {
		list = append(list, m)
	}
	a.full = nil
	clear(a.open)
	return list
}

// Begin describes the crawl that Join begins or takes part in.
type Begin struct {
	Name      string
	Statement string
	Settings  map[string]string
	Params    map[string]string
	Seeds     []string // canonical URLs
	// Part says that Join only takes part in a crawl that runs. It then neither begins a crawl
	// nor ends a pause.
	Part bool
}

// ErrOver is returned if a crawl that a process wants to take part in has ended, or does
// not exist.
var ErrOver = errors.New("the crawl has ended")

// begin begins the crawl that b describes, or continues it if it has not ended. The error
// is a *report.OtherCrawlError if a crawl of this name has another statement and has not
// ended.
func (s *server) begin(ctx context.Context, b Begin, partitions int, now time.Time) (*run, error) {
	crawls, err := s.openTable(ctx, crawlsTable)
	if err != nil {
		return nil, err
	}
	var made []string // runs whose streams were created
	old := ""
	c, _, err := change(ctx, crawls, token(b.Name), func(c *Crawl) error {
		if c.Name != "" && !c.over() {
			if c.Statement != b.Statement {
				return &report.OtherCrawlError{Crawl: report.Crawl{ID: c.ID, Name: c.Name, Statement: c.Statement}}
			}
			if b.Part || !c.Orders.Pause {
				return errKeep
			}
			c.Orders.Pause = false
			return nil
		}
		if b.Part {
			return ErrOver
		}
		old = c.Run
		*c = Crawl{
			ID: c.ID + 1, Name: b.Name, Statement: b.Statement, Settings: b.Settings, Params: b.Params, Started: record.At(now), Finished: record.NoTime,
			Run: fmt.Sprintf("%s-%d-%s", token(b.Name), c.ID+1, strings.ToLower(rand.Text()[:8])), Partitions: partitions,
		}
		made = append(made, c.Run)
		r, err := s.openRun(ctx, crawls, *c)
		if err != nil {
			return err
		}
		urls := make([]report.Queued, len(b.Seeds))
		for i, u := range b.Seeds {
			urls[i] = report.Queued{URL: u, Due: record.NoTime}
		}
		return r.give(ctx, urls, false)
	})
	err = removeUnused(made, old, c.Run, err, func(id string) error { return s.removeRun(context.WithoutCancel(ctx), id) })
	if err != nil {
		return nil, err
	}
	return s.openRun(ctx, crawls, c)
}

// removeUnused calls remove for each run whose streams nobody needs after begin has tried to begin
// a crawl. err is the error of begin so far. If it is nil, current is the run of the crawl. made are
// the runs whose streams begin created, and old is the run before. The result joins err and the
// errors of remove.
func removeUnused(made []string, old, current string, err error, remove func(id string) error) error {
	unused := made
	if err == nil {
		unused = slices.DeleteFunc(append(made, old), func(id string) bool { return id == "" || id == current })
	}
	for _, id := range unused {
		err = errors.Join(err, remove(id))
	}
	return err
}

// crawls returns the crawls that the servers keep, sorted by name.
func (s *server) crawls(ctx context.Context) (list []Crawl, err error) {
	t, err := s.openTable(ctx, crawlsTable)
	if err != nil {
		return nil, err
	}
	keys, err := t.keys(ctx, "")
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		c, e, err := read[Crawl](ctx, t, key)
		if err != nil {
			return nil, err
		}
		if e.seq > 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// Order calls change with the orders of the crawl called name at url, and stores the
// result. All processes that take part obey within a second. A crawl that STOP ends is
// stopped even if no process takes part. An error says if there is no such crawl, or it
// has ended.
func Order(ctx context.Context, url, name string, f func(*report.CrawlOrders)) error {
	s, t, err := connectCrawls(ctx, url)
	if err != nil {
		return err
	}
	defer s.close()
	_, _, err = change(ctx, t, token(name), func(c *Crawl) error {
		if err := c.runs(name, url); err != nil {
			return err
		}
		if f(&c.Orders); c.Orders.Stop {
			c.State, c.Finished = report.CrawlStopped, record.At(time.Now())
		}
		return nil
	})
	return err
}

// connectCrawls connects to the servers at url and opens the table of their crawls. The caller
// closes s.
func connectCrawls(ctx context.Context, url string) (s *server, t *table, err error) {
	if s, err = connect(ctx, url); err != nil {
		return nil, nil, err
	}
	if t, err = s.openTable(ctx, crawlsTable); err != nil {
		s.close()
		return nil, nil, err
	}
	return s, t, nil
}

// runs returns an error if the crawl does not exist or has ended. name and url are the name of
// the crawl and the URL of the servers, for the text of the error.
func (c *Crawl) runs(name, url string) error {
	switch {
	case c.Name == "":
		return fmt.Errorf("the servers at %s have no crawl %s", url, name)
	case c.over():
		return fmt.Errorf("crawl %s is %s; its statement begins it again: %s", name, c.State, c.Statement)
	}
	return nil
}

// Give adds URLs to the crawl called name at url. The crawl fetches each URL that it has
// not met; with force, every URL. An error says if there is no such crawl, or it has ended.
func Give(ctx context.Context, url, name string, urls []string, force bool) error {
	s, t, err := connectCrawls(ctx, url)
	if err != nil {
		return err
	}
	defer s.close()
	c, _, err := read[Crawl](ctx, t, token(name))
	if err != nil {
		return err
	}
	if err := c.runs(name, url); err != nil {
		return err
	}
	r, err := s.openRun(ctx, t, c)
	if err != nil {
		return err
	}
	list := make([]report.Queued, len(urls))
	for i, u := range urls {
		list[i] = report.Queued{URL: u, Forced: force, Due: record.NoTime}
	}
	return r.give(ctx, list, true)
}
