package op

import (
	"infomall/exec/plan"
	"infomall/exec/value"
)

// streamOffsetMax is the most rows that Lag may look back for a stream, which keeps their
// values in memory.
const streamOffsetMax = 1000

// streams reports whether each result depends only on its row, its peers and the rows before it.
// Then no row needs to be kept, except those whose last peer did not come yet: the window takes a
// fifth of the time.
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

// stream is a run of a Window that streams. Its rows come sorted, so it finds partitions
// and peers by comparing each row with the row before.
type stream struct {
	*windower
	place       window
	part, peers lastRow         // of the last row of the batch before
	ranks       bool            // whether a result depends on the peers of its row
	pending     pendingRows     // the rows of earlier batches whose last peer did not come yet
	before      [][]value.Value // for each Lag, the arguments of the last Offset rows; row n of the partition is at (n-1) % Offset
}

// lastRow has the values of some columns of the last row of a batch; nil if there was no
// row yet.
type lastRow []value.Value

// same reports whether row i of a batch with the columns cols has the same values as the
// row before it.
func (l lastRow) same(cols []*value.Vector, i int) bool {
	for c, v := range cols {
		if i > 0 && !v.Same(i-1, i) || i == 0 && !v.SameAs(0, l[c]) {
			return false
		}
	}
	return true
}

// rowOf returns the values in row i of cols.
func rowOf(cols []*value.Vector, i int) lastRow {
	l := make(lastRow, len(cols))
	for c, v := range cols {
		l[c] = held(v.At(i))
	}
	return l
}

// run yields the rows of in with the results as further columns.
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
		from := 0 // the first row of the current peers in b
		for i := range b.N {
			s.next(i)
			if late && s.place.first == s.place.row && s.peers != nil {
				if err := s.end(extras, results, from, i); err != nil {
					return err
				}
				from = i
			}
			if s.peers == nil {
				s.peers = lastRow{}
			}
			for k := range s.funcs {
				if f := &s.funcs[k]; f.Kind != plan.OfPeers && f.Kind != plan.LastValue {
					results[k].Set(i, s.result(k, extras, i))
				}
			}
		}
		s.part, s.peers = rowOf(s.partition.cols, b.N-1), rowOf(s.order.cols, b.N-1)
		for k := range s.funcs { // the texts of a batch are valid only as long as it is
			s.funcs[k].first = held(s.funcs[k].first)
			for n, v := range s.before[k] {
				s.before[k][n] = held(v)
			}
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
	if late && s.peers != nil {
		return s.end(extras, results, 0, 0)
	}
	return nil
}

// next moves to row i of the batch.
func (s *stream) next(i int) {
	p := &s.place
	if p.row == 0 || !s.part.same(s.partition.cols, i) {
		*p = window{}
	}
	p.row++
	if s.ranks && (p.row == 1 || !s.peers.same(s.order.cols, i)) {
		p.first, p.group = p.row, p.group+1
	}
}

// result returns the result of function k for row i of the batch, to which next has moved.
func (s *stream) result(k int, extras []*value.Vector, i int) value.Value {
	f, p := &s.funcs[k], &s.place
	switch f.Kind {
	case plan.RowNumber:
		return value.OfInt(p.row)
	case plan.Rank:
		return value.OfInt(p.first)
	case plan.DenseRank:
		return value.OfInt(p.group)
	}
	v := extras[f.arg].At(i)
	switch {
	case f.Kind == plan.FirstValue:
		if p.row == 1 {
			f.first = v
		}
		return f.first
	case f.Offset == 0:
		return v
	}
	if p.row == 1 {
		s.before[k] = s.before[k][:0]
	}
	if p.row > f.Offset {
		at := &s.before[k][(p.row-1)%f.Offset]
		v, *at = *at, v
		return v
	}
	s.before[k] = append(s.before[k], v)
	if f.def >= 0 {
		return extras[f.def].At(i)
	}
	return value.Value{}
}
