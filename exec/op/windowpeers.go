package op

import (
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// pendingRows has those rows of earlier batches that are peers (equal in ORDER BY) of the
// current row, with columns for their results. Rows that do not fit in memory go to the
// spool, a temporary file.
type pendingRows struct {
	held  []*value.Batch // the first rows, in memory
	bytes int64          // memory that held takes
	spool *spill.Spool
	row   []byte // working memory for one row
}

// end completes the current peers (rows equal in ORDER BY), after the last of them was
// read. They are the pending rows and the rows from <= i < to of the batch. end sets the
// results that depend on all peers, and yields the pending rows. The parameter last says
// that the peers are also the last rows of their partition.
func (s *stream) end(extras, results []*value.Vector, from, to int, last bool) error {
	if err := s.sum(extras, from, to); err != nil {
		return err
	}
	pending := len(s.pending.held) > 0 || s.pending.spool.Len() > 0
	for _, k := range s.atEnds {
		f := &s.funcs[k]
		end := f.end
		if f.Kind == plan.OfPeers {
			end = f.sum.result(f.Agg)
		}
		results[k].Fill(from, to, end)
		if pending {
			f.end = end
		}
	}
	if pending {
		if err := s.yieldPending(); err != nil {
			return err
		}
	}
	if last {
		for _, k := range s.atEnds {
			s.funcs[k].sum = state{}
		}
	}
	return nil
}

// sum adds the rows from <= i < to of the batch, which are peers, to the window functions
// whose results depend on all peers.
func (s *stream) sum(extras []*value.Vector, from, to int) error {
	if from == to {
		return nil
	}
	for _, k := range s.atEnds {
		f := &s.funcs[k]
		if f.Kind == plan.LastValue {
			f.end = held(extras[f.arg].At(to - 1))
		} else if err := f.sum.addRange(f.Agg, extras[f.arg], from, to); err != nil {
			return err
		}
	}
	return nil
}

// keep moves the rows of b from index from on to the pending rows, because further peers
// of them may follow in the next batch. It returns the rows of b before index from.
func (s *stream) keep(b *value.Batch, extras []*value.Vector, from int) (*value.Batch, error) {
	if err := s.sum(extras, from, b.N); err != nil {
		return nil, err
	}
	p := &s.pending
	rest := b.Slice(from, b.N)
	if n := rest.Bytes(); p.spool.Len() == 0 && p.bytes+n <= s.runner.Bytes/8 {
		p.bytes += n
		p.held = append(p.held, rest.Copy())
		return b.Slice(0, from), nil
	}
	for i := range rest.N {
		p.row = spill.AppendRow(p.row[:0], rest, i)
		if err := p.spool.Add(p.row); err != nil {
			return nil, err
		}
	}
	return b.Slice(0, from), nil
}

// yieldPending yields the pending rows after their results have become known, and removes
// them.
func (s *stream) yieldPending() error {
	p := &s.pending
	for _, b := range p.held {
		if s.yieldPeers(b); s.stopped {
			return nil
		}
	}
	p.held, p.bytes = p.held[:0], 0
	if p.spool.Len() == 0 {
		return nil
	}
	out := value.NewBatch(s.node.Columns())
	var rows spill.RowBuffer
	flush := func() {
		rows.Decode(out.Cols)
		s.yieldPeers(out)
		out.Clear()
	}
	for row, err := range p.spool.All() {
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return err
		}
		rows.Add(row)
		if out.N++; out.N == record.BatchRows {
			if flush(); s.stopped {
				return nil
			}
		}
	}
	if out.N > 0 {
		flush()
	}
	p.spool.Clear()
	return nil
}

// yieldPeers yields the rows of b with the results that all peers share. All rows of b are
// peers.
func (s *stream) yieldPeers(b *value.Batch) {
	for _, k := range s.atEnds {
		v := b.Cols[s.width+k]
		v.Resize(s.funcs[k].T, b.N)
		v.Fill(0, b.N, s.funcs[k].end)
	}
	s.stopped = s.stopped || !s.yield(b, nil)
}
