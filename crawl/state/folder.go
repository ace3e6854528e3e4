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
)

// FolderName is the name of the folder in an archive that holds the states of its
// crawls.
const FolderName = "crawls"

// errStop ends a walk early. It is not returned to callers outside the package.
var errStop = errors.New("stop")

// Folder holds the states of all crawls of an archive: each is a folder of its own.
// Several goroutines and processes may use it.
type Folder struct {
	Disk disk.FS
	Dir  string
	// Create makes the archive around the folder if it does not exist. It is called
	// before the state of a crawl is made.
	Create func() error
	// Warn is called with the error of each crawl that cannot be read; that crawl is
	// left out. Nil ignores it.
	Warn func(error)
}

// crawlDir returns the folder of a crawl's
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

// Crawls returns the current state of all crawls, sorted by name.
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

// lookAt returns the description of a crawl and what its workers do. The crawl
// counts as interrupted if it says that it runs, but no process runs it.
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

// Workers returns what the workers of all running crawls do.
func (d *Folder) Workers(ctx context.Context) ([]report.Worker, error) {
	var list []report.Worker
	err := d.eachCrawl(ctx, func(name, dir string) error {
		_, workers, err := d.lookAt(dir)
		list = append(list, workers...)
		return err
	})
	return list, err
}

// Fetches yields the fetches of all crawls, in slices: by crawl, and in the order
// in which they ended.
func (d *Folder) Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error] {
	return ofCrawls(ctx, d, Fetches, func(f *report.Fetch, crawl string) { f.Crawl = crawl })
}

// Frontier yields the URLs that all crawls have still to fetch, in slices, by
// crawl.
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

// ofCrawls yields the rows of all crawls. It calls name to set the crawl's name in
// each row.
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

// eachCrawl calls f for each crawl. It leaves out a crawl that cannot be read, with
// a warning.
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

// OrderCrawl changes the orders of a crawl. A running crawl obeys within a second.
// If there is no such crawl, the error is a *report.NoCrawlError.
func (d *Folder) OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error {
	dir, err := d.crawl(name)
	if err != nil {
		return err
	}
	return Order(dir, change)
}

// GiveCrawl adds URLs to those that a crawl will fetch. If force is set, the crawl
// fetches them even if it has met them. If there is no such crawl, the error is a
// *report.NoCrawlError.
func (d *Folder) GiveCrawl(ctx context.Context, name string, urls []string, force bool) error {
	dir, err := d.crawl(name)
	if err != nil {
		return err
	}
	list := make([]report.Queued, len(urls))
	for i, u := range urls {
		list[i] = report.Queued{URL: u, Forced: force}
	}
	return Give(dir, list)
}

// crawl returns the folder of a crawl, or a *report.NoCrawlError.
func (d *Folder) crawl(name string) (string, error) {
	if dir := d.crawlDir(name); Exists(dir) {
		return dir, nil
	}
	names, err := d.crawlNames()
	if err != nil {
		return "", err
	}
	return "", &report.NoCrawlError{Name: name, Crawls: names}
}
