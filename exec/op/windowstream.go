package op

import (
	"slices"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// streamOffsetMax is the most rows that Lag may look back in a stream, which keeps the values of
// these rows in memory.
const streamOffsetMax = 1000

// streams reports whether each result depends only on its row, its peers (rows with equal ORDER BY
// values) and the rows before. Then only rows whose last peer has not come yet are held, and the
// window takes a fifth of the time.
func (w *windower) streams() bool {
	for _, f := range w.node.Funcs {
		switch f.Kind {
		case plan.RowNumber, plan.Rank, plan.DenseRank, plan.FirstValue, plan.OfPeers, plan.LastValue:
		case plan.Lag:
			if f.Offset > streamOffsetMax {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// stream is the state of a Window node for which streams is true. Its rows come sorted, so it finds
// partitions and peers by comparing each row with the row before.
type stream struct {
	*windower
	place       window
	part, peers lastRow         // of the last row of the batch before
	ranks       bool            // whether a result depends on the peers of its row
	pending     pendingRows     // the rows of earlier batches whose last peer did not come yet
	before      [][]value.Value // for each Lag, the arguments of the last rows of the partition in earlier batches, Offset at most

	// For each row of the batch: starts says whether a partition begins there, and breaks whether other
	// peers begin there. breaks is used only if ranks is set.
	starts, breaks []bool
}

// lastRow has the values of some columns of the last row of a batch; nil if there was no
// row yet.
type lastRow []value.Value

// changes sets dst[i] to whether row i of a batch differs from the row before in some column. cols
// are the columns of the batch, and n is its number of rows; l is the last row of the batch before.
// It returns dst.
func (l lastRow) changes(dst []bool, cols []*value.Vector, n int) []bool {
	dst = slices.Grow(dst[:0], n)[:n]
	clear(dst)
	dst[0] = l == nil
	for c, v := range cols {
		dst[0] = dst[0] || !v.SameAs(0, l[c])
		v.MarkChanges(dst)
	}
	return dst
}

// rowOf returns the values in row i of cols.
func rowOf(cols []*value.Vector, i int) lastRow {
	l := make(lastRow, len(cols))
	for c, v := range cols {
		l[c] = held(v.At(i))
	}
	return l
}

// run yields the input rows with the results as further columns.
func (s *stream) run(in value.Rows) error {
	s.before = make([][]value.Value, len(s.funcs))
	results := make([]*value.Vector, len(s.funcs))
	for k, f := range s.funcs {
		results[k] = new(value.Vector)
		s.ranks = s.ranks || f.Kind == plan.Rank || f.Kind == plan.DenseRank
	}
	late := len(s.atEnds) > 0
	if late {
		s.ranks = true
		s.pending.spool = s.runner.Spool(8)
		defer s.pending.spool.Close()
	}
	extras := make([]*value.Vector, len(s.extras))
	for b, err := range in {
		if err == nil {
			err = s.load(b, extras)
		}
		if err != nil {
			return err
		}
		if b.N == 0 {
			continue
		}
		for k := range s.funcs {
			results[k].Resize(s.funcs[k].T, b.N)
		}
		s.starts = s.part.changes(s.starts, s.partition.cols, b.N)
		if s.ranks {
			s.breaks = s.peers.changes(s.breaks, s.order.cols, b.N)
		}
		from := 0 // the first row of the current peers in b
		for i := 0; i < b.N; {
			to := i + 1
			for to < b.N && !s.starts[to] && !(s.ranks && s.breaks[to]) {
				to++
			}
			begins := s.starts[i]
			peers := begins || s.ranks && s.breaks[i]
			if late && peers && s.place.row > 0 {
				if err := s.end(extras, results, from, i, begins); err != nil {
					return err
				}
				from = i
			}
			if begins {
				s.place = window{}
			}
			if peers {
				s.place.first, s.place.group = s.place.row+1, s.place.group+1
			}
			for k := range s.funcs {
				s.fill(k, extras, results[k], i, to)
			}
			s.place.row += int64(to - i)
			i = to
		}
		s.part, s.peers = rowOf(s.partition.cols, b.N-1), rowOf(s.order.cols, b.N-1)
		for k := range s.funcs { // the texts of a batch are valid only as long as it is
			s.funcs[k].first = held(s.funcs[k].first)
		}
		out := &value.Batch{N: b.N, Cols: append(b.Cols[:len(b.Cols):len(b.Cols)], results...)}
		if late {
			if out, err = s.keep(out, extras, from); err != nil {
				return err
			}
		}
		if s.stopped || out.N > 0 && !s.yield(out, nil) {
			return nil
		}
	}
	if late && s.place.row > 0 {
		return s.end(extras, results, 0, 0, true)
	}
	return nil
}

// fill sets the results of function k for the rows from <= i < to of the batch. All these rows are
// in one partition; if s.ranks is set, they are also peers. s.place is the position of the row
// before them.
func (s *stream) fill(k int, extras []*value.Vector, result *value.Vector, from, to int) {
	f, p := &s.funcs[k], &s.place
	switch f.Kind {
	case plan.RowNumber:
		for i := range result.Ints[from:to] {
			result.Ints[from+i] = p.row + 1 + int64(i)
		}
	case plan.Rank:
		result.Fill(from, to, value.OfInt(p.first))
	case plan.DenseRank:
		result.Fill(from, to, value.OfInt(p.group))
	case plan.FirstValue:
		if p.row == 0 {
			f.first = extras[f.arg].At(from)
		}
		result.Fill(from, to, f.first)
	case plan.Lag:
		s.lag(k, extras, result, from, to)
	}
}

// lag is fill for a Lag.
func (s *stream) lag(k int, extras []*value.Vector, result *value.Vector, from, to int) {
	f := &s.funcs[k]
	if s.place.row == 0 {
		s.before[k] = s.before[k][:0]
	}
	arg, before, offset := extras[f.arg], s.before[k], int(f.Offset)
	middle := min(from+offset, to) // from here on, the row to look at is in the batch
	for i := from; i < middle; i++ {
		if n := i - from - offset + len(before); n >= 0 {
			result.Set(i, before[n])
		} else if f.def >= 0 {
			result.Set(i, extras[f.def].At(i))
		} else {
			result.SetNull(i)
		}
	}
	if middle < to {
		result.CopyRows(middle, arg, middle-offset, to-offset)
	}
	if to < len(s.starts) && s.starts[to] {
		return // no row looks at these rows any more
	}
	for i := max(from, to-offset); i < to; i++ {
		before = append(before, held(arg.At(i)))
	}
	s.before[k] = slices.Delete(before, 0, max(0, len(before)-offset))
}
