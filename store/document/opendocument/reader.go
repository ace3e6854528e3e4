package opendocument

import (
	"fmt"
	"strconv"
	"strings"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// reader reads the parts of a file into one document.
type reader struct {
	b      *document.Builder
	flow   *office.Flow
	styles *styles
	langs  office.LanguageCount

	s       *xmlpull.Scanner
	stack   []element
	body    kind // what the file is
	number  int  // of slides so far, hidden ones included
	shown   int  // sections so far
	removed bool // inside of the deletions of tracked changes
	title   int  // depth of frames that hold the title of a slide
	cells   cells
	lists   lists
}

// kind is the kind of the content of a file, such as a text or a table.
type kind uint8

const (
	textual  kind = iota
	sheets        // a spreadsheet
	drawings      // a presentation or drawing
)

// kindOf returns what a file is by its media type.
func kindOf(mime string) kind {
	for _, m := range mimes {
		switch rest := strings.TrimPrefix(mime, m); {
		case rest == mime:
		case strings.HasPrefix(rest, "spreadsheet"), strings.HasPrefix(rest, "calc"):
			return sheets
		case strings.HasPrefix(rest, "presentation"), strings.HasPrefix(rest, "graphics"), strings.HasPrefix(rest, "impress"), strings.HasPrefix(rest, "draw"):
			return drawings
		}
	}
	return textual
}

// element is an open element whose end needs something of its start.
type element struct {
	depth       int // of the scanner inside of it
	langs       office.Languages
	inParagraph bool // its text is that of a paragraph
	repeat      int  // of a row or cell: how often it is there
}

// part reads one XML file: the properties, the styles or the content, or all of them if
// the file is flat.
func (r *reader) part(s *xmlpull.Scanner) error {
	r.s, r.stack = s, r.stack[:0]
	for s.Next() {
		switch s.Kind {
		case xmlpull.Start:
			if err := r.start(); err != nil {
				return err
			}
		case xmlpull.End:
			r.end()
		case xmlpull.Text:
			r.text()
		}
		if err := r.flow.Err(); err != nil {
			return err
		}
	}
	return s.Err()
}

// push stores e, what the end of the element that has just started will need.
func (r *reader) push(e element) {
	e.depth = r.s.Depth()
	r.stack = append(r.stack, e)
}

// pop returns what push has stored for the element that has just ended.
func (r *reader) pop() element {
	n := len(r.stack)
	if n == 0 || r.stack[n-1].depth != r.s.Depth()+1 {
		return element{repeat: 1}
	}
	e := r.stack[n-1]
	r.stack = r.stack[:n-1]
	return e
}

// paragraph reports whether text at the current place belongs to a paragraph, and returns the
// languages of that text.
func (r *reader) paragraph() (office.Languages, bool) {
	if n := len(r.stack); n > 0 {
		return r.stack[n-1].langs, r.stack[n-1].inParagraph
	}
	return office.Languages{}, false
}

func (r *reader) start() error {
	s := r.s
	switch s.Name {
	case "office:meta":
		r.meta()
	case "style:style", "style:default-style":
		r.styles.read(s)
	case "text:list-style":
		r.lists.style(s)
	case "text:list":
		r.lists.begin(s.Attr("text:style-name"), s.Attr("text:continue-numbering") == "true")
	case "text:list-item":
		r.lists.item()
	case "office:document":
		r.body = kindOf(s.Attr("office:mimetype"))
	case "office:scripts", "office:settings", "office:font-face-decls", "office:binary-data", "office:forms", "form:form",
		"text:note-citation", "text:footnote-citation", "text:endnote-citation", "text:index-title-template",
		"text:table-of-content-source", "text:alphabetical-index-source", "text:illustration-index-source",
		"text:table-index-source", "text:object-index-source", "text:user-index-source", "text:bibliography-source",
		"text:variable-decls", "text:sequence-decls", "text:user-field-decls", "text:hidden-paragraph",
		"style:presentation-page-layout", "style:page-layout", "text:notes-configuration", "text:linenumbering-configuration",
		"text:outline-style", "table:content-validations", "table:calculation-settings", "table:tracked-changes",
		"svg:title", "svg:desc", "office:event-listeners", "presentation:footer-decl", "presentation:header-decl", "presentation:date-time-decl",
		"text:script", "style:handout-master", "table:dde-links", "table:named-expressions":
		s.Skip()
	case "table:covered-table-cell": // under a cell that is merged with it
		n := repeats(s.Attr("table:number-columns-repeated"))
		s.Skip()
		r.skipCells(n)
	case "style:master-page":
		if r.body != textual {
			s.Skip() // headers and footers of sheets and slides are fields
		}
	case "style:header", "style:footer", "style:header-first", "style:footer-first", "style:header-left", "style:footer-left":
		if s.Attr("style:display") == "false" {
			s.Skip()
			return nil
		}
		r.flow.BeginNote()
	case "text:note-body", "text:footnote-body", "text:endnote-body":
		r.flow.BeginNote()
	case "office:annotation":
		r.flow.BeginNote()
	case "dc:creator", "dc:date", "meta:creator-initials": // of a comment or tracked change
		s.Skip()
	case "text:tracked-changes":
		r.removed = true
	case "text:section":
		if r.hidden("section", "text:style-name") || s.Attr("text:display") == "none" {
			s.Skip()
		}
	case "text:p", "text:h":
		st := r.styles.of("paragraph", s.Attr("text:style-name"))
		if st.hidden {
			s.Skip()
			return nil
		}
		r.push(element{langs: st.langs.Or(r.styles.base()), inParagraph: true})
	case "text:span":
		st := r.styles.of("text", s.Attr("text:style-name"))
		if st.hidden {
			s.Skip()
			return nil
		}
		around, in := r.paragraph()
		r.push(element{langs: st.langs.Or(around), inParagraph: in})
	case "text:s":
		r.flow.Text(strings.Repeat(" ", min(repeats(s.Attr("text:c")), 100)))
	case "text:tab", "text:tab-stop":
		r.flow.Text("\t")
	case "text:line-break":
		r.flow.Text("\n")
	case "text:a":
		if target := s.Attr("xlink:href"); !strings.HasPrefix(target, "#") {
			r.flow.BeginLink(target)
		}
	case "text:hidden-text":
		s.Skip()
	case "text:page-number":
		if r.body == drawings {
			s.Skip()
		}
	case "text:ruby-text":
		r.flow.Text("(")
	case "draw:text-box", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:path", "draw:polygon", "draw:polyline", "draw:connector", "draw:caption", "draw:regular-polygon", "draw:measure":
		r.flow.BeginBox()
	case "draw:frame":
		if class := s.Attr("presentation:class"); class == "title" || r.title > 0 {
			r.title++
		} else if class == "footer" || class == "date-time" || class == "page-number" || class == "header" || s.Attr("presentation:placeholder") == "true" {
			s.Skip()
		}
	case "draw:page":
		return r.slide()
	case "presentation:notes":
		r.flow.BeginNote()
	case "table:table":
		return r.table()
	case "table:table-row":
		r.push(element{repeat: repeats(s.Attr("table:number-rows-repeated"))})
		r.cells.beginRow()
	case "table:table-cell":
		r.push(element{repeat: repeats(s.Attr("table:number-columns-repeated"))})
	}
	return nil
}

func (r *reader) end() {
	switch r.s.Name {
	case "text:p", "text:h":
		r.pop()
		switch {
		case r.inCell():
			r.flow.Text(" ") // the end of the cell takes all its paragraphs
		case r.s.Name == "text:h" || r.title > 0:
			r.flow.EndParagraph(document.Heading)
		default:
			r.flow.EndParagraph(document.Paragraph)
		}
	case "text:span":
		r.pop()
	case "text:a":
		r.flow.EndLink()
	case "text:list":
		r.lists.end()
	case "text:list-item":
		r.lists.number = ""
	case "text:ruby-text":
		r.flow.Text(")")
	case "text:tracked-changes":
		r.removed = false
	case "text:note-body", "text:footnote-body", "text:endnote-body", "office:annotation",
		"style:header", "style:footer", "style:header-first", "style:footer-first", "style:header-left", "style:footer-left",
		"draw:text-box", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:path", "draw:polygon", "draw:polyline", "draw:connector", "draw:caption", "draw:regular-polygon", "draw:measure",
		"presentation:notes":
		r.endFrame()
	case "draw:frame":
		r.title = max(0, r.title-1)
	case "table:shapes":
		r.flow.EndParagraph(document.Paragraph)
	case "table:table-cell":
		r.endCell(r.pop().repeat)
	case "table:table-row":
		r.endRow(r.pop().repeat)
	case "table:table":
		r.endTable()
	}
}

// text adds text of a paragraph. White space counts as one blank.
func (r *reader) text() {
	langs, in := r.paragraph()
	if !in {
		return
	}
	if r.lists.number != "" && !r.removed && !r.s.Blank() {
		r.flow.Text(r.lists.number + " ")
		r.lists.number = ""
	}
	buf := r.flow.Buffer()
	from := len(buf)
	text := r.s.AppendText(nil)
	blank := from == 0 || buf[from-1] == ' ' || buf[from-1] == '\n'
	for _, c := range text {
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			if !blank {
				buf, blank = append(buf, ' '), true
			}
			continue
		}
		buf, blank = append(buf, c), false
	}
	if r.removed {
		r.flow.Remove(string(buf[from:]))
		return
	}
	r.langs.Add(buf[from:], langs)
	r.flow.SetBuffer(buf)
}

// endFrame ends a box or a note. A box that is anchored in no paragraph is added.
func (r *reader) endFrame() {
	r.flow.EndFrame()
	if _, in := r.paragraph(); !in && !r.inCell() {
		r.flow.EndParagraph(document.Paragraph)
	}
}

// hidden reports whether the style of the element that has just started hides it.
func (r *reader) hidden(family, attr string) bool {
	return r.styles.of(family, r.s.Attr(attr)).hidden
}

// slide begins the section of a slide or of a page of a drawing.
func (r *reader) slide() error {
	r.number++
	if r.hidden("drawing-page", "draw:style-name") {
		r.s.Skip()
		return nil
	}
	if r.shown >= r.b.Limits().Pages {
		return fmt.Errorf("more than %d slides: the rest is not read", r.shown)
	}
	r.shown++
	if err := r.flow.EndSection(); err != nil {
		return err
	}
	return r.b.Begin(document.Slide, strconv.Itoa(r.number))
}

// repeatMost is the largest number of copies of a cell or row that the file says to repeat. Empty
// cells and rows are not copied at all.
const repeatMost = 100

// repeats returns the number of copies of an element that attr, an attribute, states: at least 1.
func repeats(attr string) int {
	n, err := strconv.Atoi(attr)
	if err != nil {
		return 1
	}
	return max(1, n)
}
