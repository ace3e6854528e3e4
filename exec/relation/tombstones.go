package relation

import (
	"context"
	"iter"
	"strings"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Tombstones declares the relation tombstones, which has one row per DELETE or
// DROP POOL that removed captures.
var Tombstones = list(Relation{
	Name: "tombstones", Doc: "one DELETE or DROP POOL that removed captures; it does not record which", Shown: true,
	Columns: []Column{
		timeOf("time", "when the captures were removed", func(t *task.Tombstone) record.Time { return t.Time }),
		textOf("kind", "delete or drop", func(t *task.Tombstone) string {
			if t.Drop {
				return "drop"
			}
			return "delete"
		}),
		intOf("captures", "number of captures removed", func(t *task.Tombstone) int64 { return t.Captures }),
		textOf("pools", "pools that the captures were removed from", func(t *task.Tombstone) string { return strings.Join(t.Pools, " ") }),
		textOf("reason", "text of REASON in the statement", func(t *task.Tombstone) string { return t.Reason }),
		textOf("state", "hidden (still in files, but not in results) or gone (in no file)", func(t *task.Tombstone) string {
			if t.Hidden {
				return "hidden"
			}
			return "gone"
		}),
	},
}, (*Reader).tombstones)

func (r *Reader) tombstones(ctx context.Context, _ *Request) iter.Seq2[[]task.Tombstone, error] {
	return listed(ctx, r.Snapshot.Tombstones)
}
