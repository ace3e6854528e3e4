package repl

import (
	"context"

	"infomall/crawl"
	"infomall/crawl/report"
)

// State implements crawl.Archive.
func (a archive) State(name string) (crawl.State, error) {
	q, err := a.OpenCrawl(name)
	if err != nil {
		return nil, a.fault(err)
	}
	return q, nil
}

// Sink implements crawl.Archive.
func (a archive) Sink(ctx context.Context, job string, bytes int64) (crawl.Sink, error) {
	s, err := a.NewSink(ctx, job, bytes)
	if err != nil {
		return nil, a.fault(err)
	}
	return s, nil
}

// Past implements crawl.Archive.
func (a archive) Past(ctx context.Context) (crawl.Past, error) {
	p, err := a.Archive.Past(ctx)
	if err != nil {
		return nil, a.fault(err)
	}
	return p, nil
}

// Crawl implements session.Crawler.
func (a archive) Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error) {
	defer beginFrugal()()
	res, err := crawl.Run(ctx, a, o, crawl.Env{})
	return res, a.fault(err)
}

// Refuses implements session.Crawler.
func (a archive) Refuses(o report.CrawlOptions, url string) (string, error) {
	return crawl.Refuses(o, url)
}

// fault returns err, as an archiveError if it is about a file of the archive.
func (a archive) fault(err error) error {
	if err != nil && a.has(err) {
		return &archiveError{err}
	}
	return err
}
