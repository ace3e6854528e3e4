package relation

import (
	"context"
	"iter"

	"infomall/store/record"
)

// Entry is one row of the relation history: one entry that the user typed at
// the prompt.
type Entry struct {
	Time     record.Time
	Text     string
	Duration int64  // in milliseconds
	Rows     int64  // rows of the answer
	Status   string // done, failed or interrupted; "" if it has not ended
}

// History declares the relation history, which has one row per entry that this
// user typed at the prompt.
var History = list(Relation{
	Name: "history", Doc: "one entry typed at the prompt, by this user", Shown: true, OfSession: true, OfNoArchive: true,
	Columns: []Column{
		timeOf("time", "when the entry was typed", func(e *Entry) record.Time { return e.Time }),
		textOf("statement", "text that was typed, without values of parameters", func(e *Entry) string { return e.Text }),
		durationOrNull("duration", "how long the statement took", func(e *Entry) (int64, bool) { return e.Duration, e.Status != "" }),
		intOrNull("rows", "number of rows in the result", func(e *Entry) (int64, bool) { return e.Rows, e.Status != "" }),
		textOf("status", "done, failed or interrupted; NULL while it runs", func(e *Entry) string { return e.Status }),
	},
}, (*Reader).history)

func (r *Reader) history(ctx context.Context, _ *Request) iter.Seq2[[]Entry, error] {
	return listed(ctx, r.History)
}
