package op

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// window yields the input rows, sorted as n says, with the results of its functions. It sorts all
// rows, unless they come sorted, or all results are aggregates of whole partitions. Peers are rows
// of a partition with equal ORDER BY values. If a result depends on rows after the peers of its
// row, window reads one partition after the other, each twice: first to compute the result, and
// then to yield the rows. Rows that do not fit in memory go to disk.
func (r *Runner) window(ctx context.Context, n *plan.Window, in value.Rows) (value.Rows, error) {
	w := &windower{ctx: ctx, runner: r, node: n, width: len(n.InColumns())}
	if err := w.compile(); err != nil {
		return nil, err
	}
	hashes := n.Aggregates() && (!n.Sorted || len(n.PartitionBy) == 0)
	if hashes && n.First > 0 {
		in = r.ofFirst(ctx, n, &w.partition, in)
	}
	count := plan.CountOf(n.In)
	switch {
	case count < 0:
	case hashes && n.AnyOrder:
		// The rows are repeated when they have their results.
	case hashes:
		var err error
		if in, err = r.countedInOrder(ctx, n, in); err != nil {
			return nil, err
		}
		in, count = repeated(ctx, in, count), -1
	default:
		in, count = repeated(ctx, in, count), -1
	}
	if groups, keys := n.SortBy(); len(keys) > 0 && !hashes {
		var err error
		if in, err = r.sorted(ctx, groups, keys, n.InColumns(), in); err != nil {
			return nil, err
		}
	}
	return func(yield func(*value.Batch, error) bool) {
		run := *w
		run.yield = yield
		run.funcs = slices.Clone(w.funcs)
		do := run.run
		switch {
		case hashes:
			do = (&hashed{windower: &run, count: count}).run
		case run.streams():
			do = (&stream{windower: &run}).run
		}
		if err := do(in); err != nil {
			yield(nil, err)
		}
	}, nil
}

// windower is the state of one run of a Window node.
//
// It encodes a row in two parts: first the values that functions read from rows other than the
// current one (extras), and then the columns of the row.
type windower struct {
	ctx    context.Context
	runner *Runner
	node   *plan.Window
	width  int // number of columns of a row
	yield  func(*value.Batch, error) bool

	partition keyReader
	order     *sortKeys
	extras    []eval.Func    // the values that functions read
	funcs     []windowResult // one for each function of node
	atEnds    []int          // the functions whose result is known at the last peer of a row

	out     *value.Batch
	pending spill.RowBuffer // the columns of the rows of out, which are not decoded yet
	stopped bool
}

// windowResult computes the results of one function for the rows of a partition.
type windowResult struct {
	*plan.WindowFunc
	arg, def int // the indexes of its argument and its default among the extras, or -1

	sum   state              // of an aggregate, so far
	first value.Value        // of FirstValue
	end   value.Value        // the result for the current peers
	other *spill.SpoolReader // of Lag and Lead: reads the row whose value is the result
}

// compile compiles the expressions of the node.
func (w *windower) compile() error {
	var err error
	if w.partition.evals, err = eval.CompileAll(w.node.PartitionBy); err != nil {
		return err
	}
	w.partition.nulls = len(w.node.PartitionBy)
	if w.order, err = newSortKeys(w.node.OrderBy); err != nil {
		return err
	}
	for i, f := range w.node.Funcs {
		res := windowResult{WindowFunc: f, arg: -1, def: -1}
		arg := f.Arg
		if f.Agg != nil {
			arg = f.Agg.Arg
		}
		if arg != nil {
			e, err := eval.Compile(arg)
			if err != nil {
				return err
			}
			res.arg, w.extras = len(w.extras), append(w.extras, e)
		}
		if f.Default != nil {
			e, err := eval.Compile(f.Default)
			if err != nil {
				return err
			}
			res.def, w.extras = len(w.extras), append(w.extras, e)
		}
		if f.Kind == plan.OfPeers || f.Kind == plan.LastValue {
			w.atEnds = append(w.atEnds, i)
		}
		w.funcs = append(w.funcs, res)
	}
	return nil
}

// run yields the input rows, which come sorted, with the results of the functions.
func (w *windower) run(in value.Rows) error {
	w.out = value.NewBatch(w.node.Columns())
	rows, ends := w.runner.Spool(8), w.runner.Spool(16)
	defer rows.Close()
	defer ends.Close()
	p := &partition{windower: w, rows: rows, ends: ends}
	if err := w.encode(in, p.add); err != nil || w.stopped {
		return err
	}
	if err := p.finish(); err != nil || w.stopped {
		return err
	}
	if w.out.N > 0 {
		w.flush()
	}
	return nil
}

// encode calls add for each input row, until w is stopped. key is the key of the row's partition,
// followed by its ORDER BY key. The encoded row begins with the length of the partition's key.
func (w *windower) encode(in value.Rows, add func(key, row []byte) error) error {
	var key, row []byte
	extras := make([]*value.Vector, len(w.extras))
	for b, err := range in {
		if err == nil {
			err = w.load(b, extras)
		}
		if err != nil {
			return err
		}
		for i := range b.N {
			key, _ = w.partition.append(key[:0], i)
			row = binary.AppendUvarint(row[:0], uint64(len(key)))
			key = w.order.append(key, i)
			for _, v := range extras {
				row = spill.AppendValue(row, v.At(i))
			}
			row = spill.AppendRow(row, b, i)
			if err := add(key, row); err != nil || w.stopped {
				return err
			}
		}
	}
	return nil
}

// load evaluates the expressions of the node for all rows of b. It writes the results of those in
// w.extras into extras.
func (w *windower) load(b *value.Batch, extras []*value.Vector) error {
	err := w.partition.load(b)
	if err == nil {
		err = w.order.load(b)
	}
	for i, e := range w.extras {
		if err == nil {
			extras[i], err = e(b)
		}
	}
	return err
}

// flush yields the rows of w.out, and empties it.
func (w *windower) flush() {
	w.pending.Decode(w.out.Cols[:w.width])
	w.stopped = !w.yield(w.out, nil)
	w.out.Clear()
}

// partition collects the rows of one partition, which come in order.
type partition struct {
	*windower
	rows *spill.Spool // the rows
	ends *spill.Spool // for each group of peers, how many rows it has, and the results of the functions atEnds

	begun bool
	key   []byte        // of the last row
	same  int           // how many bytes of key are that of the partition
	peers uint64        // number of rows in the current group of peers
	end   []byte        // memory for an entry of ends
	read  []value.Value // memory for the extras of a row
}

// add adds the next row. If the row begins a new partition, add first yields the rows of the last
// partition.
func (p *partition) add(key, row []byte) error {
	same, n := binary.Uvarint(row)
	switch {
	case !p.begun:
	case int(same) != p.same || !bytes.Equal(key[:same], p.key[:p.same]):
		if err := p.finish(); err != nil || p.stopped {
			return err
		}
	case !bytes.Equal(key, p.key):
		if err := p.endPeers(); err != nil {
			return err
		}
	}
	p.begun, p.same = true, int(same)
	p.key = append(p.key[:0], key...)
	p.peers++
	row = row[n:]
	if len(p.atEnds) > 0 {
		extras, _ := p.values(p.read[:0], row)
		p.read = extras
		for _, i := range p.atEnds {
			f := &p.funcs[i]
			v := extras[f.arg]
			if f.Kind == plan.LastValue {
				f.end = v
			} else if !v.IsNull() {
				if err := f.sum.add(f.Agg, v); err != nil {
					return err
				}
			}
		}
	}
	return p.rows.Add(row)
}

// values appends the extras of an encoded row to dst. It also returns the rest of
// the row, its columns.
func (w *windower) values(dst []value.Value, row []byte) ([]value.Value, []byte) {
	for range w.extras {
		var v value.Value
		v, row = spill.DecodeValue(row)
		dst = append(dst, v)
	}
	return dst, row
}

// endPeers ends the current group of peers. It appends to p.ends the number of peers and those
// results that are known when all peers were read.
func (p *partition) endPeers() error {
	end := binary.AppendUvarint(p.end[:0], p.peers)
	for _, i := range p.atEnds {
		f := &p.funcs[i]
		if f.Kind == plan.OfPeers {
			f.end = f.sum.result(f.Agg)
		}
		end = spill.AppendValue(end, f.end)
	}
	p.peers, p.end = 0, end
	return p.ends.Add(end)
}

// finish yields the rows of the partition, and prepares p for the next one.
func (p *partition) finish() error {
	if !p.begun {
		return nil
	}
	if err := p.endPeers(); err != nil {
		return err
	}
	for i := range p.funcs {
		f := &p.funcs[i]
		if f.Kind == plan.Lag || f.Kind == plan.Lead {
			f.other = p.rows.Reader()
			for k := int64(0); f.Kind == plan.Lead && k < f.Offset; k++ {
				if _, ok, err := f.other.Next(); !ok || err != nil {
					if err != nil {
						return err
					}
					break
				}
			}
		}
	}
	rows, ends := p.rows.Reader(), p.ends.Reader()
	place := window{}
	var extras []value.Value
	for {
		row, ok, err := rows.Next()
		if err != nil || !ok {
			if err != nil {
				return err
			}
			break
		}
		if place.left == 0 {
			if err := p.nextPeers(&place, ends); err != nil {
				return err
			}
		}
		place.left--
		place.row++
		extras, row = p.values(extras[:0], row)
		p.pending.Add(row)
		for i := range p.funcs {
			v, err := p.result(&p.funcs[i], &place, extras)
			if err != nil {
				return err
			}
			p.out.Cols[p.width+i].AppendValue(v)
		}
		p.out.N++
		if p.out.N == record.BatchRows {
			if err := p.ctx.Err(); err != nil {
				return err
			}
			if p.flush(); p.stopped {
				return nil
			}
		}
	}
	p.rows.Clear()
	p.ends.Clear()
	for i := range p.funcs {
		f := &p.funcs[i]
		f.sum, f.end, f.first = state{}, value.Value{}, value.Value{}
	}
	return nil
}

// window is the position of a row in its partition.
type window struct {
	row   int64  // its number, from 1
	first int64  // the number of the first of its peers
	group int64  // the number of the group of its peers, from 1
	left  uint64 // how many of its peers follow
}

// nextPeers moves w to the next group of peers, and sets the results that all of
// them share.
func (p *partition) nextPeers(w *window, ends *spill.SpoolReader) error {
	end, _, err := ends.Next()
	if err != nil {
		return err
	}
	n, used := binary.Uvarint(end)
	w.left, w.first, w.group = n, w.row+1, w.group+1
	end = end[used:]
	for _, i := range p.atEnds {
		p.funcs[i].end, end = spill.DecodeValue(end)
	}
	return nil
}

// result returns the result of f for the row at the position w. extras are the values that
// functions read from other rows.
func (p *partition) result(f *windowResult, w *window, extras []value.Value) (value.Value, error) {
	switch f.Kind {
	case plan.RowNumber:
		return value.OfInt(w.row), nil
	case plan.Rank:
		return value.OfInt(w.first), nil
	case plan.DenseRank:
		return value.OfInt(w.group), nil
	case plan.FirstValue:
		if w.row == 1 {
			f.first = extras[f.arg]
		}
		return f.first, nil
	case plan.Lag, plan.Lead:
		if f.Kind == plan.Lead || w.row > f.Offset {
			row, ok, err := f.other.Next()
			if err != nil {
				return value.Value{}, err
			}
			if ok {
				others, _ := p.values(p.read[:0], row)
				p.read = others
				return others[f.arg], nil
			}
		}
		if f.def >= 0 {
			return extras[f.def], nil
		}
		return value.Value{}, nil
	}
	return f.end, nil
}
