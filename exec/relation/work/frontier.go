package work

import (
	"context"
	"iter"

	"infomall/crawl/order"
	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record"
)

// Frontier declares the relation frontier, which has one row per URL that a
// crawl has yet to fetch.
var Frontier = relation.List(relation.Relation{
	Name: "frontier", Doc: "one URL that a crawl has yet to fetch", OfSession: true,
	Columns: []relation.Column{
		relation.URLOf("url", "canonical URL", func(u *report.Queued) string { return u.URL }),
		relation.TextOf("host", "host and port of the queue that the URL is in", func(u *report.Queued) string { return u.Host }),
		relation.FloatOf("priority", "priority in the order BEST; the highest is fetched next", func(u *report.Queued) float64 { return u.Score }),
		relation.TextOf("terms", "terms of the priority, in the order BEST", termsText),
		relation.IntOf("layer", "hops from a seed", func(u *report.Queued) int64 { return int64(u.Layer) }),
		relation.URLOf("via", "page that led to this URL", func(u *report.Queued) string { return u.Via }),
		relation.TimeOf("due", "earliest time of the fetch", func(u *report.Queued) record.Time { return u.Due }),
		relation.IntOf("tries", "number of attempts so far", func(u *report.Queued) int64 { return int64(u.Tries) }),
		relation.TextOf("state", "queued, later (waits until due), kept (in a trap; ADD url TO CRAWL fetches it) or excluded (by EXCLUDE … FROM CRAWL; INCLUDE fetches it)", func(u *report.Queued) string {
			if u.Excluded {
				return "excluded"
			}
			if u.Kept {
				return "kept"
			}
			if u.Due != record.NoTime {
				return "later"
			}
			return "queued"
		}),
		relation.TextOf("crawl", "name of the crawl", func(u *report.Queued) string { return u.Crawl }),
	},
}, frontier)

func frontier(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]report.Queued, error] {
	if r.Crawls == nil {
		return relation.None
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
	w := t.Weights
	if w == nil {
		w = &order.DefaultWeights
	}
	return order.Explain(w, t)
}
