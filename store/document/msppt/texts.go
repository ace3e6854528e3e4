package msppt

import (
	"strings"
	"unicode/utf16"

	"infomall/store/document"
	"infomall/store/document/ole"
)

// text is the text of one shape or of one entry of the outline.
type text struct {
	title bool
	units []uint16 // UTF-16; paragraphs end with \r, lines with \v
	links []textLink
}

// textLink is a hyperlink of a stretch of a text.
type textLink struct {
	target   string
	from, to int // of units
}

// texts collects the texts of a slide.
type texts struct {
	*show
	outline  []text
	used     []bool // of outline: a shape refers to the text
	list     []text
	comments []string
	margins  [][]byte
	open     bool   // the last text of list still takes characters, fields and links
	kind     uint32 // of the next text: 0 and 6 are titles
	target   string // of a link whose stretch is in the next record
}

// The types of texts that are titles.
const (
	textTitle       = 0
	textCenterTitle = 6
	nestingMax      = 64 // groups of shapes inside of each other
	marginsMax      = 16 // records of headers and footers of a slide
)

// slide reads the record of a slide or of notes.
func (t *texts) slide(d []byte) {
	t.children(d, func(r record) bool {
		switch r.kind {
		case typeDrawing:
			t.drawing(r.data, nestingMax)
		case typeTags:
			t.tags(r.data)
		case typeMargins:
			if len(t.margins) < marginsMax {
				t.margins = append(t.margins, r.data)
			}
		}
		return true
	})
}

// drawing reads the shapes of a slide.
func (t *texts) drawing(d []byte, depth int) {
	if depth == 0 {
		return
	}
	t.children(d, func(r record) bool {
		switch r.kind {
		case typeDgContainer, typeGroup, typeShape:
			t.drawing(r.data, depth-1)
		case typeTextbox:
			t.open, t.kind = false, textOther
			t.children(r.data, func(r record) bool { t.record(r); return true })
		case typeClientData: // a link of the shape as a whole
			t.children(r.data, func(c record) bool {
				if c.kind == typeInteractive {
					if target := t.linkOf(c.data); target != "" {
						t.b.Link(target, "")
					}
				}
				return true
			})
		}
		return true
	})
}

const textOther = 4 // type of a text that is neither title nor body

// linkOf returns the target of the hyperlink that an action of a shape or text has.
func (t *texts) linkOf(d []byte) string {
	return t.links[ole.U32(t.child(d, typeInteractive1), 4)]
}

// record reads one record of a text.
func (t *texts) record(r record) {
	if len(t.list) >= t.b.Limits().Parts {
		return
	}
	switch r.kind {
	case typeTextHeader:
		t.kind, t.open = ole.U32(r.data, 0), false
		// Entries of the outline count even if they have no text.
		t.list = append(t.list, text{title: t.kind == textTitle || t.kind == textCenterTitle})
		t.open = true
	case typeOutlineRef:
		if n := int64(ole.U32(r.data, 0)); n < int64(len(t.outline)) {
			if t.used == nil {
				t.used = make([]bool, len(t.outline))
			}
			if !t.used[n] {
				t.used[n] = true
				t.list = append(t.list, t.outline[n])
				t.open = true
			}
		}
	case typeTextChars, typeTextBytes:
		n := min(len(r.data), t.budget)
		t.budget -= n
		units := make([]uint16, 0, n)
		if r.kind == typeTextBytes {
			for _, c := range r.data[:n] {
				units = append(units, uint16(c))
			}
		} else {
			for i := 0; i+1 < n; i += 2 {
				units = append(units, ole.U16(r.data, i))
			}
		}
		if !t.open {
			t.list = append(t.list, text{})
			t.open = true
		}
		last := &t.list[len(t.list)-1]
		last.units = append(last.units, units...)
	case typeSlideNumber, typeDateTime, typeDate, typeHeaderField, typeFooterField, typeOtherDate:
		// A field is a "*" in the text, at a place that the record has.
		if n := int64(ole.U32(r.data, 0)); t.open && len(t.list) > 0 {
			if units := t.list[len(t.list)-1].units; n < int64(len(units)) && units[n] == '*' {
				units[n] = fieldUnit
			}
		}
	case typeInteractive:
		t.target = t.linkOf(r.data)
	case typeLinkRange:
		if t.target != "" && t.open && len(t.list) > 0 {
			last := &t.list[len(t.list)-1]
			last.links = append(last.links, textLink{t.target, int(ole.U32(r.data, 0)), int(ole.U32(r.data, 4))})
		}
		t.target = ""
	}
}

// fieldUnit stands for a field in a text. It is a character that is not shown.
const fieldUnit = 0xfeff

// tags reads the comments of a slide.
func (t *texts) tags(d []byte) {
	t.children(d, func(tag record) bool {
		if tag.kind != typeTag {
			return true
		}
		t.children(t.child(tag.data, typeTagData), func(r record) bool {
			if r.kind != typeComment {
				return true
			}
			var author, said string
			t.children(r.data, func(c record) bool {
				switch {
				case c.kind == typeString && c.instance == 0:
					author = ole.UTF16(c.data)
				case c.kind == typeString && c.instance == 1:
					said = ole.UTF16(c.data)
				}
				return true
			})
			if author != "" && said != "" {
				said = author + ": " + said
			}
			t.comments = append(t.comments, said)
			return len(t.comments) < t.b.Limits().Parts
		})
		return true
	})
}

// add adds texts: one part a paragraph. note says that they are notes.
func (s *show) add(list []text, note bool) error {
	for _, t := range list {
		kind := document.Paragraph
		switch {
		case note:
			kind = document.Note
		case t.title:
			kind = document.Heading
		}
		whole := ole.WithoutSymbols(string(utf16.Decode(t.units)))
		if t.title { // one heading
			whole = strings.Join(strings.FieldsFunc(whole, func(r rune) bool { return r == '\r' || r == '\v' }), "\v")
		}
		for para := range strings.SplitSeq(whole, "\r") {
			if err := s.b.Add(kind, para); err != nil {
				return err
			}
		}
		for _, l := range t.links {
			anchor := ""
			// The end of the last paragraph counts as a character.
			if to := min(l.to, len(t.units)); l.from >= 0 && l.from < to && to-l.from <= s.b.LinkLeft() {
				anchor = string(utf16.Decode(t.units[l.from:to]))
			}
			s.b.Link(l.target, anchor)
		}
	}
	return nil
}
