package op

import (
	"context"
	"iter"

	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/spill"
	"infomall/exec/value"
	"infomall/store/record"
)

// sortKeys computes the sort keys of rows. A sort key is bytes; comparing
// the bytes of two rows gives the order of the rows.
type sortKeys struct {
	evals  []eval.Func
	orders []value.Order
	cols   []*value.Vector
}

// newSortKeys returns a sortKeys for the keys of an ORDER BY.
func newSortKeys(keys []plan.Key) (*sortKeys, error) {
	k := &sortKeys{cols: make([]*value.Vector, len(keys))}
	for _, key := range keys {
		eval, err := eval.Compile(key.Expr)
		if err != nil {
			return nil, err
		}
		k.evals = append(k.evals, eval)
		k.orders = append(k.orders, key.Order)
	}
	return k, nil
}

// load evaluates the ORDER BY expressions for all rows of b. The method append then encodes them.
func (k *sortKeys) load(b *value.Batch) (err error) {
	for i, eval := range k.evals {
		if k.cols[i], err = eval(b); err != nil {
			return err
		}
	}
	return nil
}

// append appends to dst the sort key of row i of the batch that load was
// last called with, and returns dst.
func (k *sortKeys) append(dst []byte, i int) []byte {
	for c, v := range k.cols {
		dst = v.AppendKey(dst, i, k.orders[c])
	}
	return dst
}

// sort yields all input rows, in the order of the keys of n.
func (r *Runner) sort(ctx context.Context, n *plan.Sort, in value.Rows) (value.Rows, error) {
	return r.sorted(ctx, nil, n.Keys, n.Columns(), in)
}

// decoded yields the rows that are encoded in the values of the records that
// in yields, in batches with the columns cols.
func decoded(cols []value.Column, in iter.Seq2[spill.Record, error]) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		out := value.NewBatch(cols)
		var rows spill.RowBuffer
		for rec, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			rows.Add(rec.Val)
			if out.N++; out.N == record.BatchRows {
				rows.Decode(out.Cols)
				if !yield(out, nil) {
					return
				}
				out.Clear()
			}
		}
		if out.N > 0 {
			rows.Decode(out.Cols)
			yield(out, nil)
		}
	}
}
