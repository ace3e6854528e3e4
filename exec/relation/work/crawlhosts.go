package work

import (
	"context"
	"iter"
	"math"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record"
)

// CrawlHosts declares the relation crawl_hosts, which has one row per host of each
// crawl.
var CrawlHosts = relation.List(relation.Relation{
	Name: "crawl_hosts", Doc: "one host of a crawl; the counts of a running crawl are a few seconds old", OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("crawl", "name of the crawl", func(t *report.HostTally) string { return t.Crawl }),
		relation.TextOf("host", "host and port", func(t *report.HostTally) string { return t.Host }),
		relation.TextOf("state", "silent (it does not answer any more), waiting (it has URLs still to fetch) or done", func(t *report.HostTally) string { return t.State() }),
		relation.IntOf("waiting", "number of URLs still to fetch", func(t *report.HostTally) int64 { return t.Waiting }),
		relation.IntOf("kept", "number of URLs held back: in traps, or excluded by an order", func(t *report.HostTally) int64 { return t.Kept }),
		relation.IntOf("fetched", "number of pages fetched", func(t *report.HostTally) int64 { return t.Fetched }),
		relation.IntOf("failed", "number of attempts without a response", func(t *report.HostTally) int64 { return t.Failed }),
		relation.IntOf("errors", "number of responses with an error status, and of incomplete ones", func(t *report.HostTally) int64 { return t.Errors }),
		relation.IntOf("bytes", "size of the bodies fetched", func(t *report.HostTally) int64 { return t.Bytes }),
		relation.TimeOf("last_time", "time of the last attempt to fetch a page", func(t *report.HostTally) record.Time { return t.LastTime }),
		relation.TextOf("last_outcome", "its outcome; the values are those of fetches", func(t *report.HostTally) string {
			if t.LastTime == record.NoTime {
				return ""
			}
			return t.LastOutcome.String()
		}),
		relation.IntOrNull("last_status", "its HTTP status; NULL if there was no response", func(t *report.HostTally) (int64, bool) { return int64(t.LastStatus), t.LastStatus > 0 }),
		relation.TimeOf("next", "when the host may be asked again, as of the last request", func(t *report.HostTally) record.Time { return t.Next }),
		relation.FloatOf("delay", "pause after the last request, in seconds", func(t *report.HostTally) float64 { return float64(t.Delay.Milliseconds()) / 1000 }),
		relation.IntOf("fails", "requests in a row without a response", func(t *report.HostTally) int64 { return int64(t.Fails) }),
		relation.TimeOf("silent_since", "since when the host is silent; NULL if it is not", func(t *report.HostTally) record.Time { return t.Silent }),
		relation.FloatOf("soft_404", "share of the last pages with status 200 that have the same text, or the text of a page that does not exist", func(t *report.HostTally) float64 { return math.Round(t.Soft*100) / 100 }),
		relation.TimeOf("error_time", "time of the last attempt that failed", func(t *report.HostTally) record.Time { return t.ErrorTime }),
		relation.URLOf("error_url", "its URL", func(t *report.HostTally) string { return t.ErrorURL }),
		relation.TextOf("error", "its outcome and reason", func(t *report.HostTally) string { return t.Error }),
	},
}, crawlHosts)

func crawlHosts(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]report.HostTally, error] {
	if r.Crawls == nil {
		return relation.None
	}
	return r.Crawls.Tallies(ctx)
}
