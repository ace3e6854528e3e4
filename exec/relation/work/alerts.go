package work

import (
	"context"
	"iter"
	"slices"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record"
)

// Alerts declares the relation alerts, which has one row per alert of each crawl.
var Alerts = relation.List(relation.Relation{
	Name: "alerts", Doc: "one alert of a crawl; the last 1000 of each crawl are kept", OwnTime: "time", OfSession: true,
	Columns: []relation.Column{
		relation.TimeOf("time", "when the crawl noticed it", func(a *report.Alert) record.Time { return a.Time }),
		relation.TextOf("crawl", "name of the crawl", func(a *report.Alert) string { return a.Crawl }),
		relation.TextOf("kind", "silent (a host does not answer any more), answers (it does again), offline (no host answers), online (one does again), soft_404 (many pages of a host have the same text, or the text of a page that does not exist), disk_low (the crawl pauses) or disk_ok (it goes on)", func(a *report.Alert) string { return a.Kind.String() }),
		relation.TextOf("host", "host and port; NULL if it is about no single host", func(a *report.Alert) string { return a.Host }),
		relation.URLOf("url", "a page that shows the matter", func(a *report.Alert) string { return a.URL }),
		relation.TextOf("text", "what happened", func(a *report.Alert) string { return a.Text }),
	},
}, alerts)

// alerts yields the alerts in the time window of n, several at a time. It yields
// nothing if there are no crawls.
func alerts(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]report.Alert, error] {
	return func(yield func([]report.Alert, error) bool) {
		if r.Crawls == nil {
			return
		}
		for list, err := range r.Crawls.Alerts(ctx) {
			list = slices.DeleteFunc(list, func(a report.Alert) bool { return a.Time < n.Window.From || a.Time >= n.Window.To })
			if !yield(list, err) || err != nil {
				return
			}
		}
	}
}
