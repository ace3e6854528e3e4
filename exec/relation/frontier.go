package relation

import (
	"context"
	"iter"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/store/record"
)

// Frontier declares the relation frontier, which has one row per URL that a
// crawl has yet to fetch.
var Frontier = list(Relation{
	Name: "frontier", Doc: "one URL that a crawl has yet to fetch", OfSession: true,
	Columns: []Column{
		urlOf("url", "canonical URL", func(u *report.Queued) string { return u.URL }),
		textOf("host", "host and port of the queue that the URL is in", func(u *report.Queued) string { return u.Host }),
		floatOf("priority", "priority in the order BEST; the highest is fetched next", func(u *report.Queued) float64 { return u.Score }),
		textOf("terms", "terms of the priority, in the order BEST", termsText),
		intOf("layer", "hops from a seed", func(u *report.Queued) int64 { return int64(u.Layer) }),
		urlOf("via", "page that led to this URL", func(u *report.Queued) string { return u.Via }),
		timeOf("due", "earliest time of the fetch", func(u *report.Queued) record.Time { return u.Due }),
		intOf("tries", "number of attempts so far", func(u *report.Queued) int64 { return int64(u.Tries) }),
		textOf("state", "queued, later (waits until due) or kept (in a trap; ADD url TO CRAWL fetches it)", func(u *report.Queued) string {
			if u.Kept {
				return "kept"
			}
			if u.Due != record.NoTime {
				return "later"
			}
			return "queued"
		}),
		textOf("crawl", "name of the crawl", func(u *report.Queued) string { return u.Crawl }),
	},
}, (*Reader).frontier)

func (r *Reader) frontier(ctx context.Context, _ *Request) iter.Seq2[[]report.Queued, error] {
	if r.Crawls == nil {
		return none
	}
	return r.Crawls.Frontier(ctx)
}

// termsText returns the terms from which the priority of the URL u is computed,
// as a text for the column terms. It returns "" if the crawl does not order
// URLs by priority.
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
