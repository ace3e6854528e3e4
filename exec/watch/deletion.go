package watch

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"infomall/store/record"
	"infomall/store/record/task"
	"infomall/store/urlkey"
)

// Delete hides the rows about some URLs. It hides only rows of runs that began at or before the
// time at. keys yields the keys of the URLs. Delete may be called while the watch runs. The next
// run removes the hidden rows from the files. The caller passes the result to Repeat; its File is ""
// if there are no URLs.
func (w *Runner) Delete(ctx context.Context, keys iter.Seq2[string, error], at record.Time) (task.Result, error) {
	return w.hide(ctx, at, func(add func(hash, value []byte) error) error {
		for key, err := range keys {
			if err == nil {
				err = add(appendURLHash(nil, key), nil)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop hides the rows that depend only on the captures of a pool. gone yields, for each URL of the
// pool, which rows these are. Like Delete, it hides only rows of runs that began at or before the
// time at, and its result is for Repeat.
func (w *Runner) Drop(ctx context.Context, gone iter.Seq2[Gone, error], at record.Time) (task.Result, error) {
	return w.hide(ctx, at, func(add func(hash, value []byte) error) error {
		for g, err := range gone {
			if err == nil {
				err = add(appendURLHash(nil, g.Key), appendGone(nil, &g))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// hide stores a deletion: the hashes of URLs, each with a value, that the function each adds. The
// result is for Repeat; its File is "" if each adds none.
func (w *Runner) hide(ctx context.Context, at record.Time, each func(add func(hash, value []byte) error) error) (task.Result, error) {
	hashes := w.Memory.Sorter(ctx, 1)
	defer hashes.Close()
	if err := each(hashes.Add); err != nil {
		return task.Result{}, err
	}
	if hashes.Empty() {
		return task.Result{}, nil
	}
	return w.Files.SaveResult(ctx, w.deletion(at), func(yield func(task.ResultRow, error) bool) {
		var last []byte
		for rec, err := range hashes.Sorted() {
			if err == nil && bytes.Equal(rec.Key, last) {
				continue
			}
			last = append(last[:0], rec.Key...)
			if !yield(task.ResultRow{Key: append([]byte{keyDeleted}, rec.Key...), Value: rec.Val}, err) || err != nil {
				return
			}
		}
	})
}

// Repeat repeats an earlier Delete or Drop, whose result is r, also for runs that began later, at or
// before the time at. Then it removes r. If the next run has removed r already, it does nothing.
func (w *Runner) Repeat(ctx context.Context, r task.Result, at record.Time) error {
	if r.File == "" {
		return nil
	}
	_, err := w.Files.SaveResult(ctx, w.deletion(at), w.Rows.ResultRows(ctx, r, nil))
	if err != nil {
		return err
	}
	return w.Files.RemoveResult(ctx, r)
}

// deletion returns a task.Result for a deletion at the time at.
func (w *Runner) deletion(at record.Time) task.Result {
	return w.result(at, "first", 0, "deleted", int64(at))
}

// hiddenURLs says which URLs have rows that are no longer shown.
type hiddenURLs struct {
	lists []hiddenList
}

// hiddenList is a deletion whose URLs were read into memory.
type hiddenList struct {
	deletion
	hashes []byte // for each URL, eight bytes; in ascending order
	gone   []Gone // for DROP POOL: one for each hash, without its key; nil for DELETE
}

// readHidden reads the deletions of s. It returns nil if there are none.
func readHidden(ctx context.Context, rows Rows, s *State) (*hiddenURLs, error) {
	if len(s.deletions) == 0 {
		return nil, nil
	}
	h := &hiddenURLs{}
	for _, d := range s.deletions {
		l := hiddenList{deletion: d}
		for row, err := range rows.ResultRows(ctx, d.Result, between(keyDeleted)) {
			if err == nil && len(row.Key) != 1+urlHashBytes {
				err = errRow
			}
			if err != nil {
				return nil, err
			}
			l.hashes = append(l.hashes, row.Key[1:]...)
			if len(row.Value) > 0 {
				g, err := parseGone(row.Value)
				if err != nil {
					return nil, err
				}
				l.gone = append(l.gone, g)
			}
		}
		h.lists = append(h.lists, l)
	}
	return h, nil
}

// has reports whether h has read the deletion d.
func (h *hiddenURLs) has(d *deletion) bool {
	return h != nil && slices.ContainsFunc(h.lists, func(l hiddenList) bool { return l.File == d.File })
}

// hides reports whether the row is no longer shown.
func (h *hiddenURLs) hides(row *Row) bool {
	if h == nil {
		return false
	}
	url := row.URL()
	if url == "" {
		return false
	}
	hash := appendURLHash(nil, urlkey.Key(url))
	return slices.ContainsFunc(h.lists, func(l hiddenList) bool { return row.Seen <= l.at && l.hides(row, hash) })
}

// hides reports whether l hides the row, whose URL has this hash. The row is older than l.
func (l *hiddenList) hides(row *Row, hash []byte) bool {
	i := l.index(hash)
	if i < 0 || l.gone == nil {
		return i >= 0
	}
	g, t := &l.gone[i], row.time()
	return row.Seen < g.Before || t != record.NoTime && g.From <= t && t <= g.To
}

// index returns the index of the hash of a URL in l, or -1.
func (l *hiddenList) index(hash []byte) int {
	from, to := 0, len(l.hashes)/urlHashBytes
	for from < to {
		mid := (from + to) / 2
		switch c := bytes.Compare(l.hashes[mid*urlHashBytes:(mid+1)*urlHashBytes], hash); {
		case c == 0:
			return mid
		case c < 0:
			from = mid + 1
		default:
			to = mid
		}
	}
	return -1
}

// hidesEncoded reports whether a row of the part p, in the form of appendRow, is no
// longer shown.
func (h *hiddenURLs) hidesEncoded(p *Part, src []byte) (bool, error) {
	if h == nil || p.Column("url") < 0 {
		return false, nil
	}
	row, err := parseRow(p, src)
	return err == nil && h.hides(&row), err
}

// hides reports whether a part has rows that hidden hides.
func (w *Runner) hides(ctx context.Context, p *Part, hidden *hiddenURLs) (bool, error) {
	if hidden == nil || p.Column("url") < 0 {
		return false, nil
	}
	for row, err := range w.Rows.ResultRows(ctx, p.Result, between(keyRow)) {
		if err != nil {
			return false, err
		}
		if some, err := hidden.hidesEncoded(p, row.Value); some || err != nil {
			return some, err
		}
	}
	return false, nil
}
