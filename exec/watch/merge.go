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

// merged reads several files at once, in the order of their keys.
type merged struct {
	list []*cursor // files that have further rows
	err  error
}

// cursor reads one file.
type cursor struct {
	part *Part
	next func() (task.ResultRow, error, bool)
	stop func()
	row  task.ResultRow
}

// newMerged returns a merged of the rows of parts whose keys are in ranges. The
// caller closes it.
func newMerged(ctx context.Context, rows Rows, parts []Part, ranges []urlkey.Range) *merged {
	m := &merged{}
	for i := range parts {
		c := &cursor{part: &parts[i]}
		c.next, c.stop = iter.Pull2(rows.ResultRows(ctx, parts[i].Result, ranges))
		m.list = append(m.list, c)
		m.advance(len(m.list) - 1)
	}
	return m
}

// advance moves the cursor i to its next row. At the end of the file it removes the cursor from the
// list.
func (m *merged) advance(i int) {
	c := m.list[i]
	row, err, more := c.next()
	if err != nil && m.err == nil {
		m.err = err
	}
	if c.row = row; !more || err != nil {
		c.stop()
		m.list = slices.Delete(m.list, i, i+1)
	}
}

// least returns the index of the cursor with the least key. A watch has few parts,
// so comparing all is fast enough.
func (m *merged) least() int {
	at := 0
	for i := 1; i < len(m.list); i++ {
		if bytes.Compare(m.list[i].row.Key, m.list[at].row.Key) < 0 {
			at = i
		}
	}
	return at
}

// row returns the row with the least key. It is valid until next is called. more is
// false at the end.
func (m *merged) row() (row task.ResultRow, more bool, err error) {
	if m.err != nil || len(m.list) == 0 {
		return row, false, m.err
	}
	return m.list[m.least()].row, true, nil
}

// next moves past the row with the least key.
func (m *merged) next() { m.advance(m.least()) }

// close ends the reading of all files.
func (m *merged) close() {
	for _, c := range m.list {
		c.stop()
	}
	m.list = nil
}

// mergeParts is how many parts of a level are merged into one of the next level. It
// bounds how many files a run reads.
const mergeParts = 8

// Tidy removes files that are no longer needed, rewrites the parts with rows that a
// deletion hides, and merges parts. now is the time. It returns the state after it.
func (w *Runner) Tidy(ctx context.Context, s *State, now record.Time) (*State, error) {
	if err := w.removeAll(ctx, s.spare); err != nil {
		return nil, err
	}
	hidden, err := readHidden(ctx, w.Rows, s)
	if err != nil {
		return nil, err
	}
	changed := false
	for i := range s.Parts {
		some, err := w.hides(ctx, &s.Parts[i], hidden)
		if err != nil {
			return nil, err
		}
		if some {
			if err := w.rewrite(ctx, s, s.Parts[i:i+1], hidden, now); err != nil {
				return nil, err
			}
			changed = true
		}
	}
	if changed || len(s.deletions) > 0 {
		if s, err = w.State(ctx); err != nil {
			return nil, err
		}
		for _, d := range s.deletions {
			if hidden.has(&d) {
				s.spare = append(s.spare, d.Result)
			}
		}
		if err := w.removeAll(ctx, s.spare); err != nil {
			return nil, err
		}
		hidden = nil
	}
	for {
		from, to := s.toMerge()
		if from == to {
			return s, nil
		}
		if err := w.rewrite(ctx, s, s.Parts[from:to], hidden, now); err != nil {
			return nil, err
		}
		if s, err = w.State(ctx); err != nil {
			return nil, err
		}
		if err := w.removeAll(ctx, s.spare); err != nil {
			return nil, err
		}
	}
}

func (w *Runner) removeAll(ctx context.Context, list []task.Result) error {
	for _, r := range list {
		if err := w.Files.RemoveResult(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// toMerge returns the range of parts to merge next: mergeParts parts of one level
// with the same columns. It is empty if there are none.
func (s *State) toMerge() (from, to int) {
	for to < len(s.Parts) {
		if p, o := &s.Parts[from], &s.Parts[to]; p.level != o.level || p.Properties["columns"] != o.Properties["columns"] {
			from = to
		}
		if to++; to-from == mergeParts {
			return from, to
		}
	}
	return 0, 0
}

// rewrite stores the rows of parts, which follow each other, as one part, without
// the rows that hidden hides.
func (w *Runner) rewrite(ctx context.Context, s *State, parts []Part, hidden *hiddenURLs, now record.Time) error {
	first, last := &parts[0], &parts[len(parts)-1]
	level := first.level
	if len(parts) > 1 {
		level++
	}
	s.edition++
	r := w.result(now, "first", first.First, "last", last.Last, "edition", s.edition, "level", level, "done", s.Done, "columns", first.Properties["columns"])
	_, err := w.Files.SaveResult(ctx, r, func(yield func(task.ResultRow, error) bool) {
		m := newMerged(ctx, w.Rows, parts, nil)
		defer m.close()
		for {
			row, more, err := m.row()
			hide := false
			if err == nil && more && row.Key[0] == keyRow {
				hide, err = hidden.hidesEncoded(m.list[m.least()].part, row.Value)
			}
			if err != nil || !more {
				if err != nil {
					yield(row, err)
				}
				return
			}
			if !hide && !yield(row, nil) {
				return
			}
			m.next()
		}
	})
	return err
}
