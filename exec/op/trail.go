package op

import (
	"infomall/exec/plan"
	"infomall/exec/relation"
	"infomall/exec/value"
)

// trail yields the input rows with one more column, which names the captures
// from which each row was made.
func trail(n *plan.Trail, in value.Rows) value.Rows {
	return func(yield func(*value.Batch, error) bool) {
		var out value.Batch
		var text []byte
		for b, err := range in {
			if err != nil {
				yield(nil, err)
				return
			}
			col := value.NewVector(value.Text, b.N)
			for i := range b.N {
				text = appendTrail(text[:0], n.Parts, b, i)
				col.Texts[i] = string(text)
				if len(text) == 0 {
					col.SetNull(i)
				}
			}
			out.N, out.Cols = b.N, append(append(out.Cols[:0], b.Cols...), col)
			if !yield(&out, nil) {
				return
			}
		}
	}
}

// appendTrail appends to dst the trail of row i of b: the names of the captures from which it was
// made. A part that is NULL, because a LEFT JOIN found no match, adds nothing.
func appendTrail(dst []byte, parts []plan.TrailPart, b *value.Batch, i int) []byte {
	for _, p := range parts {
		first := b.Cols[p.Index]
		switch {
		case first.IsNull(i):
		case p.Refs == 0:
			dst = append(dst, first.Texts[i]...)
		default:
			f := plan.Footstep{Ref: relation.Ref(b.Cols[p.Index:], i), Evidence: p.Evidence}
			dst = f.Append(dst)
			for k := 1; k < p.Refs; k++ { // what the row was compared with
				f := plan.Footstep{Ref: relation.Ref(b.Cols[p.Index+2*k:], i)}
				dst = f.Append(dst)
			}
		}
	}
	return dst
}
