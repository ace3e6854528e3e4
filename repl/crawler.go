package repl

import (
	"context"

	"infomall/crawl"
	"infomall/crawl/render"
	"infomall/crawl/report"
	"infomall/repl/memory"
	"infomall/store/disk"
)

// State opens the state of the crawl with this name, and creates it if it does
// not exist; see crawl.Archive. The caller closes it.
func (a archive) State(name string) (crawl.State, error) {
	q, err := a.OpenCrawl(name)
	if err != nil {
		return nil, a.fault(err)
	}
	return q, nil
}

// Sink begins to store captures under the name job; see crawl.Archive. The
// caller closes the sink.
func (a archive) Sink(ctx context.Context, job string, bytes int64) (crawl.Sink, error) {
	s, err := a.NewSink(ctx, job, bytes)
	if err != nil {
		return nil, a.fault(err)
	}
	return s, nil
}

// Past returns a fixed view of the present content of the archive; see
// crawl.Archive. The caller closes it.
func (a archive) Past(ctx context.Context) (crawl.Past, error) {
	p, err := a.Archive.Past(ctx)
	if err != nil {
		return nil, a.fault(err)
	}
	return p, nil
}

// Crawl runs or resumes a crawl until its end; see session.Crawler. During the crawl the garbage
// collector runs more often, so that the program takes less memory.
func (a archive) Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	defer memory.BeginFrugal()()
	if o.On != "" {
		res, err := a.join(ctx, o, a.joinOptions(&o))
		return res, a.fault(err)
	}
	res, err := crawl.Run(ctx, a, o, a.crawlEnv())
	return res, a.fault(err)
}

// crawlEnv returns what connects a crawl into the archive a to the outside world, such as its
// browser.
func (a archive) crawlEnv() crawl.Env {
	return crawl.Env{
		Documents: a.documents, Browser: startBrowser,
		DiskFree: func() (int64, error) { return disk.Free(a.Local()) },
	}
}

// startBrowser starts the browser that shows the pages of a crawl with options o; see
// crawl.Env. The caller closes it.
func startBrowser(ctx context.Context, o *report.CrawlOptions) (crawl.Browser, error) {
	r := o.Render
	pool := render.Options{
		Path: r.Path, Pages: r.Browsers, NoSandbox: r.NoSandbox, Temp: r.Temp, Profile: r.Profile, Agent: o.Agent, Screenshot: r.Screenshot,
	}
	if err := readRules(&pool, r.Consent, r.More); err != nil {
		return nil, err
	}
	return render.Start(ctx, pool)
}

// readRules sets the rules of a browser from the files at these paths; "" means none.
func readRules(o *render.Options, consent, more string) (err error) {
	if consent != "" {
		if o.Consent, err = render.ReadRules(consent, "consent rules"); err != nil {
			return err
		}
	}
	if more != "" {
		o.More, err = render.ReadRules(more, "rules of more_rules")
	}
	return err
}

// Refuses returns why a crawl with the options o would exclude a URL, or "" if
// it would not; see session.Crawler.
func (a archive) Refuses(o report.CrawlOptions, url string) (string, error) {
	return crawl.Refuses(o, url)
}

// fault returns err, wrapped in an archiveError if it is about a file of the
// archive. For nil it returns nil.
func (a archive) fault(err error) error {
	if err != nil && a.has(err) {
		return &archiveError{err}
	}
	return err
}
