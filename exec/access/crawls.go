package access

import (
	"context"
	"iter"
	"slices"

	"infomall/crawl/report"
	"infomall/exec/session"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// crawlers shows crawls without hidden URLs.
type crawlers struct {
	session.Crawler
	a *archive
}

// Crawls returns the rows of the relation crawls. A statement, name or error that
// mentions a hidden URL is replaced by "…".
func (c *crawlers) Crawls(ctx context.Context) ([]report.Crawl, error) {
	rules, err := c.a.rules(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.Crawler.Crawls(ctx)
	if rules == nil {
		return list, err
	}
	for i := range list {
		x := &list[i]
		for _, text := range []*string{&x.Statement, &x.Name, &x.Error} {
			rules.blank(text)
		}
		for j := range x.Traps {
			rules.blank(&x.Traps[j].Reason)
		}
		x.Traps = slices.DeleteFunc(slices.Clone(x.Traps), func(t report.CrawlTrap) bool { return rules.hidesURL(t.URL, record.NoTime) })
	}
	return list, err
}

// Workers returns the rows of the relation workers. A hidden URL is "".
func (c *crawlers) Workers(ctx context.Context) ([]report.Worker, error) {
	rules, err := c.a.rules(ctx)
	if err != nil {
		return nil, err
	}
	list, err := c.Crawler.Workers(ctx)
	if rules == nil {
		return list, err
	}
	for i := range list {
		rules.blank(&list[i].Crawl)
		if rules.hidesURL(list[i].URL, record.NoTime) {
			list[i].URL = ""
		}
	}
	return list, err
}

// Fetches yields the rows of the relation fetches. It leaves out rows of hidden URLs.
func (c *crawlers) Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error] {
	return filtered(ctx, c.a, c.Crawler.Fetches(ctx), func(rules *Rules, f *report.Fetch) bool {
		if rules.hidesURL(f.URL, f.Time) {
			return false
		}
		for _, text := range []*string{&f.Crawl, &f.Reason} {
			rules.blank(text)
		}
		if rules.hidesURL(f.Via, f.Time) {
			f.Via = ""
		}
		return true
	})
}

// Failures yields the URLs that did not answer. It leaves out hidden URLs.
func (c *crawlers) Failures(ctx context.Context, ranges []urlkey.Range) iter.Seq2[[]report.Failure, error] {
	return filtered(ctx, c.a, c.Crawler.Failures(ctx, ranges), func(rules *Rules, f *report.Failure) bool { return !rules.hidesURL(f.URL, f.Time) })
}

// Frontier yields the rows of the relation frontier. It leaves out rows of hidden URLs.
func (c *crawlers) Frontier(ctx context.Context) iter.Seq2[[]report.Queued, error] {
	return filtered(ctx, c.a, c.Crawler.Frontier(ctx), func(rules *Rules, u *report.Queued) bool {
		if rules.hidesURL(u.URL, record.NoTime) {
			return false
		}
		rules.blank(&u.Crawl)
		for _, other := range []*string{&u.Via, &u.Origin} {
			if rules.hidesURL(*other, record.NoTime) {
				*other = ""
			}
		}
		return true
	})
}

// Tallies yields the rows of the relation crawl_hosts. It leaves out hosts whose home
// page is hidden. If the URL of an error is hidden, URL and error are "".
func (c *crawlers) Tallies(ctx context.Context) iter.Seq2[[]report.HostTally, error] {
	return filtered(ctx, c.a, c.Crawler.Tallies(ctx), func(rules *Rules, t *report.HostTally) bool {
		if rules.hidesURL("http://"+t.Host+"/", record.NoTime) {
			return false
		}
		rules.blank(&t.Crawl)
		if rules.hidesURL(t.ErrorURL, record.NoTime) {
			t.ErrorURL, t.Error = "", ""
		}
		rules.blank(&t.Error)
		return true
	})
}

// Alerts yields the rows of the relation alerts. It leaves out alerts for hidden URLs, and
// for hosts whose home page is hidden.
func (c *crawlers) Alerts(ctx context.Context) iter.Seq2[[]report.Alert, error] {
	return filtered(ctx, c.a, c.Crawler.Alerts(ctx), func(rules *Rules, a *report.Alert) bool {
		if rules.hidesURL(a.URL, record.NoTime) || a.Host != "" && rules.hidesURL("http://"+a.Host+"/", record.NoTime) {
			return false
		}
		for _, text := range []*string{&a.Crawl, &a.Text} {
			rules.blank(text)
		}
		return true
	})
}

// filtered yields the rows that in yields and that keep keeps. keep may change a row.
func filtered[T any](ctx context.Context, a *archive, in iter.Seq2[[]T, error], keep func(*Rules, *T) bool) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		rules, err := a.rules(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		for list, err := range in {
			if err == nil && rules != nil {
				var kept []T
				for _, x := range list {
					if keep(rules, &x) {
						kept = append(kept, x)
					}
				}
				list = kept
			}
			if !yield(list, err) || err != nil {
				return
			}
		}
	}
}

// hidesURL reports whether a canonical URL is hidden at time t, or with record.NoTime at
// some time. It returns false for "".
func (r *Rules) hidesURL(url string, t record.Time) bool {
	if url == "" {
		return false
	}
	if t == record.NoTime {
		return r.hidesSome(urlkey.Key(url), record.MaxTime)
	}
	return r.Hides(urlkey.Key(url), t)
}
