package op

import (
	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/value"
)

// project yields, for each input row, the values of the expressions of n.
func project(n *plan.Project, in value.Rows) (value.Rows, error) {
	evals, err := eval.CompileAll(n.Exprs)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		out := value.Batch{Cols: make([]*value.Vector, len(evals))}
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			out.N = b.N
			for i, eval := range evals {
				if out.Cols[i], err = eval(b); err != nil {
					yield(nil, err)
					return
				}
			}
			if !yield(&out, nil) {
				return
			}
		}
	}, nil
}
