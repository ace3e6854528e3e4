package repl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infomall/crawl"
	"infomall/crawl/report"
	"infomall/crawl/state/nats"
	"infomall/exec"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang"
	"infomall/repl/memory"
)

// fetcher takes part in the crawls on the NATS servers that --fetcher names, until a signal ends
// the program. A signal is no error. Before that, it runs scripts, such as that of --init.
func (p *program) fetcher(ctx context.Context, scripts []*script) error {
	if err := p.batch(ctx, scripts); err != nil {
		return err
	}
	ctx, release := p.signals.During(ctx)
	defer release()
	url := p.options.Fetcher
	p.log("takes part in the crawls of %s", url)
	err := nats.Watch(ctx, url, func(ctx context.Context, c nats.Crawl) {
		p.log("crawl %s: takes part", c.Name)
		note, err := p.takePart(ctx, &c)
		switch {
		case ctx.Err() != nil:
			p.log("crawl %s: %v; it goes on without this process", c.Name, context.Cause(ctx))
		case errors.Is(err, nats.ErrOver):
		case err != nil:
			p.say("infomall: crawl %s: %v", c.Name, err)
		default:
			p.log("crawl %s: %s", c.Name, note)
		}
	}, p.log)
	if err != nil {
		p.say("infomall: %v", err)
	}
	return err
}

// takePart runs the statement of c, with the settings and parameters of c, until the crawl
// has ended or ctx ends. note says what all processes have fetched.
func (p *program) takePart(ctx context.Context, c *nats.Crawl) (note string, err error) {
	a, ok := p.session.Archive().(archive)
	if !ok {
		return "", errors.New("this archive takes no crawls")
	}
	o := session.Options{Archive: a, Settings: *p.session.Settings(), Params: c.Params, Crawler: participant{a}, Jobs: a, Version: shortVersion()}
	def := session.DefaultSettings()
	for _, k := range session.AllSettings() {
		v, given := c.Settings[k.Name]
		if !given && k.Stored {
			v, given = k.Get(&def), true
		}
		if !given {
			continue
		}
		if err := k.Set(&o.Settings, v); err != nil {
			return "", fmt.Errorf("setting %s: %w", k.Name, err)
		}
	}
	st, err := lang.ParseOne(c.Statement, "")
	if err != nil {
		return "", err
	}
	res, err := exec.New(o).Run(ctx, st)
	if err != nil {
		return "", err
	}
	defer res.Close()
	for _, err := range res.Rows {
		if err != nil {
			return "", err
		}
	}
	return "it has ended; fetched by all processes: " + value.Counted(res.Count.Rows, "page"), nil
}

// participant is an archive whose crawls only take part in crawls that run already.
type participant struct{ archive }

// Crawl takes part in a crawl until it has ended; see session.Crawler. If the crawl does
// not run, the error is nats.ErrOver.
func (a participant) Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	defer memory.BeginFrugal()()
	join := a.joinOptions(&o)
	join.Begin.Part = true
	res, err := a.join(ctx, o, join)
	return res, a.fault(err)
}

// joinOptions returns the options with which this process takes part in a crawl with options o.
func (a archive) joinOptions(o *report.CrawlOptions) nats.Options {
	return nats.Options{
		URL:   o.On,
		Begin: nats.Begin{Name: o.Name, Statement: o.Statement, Settings: o.Settings, Params: o.Params, Seeds: o.Seeds},

		MaxPages: o.MaxPages, MaxTime: o.MaxTime, Delay: o.Delay, Workers: o.Workers, Folder: a.Folder, Lease: a.lease,
		Log: func(format string, args ...any) {
			if a.Warn != nil {
				a.Warn(fmt.Errorf(format, args...))
			}
		},
	}
}

// join takes part in a crawl with options o, and begins or continues the crawl if necessary. The
// parameter join says how this process takes part.
func (a archive) join(ctx context.Context, o report.CrawlOptions, join nats.Options) (report.CrawlResult, error) {
	o.MaxTime = 0 // nats.Join counts it from the beginning of the crawl
	join.Run = func(ctx context.Context, name string, s *nats.Session) (report.CrawlResult, error) {
		o := o
		o.Name = name
		return crawl.Run(ctx, partArchive{a, s}, o, a.crawlEnv())
	}
	return nats.Join(ctx, join)
}

// partArchive is an archive whose crawl has the state s.
type partArchive struct {
	archive
	s *nats.Session
}

// State returns the state of the crawl; see crawl.Archive.
func (a partArchive) State(string) (crawl.State, error) { return a.s, nil }

// sharedCrawl returns the URL of the NATS servers of the crawl called name, if a process
// with this archive takes or took part in it, otherwise "". It is an error if name is that
// of a part, not of the crawl.
func (a archive) sharedCrawl(ctx context.Context, name string) (url string, err error) {
	list, err := a.Crawls(ctx)
	if err != nil {
		return "", err
	}
	for i := range list {
		c := &list[i]
		switch whole := wholeName(c); {
		case c.On == "":
		case name == whole:
			url = c.On
		case name == c.Name:
			return "", fmt.Errorf("%s is the part of one process in crawl %s; orders to crawl %s reach all processes", name, whole, whole)
		}
	}
	return url, nil
}

// wholeName returns the name of the crawl of which c is a part, or the name of c if one
// process runs it.
func wholeName(c *report.Crawl) string {
	if at := strings.LastIndexByte(c.Name, '@'); c.On != "" && at > 0 {
		return c.Name[:at]
	}
	return c.Name
}

// noCrawl returns err. If err says that there is no such crawl, noCrawl replaces the names
// of parts in it by those of their crawls.
func (a archive) noCrawl(ctx context.Context, err error) error {
	var none *report.NoCrawlError
	if !errors.As(err, &none) {
		return err
	}
	list, failed := a.Crawls(ctx)
	if failed != nil {
		return err
	}
	none.Crawls = nil
	for i := range list {
		none.Crawls = append(none.Crawls, wholeName(&list[i]))
	}
	slices.Sort(none.Crawls)
	none.Crawls = slices.Compact(none.Crawls)
	return err
}

// OrderCrawl gives orders to a crawl; see session.Crawler. If several processes run the
// crawl, the orders reach all.
func (a archive) OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error {
	url, err := a.sharedCrawl(ctx, name)
	switch {
	case err != nil:
		return err
	case url != "":
		return nats.Order(ctx, url, name, change)
	}
	return a.noCrawl(ctx, a.Folder.OrderCrawl(ctx, name, change))
}

// GiveCrawl adds URLs to a crawl; see session.Crawler.
func (a archive) GiveCrawl(ctx context.Context, name string, urls []string, force bool) error {
	url, err := a.sharedCrawl(ctx, name)
	switch {
	case err != nil:
		return err
	case url != "":
		return nats.Give(ctx, url, name, urls, force)
	}
	return a.noCrawl(ctx, a.Folder.GiveCrawl(ctx, name, urls, force))
}
