package op

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// countedInOrder returns the counted rows of in, sorted by partition and then by all columns, so
// that the result has the same order each time.
func (r *Runner) countedInOrder(ctx context.Context, n *plan.Window, in value.Rows) (value.Rows, error) {
	_, keys := n.SortBy()
	cols := n.In.Columns()
	for i, c := range cols {
		keys = append(keys, plan.Key{Expr: &expr.Col{Index: i, Name: c.Name, T: c.Type}})
	}
	return r.sorted(ctx, nil, keys, cols, in)
}

// hashed is the state of a Window node whose results are aggregates of whole partitions. It holds
// all rows, each with the number of its partition, until the aggregates are known. Rows that do not
// fit in memory go to a spool.
type hashed struct {
	*windower
	count  int         // the column that says how many captures a row stands for; -1 if each row stands for one
	keys   keyTable    // the partitions
	states []*states   // one for each function
	groups []int32     // the partition of each row of the current batch
	starts []bool      // for each row of the current batch, whether the row before is of another partition
	held   []heldBatch // the first rows
	n      int64       // how many rows were kept, if not all are needed
	bytes  int64       // memory of held
	table  int64       // memory of the partitions and their states
	rest   *spill.Spool
	key    []byte // memory for a key or a row

	// parts are the columns of text that PARTITION BY names. All rows of a partition have the same
	// value there, so it is held once for each partition: values[k] has those of column parts[k].
	// sum(bytes) OVER (PARTITION BY host) of a million rows takes .75 of the CPU time without it.
	parts  []int
	values []*value.Vector
}

// heldBatch holds rows in memory, without the columns hashed.parts, and for each row the number of
// its partition.
type heldBatch struct {
	rows   *value.Batch
	groups []int32
}

// run yields the input rows with the results as further columns, in their order. If there
// are too many partitions for the memory, it yields them in the order of the partitions.
func (h *hashed) run(in value.Rows) error {
	h.keys.reset()
	for _, f := range h.funcs {
		h.states = append(h.states, &states{agg: f.Agg})
	}
	for _, e := range h.node.PartitionBy {
		if c, ok := e.(*expr.Col); ok && (c.T == value.Text || c.T == value.URL) && !slices.Contains(h.parts, c.Index) {
			h.parts, h.values = append(h.parts, c.Index), append(h.values, value.NewVector(c.T, 0))
		}
	}
	h.rest = h.runner.Spool(3)
	defer h.rest.Close()
	next, stop := iter.Pull2(iter.Seq2[*value.Batch, error](in))
	defer stop()
	extras := make([]*value.Vector, len(h.extras))
	for {
		b, err, ok := next()
		if !ok {
			break
		}
		if err == nil {
			err = h.take(b, extras)
		}
		if err != nil {
			return err
		}
		if h.table > h.runner.Bytes/3 {
			return h.sortInstead(next)
		}
	}
	return h.results()
}

// take adds the rows of b to the aggregates, and keeps them.
func (h *hashed) take(b *value.Batch, extras []*value.Vector) error {
	if err := h.load(b, extras); err != nil {
		return err
	}
	if b.N == 0 {
		return nil
	}
	h.groups = h.groups[:0]
	h.starts = lastRow(nil).changes(h.starts, h.partition.cols, b.N)
	for from := 0; from < b.N; {
		to := from + 1
		for to < b.N && !h.starts[to] {
			to++
		}
		g, wanted := h.partitionOf(b, from)
		for k := range h.funcs {
			if !wanted {
				break
			}
			f := &h.funcs[k]
			var err error
			if h.count < 0 {
				err = h.states[k].addRange(g, extras[f.arg], from, to)
			} else {
				err = h.states[k].addCounted(g, extras[f.arg], b.Cols[h.count].Ints, from, to)
			}
			if err != nil {
				return err
			}
		}
		for ; from < to; from++ {
			h.groups = append(h.groups, int32(g))
		}
	}
	return h.keep(b)
}

// textBytes is the memory that a text takes besides its bytes.
const textBytes = 16

// full reports whether all rows that the query needs are held.
func (h *hashed) full() bool { return h.node.First > 0 && h.n >= h.node.First }

// partitionOf returns the number of the partition of row i of b, the current batch. wanted is false
// if no row that the query needs is in this partition.
func (h *hashed) partitionOf(b *value.Batch, i int) (g int, wanted bool) {
	h.key, _ = h.partition.append(h.key[:0], i)
	hash := h.keys.hash(h.key)
	if h.full() {
		return h.keys.known(h.key, hash)
	}
	g, fresh := h.keys.find(h.key, hash)
	if fresh {
		h.table += h.keys.bytes(len(h.key))
		for _, s := range h.states {
			h.table += s.add()
		}
		for k, c := range h.parts {
			x := held(b.Cols[c].At(i))
			h.values[k].AppendValue(x)
			h.table += textBytes + int64(len(x.Text))
		}
	}
	return g, true
}

// keep holds those rows of b that the query needs. h.groups has the numbers of their partitions.
func (h *hashed) keep(b *value.Batch) error {
	if h.node.First > 0 {
		if h.full() {
			return nil
		}
		if left := h.node.First - h.n; left < int64(b.N) {
			b = b.Slice(0, int(left))
			h.groups = h.groups[:b.N]
		}
		h.n += int64(b.N)
	}
	if h.rest.Len() == 0 {
		own := &value.Batch{N: b.N, Cols: slices.Clone(b.Cols)}
		for _, c := range h.parts {
			own.Cols[c] = &value.Vector{Type: value.Null}
		}
		if n := own.Bytes() + 4*int64(b.N); h.bytes+n <= h.runner.Bytes/3 {
			h.bytes += n
			h.held = append(h.held, heldBatch{own.Copy(), slices.Clone(h.groups)})
			return nil
		}
	}
	for i := range b.N {
		h.key = binary.AppendUvarint(h.key[:0], uint64(h.groups[i]))
		h.key = spill.AppendRow(h.key, b, i)
		if err := h.rest.Add(h.key); err != nil {
			return err
		}
	}
	return nil
}

// results yields the held rows with the results.
func (h *hashed) results() error {
	byGroup := make([]*value.Vector, len(h.funcs))
	for k, s := range h.states {
		byGroup[k] = value.NewVector(h.funcs[k].T, h.keys.size())
		for g := range h.keys.size() {
			byGroup[k].Set(g, s.result(g))
		}
	}
	results := make([]*value.Vector, len(h.funcs))
	for k := range results {
		results[k] = new(value.Vector)
	}
	for b := range h.kept() {
		if b.err != nil {
			return b.err
		}
		if err := h.ctx.Err(); err != nil {
			return err
		}
		for k := range h.funcs {
			results[k].Gather(byGroup[k], b.groups)
		}
		out := &value.Batch{N: b.rows.N, Cols: append(b.rows.Cols[:h.width:h.width], results...)}
		if h.count < 0 {
			if !h.yield(out, nil) {
				return nil
			}
			continue
		}
		n := len(out.Cols)
		out.Cols = append(out.Cols, b.rows.Cols[h.count])
		one := func(yield func(*value.Batch, error) bool) { yield(out, nil) }
		for b, err := range repeated(h.ctx, one, n) {
			if err != nil {
				return err
			}
			if !h.yield(b, nil) {
				return nil
			}
		}
	}
	return nil
}

// keptBatch is a batch of held rows, or the error of reading the spool.
type keptBatch struct {
	heldBatch
	err error
}

// kept yields the held rows in their order. A batch is valid until the iteration moves on.
func (h *hashed) kept() iter.Seq[keptBatch] {
	return func(yield func(keptBatch) bool) {
		parts := make([]value.Vector, len(h.parts))
		for _, b := range h.held {
			rows := &value.Batch{N: b.rows.N, Cols: slices.Clone(b.rows.Cols)}
			for k, c := range h.parts {
				parts[k].Gather(h.values[k], b.groups)
				rows.Cols[c] = &parts[k]
			}
			if !yield(keptBatch{heldBatch: heldBatch{rows, b.groups}}) {
				return
			}
		}
		out := heldBatch{rows: value.NewBatch(h.node.In.Columns())}
		var rows spill.RowBuffer
		flush := func() bool {
			rows.Decode(out.rows.Cols)
			out.rows.N = len(out.groups)
			more := yield(keptBatch{heldBatch: out})
			out.rows.Clear()
			out.groups = out.groups[:0]
			return more
		}
		for row, err := range h.rest.All() {
			if err != nil {
				yield(keptBatch{err: err})
				return
			}
			g, n := binary.Uvarint(row)
			out.groups = append(out.groups, int32(g))
			rows.Add(row[n:])
			if len(out.groups) == record.BatchRows && !flush() {
				return
			}
		}
		if len(out.groups) > 0 {
			flush()
		}
	}
}

// sortInstead sorts all rows by their partitions, and yields them with the results. It serves if
// there are too many partitions for the memory. Some rows are held already; next returns the
// others.
func (h *hashed) sortInstead(next func() (*value.Batch, error, bool)) error {
	h.keys.reset()
	h.states = nil
	all := value.Rows(func(yield func(*value.Batch, error) bool) {
		for b := range h.kept() {
			if !yield(b.rows, b.err) || b.err != nil {
				return
			}
		}
		h.held = nil
		for b, err, ok := next(); ok; b, err, ok = next() {
			if !yield(b, err) || err != nil {
				return
			}
		}
	})
	if h.count >= 0 {
		all = repeated(h.ctx, all, h.count)
	}
	groups, keys := h.node.SortBy()
	in, err := h.runner.sorted(h.ctx, groups, keys, h.node.InColumns(), all)
	if err != nil {
		return err
	}
	return (&stream{windower: h.windower}).run(in)
}
