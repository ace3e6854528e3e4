package draw

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"infomall/exec/rowio"
	"infomall/store/block/label"
	"infomall/store/block/life"
)

// Diff is a drawing of how the blocks (the parts) of a page changed between two
// captures.
type Diff struct {
	URL        string
	From, To   string         // the two captures: when they were made, and their HTTP status and kind
	Revision   *life.Revision // the new version, with the old one before it
	OneCapture bool           // From and To are the same capture
}

// blockChange is the change of one block.
type blockChange struct {
	Op         life.Op
	Path       string
	Was        string // the path of the block in the old version, if it differs from Path
	Label      label.Label
	Section    string // of a document, such as "page 12"
	Topic      string
	old, new   string
	edits      []life.Edit // the changes of words, if the block was edited and its words differ
	wordByWord bool        // the texts are shown as one, with the changed words marked
	Note       string      // what differs, if the block was edited and its words are the same
}

// alikeEnough is the least similarity, from 0 to 1, at which the old and new text of an
// edited block are shown as one text with the changed words marked. Less similar texts are
// easier to read as two texts.
const alikeEnough = 0.5

// Changes returns the changes of all blocks that are not the same in both
// versions.
func (d *Diff) Changes() []blockChange {
	var out []blockChange
	oldLabels, newLabels := Labels(d.Revision.Before), Labels(d.Revision)
	for _, m := range d.Revision.Leaves() {
		c := blockChange{Op: m.Op}
		if m.Op == life.Same {
			continue
		}
		if m.Old >= 0 {
			c.Path, c.Label, c.Topic = d.Revision.Before.Tree.Blocks[m.Old].Path, oldLabels[m.Old], Topic(d.Revision.Before, m.Old)
			c.Section, c.old = d.Revision.Before.Tree.SectionOf(m.Old), d.Revision.Before.Text(m.Old)
		}
		if m.New >= 0 {
			c.Was, c.Path = c.Path, d.Revision.Tree.Blocks[m.New].Path
			c.Label, c.Topic = newLabels[m.New], Topic(d.Revision, m.New)
			c.Section, c.new = d.Revision.Tree.SectionOf(m.New), d.Revision.Text(m.New)
			if c.Was == c.Path {
				c.Was = ""
			}
		}
		if m.Op == life.Edited {
			c.compare(d.Revision, m)
		}
		out = append(out, c)
	}
	return out
}

// compare compares the old and new text of an edited block and sets c.edits to
// the words that differ, or c.Note if the words are the same. m is the pair of
// blocks in the revision r.
func (c *blockChange) compare(r *life.Revision, m life.Match) {
	c.edits = life.Diff(c.old, c.new)
	c.wordByWord = m.Similarity >= alikeEnough || c.old == c.new
	if len(wordLines(c.edits, plainMarks)) > 0 {
		return
	}
	what := "the same words in other markup"
	if r.Body == nil || r.Before.Body == nil {
		what = "other bytes"
	}
	c.edits = nil
	c.Note = fmt.Sprintf("%s: %d bytes, before %d", what, size(r, m.New), size(r.Before, m.Old))
}

// size returns the length of block n of the version r, in bytes.
func size(r *life.Revision, n int) int { return r.Tree.Blocks[n].End - r.Tree.Blocks[n].Start }

// Sum returns one line for people that says how many blocks changed, such as
// "blocks: 4 added, 3 edited, 2 removed, 5 same", or that there is no
// difference.
func (d *Diff) Sum() string {
	var counts [life.Removed + 1]int
	for _, m := range d.Revision.Leaves() {
		counts[m.Op]++
	}
	switch {
	case d.OneCapture:
		return "no difference: both times have this capture"
	case sameBody(d.Revision.Before, d.Revision) && d.Revision.Kind == d.Revision.Before.Kind:
		return "no difference: both captures have the same body"
	case counts[life.Added]+counts[life.Edited]+counts[life.Removed]+counts[life.Moved] == 0:
		return "no block differs: only the layout changed"
	}
	return countLine(counts[:])
}

// sameBody reports whether two versions have bodies with the same bytes after
// content decoding.
func sameBody(a, b *life.Revision) bool {
	if a.Body == nil || b.Body == nil {
		return a.Body == nil && b.Body == nil && a.Version.Digest == b.Version.Digest
	}
	return bytes.Equal(a.Body.Page.Body, b.Body.Page.Body)
}

// countLine returns one line that says how many blocks each operation changed, such as
// "blocks: 4 added, 5 same". counts[op] is the number for the life.Op op.
func countLine(counts []int) string {
	var parts []string
	for _, op := range []life.Op{life.Added, life.Edited, life.Moved, life.Removed, life.Same} {
		if n := counts[op]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, op))
		}
	}
	return "blocks: " + strings.Join(parts, ", ")
}

// Text writes the drawing to w for the terminal t: one paragraph for each
// changed block. The old and the new text are side by side if the terminal is
// wide enough, otherwise one below the other.
func (d *Diff) Text(w io.Writer, t Terminal) error {
	var b strings.Builder
	b.WriteString(t.ink(inkRemoved, t.printable("--- "+d.URL+" "+d.From)) + "\n")
	b.WriteString(t.ink(inkAdded, t.printable("+++ "+d.URL+" "+d.To)) + "\n")
	for _, c := range d.Changes() {
		c.head(&b, &t)
		if t.Width >= rowio.SidesWidthMin {
			if err := c.sides(&b, &t); err != nil {
				return err
			}
		} else {
			c.unified(&b, &t)
		}
		if c.Note != "" {
			b.WriteString("  " + c.Note + "\n")
		}
	}
	b.WriteString(d.Sum() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// head writes the first line of a changed block: the operation, such as
// "edited", and the block's path, label, section and topic.
func (c *blockChange) head(b *strings.Builder, t *Terminal) {
	b.WriteString(t.ink(opInk(c.Op), c.Op.String()) + " " + c.Path)
	if c.Was != "" {
		fmt.Fprintf(b, " (was %s)", c.Was)
	}
	b.WriteString(" " + c.Label.String())
	if c.Section != "" {
		b.WriteString(", " + t.printable(c.Section))
	}
	if c.Topic != "" {
		b.WriteString(": " + t.printable(c.Topic))
	}
	b.WriteByte('\n')
}

// unified writes the lines of a changed block, one below the other, with
// removed and added words marked.
func (c *blockChange) unified(b *strings.Builder, t *Terminal) {
	lines := func(mark, color, text string) {
		for line := range strings.Lines(text) {
			b.WriteString("  " + t.ink(color, mark+t.printable(strings.TrimRight(line, "\n"))) + "\n")
		}
	}
	switch {
	case c.Op == life.Added:
		lines("+ ", inkAdded, c.new)
	case c.Op == life.Removed:
		lines("- ", inkRemoved, c.old)
	case c.edits == nil:
	case !c.wordByWord:
		lines("- ", inkRemoved, c.old)
		lines("+ ", inkAdded, c.new)
	default:
		for _, line := range wordLines(printableEdits(c.edits, t), t.wordMarks()) {
			b.WriteString("  " + line + "\n")
		}
	}
}

// printableEdits returns a copy of edits without characters in the texts that could control
// the terminal.
func printableEdits(edits []life.Edit, t *Terminal) []life.Edit {
	out := make([]life.Edit, len(edits))
	for i, e := range edits {
		out[i] = life.Edit{Op: e.Op, Text: t.printable(e.Text)}
	}
	return out
}

// sides writes the old and the new text of a changed block side by side, in
// columns for the width of the terminal.
func (c *blockChange) sides(b *strings.Builder, t *Terminal) error {
	var left, right []rowio.Span
	marks := t.wordMarks()
	for _, s := range c.Sides() {
		text := t.printable(s.Text)
		switch {
		case s.Gone && t.Color:
			left = append(left, rowio.Span{Text: text, Color: inkRemoved})
		case s.Come && t.Color:
			right = append(right, rowio.Span{Text: text, Color: inkAdded})
		case s.Gone:
			left = append(left, rowio.Span{Text: marks.around(text, life.Removed)})
		case s.Come:
			right = append(right, rowio.Span{Text: marks.around(text, life.Added)})
		default:
			left, right = append(left, rowio.Span{Text: text}), append(right, rowio.Span{Text: text})
		}
	}
	return rowio.Sides(b, left, right, t.Width)
}

// sidePart is a piece of text that is in the old and the new text of a block,
// or in only one of them.
type sidePart struct {
	Text       string
	Gone, Come bool // only the old, or only the new version has the text
}

// Sides returns the old and the new text of the block as a list of pieces, each
// of which is in both texts or in one. It returns none for a block that only
// moved, or whose words are the same.
func (c *blockChange) Sides() []sidePart {
	switch c.Op {
	case life.Added:
		return []sidePart{{Text: c.new, Come: true}}
	case life.Removed:
		return []sidePart{{Text: c.old, Gone: true}}
	case life.Moved:
		return nil
	}
	var out []sidePart
	for _, e := range joined(c.edits) {
		out = append(out, sidePart{e.Text, e.Op == life.Removed, e.Op == life.Added})
	}
	return out
}

// HTML writes the drawing to w as an HTML page, with the old and the new text
// of each block beside each other.
func (d *Diff) HTML(w io.Writer) error { return drawings().ExecuteTemplate(w, "diff", d) }

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Diff) Part(w io.Writer) error { return drawings().ExecuteTemplate(w, "diff-part", d) }
