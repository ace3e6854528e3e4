package result

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"infomall/exec/event/kept"
	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// reportRow is one row of the relation reports.
type reportRow struct {
	of      *task.Result
	event   int
	id      uint64
	first   kept.Text // the representative
	source  string
	sources string
	copies  int
	named   bool
}

// Reports declares the relation reports, which has one row per report of the events of the
// last EVENTS of each name.
var Reports = relation.List(relation.Relation{
	Name: "reports", Doc: "one report of an event: a set of texts that are nearly the same", Scoped: true, OwnTime: "time",
	Results: task.ResultEvents, NoResults: noEvents,
	Columns: []relation.Column{
		relation.TextOf("ranking", "name given to EVENTS", func(r *reportRow) string { return r.of.Name }),
		relation.TextOf("event", "event that the report is about, such as news/17", func(r *reportRow) string { return eventName(r.of.Name, r.event) }),
		relation.TextOf("report", "number of the report, in hexadecimal; it never changes", func(r *reportRow) string { return fmt.Sprintf("%016x", r.id) }),
		relation.URLOf("url", "canonical URL of the page with the representative text: the one that was published first", func(r *reportRow) string { return r.first.URL }),
		relation.TimeOf("time", "when that text was first seen", func(r *reportRow) record.Time { return r.first.Time }),
		relation.TimeOf("published", "when the page says the text was published", func(r *reportRow) record.Time { return r.first.Published }),
		relation.TextOf("published_precision", "how exact published is: year, month, day or minute", func(r *reportRow) string { return r.first.Precision }),
		relation.TextOf("title", "title of the text", func(r *reportRow) string { return r.first.Title }),
		relation.TextOf("host", "host of the URL", func(r *reportRow) string { return urlkey.Host(r.first.URL) }),
		relation.TextOf("source", "who wrote the text: as the page says, or else the host", func(r *reportRow) string { return r.source }),
		relation.TextOf("sources", "hosts that have the text or a copy", func(r *reportRow) string { return r.sources }),
		relation.IntOf("copies", "number of further texts that are nearly the same", func(r *reportRow) int64 { return int64(r.copies) }),
		relation.TextOf("lang", "language of the page", func(r *reportRow) string { return r.first.Lang }),
		relation.BoolOf("title_of_event", "whether the title of the event is that of the report", func(r *reportRow) bool { return r.named }),
		relation.TimeOf("computed", "when EVENTS computed the event", func(r *reportRow) record.Time { return r.of.Computed }),
	},
}, reports)

// reports yields the rows of the relation reports in batches, sorted by event and then by the time
// at which the report began. If n has a scope, only texts in the scope count.
func reports(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]reportRow, error] {
	return relation.Paged(func(yield func(*reportRow, error) bool) {
		for of, err := range newestEvents(r, ctx) {
			if err != nil {
				yield(nil, err)
				return
			}
			rows := keptRows(r, ctx, of)
			events, err := kept.ReadEvents(rows)
			if err != nil {
				yield(nil, err)
				return
			}
			for x, err := range kept.Reports(ctx, rows, events, suffixed(n.Ranges), &r.Memory) {
				if err != nil {
					yield(nil, err)
					return
				}
				row := reportRow{of: of, event: x.Event.Number, id: x.ID, first: x.Texts[0], source: x.Source(), sources: strings.Join(x.Hosts(), ", "), copies: x.Copies(), named: x.Named()}
				if row.first.Time < n.Window.From || row.first.Time >= n.Window.To || n.Match != nil && !n.Match(urlkey.Key(row.first.URL)) {
					continue
				}
				if !yield(&row, nil) {
					return
				}
			}
		}
	})
}
