package work

import (
	"context"
	"iter"

	"infomall/crawl/report"
	"infomall/exec/relation"
	"infomall/store/record"
)

// Workers declares the relation workers, which has one row per worker of a
// running crawl.
var Workers = relation.List(relation.Relation{
	Name: "workers", Doc: "one worker of a running crawl", Shown: true, OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("crawl", "name of the crawl", func(w *report.Worker) string { return w.Crawl }),
		relation.IntOf("worker", "number of the worker, from 1", func(w *report.Worker) int64 { return int64(w.ID) }),
		relation.TextOf("step", "current step: fetch, extract or idle", func(w *report.Worker) string { return w.Step }),
		relation.URLOf("url", "URL being processed", func(w *report.Worker) string { return w.URL }),
		relation.TimeOf("since", "when the step began", func(w *report.Worker) record.Time { return w.Since }),
	},
}, workers)

func workers(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]report.Worker, error] {
	if r.Crawls == nil {
		return relation.None
	}
	return relation.Listed(ctx, r.Crawls.Workers)
}
