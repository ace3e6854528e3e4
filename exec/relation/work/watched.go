package work

import (
	"context"
	"iter"
	"math"
	"slices"
	"strings"

	"infomall/exec/relation"
	"infomall/exec/value"
	"infomall/exec/watch"
	"infomall/store/record"
	"infomall/store/record/task"
)

// watchedRow is one row of the relation watched.
type watchedRow struct {
	watch.Row
	name string
}

// Watched declares the relation watched, which has one row per row that a watch (a query that runs
// again and again) has found. Queries read the relation that WatchedWith returns, which also has
// the columns of the watches' queries.
var Watched = relation.List(relation.Relation{
	Name: "watched", Doc: "one row that a watch has found; after these columns come those of the queries of the watches", OwnTime: "seen",
	Results: task.ResultWatches, NoResults: "no watch has run yet; RUN WATCH name runs one now",
	Columns: []relation.Column{
		relation.TextOf("name", "name of the watch", func(w *watchedRow) string { return w.name }),
		relation.IntOf("batch", "number of the run that found the row, among the runs of the watch that found any", func(w *watchedRow) int64 { return w.Batch }),
		relation.TimeOf("seen", "when the run that found the row began", func(w *watchedRow) record.Time { return w.Seen }),
	},
}, watched)

// WatchedWith returns the relation watched with further columns: those of the queries of watches.
// All names of columns must differ. A stored value that does not have the type of its column is
// converted, or becomes NULL if it cannot be converted.
func WatchedWith(columns []value.Column) *relation.Relation {
	r := *Watched
	r.Columns = slices.Clone(r.Columns)
	for _, c := range columns {
		name := strings.Clone(c.Name)
		r.Columns = append(r.Columns, relation.ValueOf(name, c.Type, "column of the query of a watch", func(w *watchedRow) value.Value {
			at := w.Part.Column(name)
			if at < 0 {
				return value.Value{}
			}
			return fitted(w.Values[at], c.Type)
		}))
	}
	return &r
}

// fitted returns x as a value of type t, or NULL if it cannot be converted.
func fitted(x value.Value, t value.Type) value.Value {
	if !value.Castable(x.Type, t) {
		return value.Value{}
	}
	y, err := value.Cast(x, t, nil)
	if err != nil {
		return value.Value{}
	}
	return y
}

// watched yields the rows of the relation watched in batches: one watch after the other, and the
// rows of each in the order in which they were found.
func watched(r *relation.Reader, ctx context.Context, n *relation.Request) iter.Seq2[[]watchedRow, error] {
	return relation.Paged(func(yield func(*watchedRow, error) bool) {
		list, err := r.Watches(ctx)
		if err != nil {
			yield(nil, err)
			return
		}
		first, last := int64(1), int64(math.MaxInt64)
		if n.Batch > 0 {
			first, last = n.Batch, n.Batch
		}
		for _, w := range list {
			if n.Watch != "" && w.Name != n.Watch {
				continue
			}
			for row, err := range watch.All(ctx, r.Snapshot, w.Name, w.Created, first, last) {
				if err != nil {
					yield(nil, err)
					return
				}
				if row.Seen < n.Window.From || row.Seen >= n.Window.To {
					continue
				}
				if !yield(&watchedRow{*row, w.Name}, nil) {
					return
				}
			}
		}
	})
}
