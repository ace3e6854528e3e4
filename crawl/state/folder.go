package state

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"infomall/crawl/report"
	"infomall/store/disk"
	"infomall/store/urlkey"
)

// FolderName is the name of the folder in an archive that holds the states of its
// crawls.
const FolderName = "crawls"

// errStop ends a walk early. It is not returned to callers outside the package.
var errStop = errors.New("stop")

// Folder holds the states of all crawls of an archive, each in a folder of
// its own below Dir. Several goroutines and processes may use it.
type Folder struct {
	Disk disk.FS
	Dir  string
	// Create makes the archive to which the folder belongs, if the archive does not
	// exist. It is called before the state of a crawl is made.
	Create func() error
	// Warn, if not nil, is called with the error of each crawl that cannot be read.
	// Such a crawl is left out of all results.
	Warn func(error)
}

// crawlDir returns the folder that holds the state of the crawl with this
// name.
func (d *Folder) crawlDir(name string) string {
	return filepath.Join(d.Dir, "c"+url.QueryEscape(name))
}

// OpenCrawl opens the state of the crawl with this name. It creates the state, and
// the archive, if they do not exist. If another process runs the crawl, the error
// wraps report.ErrCrawlRunning. The caller closes the Crawl.
func (d *Folder) OpenCrawl(name string) (*Crawl, error) {
	if err := d.Create(); err != nil {
		return nil, err
	}
	q, err := Open(d.Disk, d.crawlDir(name))
	if err != nil {
		return nil, fmt.Errorf("crawl %s: %w", name, err)
	}
	return q, nil
}

// crawlNames returns the names of all crawls, sorted.
func (d *Folder) crawlNames() ([]string, error) {
	dirs, err := os.ReadDir(d.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range dirs {
		escaped, ok := strings.CutPrefix(entry.Name(), "c")
		if name, err := url.QueryUnescape(escaped); ok && err == nil && Exists(d.crawlDir(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Crawls returns the descriptions of all crawls that have begun, sorted by
// name.
func (d *Folder) Crawls(ctx context.Context) ([]report.Crawl, error) {
	var list []report.Crawl
	err := d.eachCrawl(ctx, func(name, dir string) error {
		c, _, err := d.lookAt(dir)
		if err == nil && c.Name != "" {
			list = append(list, c)
		}
		return err
	})
	return list, err
}

// lookAt returns the description of the crawl in dir and what its workers
// are doing. If the state says that the crawl runs but no process runs it,
// the description says CrawlInterrupted. The workers of a crawl that does
// not run are nil.
func (d *Folder) lookAt(dir string) (report.Crawl, []report.Worker, error) {
	c, workers, err := Look(dir)
	if err == nil && c.Name != "" && d.crawlDir(c.Name) != dir {
		err = fmt.Errorf("%s has the state of the crawl %s, which belongs in another folder", filepath.Base(dir), c.Name)
	}
	if err != nil || c.State != report.CrawlRunning && c.State != report.CrawlPaused {
		return c, nil, err
	}
	running, err := Running(dir)
	if !running {
		c.State, workers = report.CrawlInterrupted, nil
	}
	return c, workers, err
}

// Workers returns what the workers of all running crawls are doing.
func (d *Folder) Workers(ctx context.Context) ([]report.Worker, error) {
	var list []report.Worker
	err := d.eachCrawl(ctx, func(name, dir string) error {
		_, workers, err := d.lookAt(dir)
		list = append(list, workers...)
		return err
	})
	return list, err
}

// Fetches yields the fetches of all crawls, in slices: crawl by crawl, and
// for each crawl in the order in which they ended. An error is the last
// pair.
func (d *Folder) Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error] {
	return ofCrawls(ctx, d, Fetches, func(f *report.Fetch, crawl string) { f.Crawl = crawl })
}

// Failures yields the URLs whose last fetch by a crawl brought no response, in slices, crawl
// by crawl, so a URL may come more than once. If ranges is not nil, it yields only URLs whose
// keys are in ranges, which are sorted and disjoint. An error is the last pair.
func (d *Folder) Failures(ctx context.Context, ranges []urlkey.Range) iter.Seq2[[]report.Failure, error] {
	rows := func(dir string) iter.Seq2[[]report.Failure, error] { return Failures(dir, ranges) }
	return ofCrawls(ctx, d, rows, func(*report.Failure, string) {})
}

// Frontier yields the URLs that all crawls have still to fetch, in slices,
// crawl by crawl. An error is the last pair.
func (d *Folder) Frontier(ctx context.Context) iter.Seq2[[]report.Queued, error] {
	weights := make(map[string]*report.Weights)
	return ofCrawls(ctx, d, Waiting, func(u *report.Queued, crawl string) {
		u.Crawl = crawl
		if u.Terms == nil {
			return
		}
		w, known := weights[crawl]
		if !known {
			if c, _, err := Look(d.crawlDir(crawl)); err == nil {
				w = c.Weights
			}
			weights[crawl] = w
		}
		u.Terms.Weights = w
	})
}

// Tallies yields what each crawl has counted for each of its hosts, in slices,
// crawl by crawl. An error is the last pair.
func (d *Folder) Tallies(ctx context.Context) iter.Seq2[[]report.HostTally, error] {
	return ofCrawls(ctx, d, Tallies, func(t *report.HostTally, crawl string) { t.Crawl = crawl })
}

// Alerts yields the alerts of all crawls, in slices: crawl by crawl, and for each
// crawl the oldest first. An error is the last pair.
func (d *Folder) Alerts(ctx context.Context) iter.Seq2[[]report.Alert, error] {
	return ofCrawls(ctx, d, Alerts, func(a *report.Alert, crawl string) { a.Crawl = crawl })
}

// ofCrawls yields the rows that the function rows yields for each crawl of
// d, crawl by crawl. It calls the function name to set the name of the crawl
// in each row. An error is the last pair.
func ofCrawls[T any](ctx context.Context, d *Folder, rows func(dir string) iter.Seq2[[]T, error], name func(*T, string)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		err := d.eachCrawl(ctx, func(crawl, dir string) error {
			for list, err := range rows(dir) {
				if err == nil {
					err = ctx.Err()
				}
				if err != nil {
					return err
				}
				for i := range list {
					name(&list[i], crawl)
				}
				if !yield(list, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// eachCrawl calls f with the name and folder of each crawl. If f returns an
// error, the crawl cannot be read: d.Warn is called, and the others follow.
// But errStop, or the end of ctx, ends eachCrawl with an error.
func (d *Folder) eachCrawl(ctx context.Context, f func(name, dir string) error) error {
	names, err := d.crawlNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f(name, d.crawlDir(name))
		if errors.Is(err, errStop) || ctx.Err() != nil {
			return err
		}
		if err != nil && d.Warn != nil {
			d.Warn(fmt.Errorf("crawl %s: %w", name, err))
		}
	}
	return nil
}

// OrderCrawl calls change with the orders of the named crawl, such as to
// pause, and stores the result. A running crawl obeys within a second. If
// there is no such crawl, the error is a *report.NoCrawlError.
func (d *Folder) OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error {
	dir, err := d.existingDir(name)
	if err != nil {
		return err
	}
	return Order(dir, change)
}

// GiveCrawl adds URLs to the named crawl. The crawl will fetch each URL that it
// has not met; with force, it fetches every URL. If there is no such crawl,
// the error is a *report.NoCrawlError.
func (d *Folder) GiveCrawl(ctx context.Context, name string, urls []string, force bool) error {
	dir, err := d.existingDir(name)
	if err != nil {
		return err
	}
	list := make([]report.Queued, len(urls))
	for i, u := range urls {
		list[i] = report.Queued{URL: u, Forced: force}
	}
	return Give(dir, list)
}

// existingDir returns the folder of the named crawl. If there is no such crawl,
// the error is a *report.NoCrawlError.
func (d *Folder) existingDir(name string) (string, error) {
	if dir := d.crawlDir(name); Exists(dir) {
		return dir, nil
	}
	names, err := d.crawlNames()
	if err != nil {
		return "", err
	}
	return "", &report.NoCrawlError{Name: name, Crawls: names}
}
