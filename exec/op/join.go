package op

import (
	"bytes"
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/record"
	"infomall/store/urlkey"
)

// seekRowsMax is the most rows, about, that the left side of a join may have if the right side is
// to read only the URLs in these rows.
const seekRowsMax = 4 * record.BatchRows

// join yields the rows of both sides of n that have equal keys. It holds the
// rows of the right side in a table by key, and looks up the rows of the
// left side as they come. If the table fills the memory, join sorts both
// sides by key on disk, merges them, and sorts the result back into the
// order of the left side.
func (r *Runner) join(ctx context.Context, n *plan.Join) (value.Rows, error) {
	conds, err := eval.CompileAll(n.Conds)
	if err != nil {
		return nil, err
	}
	leftKeys, err := eval.CompileAll(n.LeftKeys)
	if err != nil {
		return nil, err
	}
	rightKeys, err := eval.CompileAll(n.RightKeys)
	if err != nil {
		return nil, err
	}
	left, err := r.rows(ctx, n.Left)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		j := &joiner{
			ctx: ctx, runner: r, node: n,
			leftKeys:  keyReader{evals: leftKeys, nulls: n.NullKeys},
			rightKeys: keyReader{evals: rightKeys, nulls: n.NullKeys},
			conds:     conds,
			width:     len(n.Left.Columns()), out: value.NewBatch(n.Columns()), yield: yield,
		}
		if err := j.run(left); err != nil {
			yield(nil, err)
		}
	}, nil
}

// keyReader computes the join keys of the rows of one side.
type keyReader struct {
	evals []eval.Func
	cols  []*value.Vector
	nulls int // in this many columns, NULL equals NULL
}

// load evaluates the key expressions for all rows of b. The method append then encodes them.
func (k *keyReader) load(b *value.Batch) error {
	k.cols = k.cols[:0]
	for _, eval := range k.evals {
		v, err := eval(b)
		if err != nil {
			return err
		}
		k.cols = append(k.cols, v)
	}
	return nil
}

// each yields the batches of rows. The keys of the batch that it yielded last are loaded.
func (k *keyReader) each(rows value.Rows) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		for b, err := range rows {
			if err == nil {
				err = k.load(b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// append appends to dst the key of row i of the batch that load was last
// called with, and returns dst. The bool is false if a part of the key is
// NULL, and NULL equals nothing there; the row then matches no other.
func (k *keyReader) append(dst []byte, i int) ([]byte, bool) {
	for c, v := range k.cols {
		if c >= k.nulls && v.IsNull(i) {
			return dst, false
		}
		dst = v.AppendKey(dst, i, value.Order{})
	}
	return dst, true
}

// joiner is one run of a join.
type joiner struct {
	ctx                 context.Context
	runner              *Runner
	node                *plan.Join
	leftKeys, rightKeys keyReader
	conds               []eval.Func
	width               int // number of columns of the left side
	out                 *value.Batch
	yield               func(*value.Batch, error) bool
	stopped             bool

	key, row []byte
}

// run yields the result of the join. left yields the rows of the left side.
func (j *joiner) run(left value.Rows) error {
	next, stop := iter.Pull2(iter.Seq2[*value.Batch, error](left))
	defer stop()
	ahead, err := j.readAhead(next)
	if err != nil {
		return err
	}
	right, err := j.open(ahead)
	if err != nil {
		return err
	}
	rest := func(yield func(*value.Batch, error) bool) {
		for _, b := range ahead.rows {
			if !yield(b, nil) {
				return
			}
		}
		for !ahead.whole {
			b, err, ok := next()
			if !ok || !yield(b, err) {
				return
			}
		}
	}
	table := newJoinTable(j.ctx, j.runner, j.node)
	defer table.close()
	if err := j.fill(table, right); err != nil {
		return err
	}
	switch {
	case table.late != nil:
		err = j.merge(table, rest)
	case len(j.conds) > 0:
		err = j.probeConds(table, rest)
	case j.node.One != plan.EveryRow:
		err = j.probeOne(table, rest)
	default:
		err = j.probe(table, rest)
	}
	if err == nil && j.out.N > 0 && !j.stopped {
		j.yield(j.out, nil)
	}
	return err
}

// ahead holds the rows of the left side that were read before the right side
// is opened.
type ahead struct {
	rows  []*value.Batch
	urls  []string // the URLs in these rows that the right side needs to read
	whole bool     // whether these are all rows of the left side
}

// readAhead reads up to about seekRowsMax rows of the left side by calling
// next. It does so only if the right side can be restricted to the URLs in
// these rows.
func (j *joiner) readAhead(next func() (*value.Batch, error, bool)) (ahead, error) {
	var a ahead
	if j.node.Seek == nil {
		return a, nil
	}
	for rows := 0; rows < seekRowsMax; {
		b, err, ok := next()
		if !ok {
			a.whole = true
			break
		}
		if err == nil {
			err = j.leftKeys.load(b)
		}
		if err != nil {
			return a, err
		}
		urls := j.leftKeys.cols[j.node.SeekKey]
		for i := range b.N {
			if u := urls.At(i); !u.IsNull() {
				a.urls = append(a.urls, u.Text)
			}
		}
		a.rows = append(a.rows, b.Copy())
		rows += b.N
	}
	return a, nil
}

// open returns the rows of the right side. If a has all rows of the left
// side, the right side reads only the URLs in them.
func (j *joiner) open(a ahead) (value.Rows, error) {
	if !a.whole {
		return j.runner.rows(j.ctx, j.node.Right)
	}
	ranges := []urlkey.Range{}
	for _, u := range a.urls {
		key := urlkey.Key(u)
		ranges = append(ranges, urlkey.Range{From: key, To: key + "\x00"})
	}
	return j.runner.rowsWithin(j.ctx, j.node.Right, j.node.Seek, urlkey.Merge(ranges))
}

// rowsWithin returns the rows of the node n. src is a source in n; it reads only the URLs in
// ranges.
func (r *Runner) rowsWithin(ctx context.Context, n plan.Node, src *plan.Source, ranges []urlkey.Range) (value.Rows, error) {
	if r.sought == nil {
		r.sought = map[*plan.Source][]urlkey.Range{}
	}
	r.sought[src] = ranges
	defer delete(r.sought, src)
	return r.rows(ctx, n)
}

// fill adds the rows of right, the right side, to the table t.
func (j *joiner) fill(t *joinTable, right value.Rows) error {
	for b, err := range j.rightKeys.each(right) {
		if err != nil {
			return err
		}
		for i := range b.N {
			key, ok := j.rightKeys.append(j.key[:0], i)
			j.key = key
			if !ok {
				continue
			}
			j.row = spill.AppendRow(j.row[:0], b, i)
			if err := t.add(key, j.row); err != nil {
				return err
			}
		}
	}
	return nil
}

// match returns the index in t of the first row that has the key of row i of the loaded batch of
// the left side. It returns -1 if there is none.
func (j *joiner) match(t *joinTable, i int) int32 {
	key, ok := j.leftKeys.append(j.key[:0], i)
	j.key = key
	if !ok {
		return -1
	}
	return t.first(key)
}

// probe looks up each row of left, the left side, in the table t, and yields
// it with each matching row.
func (j *joiner) probe(t *joinTable, left value.Rows) error {
	for b, err := range j.leftKeys.each(left) {
		if err != nil {
			return err
		}
		for i := range b.N {
			at := j.match(t, i)
			if at < 0 && j.node.Outer {
				j.emitLeft(b, i)
				j.emitNulls()
				if err := j.flush(); err != nil || j.stopped {
					return err
				}
			}
			for ; at >= 0; at = t.rows[at].next {
				j.emitLeft(b, i)
				j.emitRight(t.rows[at].row)
				if err := j.flush(); err != nil || j.stopped {
					return err
				}
			}
		}
	}
	return nil
}

// probeOne is like probe for a join in which each row of the left side gets
// at most one row of the right. It yields the left columns without copying
// them.
func (j *joiner) probeOne(t *joinTable, left value.Rows) error {
	right := value.NewBatch(j.node.Right.Columns())
	for b, err := range j.leftKeys.each(left) {
		if err != nil {
			return err
		}
		right.Clear()
		for i := range b.N {
			at := j.match(t, i)
			switch {
			case at < 0:
				appendNulls(right)
			case j.node.One == plan.OnlyRow && t.rows[at].next >= 0:
				return j.severalRows()
			default:
				spill.DecodeRow(right, t.rows[at].row)
			}
		}
		out := &value.Batch{N: b.N, Cols: slices.Concat(b.Cols, right.Cols)}
		if j.stopped = !j.yield(out, nil); j.stopped {
			return nil
		}
	}
	return nil
}

// appendNulls adds a row of NULLs to b.
func appendNulls(b *value.Batch) {
	for _, c := range b.Cols {
		c.AppendValue(value.Value{})
	}
	b.N++
}

// severalRows returns the error for a subquery that must have at most one
// row and has several.
func (j *joiner) severalRows() error {
	err := ast.Errorf(j.node.At, "the query in brackets gives more than one row")
	err.Hint = "add LIMIT 1, or an aggregate such as max"
	return err
}

// emitLeft appends row i of b, a batch of the left side, to the left columns
// of the result.
func (j *joiner) emitLeft(b *value.Batch, i int) {
	for c, v := range b.Cols {
		j.out.Cols[c].Append(v, i)
	}
}

// emitRight appends row, an encoded row of the right side, to the right
// columns of the result.
func (j *joiner) emitRight(row []byte) {
	spill.DecodeColumns(j.out.Cols[j.width:], string(row))
	j.out.N++
}

// emitNulls appends NULLs to the right columns of the result, for a left row
// without a match.
func (j *joiner) emitNulls() {
	for _, c := range j.out.Cols[j.width:] {
		c.AppendValue(value.Value{})
	}
	j.out.N++
}

// flush yields the batch of results if it is full. It sets j.stopped if the
// consumer wants no more.
func (j *joiner) flush() error {
	if j.out.N < record.BatchRows {
		return nil
	}
	if err := j.ctx.Err(); err != nil {
		return err
	}
	j.stopped = !j.yield(j.out, nil)
	j.out.Clear()
	return nil
}

// merge joins the rows of left with those of the table t, whose rows are in a sorter. It sorts the
// left side by key too, merges both sides, and sorts the resulting rows by the number of the left
// row, then by that of the right row, before it yields them.
func (j *joiner) merge(t *joinTable, left value.Rows) error {
	sides := j.runner.Sorter(j.ctx, 4)
	defer sides.Close()
	ordered := j.runner.Sorter(j.ctx, 4)
	defer ordered.Close()
	if err := j.sortLeft(sides, ordered, left); err != nil {
		return err
	}
	nextRight, stop := iter.Pull2(t.late.Sorted())
	defer stop()
	same := j.runner.Spool(4) // the rows of the right side with the current key
	defer same.Close()
	var key []byte
	begun := false
	r, err, more := nextRight()
	for l, lerr := range sides.Sorted() {
		if lerr != nil {
			return lerr
		}
		if !begun || !bytes.Equal(l.Key, key) {
			begun = true
			key = append(key[:0], l.Key...)
			same.Clear()
			for more && err == nil && bytes.Compare(r.Key, key) < 0 {
				r, err, more = nextRight()
			}
			for more && err == nil && bytes.Equal(r.Key, key) {
				if j.node.One == plan.EveryRow || len(j.conds) > 0 || same.Len() < int(j.node.One) {
					err = same.Add(r.Val)
				}
				if err != nil {
					return err
				}
				r, err, more = nextRight()
			}
			if err != nil {
				return err
			}
		}
		if err := j.pairs(ordered, l.Val, same); err != nil {
			return err
		}
	}
	decoded(j.node.Columns(), ordered.Sorted())(func(b *value.Batch, err error) bool {
		j.stopped = !j.yield(b, err)
		return !j.stopped
	})
	return nil
}

// sortLeft adds the rows of left to the sorter sides, by key. The number of
// the row comes first in each value, to restore the order later. A row whose
// key has a NULL matches nothing: if the join is outer, it goes directly to
// ordered, the sorter of the result.
func (j *joiner) sortLeft(sides, ordered *spill.Sorter, left value.Rows) error {
	nulls := bytes.Repeat([]byte{byte(value.Null)}, len(j.out.Cols)-j.width)
	place := uint64(0)
	for b, err := range j.leftKeys.each(left) {
		if err != nil {
			return err
		}
		for i := range b.N {
			key, ok := j.leftKeys.append(j.key[:0], i)
			j.key = key
			place++
			j.row = spill.AppendRow(binary.BigEndian.AppendUint64(j.row[:0], place), b, i)
			switch {
			case ok:
				err = sides.Add(key, j.row)
			case j.node.Outer:
				err = ordered.Add(j.row[:8], append(j.row[8:], nulls...))
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// pairs adds a row of the left side, joined with each row in same, to the
// sorter ordered. same holds the matching rows of the right side. The
// encoded row left begins with its number, as sortLeft wrote it.
func (j *joiner) pairs(ordered *spill.Sorter, left []byte, same *spill.Spool) error {
	if same.Len() == 0 {
		return j.unmatched(ordered, left)
	}
	if len(j.conds) > 0 {
		return j.pairsThatMeet(ordered, left, same)
	}
	if j.node.One == plan.OnlyRow && same.Len() > 1 {
		return j.severalRows()
	}
	for right, err := range same.All() {
		if err == nil {
			err = j.ctx.Err()
		}
		if err != nil {
			return err
		}
		j.row = append(append(j.row[:0], left[8:]...), right...)
		if err := ordered.Add(left[:8], j.row); err != nil {
			return err
		}
	}
	return nil
}

// joinTable holds the rows of the right side of a join by key. Rows with the
// same key keep their order. If the rows do not fit in memory, all of them
// move to a sorter.
type joinTable struct {
	ctx    context.Context // of the query that joins
	runner *Runner
	node   *plan.Join
	ends   map[string]*chain // first and last row of each key
	rows   []chained
	left   int64         // bytes of memory that rows may still take
	chunk  []byte        // free part of the memory that was allocated last for rows
	late   *spill.Sorter // the sorter, once the rows have moved to it; otherwise nil
}

// chain is the first and the last row with a key, as indexes in joinTable.rows.
type chain struct{ first, last int32 }

// chained is a row and the index of the next row with the same key, or -1.
type chained struct {
	row  []byte
	next int32
}

// newJoinTable returns an empty table for the right side of n.
func newJoinTable(ctx context.Context, r *Runner, n *plan.Join) *joinTable {
	return &joinTable{ctx: ctx, runner: r, node: n, ends: map[string]*chain{}, left: r.Memory.Bytes / 2}
}

// add adds a copy of row, an encoded row, under key. If only the first row
// of each key is needed, it drops the others.
func (t *joinTable) add(key, row []byte) error {
	if t.late != nil {
		return t.late.Add(key, row)
	}
	c := t.ends[string(key)]
	if c != nil && t.node.Conds == nil && (t.node.One == plan.FirstRow || t.node.One == plan.OnlyRow && c.first != c.last) {
		return nil // for OnlyRow, two rows are enough to report that there are several
	}
	const overhead = 96 // bytes that a key and a row take besides their content
	if t.left -= int64(len(key)+len(row)) + overhead; t.left < 0 {
		if err := t.spill(); err != nil {
			return err
		}
		return t.late.Add(key, row)
	}
	const chunkBytes = 256 << 10
	if len(row) > len(t.chunk) {
		t.chunk = make([]byte, max(len(row), chunkBytes))
	}
	n := copy(t.chunk, row)
	at := int32(len(t.rows))
	t.rows = append(t.rows, chained{t.chunk[:n:n], -1})
	t.chunk = t.chunk[n:]
	if c != nil {
		t.rows[c.last].next = at
		c.last = at
	} else {
		t.ends[string(key)] = &chain{at, at}
	}
	return nil
}

// first returns the index in t.rows of the first row with a key, or -1 if
// there is none.
func (t *joinTable) first(key []byte) int32 {
	if c := t.ends[string(key)]; c != nil {
		return c.first
	}
	return -1
}

// spill moves all rows to the sorter t.late. Rows with the same key keep
// their order.
func (t *joinTable) spill() error {
	t.late = t.runner.Sorter(t.ctx, 4)
	for key, c := range t.ends {
		for at := c.first; at >= 0; at = t.rows[at].next {
			if err := t.late.Add([]byte(key), t.rows[at].row); err != nil {
				return err
			}
		}
	}
	t.ends, t.rows, t.chunk = nil, nil, nil
	return nil
}

// close closes the sorter, if rows have moved to it.
func (t *joinTable) close() {
	if t.late != nil {
		t.late.Close()
	}
}
