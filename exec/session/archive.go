package session

import (
	"context"
	"fmt"
	"iter"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record/task"
)

// Archive has the methods of an archive that several statements call. Several goroutines may
// use it at once. A method that only one statement calls, such as merging pools, is in an
// interface of its own in the file of that statement; see DeclareFor.
type Archive interface {
	// Snapshot returns a view of the archive's present state, which later changes do
	// not affect. The caller closes it. If there is no archive, the snapshot is empty.
	Snapshot(ctx context.Context) (relation.Snapshot, error)
	// Definitions returns the definitions that the archive stores: views,
	// metadata, saved queries and schedules. Define replaces this list by
	// the list that change returns, durably and atomically. If change
	// returns an error, Define returns that error and changes nothing.
	Definitions(ctx context.Context) ([]task.Definition, error)
	Define(ctx context.Context, change func([]task.Definition) ([]task.Definition, error)) error
	// SaveResult stores a result, such as of PAGERANK, under its name,
	// beside older results of that name. It returns the result as it was
	// stored. DropResult removes all results of one kind and name, and
	// returns how many there were.
	SaveResult(ctx context.Context, r task.Result, rows iter.Seq2[task.ResultRow, error]) (task.Result, error)
	DropResult(ctx context.Context, kind, name string) (int, error)
	// Exists reports whether there is an archive. Path names it in messages: its folder, or
	// a URL such as s3://bucket/prefix. Local returns its folder on this machine, which is the
	// working folder if the archive lies in a bucket.
	Exists() bool
	Path() string
	Local() string
}

// NoArchiveError says that a statement needs an archive, but the folder or URL Path
// has none.
type NoArchiveError struct{ Path string }

func (e *NoArchiveError) Error() string {
	return fmt.Sprintf("no archive at %s; IMPORT or CRAWL makes one there, -a DIR or $INFOMALL_ARCHIVE names another", e.Path)
}

// findArchive returns a *NoArchiveError if there is no archive, otherwise nil.
func (s *Session) findArchive() error {
	if s.Archive().Exists() {
		return nil
	}
	return &NoArchiveError{s.Archive().Path()}
}

// Crawler has the methods of the crawler that statements such as CRAWL call. Several
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
	// with force, the crawl fetches each of these URLs again, also if it has
	// met the URL before. If there is no such crawl, the error is a *report.NoCrawlError.
	OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error
	GiveCrawl(ctx context.Context, name string, urls []string, force bool) error
	// Refuses returns why a crawl with options o never fetches a URL,
	// whatever page leads to it, or "" if it may fetch the URL.
	Refuses(o report.CrawlOptions, url string) (why string, err error)
}
