package store

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
	"infomall/crawl/state"
)

// crawlDir returns the folder of a crawl's state.
func (a *Archive) crawlDir(name string) string {
	return filepath.Join(a.dir, dirCrawls, "c"+url.QueryEscape(name))
}

// Queue opens the state of the crawl with this name. It creates the state, and the
// archive, if they do not exist. If another process runs the crawl, the error wraps
// report.ErrCrawlRunning. The caller closes the queue.
func (a *Archive) Queue(name string) (*state.Crawl, error) {
	if err := a.create(); err != nil {
		return nil, err
	}
	q, err := state.Open(a.opts.Disk, a.crawlDir(name))
	if err != nil {
		return nil, fmt.Errorf("crawl %s: %w", name, err)
	}
	return q, nil
}

// crawlNames returns the names of all crawls, sorted.
func (a *Archive) crawlNames() ([]string, error) {
	dirs, err := os.ReadDir(filepath.Join(a.dir, dirCrawls))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for _, d := range dirs {
		escaped, ok := strings.CutPrefix(d.Name(), "c")
		if name, err := url.QueryUnescape(escaped); ok && err == nil && state.Exists(a.crawlDir(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Crawls returns the current state of all crawls, sorted by name.
func (a *Archive) Crawls(ctx context.Context) ([]report.Crawl, error) {
	var list []report.Crawl
	err := a.eachCrawl(ctx, func(name, dir string) error {
		c, _, err := a.lookAt(dir)
		if err == nil && c.Name != "" {
			list = append(list, c)
		}
		return err
	})
	return list, err
}

// lookAt returns the description of a crawl and what its workers do. The crawl
// counts as interrupted if it says that it runs, but no process runs it.
func (a *Archive) lookAt(dir string) (report.Crawl, []report.Worker, error) {
	c, workers, err := state.Look(dir)
	if err == nil && c.Name != "" && a.crawlDir(c.Name) != dir {
		err = fmt.Errorf("%s has the state of the crawl %s, which belongs in another folder", filepath.Base(dir), c.Name)
	}
	if err != nil || c.State != report.CrawlRunning && c.State != report.CrawlPaused {
		return c, nil, err
	}
	running, err := state.Running(dir)
	if !running {
		c.State, workers = report.CrawlInterrupted, nil
	}
	return c, workers, err
}

// Workers returns what the workers of all running crawls do.
func (a *Archive) Workers(ctx context.Context) ([]report.Worker, error) {
	var list []report.Worker
	err := a.eachCrawl(ctx, func(name, dir string) error {
		_, workers, err := a.lookAt(dir)
		list = append(list, workers...)
		return err
	})
	return list, err
}

// Fetches yields the fetches of all crawls, in slices: by crawl, and in the order
// in which they ended.
func (a *Archive) Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error] {
	return ofCrawls(ctx, a, state.Fetches, func(f *report.Fetch, crawl string) { f.Crawl = crawl })
}

// Frontier yields the URLs that all crawls have still to fetch, in slices, by
// crawl.
func (a *Archive) Frontier(ctx context.Context) iter.Seq2[[]report.Queued, error] {
	weights := make(map[string]*report.Weights)
	return ofCrawls(ctx, a, state.Waiting, func(u *report.Queued, crawl string) {
		u.Crawl = crawl
		if u.Terms == nil {
			return
		}
		w, known := weights[crawl]
		if !known {
			if c, _, err := state.Look(a.crawlDir(crawl)); err == nil {
				w = c.Weights
			}
			weights[crawl] = w
		}
		u.Terms.Weights = w
	})
}

// ofCrawls yields the rows of all crawls. It calls name to set the crawl's name in
// each row.
func ofCrawls[T any](ctx context.Context, a *Archive, rows func(dir string) iter.Seq2[[]T, error], name func(*T, string)) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		err := a.eachCrawl(ctx, func(crawl, dir string) error {
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
func (a *Archive) eachCrawl(ctx context.Context, f func(name, dir string) error) error {
	names, err := a.crawlNames()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := f(name, a.crawlDir(name))
		if errors.Is(err, errStop) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			a.warn(fmt.Errorf("crawl %s: %w", name, err))
		}
	}
	return nil
}

// OrderCrawl changes the orders of a crawl. A running crawl obeys within a second.
// If there is no such crawl, the error is a *report.NoCrawlError.
func (a *Archive) OrderCrawl(ctx context.Context, name string, change func(*report.CrawlOrders)) error {
	dir, err := a.crawl(name)
	if err != nil {
		return err
	}
	return state.Order(dir, change)
}

// GiveCrawl adds URLs to those that a crawl will fetch. If force is set, the crawl
// fetches them even if it has met them. If there is no such crawl, the error is a
// *report.NoCrawlError.
func (a *Archive) GiveCrawl(ctx context.Context, name string, urls []string, force bool) error {
	dir, err := a.crawl(name)
	if err != nil {
		return err
	}
	list := make([]report.Queued, len(urls))
	for i, u := range urls {
		list[i] = report.Queued{URL: u, Forced: force}
	}
	return state.Give(dir, list)
}

// crawl returns the folder of a crawl, or a *report.NoCrawlError.
func (a *Archive) crawl(name string) (string, error) {
	if dir := a.crawlDir(name); state.Exists(dir) {
		return dir, nil
	}
	names, err := a.crawlNames()
	if err != nil {
		return "", err
	}
	return "", &report.NoCrawlError{Name: name, Crawls: names}
}
