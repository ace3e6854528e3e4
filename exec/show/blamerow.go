package show

import (
	"iter"
	"strings"

	"infomall/exec/session"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/blame"
	"infomall/store/record"
)

// pieces yields the values of each row: one per block, line or word.
func (b *blaming) pieces(t *traced) iter.Seq[[]value.Value] {
	return func(yield func([]value.Value) bool) {
		for i := range t.leaves {
			l := &t.leaves[i]
			place := []value.Value{value.OfText(t.revision.Tree.Blocks[l.Block].Path), value.OfText(t.revision.Life[l.Block].Identity())}
			if b.st.Unit != ast.BlameLines && b.st.Unit != ast.BlameWords {
				if !yield(b.row(place, l.First, l.Last, t.revision.Text(l.Block))) {
					return
				}
				continue
			}
			for j := range l.Pieces {
				p := &l.Pieces[j]
				shown := p.Text
				if b.st.Unit == ast.BlameWords {
					shown = p.Word
				}
				if p.HasWord() && !yield(b.row(place, p.First, p.Last, shown)) {
					return
				}
			}
		}
	}
}

// row returns the values of a row for a text. place has the values of its first
// columns.
func (b *blaming) row(place []value.Value, first, last *blame.Origin, text string) []value.Value {
	row := append(make([]value.Value, 0, len(b.columns())), place...)
	if b.st.Unit != ast.BlameWords {
		row = append(row, timeOrNull(first.NotBefore), value.OfTime(first.Time))
	}
	return append(row, timeOrNull(last.NotBefore), value.OfTime(last.Time), value.OfText(strings.TrimSpace(text)), session.TextOrNull(last.Old))
}

// timeOrNull returns t as a value, or NULL for record.NoTime.
func timeOrNull(t record.Time) value.Value {
	if t == record.NoTime {
		return value.Value{}
	}
	return value.OfTime(t)
}
