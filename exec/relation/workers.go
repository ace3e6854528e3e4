package relation

import (
	"context"
	"iter"

	"infomall/crawl/report"
	"infomall/store/record"
)

// Workers declares the relation workers, which has one row per worker of a
// running crawl.
var Workers = list(Relation{
	Name: "workers", Doc: "one worker of a running crawl", Shown: true, OfSession: true,
	Columns: []Column{
		textOf("crawl", "name of the crawl", func(w *report.Worker) string { return w.Crawl }),
		intOf("worker", "number of the worker, from 1", func(w *report.Worker) int64 { return int64(w.ID) }),
		textOf("step", "current step: fetch, extract or idle", func(w *report.Worker) string { return w.Step }),
		urlOf("url", "URL being processed", func(w *report.Worker) string { return w.URL }),
		timeOf("since", "when the step began", func(w *report.Worker) record.Time { return w.Since }),
	},
}, (*Reader).workers)

func (r *Reader) workers(ctx context.Context, _ *Request) iter.Seq2[[]report.Worker, error] {
	if r.Crawls == nil {
		return none
	}
	return listed(ctx, r.Crawls.Workers)
}
