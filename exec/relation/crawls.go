package relation

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// CrawlState gives queries access to the state of crawls. The crawls may be
// running, in this process or another.
type CrawlState interface {
	// Crawls and Workers return the rows of these relations.
	Crawls(ctx context.Context) ([]report.Crawl, error)
	Workers(ctx context.Context) ([]report.Worker, error)
	// Fetches and Frontier yield the rows of these relations, several at a
	// time.
	Fetches(ctx context.Context) iter.Seq2[[]report.Fetch, error]
	Frontier(ctx context.Context) iter.Seq2[[]report.Queued, error]
}

// crawling returns the rows of one of the relations of crawls.
func (r *Reader) crawling(ctx context.Context, n *Request) value.Rows {
	if r.Crawls == nil {
		return func(func(*value.Batch, error) bool) {}
	}
	switch n.Relation.Name {
	case "crawls":
		return render(n, crawlFills, crawlShape, listed(ctx, r.Crawls.Crawls))
	case "workers":
		return render(n, workerFills, workerShape, listed(ctx, r.Crawls.Workers))
	case "frontier":
		return render(n, frontierFills, frontierShape, r.Crawls.Frontier(ctx))
	}
	return render(n, fetchFills, fetchShape, fetchesOf(n, r.Crawls.Fetches(ctx)))
}

// fetchesOf passes the attempts that lie in the scope and the window of n.
func fetchesOf(n *Request, in iter.Seq2[[]report.Fetch, error]) iter.Seq2[[]report.Fetch, error] {
	return func(yield func([]report.Fetch, error) bool) {
		for list, err := range in {
			list = slices.DeleteFunc(list, func(f report.Fetch) bool { return !asksFor(n, &f) })
			if err == nil && len(list) == 0 {
				continue
			}
			if !yield(list, err) || err != nil {
				return
			}
		}
	}
}

// asksFor reports whether f lies in the scope and the window of n.
func asksFor(n *Request, f *report.Fetch) bool {
	if f.Time < n.Window.From || f.Time >= n.Window.To {
		return false
	}
	if n.Ranges == nil {
		return true
	}
	key := urlkey.Key(f.URL)
	if n.Match != nil && !n.Match(key) {
		return false
	}
	return slices.ContainsFunc(n.Ranges, func(r urlkey.Range) bool { return r.Contains(key) })
}

// Each of these shapes has one row per element of the list.
var (
	crawlShape    = shape[[]report.Crawl]{rows: func(list []report.Crawl) int { return len(list) }}
	workerShape   = shape[[]report.Worker]{rows: func(list []report.Worker) int { return len(list) }}
	frontierShape = shape[[]report.Queued]{rows: func(list []report.Queued) int { return len(list) }}
	fetchShape    = shape[[]report.Fetch]{rows: func(list []report.Fetch) int { return len(list) }}
)

// crawlFills has the functions that compute the columns of the relation crawls,
// by name.
var crawlFills = fills[[]report.Crawl]{
	"id":        intOf(func(c *report.Crawl) int64 { return c.ID }),
	"name":      textOf(value.Text, func(c *report.Crawl) string { return c.Name }),
	"state":     textOf(value.Text, func(c *report.Crawl) string { return c.State.String() }),
	"statement": textOf(value.Text, func(c *report.Crawl) string { return c.Statement }),
	"started":   timeOf(func(c *report.Crawl) record.Time { return c.Started }),
	"finished":  timeOf(func(c *report.Crawl) record.Time { return c.Finished }),
	"fetched":   intOf(func(c *report.Crawl) int64 { return c.Fetched }),
	"failed":    intOf(func(c *report.Crawl) int64 { return c.Failed }),
	"waiting":   intOf(func(c *report.Crawl) int64 { return c.Waiting }),
	"kept":      intOf(func(c *report.Crawl) int64 { return c.Kept }),
	"layer":     intOf(func(c *report.Crawl) int64 { return int64(c.Layer) }),
	"bytes":     intOf(func(c *report.Crawl) int64 { return c.Bytes }),
	"stages":    textOf(value.Text, stagesText),
	"error":     textOf(value.Text, func(c *report.Crawl) string { return c.Error }),
}

// workerFills has the functions that compute the columns of the relation
// workers, by name.
var workerFills = fills[[]report.Worker]{
	"crawl":  textOf(value.Text, func(w *report.Worker) string { return w.Crawl }),
	"worker": intOf(func(w *report.Worker) int64 { return int64(w.ID) }),
	"step":   textOf(value.Text, func(w *report.Worker) string { return w.Step }),
	"url":    textOf(value.URL, func(w *report.Worker) string { return w.URL }),
	"since":  timeOf(func(w *report.Worker) record.Time { return w.Since }),
}

// frontierFills has the functions that compute the columns of the relation
// frontier, by name.
var frontierFills = fills[[]report.Queued]{
	"url":      textOf(value.URL, func(u *report.Queued) string { return u.URL }),
	"host":     textOf(value.Text, func(u *report.Queued) string { return u.Host }),
	"priority": floatOf(func(u *report.Queued) float64 { return u.Score }),
	"terms":    textOf(value.Text, termsText),
	"layer":    intOf(func(u *report.Queued) int64 { return int64(u.Layer) }),
	"via":      textOf(value.URL, func(u *report.Queued) string { return u.Via }),
	"due":      timeOf(func(u *report.Queued) record.Time { return u.Due }),
	"tries":    intOf(func(u *report.Queued) int64 { return int64(u.Tries) }),
	"state": textOf(value.Text, func(u *report.Queued) string {
		if u.Kept {
			return "kept"
		}
		if u.Due != record.NoTime {
			return "later"
		}
		return "queued"
	}),
	"crawl": textOf(value.Text, func(u *report.Queued) string { return u.Crawl }),
}

// fetchFills has the functions that compute the columns of the relation
// fetches, by name.
var fetchFills = fills[[]report.Fetch]{
	"url":     textOf(value.URL, func(f *report.Fetch) string { return f.URL }),
	"time":    timeOf(func(f *report.Fetch) record.Time { return f.Time }),
	"outcome": textOf(value.Text, func(f *report.Fetch) string { return f.Outcome.String() }),
	"status":  answered(func(f *report.Fetch) int64 { return int64(f.Status) }),
	"ms":      intOf(func(f *report.Fetch) int64 { return f.Elapsed.Milliseconds() }),
	"bytes":   answered(func(f *report.Fetch) int64 { return f.Bytes }),
	"ip":      textOf(value.Text, func(f *report.Fetch) string { return f.IP }),
	"hop":     intOf(func(f *report.Fetch) int64 { return int64(f.Hop) }),
	"via":     textOf(value.URL, func(f *report.Fetch) string { return f.Via }),
	"reason":  textOf(value.Text, func(f *report.Fetch) string { return f.Reason }),
	"crawl":   textOf(value.Text, func(f *report.Fetch) string { return f.Crawl }),
}

// termsText returns the terms that the priority of a URL is computed from.
func termsText(u *report.Queued) string {
	t := u.Terms
	if t == nil {
		return ""
	}
	w := order.DefaultWeights
	if t.Weights != nil {
		w = order.Weights(*t.Weights)
	}
	return w.Explain(order.Terms{Domain: t.Domain, Popularity: t.Popularity, Parent: t.Parent, Depth: t.Depth, Other: t.Other})
}

// stagesText returns how many URLs went through each stage of a crawl, and how
// long that took.
func stagesText(c *report.Crawl) string {
	var list []string
	for i, tally := range c.Stages {
		if tally.Count > 0 {
			list = append(list, fmt.Sprintf("%s %d in %.3f s", report.Stage(i), tally.Count, tally.Took.Seconds()))
		}
	}
	return strings.Join(list, ", ")
}

// answered returns a fill of a column that is NULL for attempts without an
// answer.
func answered(f func(*report.Fetch) int64) func(*value.Vector, []report.Fetch) {
	return func(v *value.Vector, list []report.Fetch) {
		v.Resize(value.Int, len(list))
		for i := range list {
			if v.Ints[i] = f(&list[i]); list[i].Bytes < 0 {
				v.SetNull(i)
			}
		}
	}
}
