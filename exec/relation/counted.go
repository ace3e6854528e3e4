package relation

import (
	"context"
	"iter"
	"sync"

	"infomall/exec/value"
	"infomall/store/record"
	"infomall/store/search"
	"infomall/store/words/match"
)

// counted yields the rows of the tally t for n, whose Tally has Words: only captures whose pages
// have the words count. The indexes of words have the answers for most pages; counted reads the
// other pages.
//
// A scan in the order of URLs would merge the keys of all segments, which a tally need not do.
func (r *Reader) counted(ctx context.Context, n *Request, t record.Tally) iter.Seq2[*spanBatch, error] {
	return func(yield func(*spanBatch, error) bool) {
		tests := make([]wordTest, len(n.Tally.Words))
		for i, c := range n.Tally.Words {
			tests[i].column = c
			if c.asks == nil {
				continue
			}
			var err error
			if tests[i].words, err = r.wordsFor(ctx, n, c.asks, false); err != nil {
				yield(nil, err)
				return
			}
		}
		w := &wordTests{list: tests, row: r.LateRow(ctx, n, []*value.Vector{new(value.Vector), new(value.Vector)})}
		t.Keep = w.keep
		firsts(r.Snapshot.Tally(ctx, t))(yield)
	}
}

// wordTest is one of the columns in Tally.Words.
type wordTest struct {
	column *Column
	words  *search.Words // the answers to column.asks; nil if each page must be read
}

// wordTests tests for captures whether all columns in Tally.Words are true.
type wordTests struct {
	list []wordTest
	mu   sync.Mutex // guards row, because several goroutines share the work of a tally
	row  *LateRow
}

// keep does what record.Tally.Keep does.
func (w *wordTests) keep(id, run uint32) func(uint32) (bool, error) {
	answers := make([]func(uint32) match.Answer, len(w.list))
	for i, t := range w.list {
		if t.words == nil {
			answers[i] = func(uint32) match.Answer { return match.Maybe }
		} else if answers[i] = t.words.OfRun(id, run); answers[i] == nil {
			return nil
		}
	}
	return func(n uint32) (bool, error) {
		for i, t := range w.list {
			v, known := t.column.decides(answers[i](n))
			if !known {
				var err error
				if v, err = w.read(t.column, record.Ref{Segment: id, Run: run, N: n}); err != nil {
					return false, err
				}
			}
			if v.IsNull() || !v.Bool {
				return false, nil
			}
		}
		return true, nil
	}
}

// read returns the value of a column for the page of a capture.
func (w *wordTests) read(c *Column, ref record.Ref) (value.Value, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	packRefs(w.row.hidden, []record.Ref{ref})
	return w.row.Value(c, 0)
}
