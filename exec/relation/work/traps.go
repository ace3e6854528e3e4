package work

import (
	"context"
	"iter"

	"infomall/crawl/report"
	"infomall/exec/relation"
)

// trapRow is a row of the relation traps.
type trapRow struct {
	crawl string
	*report.CrawlTrap
}

// Traps declares the relation traps, which has one row per trap of each crawl.
var Traps = relation.List(relation.Relation{
	Name: "traps", Doc: "one trap in which a crawl holds back URLs; the first 20 traps of each crawl are listed", OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("crawl", "name of the crawl", func(t *trapRow) string { return t.crawl }),
		relation.TextOf("host", "host and port", func(t *trapRow) string { return t.Host() }),
		relation.IntOf("kept", "number of URLs held back", func(t *trapRow) int64 { return t.Kept }),
		relation.URLOf("url", "first URL held back; ADD url TO CRAWL fetches the URLs of the trap", func(t *trapRow) string { return t.URL }),
		relation.TextOf("reason", "why it is a trap", func(t *trapRow) string { return t.Reason }),
	},
}, traps)

func traps(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]trapRow, error] {
	if r.Crawls == nil {
		return relation.None
	}
	return relation.Listed(ctx, func(ctx context.Context) (list []trapRow, err error) {
		crawls, err := r.Crawls.Crawls(ctx)
		for i := range crawls {
			for j := range crawls[i].Traps {
				list = append(list, trapRow{crawls[i].Name, &crawls[i].Traps[j]})
			}
		}
		return list, err
	})
}
