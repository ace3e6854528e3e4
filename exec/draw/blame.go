package draw

import (
	"io"
	"strings"

	"infomall/lang/cells"
	"infomall/store/block/label"
)

// Blame is a drawing of the text of a page that shows the age of each piece of text.
type Blame struct {
	URL      string
	Captured string // when the page was captured, and its HTTP status and kind
	Parts    []BlamePart
}

// BlamePart is a leaf block of the page: one that contains no smaller blocks.
type BlamePart struct {
	Path  string
	Label label.Label
	Topic string
	Runs  []BlameRun
}

// BlameRun is a piece of the text of a block, all of which was added to the page at the same
// time.
type BlameRun struct {
	Text string
	When string // the interval in which the text was added, such as "2008-07-07 – 2008-07-16"
	Old  string // the earlier text that this text replaced, or ""
	Age  Age
}

// Age is a class of how long before the capture of a page a piece of its text was added.
// Colours show it, from warm for the youngest to cold for the oldest.
type Age uint8

// The ages. A text with AgeFirst is in the first version of the page that the archive has,
// so it may be older than that version.
const (
	AgeWeek Age = iota
	AgeMonth
	AgeYear
	AgeFiveYears
	AgeMore
	AgeFirst
)

// ages has, for each Age, its name for people and the control sequence for its colour.
var ages = [...]struct{ words, ink string }{
	AgeWeek:      {"within a week", "\x1b[31m"},
	AgeMonth:     {"within a month", "\x1b[33m"},
	AgeYear:      {"within a year", "\x1b[32m"},
	AgeFiveYears: {"within five years", "\x1b[36m"},
	AgeMore:      {"earlier", "\x1b[34m"},
	AgeFirst:     {"in the first version", ""},
}

// String returns the age in words, such as "within a week".
func (a Age) String() string { return ages[a].words }

// Ages returns the ages that occur in the drawing, the youngest first.
func (d *Blame) Ages() []Age {
	var shown [len(ages)]bool
	for _, p := range d.Parts {
		for _, r := range p.Runs {
			shown[r.Age] = true
		}
	}
	var list []Age
	for a, shown := range shown {
		if shown {
			list = append(list, Age(a))
		}
	}
	return list
}

// whenCells is the width of the interval that is printed before a text on a terminal, in
// cells.
const whenCells = len("2008-07-07 - 2008-07-16")

// Text writes the drawing to w for the terminal t: a heading, then for each block a line
// about the block and its text. Before each piece of text comes the interval in which it was
// added. The colour of the text shows its age.
func (d *Blame) Text(w io.Writer, t Terminal) error {
	var b strings.Builder
	b.WriteString(t.printable(d.URL) + " " + d.Captured + "\n")
	if t.Color && len(d.Parts) > 0 {
		b.WriteString("came in before the capture")
		for i, a := range d.Ages() {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + t.ink(ages[a].ink, a.String()))
		}
		b.WriteByte('\n')
	}
	for _, p := range d.Parts {
		head := p.Path + " " + p.Label.String()
		if p.Topic != "" {
			head += ": " + t.printable(p.Topic)
		}
		b.WriteString(head + "\n")
		for _, r := range p.Runs {
			r.write(&b, &t)
		}
	}
	if len(d.Parts) == 0 {
		b.WriteString("it has no text\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes the lines of r to b. The first line begins with the interval in which the
// text was added.
func (r *BlameRun) write(b *strings.Builder, t *Terminal) {
	when := r.When
	for line := range strings.Lines(strings.TrimSpace(r.Text)) {
		line = t.printable(strings.TrimSpace(line))
		if line == "" {
			continue
		}
		b.WriteString("  " + when + strings.Repeat(" ", max(0, whenCells-cells.Width(when))) + "  " + t.ink(ages[r.Age].ink, line) + "\n")
		when = ""
	}
}

// HTML writes the drawing to w as an HTML page, with the text of each block in a
// box, coloured by age.
func (d *Blame) HTML(w io.Writer) error { return drawings().ExecuteTemplate(w, "blame", d) }

// Part writes the drawing to w as a part of an HTML page; see Drawing.
func (d *Blame) Part(w io.Writer) error { return drawings().ExecuteTemplate(w, "blame-part", d) }
