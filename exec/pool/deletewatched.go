package pool

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/exec/watch"
	"infomall/lang"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// watchedDeletion hides rows that watches have found. DELETE hides the rows about the URLs
// of the captures that it deletes. DROP POOL hides the rows that depend only on its pool.
type watchedDeletion struct {
	s       *session.Session
	watches []*watch.Runner
	marks   []task.Result // one for each of watches
}

// hide hides rows of all watches. The query with the plan node finds the captures that the
// statement removes. hideIn hides the rows of one watch; its parameter rows are the rows of
// that query. hide must be called before the captures are removed. If the program is killed
// in between, the same statement then finds the same captures.
func (h *watchedDeletion) hide(ctx context.Context, node plan.Node, hideIn func(w *watch.Runner, rows value.Rows) (task.Result, error)) error {
	files, ok := h.s.Archive().(watch.Files)
	if !ok {
		return nil
	}
	list, err := h.s.Archive().Definitions(ctx)
	if err != nil {
		return err
	}
	for _, def := range session.SortDefinitions(list, task.KindWatch) {
		err := func() error {
			snap, release, err := h.s.Snapshot(ctx)
			if err != nil {
				return err
			}
			defer release()
			runner := h.s.Runner(snap, "delete")
			rows, err := runner.Rows(ctx, node)
			if err != nil {
				return err
			}
			w := &watch.Runner{Files: files, Rows: snap, Name: def.Name, Created: def.Created, Memory: runner.Memory}
			mark, err := hideIn(w, rows)
			h.watches, h.marks = append(h.watches, w), append(h.marks, mark)
			return err
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// hideWatched hides the rows of watches about the URLs of the captures that d deletes.
func (d *deletion) hideWatched(ctx context.Context) (*watchedDeletion, error) {
	h := &watchedDeletion{s: d.s}
	return h, h.hide(ctx, d.node, func(w *watch.Runner, rows value.Rows) (task.Result, error) {
		return w.Delete(ctx, keysOf(targets(rows, d.src)), record.At(d.s.Now()))
	})
}

// hideWatched hides the rows of watches that depend only on captures of the pool.
func (d *poolDrop) hideWatched(ctx context.Context) (*watchedDeletion, error) {
	st, err := lang.ParseOne(goneQuery, "DROP POOL")
	if err != nil {
		return nil, err // Unreachable: the text is a constant.
	}
	inner, _ := d.s.Script(map[string]string{"pool": d.pool})
	node, err := plan.Build(st.(*ast.Query), inner.Env())
	if err != nil {
		return nil, err
	}
	h := &watchedDeletion{s: d.s}
	return h, h.hide(ctx, node, func(w *watch.Runner, rows value.Rows) (task.Result, error) {
		return w.Drop(ctx, goneOf(rows), record.At(d.s.Now()))
	})
}

// goneQuery has one row for each URL of the pool $pool. The row has the time when the first
// capture of the URL in another pool was added, or NULL if there is none, and the times of
// the URL's first and last capture in $pool.
const goneQuery = `SELECT url, min(added) FILTER (WHERE pool <> $pool) AS stays,
	min(time) FILTER (WHERE pool = $pool) AS first, max(time) FILTER (WHERE pool = $pool) AS last
FROM captures WHERE url IN (SELECT url FROM captures WHERE pool = $pool) GROUP BY url`

// goneOf yields a watch.Gone for each row of goneQuery.
func goneOf(rows value.Rows) iter.Seq2[watch.Gone, error] {
	return func(yield func(watch.Gone, error) bool) {
		for b, err := range rows {
			if err != nil {
				yield(watch.Gone{}, err)
				return
			}
			for i := range b.N {
				g := watch.Gone{
					Key: urlkey.Key(b.Cols[0].At(i).Text), Before: record.MaxTime,
					From: record.Time(b.Cols[2].At(i).Int), To: record.Time(b.Cols[3].At(i).Int),
				}
				if stays := b.Cols[1].At(i); !stays.IsNull() {
					g.Before = record.Time(stays.Int)
				}
				if !yield(g, nil) {
					return
				}
			}
		}
	}
}

// keysOf yields the URL keys of targets. Each key is yielded once if the targets are sorted
// by key.
func keysOf(targets iter.Seq2[task.Target, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		last := ""
		for t, err := range targets {
			if err == nil && t.Key == last {
				continue
			}
			last = t.Key
			if !yield(t.Key, err) || err != nil {
				return
			}
		}
	}
}

// repeat hides the same rows a second time, after the captures are deleted, because a watch
// may have run meanwhile and found them again.
func (h *watchedDeletion) repeat(ctx context.Context) error {
	if len(h.watches) == 0 {
		return nil
	}
	snap, release, err := h.s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	for i, w := range h.watches {
		w.Rows = snap
		if err := w.Repeat(ctx, h.marks[i], record.At(h.s.Now())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
