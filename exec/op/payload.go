package op

import (
	"context"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// payloadBytes is how many bytes of late columns (those read from stored
// responses) a batch may hold before it is yielded. Pages are large, and a
// consumer wants the first rows soon.
const payloadBytes = 1 << 20

// payload yields the input rows with their late columns filled. These are
// columns such as the text of a page, for which the stored response must be
// read.
func (r *Runner) payload(ctx context.Context, n *plan.Payload, in value.Rows) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		cols := make([]*value.Vector, len(n.Fill))
		for i := range cols {
			cols[i] = new(value.Vector)
		}
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for from := 0; from < b.N; {
				to, err := r.fill(ctx, n, b, from, cols)
				if err != nil {
					yield(nil, err)
					return
				}
				out.N, out.Cols = b.N, append(out.Cols[:0], b.Cols...)
				if to-from < b.N {
					out = *b.Slice(from, to)
				}
				for i, f := range n.Fill {
					out.Cols[n.Base+f] = cols[i]
				}
				if !yield(&out, nil) {
					return
				}
				from = to
			}
		}
	}
}

// fill computes the late columns (those read from stored responses) of the
// rows of b into cols, beginning with row from. It stops when they take
// payloadBytes. It returns the index of the first row that it did not
// compute.
func (r *Runner) fill(ctx context.Context, n *plan.Payload, b *value.Batch, from int, cols []*value.Vector) (int, error) {
	for i, f := range n.Fill {
		clear(cols[i].Texts)
		cols[i].Resize(n.Source.Fields[f].Type, 0)
	}
	late := r.LateRow(ctx, &n.Source.Request, b.Cols[n.Base+len(n.Source.Fields):])
	held := 0
	for row := from; row < b.N; row++ {
		if held >= payloadBytes {
			return row, nil
		}
		for i, f := range n.Fill {
			v, err := late.Value(n.Source.Fields[f], row)
			if err != nil {
				return 0, err
			}
			held += len(v.Text)
			cols[i].AppendValue(v)
		}
	}
	return b.N, nil
}
