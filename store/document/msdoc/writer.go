package msdoc

import (
	"bytes"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/ole"
)

// Characters of a document that have a meaning of their own.
const (
	cellMark        = 0x07
	tab             = 0x09
	lineBreak       = 0x0b
	pageBreak       = 0x0c
	paragraphMark   = 0x0d
	columnBreak     = 0x0e
	fieldBegin      = 0x13
	fieldSeparator  = 0x14
	fieldEnd        = 0x15
	hardHyphen      = 0x1e
	instructionsMax = 4096 // bytes of the instructions of a field that are kept
)

// writer makes the parts of a story out of its characters.
type writer struct {
	b       *document.Builder
	note    bool // the parts are notes
	nesting int
	langs   *office.LanguageCount
	lang    office.Languages // of text that names none

	para    strings.Builder // text of the current paragraph
	removed strings.Builder // text of the current paragraph that a tracked change removed
	row     []byte          // cells of the current row
	cells   int             // number of cells of the current row
	table   []byte          // rows of the current table
	empty   bool            // the last character was the mark of a cell
	fields  []field
	deeper  int // fields that are begun and not kept, because they are nested too deeply
}

// field is a field whose end is not reached, such as a link or a page number.
type field struct {
	instructions []byte
	result       bool // the separator is reached: what follows is the text of the field
	start        int  // length of the paragraph when the result began
}

// text adds text of a run.
func (w *writer) text(s string, c charFormat) {
	w.empty = false
	if n := len(w.fields); n > 0 && !w.fields[n-1].result {
		if f := &w.fields[n-1]; len(f.instructions) < instructionsMax {
			f.instructions = append(f.instructions, s...)
		}
		return
	}
	switch {
	case w.hidesText() || c.hidden || w.para.Len() > w.b.Limits().Text:
	case c.deleted:
		w.removed.WriteString(ole.WithoutSymbols(s))
	default:
		w.langs.Add([]byte(s), c.langs.Or(w.lang))
		w.para.WriteString(ole.WithoutSymbols(s))
	}
}

// hidesText reports whether the current text belongs to the instructions of a field.
func (w *writer) hidesText() bool {
	if w.deeper > 0 {
		return true
	}
	for i := range w.fields {
		if !w.fields[i].result {
			return true
		}
	}
	return false
}

// control handles a character below U+0020. para returns the properties of the
// paragraph that has the character.
func (w *writer) control(r uint16, c charFormat, para func() paraFormat) error {
	switch r {
	case tab:
		w.text("\t", c)
	case lineBreak:
		w.text("\n", c)
	case hardHyphen:
		w.text("-", c)
	case fieldBegin:
		if len(w.fields) < w.nesting {
			w.fields = append(w.fields, field{})
		} else {
			w.deeper++
		}
	case fieldSeparator:
		if n := len(w.fields); n > 0 && w.deeper == 0 {
			w.fields[n-1].result = true
			w.fields[n-1].start = w.para.Len()
		}
	case fieldEnd:
		w.endField()
	case cellMark, paragraphMark, pageBreak, columnBreak:
		return w.mark(r, para())
	}
	return nil
}

// endField ends the innermost field. A link is added.
func (w *writer) endField() {
	n := len(w.fields)
	switch {
	case w.deeper > 0:
		w.deeper--
		return
	case n == 0:
		return
	}
	f := &w.fields[n-1]
	target := linkTarget(string(f.instructions))
	anchor := ""
	if f.result && f.start <= w.para.Len() {
		anchor = w.para.String()[f.start:]
	}
	w.fields = w.fields[:n-1]
	w.b.Link(target, anchor)
}

// linkTarget returns the target of a field HYPERLINK with these instructions, such as
// HYPERLINK "http://a.example/" \l "part", or "".
func linkTarget(instructions string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(instructions), "HYPERLINK")
	if !ok {
		return ""
	}
	target, fragment, flag := "", "", ""
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var word string
		switch {
		case rest[0] == '"':
			word, rest, _ = strings.Cut(rest[1:], `"`)
		case rest[0] == '\\':
			flag, rest, _ = strings.Cut(rest[1:], " ")
			continue
		default:
			word, rest, _ = strings.Cut(rest, " ")
		}
		switch flag {
		case "":
			if target == "" {
				target = strings.ReplaceAll(word, `\\`, `\`)
			}
		case "l":
			fragment = word
		}
		flag = ""
	}
	if fragment != "" {
		target += "#" + fragment
	}
	return target
}

// mark ends a paragraph, a cell or a row.
func (w *writer) mark(r uint16, p paraFormat) error {
	if n := len(w.fields); n > 0 && !w.fields[n-1].result && len(w.fields[n-1].instructions) >= instructionsMax {
		w.fields = w.fields[:0] // a field that does not end must not hide the rest
	}
	if r == cellMark {
		if p.rowEnd || !p.known && w.empty && w.cells > 0 {
			w.para.Reset()
			w.endRow()
			if len(w.table) > w.b.Limits().Text {
				return w.endTable() // the document is full
			}
			return nil
		}
		w.endCell()
		w.empty = true
		return nil
	}
	if r == paragraphMark && p.table {
		if w.para.Len() > 0 {
			w.para.WriteByte(' ')
		}
		return nil
	}
	if err := w.endTable(); err != nil {
		return err
	}
	return w.endParagraph(p.heading)
}

// take returns the text of the current paragraph and begins another one.
func (w *writer) take() string {
	s := w.para.String()
	w.para.Reset()
	for i := range w.fields {
		w.fields[i].start = 0
	}
	return s
}

// endCell adds the current paragraph to the current row.
func (w *writer) endCell() {
	if w.cells > 0 {
		w.row = append(w.row, '\t')
	}
	w.cells++
	w.row = append(w.row, document.Clean(w.take())...)
}

// endRow adds the current row to the current table, unless it has no text.
func (w *writer) endRow() {
	if row := bytes.TrimRight(w.row, "\t"); len(row) > 0 {
		if len(w.table) > 0 {
			w.table = append(w.table, '\n')
		}
		w.table = append(w.table, row...)
	}
	w.row, w.cells, w.empty = w.row[:0], 0, false
}

// endTable adds the current table, if there is one.
func (w *writer) endTable() error {
	w.endRow()
	if len(w.table) == 0 {
		return nil
	}
	kind := document.Table
	if w.note {
		kind = document.Note
	}
	text := string(w.table)
	w.table = w.table[:0]
	return w.b.Add(kind, text)
}

func (w *writer) endParagraph(heading bool) error {
	kind := document.Paragraph
	switch {
	case w.note:
		kind = document.Note
	case heading:
		kind = document.Heading
	}
	if err := w.b.Add(kind, strings.TrimSpace(w.take())); err != nil || w.removed.Len() == 0 {
		return err
	}
	removed := w.removed.String()
	w.removed.Reset()
	return w.b.Add(document.Deleted, strings.TrimSpace(removed))
}

// close ends the story.
func (w *writer) close() error {
	if err := w.endTable(); err != nil {
		return err
	}
	return w.endParagraph(false)
}
