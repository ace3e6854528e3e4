package relation

import (
	"context"

	"infomall/store/record"
)

// visits yields the captures of the scan s. For DURING it adds, per URL, the
// last capture before the start, unless a capture is at the start itself.
func (r *Reader) visits(ctx context.Context, n *Request, s record.Scan) record.Rows {
	scan := r.Snapshot.Scan(ctx, s)
	if n.During == record.MinTime {
		return scan
	}
	return func(yield func(*record.Batch, error) bool) {
		var out, held record.Batch // held: one row, the last capture before the start
		some := false
		for b, err := range scan {
			if err != nil {
				yield(nil, err)
				return
			}
			out.N = 0
			for i := range b.N {
				if some && (held.Key[0] != b.Key[i] || b.Time[i] > n.During) {
					out.CopyRow(out.N, &held, 0)
					out.N++
				}
				some = b.Time[i] < n.During
				dst, row := &out, out.N
				if some {
					dst, row = &held, 0
				} else {
					out.N++
				}
				dst.CopyRow(row, b, i)
			}
			if out.N > 0 && !yield(&out, nil) {
				return
			}
		}
		if some {
			held.N = 1
			yield(&held, nil)
		}
	}
}
