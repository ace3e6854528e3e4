package op

import (
	"infomall/exec/plan"
	"infomall/exec/value"
)

// limit drops the first n.Skip input rows and yields the next n.N rows, or all
// if n.N is negative. It then stops reading.
func limit(n *plan.Limit, in value.Rows) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		skip, left := n.Skip, n.N
		if left == 0 {
			return
		}
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			rows := int64(b.N)
			if skip >= rows {
				skip -= rows
				continue
			}
			from, to := skip, rows
			skip = 0
			if left >= 0 {
				to = min(rows, from+left)
				left -= to - from
			}
			if to-from < rows {
				b = b.Slice(int(from), int(to))
			}
			if !yield(b, nil) || left == 0 {
				return
			}
		}
	}
}
