// Package office has what the readers of office documents share: the flow of text
// into paragraphs, tables and notes, the language of a text, and dates.
//
// # Words
//
//	flow     the text of a document on its way into a document.Builder
//	box      text that is apart from the paragraph that it is anchored in, such as a text box
//	note     a footnote, comment, header or footer; it comes at the end of its section
package office

import (
	"strings"

	"infomall/store/document"
)

// Flow takes the text of a document in the order of its markup and adds it to a
// Builder in reading order. A table inside of a table is text of its cell. A table with
// one column is layout: its paragraphs are added as paragraphs.
type Flow struct {
	b      *document.Builder
	frames []frame // frames[0] is the document itself; the last one takes text
	notes  []string
	gone   []string // deleted text that was not added yet
	held   int      // bytes of the parts of tables, boxes and notes of the section
	full   bool     // a part was left out because of heldMost
	err    error
}

// heldMost is how many times the limit of text the parts of tables, boxes and notes may have before
// they are added. They have more than the text of the file if it repeats the numbers of its lists.
const heldMost = 4

// outlet says where the parts of a frame go.
type outlet uint8

const (
	toBody outlet = iota
	toBox         // to the frame below, after its current paragraph
	toNote        // to the notes
)

// frame is a run of paragraphs: the document, a box or a note.
type frame struct {
	out   outlet
	text  []byte // of the current paragraph
	gone  []byte // deleted text of the current paragraph
	boxes []document.Part
	note  []byte // paragraphs of a note
	table *table // nil outside of tables
	link  string // target of the current link; "" if there is none
	from  int    // where the anchor of link begins in text
}

// table is the table that a frame is in.
type table struct {
	depth int    // tables inside of each other; the rows are those of the outermost
	rows  []byte // finished rows
	row   []byte // finished cells of the current row
	cell  []byte
	cells int             // finished cells of the current row
	wide  bool            // a row has had two cells
	parts []document.Part // the paragraphs, as long as the table is not wide
}

// NewFlow returns a Flow that adds to b.
func NewFlow(b *document.Builder) *Flow {
	return &Flow{b: b, frames: make([]frame, 1, 8)}
}

// Err returns the first error of the Builder, or nil. After an error the Flow takes
// text but adds none.
func (f *Flow) Err() error { return f.err }

func (f *Flow) top() *frame { return &f.frames[len(f.frames)-1] }

// Text adds text to the current paragraph. "\t" and "\n" are kept.
func (f *Flow) Text(text string) { t := f.top(); t.text = append(t.text, text...) }

// Buffer returns the text of the current paragraph. The caller may append to it and
// hand it to SetBuffer.
func (f *Flow) Buffer() []byte { return f.top().text }

// SetBuffer sets the text of the current paragraph.
func (f *Flow) SetBuffer(text []byte) { f.top().text = text }

// Remove adds text that a tracked change has deleted; it becomes a part of its own kind.
func (f *Flow) Remove(text string) { t := f.top(); t.gone = append(t.gone, text...) }

// EndParagraph ends the current paragraph, which is of the given kind. A paragraph
// without text is left out.
func (f *Flow) EndParagraph(kind document.PartKind) {
	t := f.top()
	if t.link != "" && t.from < len(t.text) {
		f.b.Link(t.link, string(t.text[t.from:]))
	}
	t.from = 0
	if len(t.gone) > 0 {
		f.gone = append(f.gone, string(t.gone))
		t.gone = t.gone[:0]
	}
	if len(t.text) > 0 {
		f.emit(t, kind, string(t.text))
		t.text = t.text[:0]
	}
	boxes := t.boxes
	t.boxes = nil
	for _, p := range boxes {
		f.emit(t, p.Kind, p.Text)
	}
	f.addGone()
}

// emit adds a finished part of the frame t to the table that t is in. Without a table, it adds the
// part to the text around a box, to a note, or to the document, by the kind of the frame.
func (f *Flow) emit(t *frame, kind document.PartKind, text string) {
	if t.table != nil || t.out != toBody {
		if f.held += len(text); f.held > heldMost*f.b.Limits().Text {
			f.full = true
			return
		}
	}
	switch {
	case t.table != nil:
		t.table.take(kind, text)
	case t.out == toBox && len(f.frames) > 1:
		below := &f.frames[len(f.frames)-2]
		below.boxes = append(below.boxes, document.Part{Kind: kind, Text: text})
	case t.out == toNote:
		if len(t.note) > 0 {
			t.note = append(t.note, '\n')
		}
		t.note = append(t.note, text...)
	case f.err == nil:
		f.err = f.b.Add(kind, text)
	}
}

// addGone adds the text that tracked changes have deleted. Inside of a table, box or note it does
// nothing; the text is added later.
func (f *Flow) addGone() {
	if len(f.gone) == 0 || len(f.frames) > 1 || f.frames[0].table != nil {
		return
	}
	for _, text := range f.gone {
		if f.err == nil {
			f.err = f.b.Add(document.Deleted, text)
		}
	}
	f.gone = nil
}

// BeginLink begins a link in the current paragraph. It ends at EndLink. An empty target
// begins none.
func (f *Flow) BeginLink(target string) { t := f.top(); t.link, t.from = target, len(t.text) }

// EndLink ends the current link. Without a current link it does nothing.
func (f *Flow) EndLink() {
	t := f.top()
	if t.link != "" && (t.from < len(t.text) || t.from > 0) {
		f.b.Link(t.link, string(t.text[min(t.from, len(t.text)):]))
	}
	t.link = ""
}

// BeginBox begins a box. Its paragraphs come after the current paragraph.
func (f *Flow) BeginBox() { f.frames = append(f.frames, frame{out: toBox}) }

// BeginNote begins a note.
func (f *Flow) BeginNote() { f.frames = append(f.frames, frame{out: toNote}) }

// EndFrame ends the box or note that was begun last. Without one it does nothing.
func (f *Flow) EndFrame() {
	if len(f.frames) == 1 {
		return
	}
	f.EndParagraph(document.Paragraph)
	f.closeTable(f.top())
	if note := f.top().note; len(note) > 0 {
		f.notes = append(f.notes, string(note))
	}
	f.frames = f.frames[:len(f.frames)-1]
}

// Depth returns how many boxes and notes are open.
func (f *Flow) Depth() int { return len(f.frames) - 1 }

// BeginTable begins a table, or a table inside of the current cell. The current
// paragraph, if it has text, belongs to the first cell.
func (f *Flow) BeginTable() {
	t := f.top()
	if t.table == nil {
		t.table = &table{}
	}
	t.table.depth++
}

// InTable reports whether the current paragraph is in a table.
func (f *Flow) InTable() bool { return f.top().table != nil }

// EndCell ends a cell of the current table.
func (f *Flow) EndCell() {
	f.EndParagraph(document.Paragraph)
	t := f.top().table
	if t == nil || t.depth > 1 {
		return
	}
	if t.cells++; t.cells > 1 {
		t.row = append(t.row, '\t')
		t.wide, t.parts = true, nil
	}
	t.row = append(t.row, t.cell...)
	t.cell = t.cell[:0]
}

// EndRow ends a row of the current table.
func (f *Flow) EndRow() {
	t := f.top().table
	if t == nil || t.depth > 1 {
		return
	}
	if row := strings.TrimRight(string(t.row), "\t "); strings.TrimLeft(row, "\t ") != "" {
		t.rows = append(append(t.rows, row...), '\n')
	}
	t.row, t.cells = t.row[:0], 0
}

// EndTable ends the current table.
func (f *Flow) EndTable() {
	t := f.top()
	if t.table == nil {
		return
	}
	if t.table.depth > 1 {
		f.EndParagraph(document.Paragraph)
		t.table.depth--
		return
	}
	f.closeTable(t)
}

// closeTable ends the table of the frame t, if it has one, with its current cell.
func (f *Flow) closeTable(t *frame) {
	if t.table == nil {
		return
	}
	t.table.depth = 1
	if len(t.text) > 0 || len(t.table.cell) > 0 {
		f.EndCell()
	}
	f.EndRow()
	done := t.table
	t.table = nil
	if done.wide {
		f.emit(t, document.Table, strings.TrimRight(string(done.rows), "\n"))
	} else {
		for _, p := range done.parts {
			f.emit(t, p.Kind, p.Text)
		}
	}
	f.addGone()
}

// take adds a paragraph to the current cell.
func (t *table) take(kind document.PartKind, text string) {
	if !t.wide {
		t.parts = append(t.parts, document.Part{Kind: kind, Text: text})
	}
	if line := document.Clean(text); line != "" {
		if len(t.cell) > 0 {
			t.cell = append(t.cell, ' ')
		}
		t.cell = append(t.cell, line...)
	}
}

// EndSection ends all that is open, and adds the notes. Notes with the same text are
// added once, because the pages of a document often have the same header.
func (f *Flow) EndSection() error {
	for len(f.frames) > 1 {
		f.EndFrame()
	}
	f.EndParagraph(document.Paragraph)
	f.closeTable(f.top())
	seen := make(map[string]bool)
	for _, note := range f.notes {
		if !seen[note] && f.err == nil {
			seen[note] = true
			f.err = f.b.Add(document.Note, note)
		}
	}
	if f.full && f.err == nil {
		f.err = document.ErrLimit
	}
	f.notes, f.held = nil, 0
	return f.err
}

// Take returns the text of the current paragraph or cell as one line, and empties the paragraph or
// cell. The text of boxes in it is included.
func (f *Flow) Take() string {
	t := f.top()
	for _, p := range t.boxes {
		t.text = append(append(t.text, ' '), p.Text...)
	}
	text := string(t.text)
	t.text, t.boxes = t.text[:0], nil
	return document.Clean(text)
}

// Add adds a part as it is, outside of paragraphs and tables.
func (f *Flow) Add(kind document.PartKind, text string) {
	if f.err == nil {
		f.err = f.b.Add(kind, text)
	}
}
