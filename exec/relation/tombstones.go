package relation

import (
	"context"
	"iter"
	"strings"

	"infomall/store/record"
	"infomall/store/record/task"
)

// Tombstones is the relation tombstones.
var Tombstones = list(Relation{
	Name: "tombstones", Doc: "one DELETE or DROP POOL: that captures were removed, and not which", Shown: true,
	Columns: []Column{
		timeOf("time", "when", func(t *task.Tombstone) record.Time { return t.Time }),
		textOf("kind", "delete or drop", func(t *task.Tombstone) string {
			if t.Drop {
				return "drop"
			}
			return "delete"
		}),
		intOf("captures", "captures removed", func(t *task.Tombstone) int64 { return t.Captures }),
		textOf("pools", "pools that had them", func(t *task.Tombstone) string { return strings.Join(t.Pools, " ") }),
		textOf("reason", "what REASON said", func(t *task.Tombstone) string { return t.Reason }),
		textOf("state", "hidden: still in files, and in no answer; gone: in no file", func(t *task.Tombstone) string {
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
