package pool

import (
	"context"
	"errors"
	"io/fs"
	"iter"

	"infomall/exec/session"
	"infomall/exec/watch"
	"infomall/store/record"
	"infomall/store/record/task"
)

// watchedDeletion hides the rows that watches have found about the URLs of which a
// DELETE deletes captures.
type watchedDeletion struct {
	watches []*watch.Runner
	marks   []task.Result // one for each of watches
}

// hideWatched hides the rows of watches about the URLs of the captures that d deletes.
// It is called before the captures are deleted: if the program is killed in between,
// another DELETE finds the same captures.
func (d *deletion) hideWatched(ctx context.Context) (*watchedDeletion, error) {
	h := &watchedDeletion{}
	files, ok := d.s.Archive().(watch.Files)
	if !ok {
		return h, nil
	}
	list, err := d.s.Archive().Definitions(ctx)
	if err != nil {
		return nil, err
	}
	for _, def := range session.SortDefinitions(list, task.KindWatch) {
		mark, w, err := d.hideOf(ctx, files, &def)
		if err != nil {
			return nil, err
		}
		h.watches, h.marks = append(h.watches, w), append(h.marks, mark)
	}
	return h, nil
}

// hideOf hides the rows of one watch.
func (d *deletion) hideOf(ctx context.Context, files watch.Files, def *task.Definition) (mark task.Result, w *watch.Runner, err error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return mark, nil, err
	}
	defer release()
	runner := d.s.Runner(snap, "delete")
	rows, err := runner.Rows(ctx, d.node)
	if err != nil {
		return mark, nil, err
	}
	w = &watch.Runner{Files: files, Rows: snap, Name: def.Name, Created: def.Created, Memory: runner.Memory}
	mark, err = w.Delete(ctx, keysOf(targets(rows, d.src)), record.At(d.s.Now()))
	return mark, w, err
}

// keysOf yields the keys of targets, each once if the targets are in the order of
// their keys.
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

// again hides the rows once more after the captures are deleted, because a run of a
// watch may have begun meanwhile.
func (h *watchedDeletion) again(ctx context.Context, s *session.Session) error {
	if len(h.watches) == 0 {
		return nil
	}
	snap, release, err := s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	for i, w := range h.watches {
		w.Rows = snap
		if err := w.Again(ctx, h.marks[i], record.At(s.Now())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
