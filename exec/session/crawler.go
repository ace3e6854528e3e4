package session

import (
	"context"

	"infomall/crawl/report"
	"infomall/exec/relation"
)

// Crawler is what statements need to crawl. Several goroutines and processes
// may use it at once.
type Crawler interface {
	relation.CrawlState
	// Crawl runs a crawl to its end, or resumes it. The error is a
	// *report.OtherCrawlError if a different crawl of that name has not ended, and wraps
	// report.ErrCrawlRunning if another process runs the crawl. What the result counts is
	// in the archive, also with an error.
	Crawl(ctx context.Context, o report.CrawlOptions) (report.CrawlResult, error)
	// OrderCrawl changes the orders of a crawl, such as to pause. GiveCrawl adds URLs to
	// a crawl. A crawl that does not exist is a *report.NoCrawlError.
	OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error
	GiveCrawl(ctx context.Context, name string, urls []string, force bool) error
	// Refuses returns why a crawl would exclude a URL, whatever page led to it. It returns
	// "" if it would not.
	Refuses(o report.CrawlOptions, url string) (why string, err error)
}
