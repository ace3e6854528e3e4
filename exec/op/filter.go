package op

import (
	"infomall/exec/eval"
	"infomall/exec/plan"
	"infomall/exec/value"
)

// filter yields the input rows for which all conditions of n are true. It
// evaluates each condition only for the rows for which the earlier ones were
// true.
func filter(n *plan.Filter, in value.Rows) (value.Rows, error) {
	conds, err := eval.CompileAll(n.Conds)
	if err != nil {
		return nil, err
	}
	return func(yield func(*value.Batch, error) bool) {
		kept := make([]value.Batch, len(conds))
		var sel []int32
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			for i, cond := range conds {
				v, err := cond(b)
				if err != nil {
					yield(nil, err)
					return
				}
				sel = v.AppendTrue(sel[:0], b.N)
				if len(sel) == b.N {
					continue
				}
				kept[i].Gather(b, sel)
				b = &kept[i]
				if b.N == 0 {
					break
				}
			}
			if b.N > 0 && !yield(b, nil) {
				return
			}
		}
	}, nil
}
