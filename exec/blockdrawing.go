package exec

import (
	"fmt"
	"io"
	"strings"

	"infomall/exec/rowio"
	"infomall/store/block"
)

// blockDrawing is the tree of a page's blocks.
type blockDrawing struct {
	URL      string
	Captured string // when, and what was found
	Against  string // the version before; "" if there is none
	Parts    []blockPart
}

// blockPart is one block and the blocks that it divides into.
type blockPart struct {
	Path   string
	Label  block.Label
	Topic  string
	Text   string // of one that divides no further
	Change string // since the version before, such as "added"; "" if it is the same or there is none
	Parts  []blockPart
}

// drawBlocks returns the tree of blocks of a version. If r has a version
// before, each block also says how it changed since.
func drawBlocks(r *block.Revision) []blockPart {
	if r.Hidden() {
		return nil
	}
	change := make([]string, len(r.Tree.Blocks))
	if r.Before != nil {
		for level := range r.Tree.Level() + 1 {
			for _, m := range r.Changes(level) {
				if m.New >= 0 && m.Op != block.Same {
					change[m.New] = m.Op.String()
				}
			}
		}
	}
	return partsOf(r, 0, labels(r), change)
}

// partsOf returns the blocks that block n divides into, with their own parts.
// It calls itself as deep as the tree is, which is bounded.
func partsOf(r *block.Revision, n int, labels []block.Label, change []string) []blockPart {
	var out []blockPart
	for _, c := range r.Tree.Children(n) {
		p := blockPart{
			Path: r.Tree.Blocks[c].Path, Label: labels[c], Topic: topic(r, c), Change: change[c],
			Parts: partsOf(r, c, labels, change),
		}
		if p.Parts == nil {
			p.Text = strings.TrimSpace(r.Text(c))
		}
		out = append(out, p)
	}
	return out
}

// HTML writes the page's text in boxes, one for each block.
func (d *blockDrawing) HTML(w io.Writer) error { return drawings.ExecuteTemplate(w, "blocks", d) }

// Text writes a line for each block.
func (d *blockDrawing) Text(w io.Writer, t Terminal) error {
	var b strings.Builder
	b.WriteString(t.printable(d.URL) + " " + d.Captured + "\n")
	d.tree(&b, &t, d.Parts, "")
	_, err := io.WriteString(w, b.String())
	return err
}

// tree writes parts, one per line. before is what each line begins with: the
// lines of the tree.
func (d *blockDrawing) tree(b *strings.Builder, t *Terminal, parts []blockPart, before string) {
	for i, p := range parts {
		branch, below := "├─ ", "│  "
		if i == len(parts)-1 {
			branch, below = "└─ ", "   "
		}
		line := before + branch
		about := p.Topic
		if about == "" {
			about, _, _ = strings.Cut(p.Text, "\n")
		}
		rest := fmt.Sprintf("%s %s", p.Path, p.Label)
		if p.Change != "" {
			rest += " " + p.Change
		}
		if about != "" {
			rest += ": " + t.printable(about)
		}
		if t.Width > 0 {
			rest = rowio.Clip(rest, max(1, t.Width-rowio.Cells(line)))
		}
		b.WriteString(line + t.ink(changeInk[p.Change], rest) + "\n")
		d.tree(b, t, p.Parts, before+below)
	}
}

// changeInk maps the change of a block to its colour.
var changeInk = map[string]string{"added": inkAdded, "edited": inkEdited, "moved": inkMoved}
