package session

import (
	"context"

	"infomall/crawl/report"
	"infomall/exec/relation"
)

// Crawler is what statements such as CRAWL ask of the crawler. Several
// goroutines and processes may use it at once.
type Crawler interface {
	relation.CrawlState
	// Crawl runs a crawl with options o to its end, or resumes it. The error
	// is a *report.OtherCrawlError if a different crawl of that name has not
	// ended. It wraps report.ErrCrawlRunning if another process runs the
	// crawl. The result counts what is in the archive, also if there is an
	// error.
	Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error)
	// OrderCrawl calls change with the orders of the named crawl, such as to
	// pause, and stores the result. GiveCrawl adds URLs to the named crawl;
	// with force, the crawl fetches even those that it has met. If there is
	// no such crawl, the error is a *report.NoCrawlError.
	OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error
	GiveCrawl(ctx context.Context, name string, urls []string, force bool) error
	// Refuses returns why a crawl with options o never fetches a URL,
	// whatever page leads to it, or "" if it may fetch the URL.
	Refuses(o report.CrawlOptions, url string) (why string, err error)
}
