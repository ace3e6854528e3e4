package pool

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"strings"

	"infomall/exec/session"
	"infomall/exec/spill"
	"infomall/store/record/task"
)

// resultFiles has the methods of an archive that change a stored result.
type resultFiles interface {
	session.Archive
	// RemoveResult removes one result. If it does not exist, that is no error.
	RemoveResult(ctx context.Context, r task.Result) error
}

// forgetting removes the texts of some URLs from the results that EVENTS statements have
// stored.
type forgetting struct {
	s     *session.Session
	files resultFiles
	keys  *spill.Spool // keys of the URLs, sorted, each once; nil if there is nothing to forget
}

// forgetEvents removes from stored events the texts of the URLs whose captures d deletes.
// The rest of each event stays, because its rows have no words of these texts; see package
// kept. forgetEvents must be called before the captures are deleted. If the program is
// killed in between, another DELETE then finds the same captures. The caller closes the
// result.
func (d *deletion) forgetEvents(ctx context.Context) (*forgetting, error) {
	f := &forgetting{s: d.s}
	files, ok := d.s.Archive().(resultFiles)
	if !ok {
		return f, nil
	}
	f.files = files
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	list, err := snap.Results(ctx, task.ResultEvents)
	if err != nil || len(list) == 0 {
		return f, errors.Join(err, f.forget(ctx))
	}
	runner := d.s.Runner(snap, "delete")
	rows, err := runner.Rows(ctx, d.node)
	if err != nil {
		return nil, err
	}
	sorter := runner.Memory.Sorter(ctx, 2)
	defer sorter.Close()
	for key, err := range keysOf(targets(rows, d.src)) {
		if err == nil {
			err = sorter.Add([]byte(key), nil)
		}
		if err != nil {
			return nil, err
		}
	}
	f.keys = runner.Memory.Spool(4)
	var last []byte
	for rec, err := range sorter.Sorted() {
		if err == nil && f.keys.Len() > 0 && bytes.Equal(rec.Key, last) {
			continue
		}
		last = append(last[:0], rec.Key...)
		if err == nil {
			err = f.keys.Add(rec.Key)
		}
		if err != nil {
			f.close()
			return nil, err
		}
	}
	if err := f.forget(ctx); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// close releases memory and temporary files.
func (f *forgetting) close() {
	if f.keys != nil {
		f.keys.Close()
	}
}

// forget removes the texts of the URLs from all stored events that contain some of them, and
// from what EVENTS has stored for its next run. It must be called again after the captures
// are deleted, because an EVENTS statement may have ended meanwhile.
func (f *forgetting) forget(ctx context.Context) error {
	if f.files == nil {
		return nil
	}
	snap, release, err := f.s.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer release()
	streams, err := snap.Results(ctx, task.ResultStream)
	if err != nil {
		return err
	}
	for _, r := range streams { // after a deletion, EVENTS reads all texts again in any case
		if err := f.files.RemoveResult(ctx, r); err != nil {
			return err
		}
	}
	if f.keys == nil || f.keys.Len() == 0 {
		return nil
	}
	list, err := snap.Results(ctx, task.ResultEvents)
	if err != nil {
		return err
	}
	for _, r := range list {
		all := int64(0)
		for _, err := range f.without(snap.ResultRows(ctx, r, nil)) {
			if err != nil {
				return err
			}
			all++
		}
		if all == r.Rows {
			continue
		}
		if _, err := f.files.SaveResult(ctx, r, f.without(snap.ResultRows(ctx, r, nil))); err != nil {
			return err
		}
		if err := f.files.RemoveResult(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// wordsNote returns a note for the user that names the stored classifiers and clusters, or
// "" if there are none. They contain words of the pages from which they were made, but do
// not record which pages, so DELETE cannot remove these words.
func (d *deletion) wordsNote(ctx context.Context) (string, error) {
	snap, release, err := d.s.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	var names []string
	for _, kind := range []struct{ of, word string }{{task.ResultClassifier, "classifier"}, {task.ResultClusters, "clusters"}} {
		list, err := snap.Results(ctx, kind.of)
		if err != nil {
			return "", err
		}
		for i, r := range list {
			if i == 0 || r.Name != list[i-1].Name {
				names = append(names, kind.word+" "+r.Name)
			}
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return "may have words of deleted pages: " + strings.Join(names, ", ") + "; remove with DROP what was made from these pages, and make it again", nil
}

// without yields those rows that are not about a URL in f.keys. The rows must be sorted by
// key, as f.keys is.
func (f *forgetting) without(rows iter.Seq2[task.ResultRow, error]) iter.Seq2[task.ResultRow, error] {
	return func(yield func(task.ResultRow, error) bool) {
		keys := f.keys.Reader()
		next, more, err := keys.Next()
		for row, e := range rows {
			if err == nil {
				err = e
			}
			if err != nil {
				yield(row, err)
				return
			}
			url, _, _ := strings.Cut(string(row.Key), "\x00")
			for more && string(next) < url {
				if next, more, err = keys.Next(); err != nil {
					yield(row, err)
					return
				}
			}
			if more && string(next) == url {
				continue
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}
