package draw

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"infomall/exec/value"
	"infomall/lang/cells"
	"infomall/store/block/about"
	"infomall/store/block/divide"
	"infomall/store/block/label"
	"infomall/store/block/life"
	"infomall/store/document"
)

// Blocks is a drawing of a page's blocks (the parts of the page, such as its
// navigation) and the smaller blocks in them.
type Blocks struct {
	URL      string
	Captured string // when the page was captured, and its HTTP status and kind
	Against  string // the capture of the version before, in the form of Captured; "" if there is none
	Document string // what the document says of itself, as DocumentLine returns it; "" for a page
	Parts    []Part
}

// DocumentLine returns one line about a document, such as a PDF: its kind, title, author and
// number of pages, as in "pdf: Annual Report, by Li Wei, 12 pages". It returns "" for nil.
func DocumentLine(d *document.Document) string {
	if d == nil {
		return ""
	}
	line, join := d.Kind, ": "
	add := func(text string) {
		line += join + text
		join = ", "
	}
	if d.Title != "" {
		add(d.Title)
	}
	if d.Author != "" {
		add("by " + d.Author)
	}
	if d.Pages >= 0 {
		add(value.Counted(d.Pages, "page"))
	}
	if d.Reason != "" {
		add(d.Reason)
	}
	return line
}

// Part is one block of a page, with the smaller blocks in it.
type Part struct {
	Path    string
	Label   label.Label
	Section string // of a document, such as "page 12", if the block is that section as a whole; otherwise ""
	Topic   string
	Text    string // the block's text if it contains no smaller blocks; otherwise ""
	Change  string // how the block changed since the version before, such as "added"; "" if it did not, or if there is no such version
	Parts   []Part
}

// Parts returns the tree of the blocks of the version r. If the archive has a version before
// r, each block also says how it changed since that version. A version that is not a page
// has no parts.
func Parts(r *life.Revision) []Part {
	if r.Hidden() {
		return nil
	}
	change := make([]string, len(r.Tree.Blocks))
	if r.Before != nil {
		for level := range r.Tree.Level() + 1 {
			for _, m := range r.Changes(level) {
				if m.New >= 0 && m.Op != life.Same {
					change[m.New] = m.Op.String()
				}
			}
		}
	}
	return partsOf(r, 0, Labels(r), change)
}

// partsOf returns the blocks directly in block n, each with its own parts. labels[i] and
// change[i] belong to block i of r. partsOf calls itself for each level of the tree, whose
// depth is bounded.
func partsOf(r *life.Revision, n int, labels []label.Label, change []string) []Part {
	var out []Part
	for _, c := range r.Tree.Children(n) {
		p := Part{
			Path: r.Tree.Blocks[c].Path, Label: labels[c], Section: section(r.Tree, c), Topic: Topic(r, c), Change: change[c],
			Parts: partsOf(r, c, labels, change),
		}
		if p.Parts == nil {
			p.Text = strings.TrimSpace(r.Text(c))
		}
		out = append(out, p)
	}
	return out
}

// HTML writes the drawing to w as an HTML page, with the page's text in boxes,
// one for each block.
func (d *Blocks) HTML(w io.Writer) error { return drawings().ExecuteTemplate(w, "blocks", d) }

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Blocks) Part(w io.Writer) error { return drawings().ExecuteTemplate(w, "blocks-part", d) }

// Text writes the drawing to w for the terminal t: a heading, then one line for
// each block.
func (d *Blocks) Text(w io.Writer, t Terminal) error {
	var b strings.Builder
	b.WriteString(t.printable(d.URL) + " " + d.Captured + "\n")
	if d.Document != "" {
		b.WriteString(t.printable(d.Document) + "\n")
	}
	d.tree(&b, &t, d.Parts, "")
	_, err := io.WriteString(w, b.String())
	return err
}

// tree writes parts to b, one per line, each followed by its own parts. The parameter
// before is the text with which each line begins; it draws the branches of the tree.
func (d *Blocks) tree(b *strings.Builder, t *Terminal, parts []Part, before string) {
	for i, p := range parts {
		branch, below := "├─ ", "│  "
		if i == len(parts)-1 {
			branch, below = "└─ ", "   "
		}
		line := before + branch
		about := cmp.Or(p.Section, p.Topic)
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
			rest, _ = cells.Clip(rest, max(1, t.Width-cells.Width(line)))
		}
		b.WriteString(line + t.ink(changeInk[p.Change], rest) + "\n")
		d.tree(b, t, p.Parts, before+below)
	}
}

// changeInk maps the change of a block, such as "added", to the control
// sequence for its colour.
var changeInk = map[string]string{"added": inkAdded, "edited": inkEdited, "moved": inkMoved}

// Labels returns the labels of the blocks of a version, such as "nav". The index in the
// result is the number of the block.
func Labels(r *life.Revision) []label.Label {
	if !r.Whole {
		return about.Labels(r.Tree)
	}
	list := make([]label.Label, len(r.Tree.Blocks))
	for i := range list {
		list[i] = label.Other
	}
	return list
}

// section returns the name of a section of a document, such as "page 12", if block n of t is
// that whole section. Otherwise it returns "".
func section(t *divide.Tree, n int) string {
	if t.Document == nil || t.PartOf(n) != nil {
		return ""
	}
	return t.SectionOf(n)
}

// Topic returns a few words that say what block n of a version is about, or ""
// if the version has no divided body.
func Topic(r *life.Revision, n int) string {
	if r.Body == nil {
		return ""
	}
	return about.TopicOf(r.Body, r.Tree.Blocks[n].Start, r.Tree.Blocks[n].End)
}
