package draw

import (
	"io"
	"iter"
	"strconv"
	"strings"

	"infomall/lang/cells"
	"infomall/store/block/life"
)

// Story is a drawing of what happened to a page, or to a block of it.
type Story struct {
	URL     string
	Of      string // the identity of the block; "" for the whole page
	Entries iter.Seq2[StoryEntry, error]
}

// StoryEntry is one entry of a story.
type StoryEntry struct {
	When   string // the days between which it happened, such as "2008-07-07 – 2008-07-16"
	What   string // such as "edited"
	Block  string // the path of the block, or ""
	Text   string // the words after the change, or ""
	Old    string // the words before the change, or ""
	URL    string // where the page or block went, or came from, or ""
	Edits  int    // how many small edits the entry stands for
	Until  string // the day of the last of these edits
	Reason string // why these edits count as small, such as "date", or ""
}

// Says returns what happened in words, such as "12 small edits until 2008-07-16: date".
func (e *StoryEntry) Says() string {
	says := e.What
	switch {
	case e.What == "small edits" && e.Edits == 1:
		says = "1 small edit"
	case e.What == "small edits":
		says = strconv.Itoa(e.Edits) + " small edits until " + e.Until
	}
	if e.URL != "" {
		says += " " + e.URL
	}
	if e.What != "small edits" && e.Edits > 1 {
		says += ", " + strconv.Itoa(e.Edits) + " blocks"
	}
	if e.Reason != "" {
		says += ": " + e.Reason
	}
	return says
}

// storyInk maps the field What of an entry to the control sequence for its colour.
var storyInk = map[string]string{
	"first seen": inkAdded, "back": inkAdded, "added": inkAdded, "came from": inkAdded,
	"gone": inkRemoved, "removed": inkRemoved, "moved to": inkRemoved,
	"edited": inkEdited, "title": inkEdited, "status": inkEdited, "redirect": inkEdited, "moved": inkMoved,
}

// Class returns the CSS class of the entry, such as "story-came-from".
func (e *StoryEntry) Class() string { return "story-" + strings.ReplaceAll(e.What, " ", "-") }

// Text writes the drawing to w for the terminal t: a heading, then for each entry a line
// with its days, and lines with the words before and after the change.
func (d *Story) Text(w io.Writer, t Terminal) error {
	head := t.printable(d.URL)
	if d.Of != "" {
		head += " block " + t.printable(d.Of)
	}
	if _, err := io.WriteString(w, head+"\n"); err != nil {
		return err
	}
	marks := t.wordMarks()
	for e, err := range d.Entries {
		if err != nil {
			return err
		}
		var b strings.Builder
		b.WriteString(e.When + strings.Repeat(" ", max(0, whenCells-cells.Width(e.When))) + "  " + t.ink(storyInk[e.What], t.printable(e.Says())))
		if e.Block != "" {
			b.WriteString("  " + t.printable(e.Block))
		}
		b.WriteByte('\n')
		line := func(text string) {
			b.WriteString(strings.Repeat(" ", whenCells+4) + text + "\n")
		}
		if e.Old != "" {
			line(marks.around(t.printable(e.Old), life.Removed))
		}
		if e.Text != "" {
			line(marks.around(t.printable(e.Text), life.Added))
		}
		if _, err := io.WriteString(w, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// storyPage is a Story in the form that the HTML templates take.
type storyPage struct {
	*Story
	err error
}

// Each yields the entries until one has an error, and keeps that error in p.
func (p *storyPage) Each() iter.Seq[*StoryEntry] {
	return func(yield func(*StoryEntry) bool) {
		for e, err := range p.Entries {
			if p.err = err; err != nil || !yield(&e) {
				return
			}
		}
	}
}

// HTML writes the drawing to w as an HTML page, with one box for each entry.
func (d *Story) HTML(w io.Writer) error { return d.execute(w, "story") }

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Story) Part(w io.Writer) error { return d.execute(w, "story-part") }

func (d *Story) execute(w io.Writer, template string) error {
	p := &storyPage{Story: d}
	if err := drawings().ExecuteTemplate(w, template, p); err != nil {
		return err
	}
	return p.err
}
