package draw

import (
	"io"
	"strings"

	"infomall/lang/cells"
	"infomall/store/block/label"
)

// Blame is a drawing of the text of a page, with the age of each part of it.
type Blame struct {
	URL      string
	Captured string // when the page was captured, and its HTTP status and kind
	Parts    []BlamePart
}

// BlamePart is a block of the page that is not divided further.
type BlamePart struct {
	Path  string
	Label label.Label
	Topic string
	Runs  []BlameRun
}

// BlameRun is a part of the text of a block that came in at one time.
type BlameRun struct {
	Text string
	When string // the interval in which the text came in, such as "2008-07-07 – 2008-07-16"
	Old  string // the text that was replaced, or ""
	Age  Age
}

// Age is how long before the capture of a page a part of its text came in. Colours
// show it, from warm to cold.
type Age uint8

// The ages. A text of AgeFirst is in the first version that the archive has of the
// page, and may be older than that.
const (
	AgeWeek Age = iota
	AgeMonth
	AgeYear
	AgeFiveYears
	AgeMore
	AgeFirst
)

// ages has the words and the ink of each Age.
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

// Ages returns the ages that the drawing shows, the youngest first.
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

// whenCells is how many cells the times before a text take on a terminal.
const whenCells = len("2008-07-07 - 2008-07-16")

// Text writes the drawing to w for the terminal t: a heading, then for each block a
// line and its text. Each text has the interval in which it came in before it, and
// the colour of its age.
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

// write writes the lines of the run to b. The first line begins with the times.
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
