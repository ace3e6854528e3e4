package op

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"infomall/exec/eval"
	"infomall/exec/expr"
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// group yields one row for each group of rows of in that have equal keys. It
// holds the groups in memory by key. When they fill the memory, group moves them
// to a sorter as partial results, and at the end it merges these in the order of
// their keys. If all groups fit, it sorts them in memory.
//
// The values of an aggregate with DISTINCT are held beside the groups, each
// under the key of its group followed by the key of the value. So they can move
// to the sorter like groups. The sorter yields them after their group and in
// order, so that equal values follow each other. If equal values follow each
// other in the input already (Aggregate.Adjacent), only the last value of each
// group is held.
func (r *Runner) group(ctx context.Context, n *plan.Group, in value.Rows) (value.Rows, error) {
	fresh, having, err := r.grouping(ctx, n)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		g := fresh()
		defer g.late.Close()
		if err := g.takeAll(in); err != nil {
			yield(nil, err)
			return
		}
		g.yield(ctx, n, having, yield)
	}, nil
}

// grouping compiles the expressions of n. fresh returns a new grouper without groups, whose sorter
// late the caller closes. having is the compiled condition n.Having, or nil if there is none.
func (r *Runner) grouping(ctx context.Context, n *plan.Group) (fresh func() *grouper, having eval.Func, err error) {
	keys, err := eval.CompileAll(n.Keys)
	if err != nil {
		return nil, nil, err
	}
	args, by := make([]eval.Func, len(n.Aggs)), make([]eval.Func, len(n.Aggs))
	orders := make([][]eval.Func, len(n.Aggs))
	for i, a := range n.Aggs {
		if a.Arg != nil {
			if args[i], err = eval.Compile(a.Arg); err != nil {
				return nil, nil, err
			}
		}
		if a.By != nil {
			if by[i], err = eval.Compile(a.By); err != nil {
				return nil, nil, err
			}
		}
		for _, k := range a.OrderBy {
			e, err := eval.Compile(k.Expr)
			if err != nil {
				return nil, nil, err
			}
			orders[i] = append(orders[i], e)
		}
	}
	if n.Having != nil {
		if having, err = eval.Compile(n.Having); err != nil {
			return nil, nil, err
		}
	}
	return func() *grouper {
		g := &grouper{
			aggs: n.Aggs, keyEvals: keys, argEvals: args, byEvals: by, orderEvals: orders,
			orderCols: make([][]*value.Vector, len(args)),
			keyCols:   make([]*value.Vector, len(keys)), argCols: make([]*value.Vector, len(args)), byCols: make([]*value.Vector, len(args)),
			count: n.Count, limit: r.Memory.Bytes / 2, late: r.Sorter(ctx, 2),
		}
		g.keys.raw = n.Raw
		for _, k := range n.Keys {
			g.keys.types = append(g.keys.types, k.Type())
		}
		g.reset()
		return g
	}, having, nil
}

// grouper holds the groups of one run of a plan.Group.
type grouper struct {
	aggs              []*plan.Aggregate
	keyEvals          []eval.Func
	argEvals, byEvals []eval.Func   // nil for count(*), and for aggregates without By
	orderEvals        [][]eval.Func // the ORDER BY of each StringAgg
	orderCols         [][]*value.Vector
	keyCols           []*value.Vector
	argCols, byCols   []*value.Vector
	rows              uint64    // how many values remember has numbered
	count             *expr.Col // column that says how many captures a row stands for; nil if each row stands for one
	counts            []int64   // values of count in the current batch, or nil

	table    keyTable               // numbers the groups in memory
	keys     keyColumns             // their keys
	states   []states               // for each aggregate
	distinct map[string]value.Value // values of aggregates, by the keys of group, aggregate and value
	held     int64                  // about how many bytes groups and distinct take
	limit    int64                  // bytes above which spill is called
	late     *spill.Sorter          // groups and values that were moved from memory

	key     []byte
	current int      // the group of the previous row, or -1
	starts  []int    // the rows of the batch at which another key begins
	found   []byte   // the keys of these rows, one after the other
	ends    []int    // where each ends
	hashes  []uint64 // and their hashes
	// last is the last value of the Adjacent aggregate; a plan has at most one of these. carried is
	// set when the groups move to the sorter. It maps the key of each group that has counted the
	// value last to last, so that the group does not count last again.
	last    value.Value
	carried map[string]value.Value
}

// stateBytes is an estimate of the memory that a state takes, in bytes.
const stateBytes = 220

// partial is the intermediate result for one group. It moves to the sorter and back in this form.
type partial struct {
	key    []byte
	keys   []value.Value
	states []state
}

// reset removes all groups and values from memory.
func (g *grouper) reset() {
	g.table.reset()
	g.keys.reset()
	g.states = make([]states, len(g.aggs))
	for i, a := range g.aggs {
		g.states[i].agg = a
	}
	g.distinct = map[string]value.Value{}
	g.held, g.current = 0, -1
}

// takeAll adds the input rows to their groups.
func (g *grouper) takeAll(in value.Rows) error {
	for b, err := range in {
		if err == nil {
			err = g.take(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take adds each row of b to its group. If the groups then take too much memory, take moves them to
// the sorter.
func (g *grouper) take(b *value.Batch) (err error) {
	for i, eval := range g.keyEvals {
		if g.keyCols[i], err = eval(b); err != nil {
			return err
		}
		if col := g.keyCols[i]; col.Type != g.keys.types[i] && col.Type != value.Null {
			same := *col // a URL where the key is a Text
			same.Type = g.keys.types[i]
			g.keyCols[i] = &same
		}
	}
	for i := range g.aggs {
		if eval := g.argEvals[i]; eval != nil {
			if g.argCols[i], err = eval(b); err != nil {
				return err
			}
		}
		if eval := g.byEvals[i]; eval != nil {
			if g.byCols[i], err = eval(b); err != nil {
				return err
			}
		}
		g.orderCols[i] = g.orderCols[i][:0]
		for _, eval := range g.orderEvals[i] {
			col, err := eval(b)
			if err != nil {
				return err
			}
			g.orderCols[i] = append(g.orderCols[i], col)
		}
	}
	if g.count != nil {
		g.counts = b.Cols[g.count.Index].Ints
	}
	g.findKeys(b.N)
	for k, from := range g.starts {
		to := b.N
		if k+1 < len(g.starts) {
			to = g.starts[k+1]
		}
		if err := g.update(g.find(k), from, to); err != nil {
			return err
		}
	}
	if g.held > g.limit {
		return g.spill()
	}
	return nil
}

// sameKeys reports whether rows i and j of the batch belong to one group.
// Rows of one group often follow each other, because rows come sorted by
// URL.
func (g *grouper) sameKeys(i, j int) bool {
	for _, c := range g.keyCols {
		if c.IsNull(i) != c.IsNull(j) || !c.IsNull(i) && c.Compare(i, c, j) != 0 {
			return false
		}
	}
	return true
}

// findKeys computes the group keys of the n rows of the batch, once for rows with equal keys that
// follow each other.
func (g *grouper) findKeys(n int) {
	g.starts, g.found, g.ends, g.hashes = g.starts[:0], g.found[:0], g.ends[:0], g.hashes[:0]
	for i := range n {
		if i > 0 && g.sameKeys(i-1, i) {
			continue
		}
		start := len(g.found)
		for _, c := range g.keyCols {
			g.found = c.AppendKey(g.found, i, value.Order{})
		}
		g.starts, g.ends = append(g.starts, i), append(g.ends, len(g.found))
		g.hashes = append(g.hashes, g.table.hash(g.found[start:]))
	}
	g.table.fetch(g.hashes)
}

// find returns the number of the group with key k of the batch, and creates the group if necessary.
func (g *grouper) find(k int) int {
	start := 0
	if k > 0 {
		start = g.ends[k-1]
	}
	i, key := g.starts[k], g.found[start:g.ends[k]]
	if g.current >= 0 && bytes.Equal(g.table.key(g.current), key) {
		return g.current
	}
	group, fresh := g.table.find(key, g.hashes[k])
	g.current = group
	if !fresh {
		return group
	}
	g.held += g.table.bytes(len(key)) + g.keys.add(g.keyCols, i)
	for i, a := range g.aggs {
		g.held += g.states[i].add()
		if a.Adjacent {
			g.states[i].at(group).best = g.carried[string(key)]
		}
	}
	return group
}

// update adds the rows i of the batch with from <= i < to, which all belong
// to the group.
func (g *grouper) update(group, from, to int) error {
	for i, a := range g.aggs {
		s := &g.states[i]
		if s.counted() {
			s.counts[group] += g.counted(i, from, to)
			continue
		}
		p := s.at(group)
		var err error
		switch {
		case a.By != nil:
			p.addPairs(a, g.argCols[i], g.byCols[i], from, to)
		case a.Adjacent:
			p.addAdjacent(g.argCols[i], from, to)
			g.last = p.best
		case a.Distinct || a.Func == plan.Quantile || a.Func == plan.QuantileCont || a.Func == plan.StringAgg:
			g.remember(group, i, from, to)
		case a.Func == plan.ApproxCount:
			before := p.sketch.bytes()
			err = p.addRange(a, g.argCols[i], from, to)
			g.held += p.sketch.bytes() - before
		case g.counts != nil:
			err = p.addCounted(a, g.argCols[i], g.counts, from, to)
		default:
			err = p.addRange(a, g.argCols[i], from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// counted returns how many of the rows i of the batch with from <= i < to the aggregate agg counts:
// those whose argument is not NULL. If a row stands for several captures, each of them counts.
func (g *grouper) counted(agg, from, to int) (n int64) {
	col := g.argCols[agg]
	all := g.argEvals[agg] == nil || col.Type != value.Null && col.Nulls == nil
	if all && g.counts == nil {
		return int64(to - from)
	}
	for i := from; i < to; i++ {
		switch {
		case !all && col.IsNull(i):
		case g.counts != nil:
			n += g.counts[i]
		default:
			n++
		}
	}
	return n
}

// remember holds the values that one aggregate has in the rows i of the batch with from <= i < to,
// which all belong to the group. agg is the index of the aggregate. The aggregate has DISTINCT or
// is a Quantile or QuantileCont, which need the values sorted, or it is a StringAgg, which needs
// them in the order of its ORDER BY.
func (g *grouper) remember(group, agg, from, to int) {
	col := g.argCols[agg]
	for i := from; i < to; i++ {
		every := !g.aggs[agg].Distinct
		if col.IsNull(i) || !every && i > from && !col.IsNull(i-1) && col.Compare(i-1, col, i) == 0 {
			continue
		}
		g.key = append(append(g.key[:0], g.table.key(group)...), byte(agg>>8), byte(agg))
		for k, c := range g.orderCols[agg] {
			g.key = c.AppendKey(g.key, i, g.aggs[agg].OrderBy[k].Order)
		}
		if !every || g.aggs[agg].Func != plan.StringAgg {
			g.key = col.AppendKey(g.key, i, value.Order{})
		}
		if every {
			g.rows++
			g.key = binary.BigEndian.AppendUint64(g.key, g.rows)
		}
		if _, ok := g.distinct[string(g.key)]; ok {
			continue
		}
		v := held(col.At(i))
		g.distinct[string(g.key)] = v
		g.held += int64(len(g.key)+len(v.Text)) + 104
	}
}

// spill moves all groups and values from memory to the sorter g.late.
func (g *grouper) spill() error {
	if g.carried == nil {
		g.carried = make(map[string]value.Value)
	}
	maps.DeleteFunc(g.carried, func(_ string, v value.Value) bool { return v != g.last }) // the others may still come again
	for group := range g.table.size() {
		for i, a := range g.aggs {
			if a.Adjacent && g.states[i].at(group).best == g.last {
				g.carried[string(g.table.key(group))] = g.last
			}
		}
	}
	if err := g.each(g.late.Add); err != nil {
		return err
	}
	g.reset()
	return nil
}

// each calls add with each group and each held value in memory, encoded as a record of the sorter.
// It stops at the first error of add, and returns it.
func (g *grouper) each(add func(key, val []byte) error) error {
	var buf []byte
	for group := range g.table.size() {
		p := g.partial(group)
		buf = p.encode(buf[:0])
		if err := add(p.key, buf); err != nil {
			return err
		}
	}
	for key, v := range g.distinct {
		buf = spill.AppendValue(buf[:0], v)
		if err := add([]byte(key), buf); err != nil {
			return err
		}
	}
	return nil
}

// partial returns the intermediate result for a group. It is valid until the next call of reset.
func (g *grouper) partial(group int) *partial {
	key := g.table.key(group)
	p := &partial{key: key, keys: g.keys.values(group, key), states: make([]state, len(g.aggs))}
	for i := range g.states {
		p.states[i] = g.states[i].state(group)
	}
	return p
}

// yield merges the partial results of each group and yields one row per group for which the
// condition having is true, sorted by the keys of the groups. If having is nil, it yields all
// groups.
func (g *grouper) yield(ctx context.Context, n *plan.Group, having eval.Func, yield func(*value.Batch, error) bool) {
	if len(g.keyEvals) == 0 && g.table.size() == 0 && !g.spilled() {
		g.findKeys(1) // without keys there is one group, even if there are no rows
		g.find(0)
	}
	out := value.NewBatch(n.Columns())
	if !g.spilled() && len(g.distinct) == 0 {
		g.yieldHeld(ctx, n, out, having, yield)
		return
	}
	if err := g.spill(); err != nil {
		yield(nil, err)
		return
	}
	for b, err := range func(yield func(*value.Batch, error) bool) { g.yieldMerged(out, yield) } {
		if err == nil && having != nil {
			b, err = passing(having, b)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if b.N > 0 && !yield(b, nil) {
			return
		}
	}
}

// passing returns the rows of b for which cond is true.
func passing(cond eval.Func, b *value.Batch) (*value.Batch, error) {
	v, err := cond(b)
	if err != nil {
		return nil, err
	}
	sel := v.AppendTrue(nil, b.N)
	if len(sel) == b.N {
		return b, nil
	}
	out := new(value.Batch)
	out.Gather(b, sel)
	return out, nil
}

// yieldMerged yields one row per group from the sorter, in the order of their keys.
func (g *grouper) yieldMerged(out *value.Batch, yield func(*value.Batch, error) bool) {
	var p *partial
	var last []byte // key of the previous record
	for rec, err := range g.late.Sorted() {
		if err == nil {
			switch {
			case p != nil && bytes.Equal(rec.Key, p.key):
				err = p.merge(g.aggs, rec.Val)
			case p != nil && bytes.HasPrefix(rec.Key, p.key) && len(rec.Key) > len(p.key):
				if !bytes.Equal(rec.Key, last) {
					err = p.mergeDistinct(g.aggs, rec)
				}
			default:
				if p != nil {
					p.emit(out, g.aggs)
				}
				p = decodePartial(rec, len(g.keyEvals), len(g.aggs))
			}
			last = append(last[:0], rec.Key...)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		if out.N == record.BatchRows {
			if !yield(out, nil) {
				return
			}
			out.Clear()
		}
	}
	if p != nil {
		p.emit(out, g.aggs)
	}
	if out.N > 0 {
		yield(out, nil)
	}
}

// yieldHeld yields one row per group for which the condition having is true, sorted by the keys of
// the groups. It serves the case that all groups are in memory and no values are held for them. It
// sorts only the groups that it yields.
func (g *grouper) yieldHeld(ctx context.Context, n *plan.Group, out *value.Batch, having eval.Func, yield func(*value.Batch, error) bool) {
	list := g.table.all()
	if having != nil {
		var err error
		var reads []int
		expr.Columns(n.Having, func(c *expr.Col) { reads = append(reads, c.Index) })
		if list, err = g.passing(ctx, list, out, having, reads); err != nil {
			yield(nil, err)
			return
		}
	}
	g.table.sort(list)
	for part := range slices.Chunk(list, record.BatchRows) {
		out.Clear()
		g.emit(out, part, noColumn)
		if !yield(out, nil) {
			return
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
	}
}

// passing returns the groups in list for which the condition having is true. The
// condition reads the columns with the indexes reads. The parameter out is
// working memory.
func (g *grouper) passing(ctx context.Context, list []uint32, out *value.Batch, having eval.Func, reads []int) ([]uint32, error) {
	skip := func(c int) bool { return !slices.Contains(reads, c) }
	var some []uint32
	var sel []int32
	for part := range slices.Chunk(list, record.BatchRows) {
		out.Clear()
		g.emit(out, part, skip)
		v, err := having(out)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		sel = v.AppendTrue(sel[:0], out.N)
		for _, i := range sel {
			some = append(some, part[i])
		}
	}
	return some, nil
}

// emit appends the rows of the groups in list to out: their keys, then their
// aggregates. It leaves out the columns for which the function skip returns true.
func (g *grouper) emit(out *value.Batch, list []uint32, skip func(c int) bool) {
	out.N += len(list)
	if len(g.keyEvals) > 0 {
		for _, group := range list {
			g.keys.emit(out, int(group), g.table.key(int(group)), skip)
		}
	}
	for i := range g.states {
		if c := len(g.keyEvals) + i; !skip(c) {
			for _, group := range list {
				out.Cols[c].AppendValue(g.states[i].result(int(group)))
			}
		}
	}
}

// spilled reports whether groups have moved to the sorter.
func (g *grouper) spilled() bool { return !g.late.Empty() }

// encode appends p, without its key, to dst in the form that decodePartial
// reads.
func (p *partial) encode(dst []byte) []byte {
	for _, v := range p.keys {
		dst = spill.AppendValue(dst, v)
	}
	for i := range p.states {
		dst = p.states[i].encode(dst)
	}
	return dst
}

// decodePartial returns the partial result that r encodes. keys and aggs are
// the numbers of its keys and aggregates.
func decodePartial(r spill.Record, keys, aggs int) *partial {
	p := &partial{key: bytes.Clone(r.Key), keys: make([]value.Value, keys), states: make([]state, aggs)}
	text := string(r.Val)
	for i := range p.keys {
		p.keys[i], text = spill.DecodeValue(text)
	}
	for i := range p.states {
		text = p.states[i].decode(text)
	}
	return p
}

// merge adds to p another partial result of the same group, which val
// encodes.
func (p *partial) merge(aggs []*plan.Aggregate, val []byte) error {
	o := decodePartial(spill.Record{Val: val}, len(p.keys), len(p.states))
	for i, a := range aggs {
		if err := p.states[i].merge(a, &o.states[i]); err != nil {
			return err
		}
	}
	return nil
}

// mergeDistinct adds to p one value of an aggregate that remember has held.
// The key of r says which aggregate.
func (p *partial) mergeDistinct(aggs []*plan.Aggregate, r spill.Record) error {
	at := r.Key[len(p.key):]
	i := int(at[0])<<8 | int(at[1])
	v, _ := spill.DecodeValue(string(r.Val))
	return p.states[i].add(aggs[i], v)
}

// emit appends the row of the group p to out: its keys, then its aggregates.
func (p *partial) emit(out *value.Batch, aggs []*plan.Aggregate) {
	for i, v := range p.keys {
		out.Cols[i].AppendValue(v)
	}
	for i, a := range aggs {
		out.Cols[len(p.keys)+i].AppendValue(p.states[i].result(a))
	}
	out.N++
}
