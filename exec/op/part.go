package op

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"

	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/urlkey"
)

// partRows is how many values of aggregates one part of an answer may number. Part n numbers them
// from n times partRows on.
const partRows = 1 << 40

// errPart is the error for a record that Part did not make.
var errPart = errors.New("a part of the answer is not as this program makes it")

// Part yields a part of the rows of c.Node, so that several workers can compute an answer. The
// part has the rows of the URLs with a key in ranges, which are sorted and disjoint. number is the
// number of the part, from 0. The Runner of the whole query reads the records, see Runner.Parts. A
// record is valid until the iteration moves on.
//
// If c.Node is a Group, a record is the state of the aggregates of one group, or a value that an
// aggregate needs. For other nodes, a record is a row.
func (r *Runner) Part(ctx context.Context, c *plan.Cut, number int, ranges []urlkey.Range) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r.within = map[*plan.Source][]urlkey.Range{c.Source: ranges}
		node := c.Node
		switch n := node.(type) {
		case *plan.Group:
			if err := r.partGroups(ctx, n, number, yield); err != nil {
				yield(nil, err)
			}
			return
		case *plan.Limit:
			node = &plan.Limit{In: n.In, N: n.N + n.Skip}
		}
		rows, err := r.Rows(ctx, node)
		if err != nil {
			yield(nil, err)
			return
		}
		var row []byte
		for b, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.N {
				row = spill.AppendRow(row[:0], b, i)
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// partGroups yields the records of a part of the groups of n. It returns an error instead of
// yielding it.
func (r *Runner) partGroups(ctx context.Context, n *plan.Group, number int, yield func([]byte, error) bool) error {
	fresh, _, err := r.grouping(ctx, n)
	if err != nil {
		return err
	}
	rows, err := r.Rows(ctx, n.In)
	if err != nil {
		return err
	}
	g := fresh()
	defer g.late.Close()
	g.rows = uint64(number) * partRows // so that the values of different parts have different numbers
	if err := g.takeAll(rows); err != nil {
		return err
	}
	var rec []byte
	put := func(key, val []byte) bool {
		rec = append(binary.AppendUvarint(rec[:0], uint64(len(key))), key...)
		rec = append(rec, val...)
		return yield(rec, nil)
	}
	if !g.spilled() {
		g.each(func(key, val []byte) error {
			if !put(key, val) {
				return errStop
			}
			return nil
		})
		return nil
	}
	if err := g.spill(); err != nil {
		return err
	}
	for rec, err := range g.late.Sorted() {
		if err != nil {
			return err
		}
		if !put(rec.Key, rec.Val) {
			return nil
		}
	}
	return nil
}

// errStop is the error that ends a loop when the consumer wants no more records.
var errStop = errors.New("stop")

// joined returns the rows of the node n, which were computed in parts. parts yields the records of
// all parts as Part made them, one part after the other.
func (r *Runner) joined(ctx context.Context, n plan.Node, parts iter.Seq2[[]byte, error]) (value.Rows, error) {
	if n, ok := n.(*plan.Group); ok {
		return r.joinedGroups(ctx, n, parts)
	}
	in := decoded(n.Columns(), func(yield func(spill.Record, error) bool) {
		for row, err := range parts {
			if !yield(spill.Record{Val: row}, err) || err != nil {
				return
			}
		}
	})
	switch n := n.(type) {
	case *plan.Top:
		return top(n, in)
	case *plan.Limit:
		return limit(n, in), nil
	case *plan.Distinct:
		return r.distinct(ctx, n, in), nil
	}
	return in, nil
}

// joinedGroups does the work of joined for a Group.
func (r *Runner) joinedGroups(ctx context.Context, n *plan.Group, parts iter.Seq2[[]byte, error]) (value.Rows, error) {
	fresh, having, err := r.grouping(ctx, n)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		g := fresh()
		defer g.late.Close()
		for rec, err := range parts {
			if err == nil {
				size, k := binary.Uvarint(rec)
				if k <= 0 || size > uint64(len(rec)-k) {
					err = errPart
				} else {
					err = g.late.Add(rec[k:k+int(size)], rec[k+int(size):])
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
		g.yield(ctx, n, having, yield)
	}, nil
}
