package work

import (
	"context"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Watches declares the relation watches, which has one row per watch.
var Watches = relation.List(relation.Relation{
	Name: "watches", Doc: "one query whose new rows a WATCH keeps", Shown: true, OfSession: true,
	Columns: []relation.Column{
		relation.TextOf("name", "name", func(w *relation.Watch) string { return w.Name }),
		relation.TextOf("state", "waiting, running or due (its time has come, but no infomall --daemon has started it)", func(w *relation.Watch) string {
			switch {
			case w.Last.ID > 0 && w.Last.State == task.JobRunning:
				return "running"
			case w.Due:
				return "due"
			}
			return "waiting"
		}),
		relation.IntOrNull("batches", "number of the last batch of new rows; NULL before the first", func(w *relation.Watch) (int64, bool) { return w.Batches, w.Batches > 0 }),
		relation.IntOrNull("done", "up to this batch, the statement after THEN is done; NULL without THEN", func(w *relation.Watch) (int64, bool) { return w.Done, w.Then != "" }),
		relation.TextOf("every", "time between two runs", func(w *relation.Watch) string { return w.Every }),
		relation.TextOf("query", "query to run", func(w *relation.Watch) string { return w.Query }),
		relation.TextOf("key", "columns that say whether a row is new; NULL means all", func(w *relation.Watch) string { return w.Key }),
		relation.TextOf("statement", "statement after THEN, which runs after new rows came", func(w *relation.Watch) string { return w.Then }),
		relation.TimeOf("next_run", "time of the next run", func(w *relation.Watch) record.Time { return w.Next }),
		relation.TimeOf("last_run", "when the last run began", func(w *relation.Watch) record.Time {
			if w.Last.ID == 0 {
				return record.NoTime
			}
			return w.Last.Started
		}),
		relation.TextOf("last_state", "result of the last run: done, failed or interrupted", func(w *relation.Watch) string {
			if w.Last.ID == 0 {
				return ""
			}
			return w.Last.State.String()
		}),
		relation.TextOf("error", "error of the last run, if it failed", func(w *relation.Watch) string { return w.Last.Error }),
		relation.TimeOf("created", "when the watch was created", func(w *relation.Watch) record.Time { return w.Created }),
	},
}, watches)

func watches(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]relation.Watch, error] {
	return relation.Listed(ctx, r.Watches)
}
