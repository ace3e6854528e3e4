package relation

import (
	"context"
	"iter"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Blocked declares the relation blocked, which has one row per entry of the
// block-list.
var Blocked = list(Relation{
	Name: "blocked", Doc: "one entry of the block-list: what one DELETE … FOREVER keeps out of the archive", Shown: true,
	Columns: []Column{
		intOf("entry", "number of the entry, for ALLOW ENTRY", func(e *task.BlockEntry) int64 { return e.Number }),
		timeOf("time", "when the entry was made", func(e *task.BlockEntry) record.Time { return e.Time }),
		textOf("scope", "URLs that stay out; NULL for all", func(e *task.BlockEntry) string { return task.ScopesText(e.Scopes) }),
		textOf("allowed", "URLs of scope that ALLOW has lifted", func(e *task.BlockEntry) string { return task.ScopesText(e.Allowed) }),
		timeOf("since", "start of the time of the captures that stay out; NULL for no start", func(e *task.BlockEntry) record.Time {
			return Window{e.From, e.To}.start()
		}),
		timeOf("before", "end of that time, which it does not include; NULL for no end", func(e *task.BlockEntry) record.Time {
			return Window{e.From, e.To}.end()
		}),
		intOrNull("digests", "number of bodies to which the entry is limited; NULL if it is limited to none", func(e *task.BlockEntry) (int64, bool) {
			return int64(len(e.Digests)), e.Digests != nil
		}),
		intOf("captures", "number of captures that the statement deleted", func(e *task.BlockEntry) int64 { return e.Captures }),
		textOf("reason", "text of REASON in the statement", func(e *task.BlockEntry) string { return e.Reason }),
	},
}, (*Reader).blocked)

func (r *Reader) blocked(ctx context.Context, _ *Request) iter.Seq2[[]task.BlockEntry, error] {
	return listed(ctx, func(ctx context.Context) ([]task.BlockEntry, error) {
		l, err := r.Snapshot.BlockList(ctx)
		if err != nil {
			return nil, err
		}
		return l.Entries, nil
	})
}
