package work

import (
	"context"
	"iter"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Blocked declares the relation blocked, which has one row per entry of the
// block-list.
var Blocked = relation.List(relation.Relation{
	Name: "blocked", Doc: "one entry of the block-list: what one DELETE … FOREVER keeps out of the archive", Shown: true,
	Columns: []relation.Column{
		relation.IntOf("entry", "number of the entry, for ALLOW ENTRY", func(e *task.BlockEntry) int64 { return e.Number }),
		relation.TimeOf("time", "when the entry was made", func(e *task.BlockEntry) record.Time { return e.Time }),
		relation.TextOf("scope", "URLs that stay out; NULL for all", func(e *task.BlockEntry) string { return task.ScopesText(e.Scopes) }),
		relation.TextOf("allowed", "URLs of scope that ALLOW has lifted", func(e *task.BlockEntry) string { return task.ScopesText(e.Allowed) }),
		relation.TimeOf("since", "start of the time of the captures that stay out; NULL for no start", func(e *task.BlockEntry) record.Time {
			return relation.Window{From: e.From, To: e.To}.Start()
		}),
		relation.TimeOf("before", "end of that time, which it does not include; NULL for no end", func(e *task.BlockEntry) record.Time {
			return relation.Window{From: e.From, To: e.To}.End()
		}),
		relation.IntOrNull("digests", "number of bodies to which the entry is limited; NULL if it is limited to none", func(e *task.BlockEntry) (int64, bool) {
			return int64(len(e.Digests)), e.Digests != nil
		}),
		relation.IntOf("captures", "number of captures that the statement deleted", func(e *task.BlockEntry) int64 { return e.Captures }),
		relation.TextOf("reason", "text of REASON in the statement", func(e *task.BlockEntry) string { return e.Reason }),
	},
}, blocked)

func blocked(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]task.BlockEntry, error] {
	return relation.Listed(ctx, func(ctx context.Context) ([]task.BlockEntry, error) {
		l, err := r.Snapshot.BlockList(ctx)
		if err != nil {
			return nil, err
		}
		return l.Entries, nil
	})
}
