// Package xmltext reads XML that no other kind knows, such as DocBook, TEI and data of
// programs: the text of its elements in order.
package xmltext

import (
	"strings"

	"infomall/store/document"
	"infomall/store/document/dates"
	"infomall/store/document/pagetext"
	"infomall/store/document/xmlscan"
	"infomall/store/page"
	"infomall/store/page/charset"
	"infomall/store/record"
)

// Kind reads any XML but pictures in SVG.
var Kind = document.Kind{Name: "xml", Is: is, Read: read}

func is(in *document.Input) bool {
	if page.IsBinary(in.Body) || page.IsMarkup(in.Mime) && in.Mime != "" {
		return false
	}
	root, ok := xmlscan.RootOf(in)
	if !ok || root.Local == "svg" {
		return false
	}
	return root.Declared || strings.HasSuffix(in.Mime, "xml") || root.Local != "" && root.Space != ""
}

func read(b *document.Builder, in *document.Input) error {
	s := xmlscan.New(in)
	if root, _ := xmlscan.RootOf(in); strings.EqualFold(root.Local, "html") {
		return pagetext.AddPage(b, []byte(s.Source), charset.UTF8) // XHTML that is declared as XML
	}
	r := reader{b: b, s: s}
	for s.Next() {
		var err error
		switch t := s.Token(); t.Kind {
		case xmlscan.Start:
			err = r.start(t)
		case xmlscan.Text:
			r.addText(t.Text)
		case xmlscan.End:
			err = r.end(t)
		}
		if err != nil {
			return err
		}
	}
	if err := r.flush(); err != nil {
		return err
	}
	return s.Fault()
}

// inline are the names of elements, in lower case, that mark a part of a line of text in DocBook,
// TEI, JATS, DITA, HTML and others. Names that data formats also use are not in the list.
var inline = set(`a abbr acronym b bold em emph emphasis ext-link firstterm foreign hi i italic mono ptr q quote sc small span
	strong sub subscript sup superscript tt u ulink underline xref`)

// blocks are the names of elements that begin a paragraph of their own even inside of
// text.
var blocks = set(`p para simpara title subtitle head h1 h2 h3 h4 h5 h6 li item listitem list itemizedlist orderedlist table row tr
	td th entry cell section sect1 sect2 sect3 div sec note footnote figure caption l lg lb ab quotegrp blockquote dt dd`)

// headings are the names of elements that are headings.
var headings = set(`title subtitle head h1 h2 h3 h4 h5 h6 heading article-title doctitle headline bridgehead`)

func set(names string) map[string]bool {
	m := make(map[string]bool)
	for n := range strings.FieldsSeq(names) {
		m[n] = true
	}
	return m
}

// reader collects the text of the elements. A paragraph is the text of an element that
// has text directly inside of it, together with the elements inside of that.
type reader struct {
	b     *document.Builder
	s     *xmlscan.Scanner
	open  []element
	text  strings.Builder // the current paragraph
	owner int             // number of open elements when the paragraph began, with its element; 0 if there is no paragraph
	head  bool            // the paragraph is a heading
	name  string          // the element of the paragraph
	mixed bool            // the element of the paragraph has text of its own
	count int             // number of the paragraph
}

// element is an open element.
type element struct {
	name   string // without prefix, in lower case
	inline bool
	target string // address of its link; "" if it has none
	para   int    // reader.count at its start
	from   int    // length of reader.text at its start
}

func (r *reader) start(t *xmlscan.Token) error {
	e := element{name: strings.ToLower(t.Local)}
	e.inline = inline[e.name]
	for a := range t.Attrs {
		switch a.Local {
		case "href", "url", "src", "fileref":
			e.target = a.Value
		case "lang":
			if len(r.open) == 0 && r.b.Doc.Lang == "" {
				r.b.Doc.Lang = strings.ToLower(document.Clean(a.Value))
			}
		}
	}
	if r.owner > 0 && (blocks[e.name] || !r.mixed && !e.inline) {
		if err := r.flush(); err != nil {
			return err
		}
	}
	e.para, e.from = r.count, r.text.Len()
	r.open = append(r.open, e)
	return nil
}

// paragraphMax is how many bytes of one paragraph are kept.
const paragraphMax = 1 << 20

func (r *reader) addText(text string) {
	if r.owner == 0 {
		if strings.TrimSpace(text) == "" || len(r.open) == 0 {
			return
		}
		// An element that is part of a line does not own its line.
		r.owner = len(r.open)
		for r.owner > 1 && r.open[r.owner-1].inline {
			r.owner--
		}
		r.own()
	}
	if len(r.open) == r.owner && strings.TrimSpace(text) != "" {
		r.mixed = true
	}
	if r.text.Len()+len(text) <= paragraphMax {
		r.text.WriteString(text)
	}
}

// own notes the name of the element that contains the current paragraph, and whether it is a
// heading.
func (r *reader) own() {
	r.name = r.open[r.owner-1].name
	r.head = headings[r.name]
	r.mixed = false
}

func (r *reader) end(t *xmlscan.Token) error {
	e := r.open[len(r.open)-1]
	if e.target != "" {
		anchor := ""
		if e.para == r.count && r.text.Len() >= e.from {
			anchor = r.text.String()[e.from:]
		}
		r.b.Link(e.target, anchor)
	}
	r.open = r.open[:len(r.open)-1]
	if len(r.open) >= r.owner {
		return nil
	}
	// If text follows the end tag, the element was the start of a longer paragraph.
	if rest := r.s.Source[t.To:]; len(r.open) > 0 && !blocks[e.name] {
		if text, _, ok := strings.Cut(rest, "<"); ok && strings.TrimSpace(text) != "" {
			r.owner--
			r.own()
			return nil
		}
	}
	return r.flush()
}

// flush adds the current paragraph.
func (r *reader) flush() error {
	text := document.Clean(r.text.String())
	r.text.Reset()
	r.owner = 0
	r.count++
	if text == "" {
		return nil
	}
	r.about(text)
	if r.head {
		return r.b.Add(document.Heading, text)
	}
	return r.b.Add(document.Paragraph, text)
}

// about sets the field of the document that the element of the paragraph stands for.
// The first element with a name counts.
func (r *reader) about(text string) {
	d := r.b.Doc
	field := func(to *string) {
		if *to == "" {
			*to = text
		}
	}
	switch r.name {
	case "title", "article-title", "doctitle", "headline":
		field(&d.Title)
	case "creator", "author", "byline":
		field(&d.Author)
	case "description", "abstract":
		field(&d.Description)
	case "created", "pubdate", "date", "issued":
		if d.Created == record.NoTime {
			d.Created = dates.Parse(text)
		}
	case "modified", "updated", "lastmodified":
		if d.Modified == record.NoTime {
			d.Modified = dates.Parse(text)
		}
	}
}
