package work

import (
	"context"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
)

// History declares the relation history, which has one row per entry that this
// user typed at the prompt.
var History = relation.List(relation.Relation{
	Name: "history", Doc: "one entry typed at the prompt, by this user", Shown: true, OfSession: true, OfNoArchive: true,
	Columns: []relation.Column{
		relation.TimeOf("time", "when the entry was typed", func(e *relation.Entry) record.Time { return e.Time }),
		relation.TextOf("statement", "text that was typed, without values of parameters", func(e *relation.Entry) string { return e.Text }),
		relation.DurationOrNull("duration", "how long the statement took", func(e *relation.Entry) (int64, bool) { return e.Duration, e.Status != "" }),
		relation.IntOrNull("rows", "number of rows in the result", func(e *relation.Entry) (int64, bool) { return e.Rows, e.Status != "" }),
		relation.TextOf("status", "done, failed or interrupted; NULL while it runs", func(e *relation.Entry) string { return e.Status }),
	},
}, history)

func history(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]relation.Entry, error] {
	return relation.Listed(ctx, r.History)
}
