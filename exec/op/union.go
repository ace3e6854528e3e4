package op

import (
	"context"

	"infomall/exec/plan"
	"infomall/exec/value"
)

// union yields the rows of the queries in n, one query after the other.
func (r *Runner) union(ctx context.Context, n *plan.Union) (value.Rows, error) {
	ins := make([]value.Rows, len(n.Ins))
	for i, in := range n.Ins {
		var err error
		if ins[i], err = r.rows(ctx, in); err != nil {
			return nil, err
		}
	}
	return func(yield func(*value.Batch, error) bool) {
		for _, in := range ins {
			for b, err := range in {
				if !yield(b, err) || err != nil {
					return
				}
			}
		}
	}, nil
}
