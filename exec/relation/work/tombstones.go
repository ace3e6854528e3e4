package work

import (
	"context"
	"iter"
	"strings"

	"infomall/exec/relation"
	"infomall/store/record"
	"infomall/store/record/task"
)

// Tombstones declares the relation tombstones, which has one row per DELETE or
// DROP POOL that removed captures.
var Tombstones = relation.List(relation.Relation{
	Name: "tombstones", Doc: "one DELETE or DROP POOL that removed captures; it does not record which", Shown: true,
	Columns: []relation.Column{
		relation.TimeOf("time", "when the captures were removed", func(t *task.Tombstone) record.Time { return t.Time }),
		relation.TextOf("kind", "delete or drop", func(t *task.Tombstone) string {
			if t.Drop {
				return "drop"
			}
			return "delete"
		}),
		relation.IntOf("captures", "number of captures removed", func(t *task.Tombstone) int64 { return t.Captures }),
		relation.TextOf("pools", "pools that the captures were removed from", func(t *task.Tombstone) string { return strings.Join(t.Pools, " ") }),
		relation.TextOf("reason", "text of REASON in the statement", func(t *task.Tombstone) string { return t.Reason }),
		relation.TextOf("state", "hidden (still in files, but not in results) or gone (in no file)", func(t *task.Tombstone) string {
			if t.Hidden {
				return "hidden"
			}
			return "gone"
		}),
	},
}, tombstones)

func tombstones(r *relation.Reader, ctx context.Context, _ *relation.Request) iter.Seq2[[]task.Tombstone, error] {
	return relation.Listed(ctx, r.Snapshot.Tombstones)
}
