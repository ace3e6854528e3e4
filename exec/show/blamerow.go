package show

import (
	"io"
	"iter"
	"strings"
	"time"

	"infomall/exec/draw"
	"infomall/exec/value"
	"infomall/lang/ast"
	"infomall/store/block/blame"
	"infomall/store/record"
)

// byBlock reports whether each row of the result is a block.
func (b *blaming) byBlock() bool {
	return b.st.Unit == ast.BlameDefault || b.st.Unit == ast.BlameBlocks
}

// pieces yields the values of each row: one per block, line or word. They are valid until the
// iteration moves on.
func (b *blaming) pieces(t *traced) iter.Seq[[]value.Value] {
	return func(yield func([]value.Value) bool) {
		var row []value.Value
		for i := range t.leaves {
			l := &t.leaves[i]
			place := []value.Value{value.OfText(t.revision.Tree.Blocks[l.Block].Path), value.OfText(t.revision.Life[l.Block].Identity())}
			if b.byBlock() {
				if row = b.appendRow(append(row[:0], place...), l.First, l.Last, t.revision.Text(l.Block)); !yield(row) {
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
				if !p.HasWord() {
					continue
				}
				if row = b.appendRow(append(row[:0], place...), p.First, p.Last, shown); !yield(row) {
					return
				}
			}
		}
	}
}

// appendRow appends the values of a row for a text to row, after those of its first columns.
func (b *blaming) appendRow(row []value.Value, first, last *blame.Origin, text string) []value.Value {
	if b.st.Unit != ast.BlameWords {
		row = append(row, timeOrNull(first.NotBefore), value.OfTime(first.Time))
	}
	return append(row, timeOrNull(last.NotBefore), value.OfTime(last.Time), value.TextOrNull(strings.TrimSpace(text)), value.TextOrNull(last.Old))
}

// timeOrNull returns t as a value, or NULL for record.NoTime.
func timeOrNull(t record.Time) value.Value {
	if t == record.NoTime {
		return value.Value{}
	}
	return value.OfTime(t)
}

// blameDrawing makes a draw.Blame when the drawing is shown. The rows do not need the drawing.
type blameDrawing func() *draw.Blame

func (d blameDrawing) HTML(w io.Writer) error                  { return d().HTML(w) }
func (d blameDrawing) Part(w io.Writer) error                  { return d().Part(w) }
func (d blameDrawing) Text(w io.Writer, t draw.Terminal) error { return d().Text(w, t) }

// drawing returns the drawing of the text of a version.
func (b *blaming) drawing(t *traced) *draw.Blame {
	d := &draw.Blame{URL: b.asked.url, Captured: b.asked.captureLine(t.asked)}
	labels := draw.Labels(t.revision)
	for i := range t.leaves {
		l := &t.leaves[i]
		p := draw.BlamePart{Path: t.revision.Tree.Blocks[l.Block].Path, Label: labels[l.Block], Topic: draw.Topic(t.revision, l.Block)}
		add := func(o *blame.Origin, text string) {
			p.Runs = append(p.Runs, draw.BlameRun{Text: text, When: interval(b.s.Day, o.NotBefore, o.Time), Old: o.Old, Age: ageOf(o, t.asked.time)})
		}
		if b.byBlock() {
			if text := strings.TrimSpace(t.revision.Text(l.Block)); text != "" {
				add(l.Last, text)
			}
		} else {
			for from := 0; from < len(l.Pieces); {
				end := from + 1
				for end < len(l.Pieces) && b.together(&l.Pieces[from], &l.Pieces[end]) {
					end++
				}
				var text strings.Builder
				for _, p := range l.Pieces[from:end] {
					text.WriteString(p.Text)
				}
				add(l.Pieces[from].Last, text.String())
				from = end
			}
		}
		if len(p.Runs) > 0 {
			d.Parts = append(d.Parts, p)
		}
	}
	return d
}

// together reports whether two neighbouring pieces of a leaf are drawn as one:
// words of one origin, or what follows the last word. Each line is drawn for itself.
func (b *blaming) together(first, next *blame.Piece) bool {
	return !next.HasWord() || b.st.Unit == ast.BlameWords && *first.Last == *next.Last
}

// interval returns the days between which something happened, such as
// "2008-07-07 – 2008-07-16", or "by 2008-06-02" if notBefore is record.NoTime. day returns
// the day of a time as text.
func interval(day func(record.Time) string, notBefore, time record.Time) string {
	if notBefore == record.NoTime {
		return "by " + day(time)
	}
	return day(notBefore) + " – " + day(time)
}

// ageOf returns how long before the capture of the page, made at the time at, a text
// came in. It counts from the visit that first saw the text.
func ageOf(o *blame.Origin, at record.Time) draw.Age {
	const day = record.Time(24 * time.Hour / time.Millisecond)
	switch age := at - o.Time; {
	case o.NotBefore == record.NoTime:
		return draw.AgeFirst
	case age <= 7*day:
		return draw.AgeWeek
	case age <= 31*day:
		return draw.AgeMonth
	case age <= 366*day:
		return draw.AgeYear
	case age <= 5*366*day:
		return draw.AgeFiveYears
	}
	return draw.AgeMore
}
