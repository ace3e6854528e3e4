package relation

import (
	"context"
	"iter"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Watch is one row of the relation watches: a query that runs again and again,
// and whose new rows are kept.
type Watch struct {
	Name, Every, Query, Key, Then string
	Created, Next                 record.Time
	Due                           bool     // the time Next has passed
	Last                          task.Job // the last run; its ID is 0 if the watch has not run
	Batches                       int64    // the number of the last batch of rows; 0 if there is none
	Done                          int64    // up to this batch, Then is done
}

// Watches declares the relation watches, which has one row per watch.
var Watches = list(Relation{
	Name: "watches", Doc: "one query whose new rows a WATCH keeps", Shown: true, OfSession: true,
	Columns: []Column{
		textOf("name", "name", func(w *Watch) string { return w.Name }),
		textOf("state", "waiting, running or due (its time has come, but no infomall --daemon has started it)", func(w *Watch) string {
			switch {
			case w.Last.ID > 0 && w.Last.State == task.JobRunning:
				return "running"
			case w.Due:
				return "due"
			}
			return "waiting"
		}),
		{Name: "batches", Type: value.Int, Doc: "number of the last batch of new rows; NULL before the first", fill: fillInts(value.Int, func(w *Watch) (int64, bool) { return w.Batches, w.Batches > 0 })},
		{Name: "done", Type: value.Int, Doc: "up to this batch, the statement after THEN is done; NULL without THEN", fill: fillInts(value.Int, func(w *Watch) (int64, bool) { return w.Done, w.Then != "" })},
		textOf("every", "time between two runs", func(w *Watch) string { return w.Every }),
		textOf("query", "query to run", func(w *Watch) string { return w.Query }),
		textOf("key", "columns that say whether a row is new; NULL means all", func(w *Watch) string { return w.Key }),
		textOf("statement", "statement after THEN, which runs after new rows came", func(w *Watch) string { return w.Then }),
		timeOf("next_run", "time of the next run", func(w *Watch) record.Time { return w.Next }),
		timeOf("last_run", "when the last run began", func(w *Watch) record.Time {
			if w.Last.ID == 0 {
				return record.NoTime
			}
			return w.Last.Started
		}),
		textOf("last_state", "result of the last run: done, failed or interrupted", func(w *Watch) string {
			if w.Last.ID == 0 {
				return ""
			}
			return w.Last.State.String()
		}),
		textOf("error", "error of the last run, if it failed", func(w *Watch) string { return w.Last.Error }),
		timeOf("created", "when the watch was created", func(w *Watch) record.Time { return w.Created }),
	},
}, (*Reader).watches)

func (r *Reader) watches(ctx context.Context, _ *Request) iter.Seq2[[]Watch, error] {
	return listed(ctx, r.Watches)
}
