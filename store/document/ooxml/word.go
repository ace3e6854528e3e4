package ooxml

import (
	"strconv"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// readWord reads a document.
func readWord(p *parts, b *document.Builder, main string, langs *office.LanguageCount) error {
	rels := p.relations(main)
	w := &wordReader{p: p, flow: office.NewFlow(b), langs: langs, known: map[string]style{}}
	w.styles = readStyles(p, ofKind(rels, "styles"))
	w.lists = readLists(p, ofKind(rels, "numbering"))
	err := w.story(main)
	for _, kind := range []string{"footnotes", "endnotes", "comments"} {
		if part := ofKind(rels, kind); part != "" && w.flow.Err() == nil {
			_ = w.story(part) // damaged notes do not spoil the document
		}
	}
	for _, part := range w.margins {
		if w.flow.Err() == nil {
			w.flow.BeginNote()
			_ = w.story(part)
			w.flow.EndFrame()
		}
	}
	if end := w.flow.EndSection(); end != nil {
		return end
	}
	return err
}

// wordReader reads the stories of a document: its body, notes, headers and footers.
type wordReader struct {
	p       *parts
	flow    *office.Flow
	styles  *styles
	known   map[string]style // by ID: the properties of a style, with those of its base styles
	lists   *lists
	langs   *office.LanguageCount
	margins []string // parts with headers and footers, in the order of their use
	pages   map[string]bool

	s          *xmlpull.Scanner
	rels       map[string]relation // of the current part
	paragraphs []paragraph         // the current paragraph and those around it
	fields     office.Fields
	choices    []bool // for each open mc:AlternateContent: whether a choice was taken
	run        style  // what the current run says
	removed    int    // depth of tracked deletions
	ruby       []rubyText
}

// paragraph collects the properties of a paragraph until its end.
type paragraph struct {
	style   style
	heading toggle
	numID   string
	level   int
	started bool // its number was written
}

// rubyText is the reading of characters, which comes before them in the markup.
type rubyText struct {
	from    int
	reading string
}

// story reads one part.
func (w *wordReader) story(part string) error {
	s, err := w.p.scan(part)
	if err != nil {
		return err
	}
	w.s, w.rels = s, byID(w.p.relations(part))
	w.paragraphs, w.choices, w.ruby, w.removed = w.paragraphs[:0], w.choices[:0], w.ruby[:0], 0
	w.fields.Clear()
	for s.Next() {
		switch s.Kind {
		case xmlpull.Start:
			w.start()
		case xmlpull.End:
			w.end()
			if w.flow.Err() != nil {
				return w.flow.Err()
			}
		}
	}
	return s.Err()
}

func (w *wordReader) start() {
	s := w.s
	switch s.Name {
	case "w:p":
		w.paragraphs = append(w.paragraphs, paragraph{})
		w.run = style{}
	case "w:pPr":
		w.paragraphProperties()
	case "w:r":
		w.run = style{}
	case "w:rPr":
		w.runProperties()
	case "w:t", "m:t":
		w.text(s.Inner())
	case "w:delText":
		if !w.hidden() {
			w.flow.Remove(s.Inner())
		}
	case "w:instrText":
		w.fields.Code(s.Inner())
	case "w:tab", "w:ptab":
		w.text("\t")
	case "w:br", "w:cr":
		w.text("\n")
	case "w:noBreakHyphen":
		w.text("-")
	case "w:sym":
		w.symbol()
	case "w:fldChar":
		w.fields.Char(s.Attr("w:fldCharType"), w.flow, w.p.nesting, w.hiddenByStyle())
	case "w:fldSimple":
		w.flow.BeginLink(office.LinkOf(s.Attr("w:instr")))
	case "w:hyperlink":
		w.flow.BeginLink(w.address(s.Attr("r:id")))
	case "w:tbl":
		w.flow.BeginTable()
	case "w:txbxContent":
		w.flow.BeginBox()
	case "v:textpath":
		w.box(s.Attr("string"))
	case "dgm:relIds":
		w.drawing(s.Attr("r:dm"))
	case "c:chart":
		w.drawing(s.Attr("r:id"))
	case "w:footnote", "w:endnote":
		if t := s.Attr("w:type"); t != "" && t != "normal" {
			s.Skip()
			return
		}
		w.flow.BeginNote()
	case "w:comment":
		w.flow.BeginNote()
	case "w:del", "w:moveFrom":
		w.removed++
	case "w:rt":
		w.ruby = append(w.ruby, rubyText{from: len(w.flow.Buffer())})
	case "mc:AlternateContent":
		w.choices = append(w.choices, false)
	case "mc:Choice", "mc:Fallback":
		if n := len(w.choices); n > 0 {
			if w.choices[n-1] {
				s.Skip()
				return
			}
			w.choices[n-1] = true
		}
	case "w:headerReference", "w:footerReference":
		w.margin(s.Attr("r:id"))
	case "w:sdtPr", "w:tblPr", "w:tcPr", "w:trPr", "w:tblGrid", "w:rubyPr", "w:ffData", "w:pPrChange", "w:rPrChange":
		s.Skip()
	}
}

func (w *wordReader) end() {
	switch w.s.Name {
	case "w:p":
		kind := document.Paragraph
		if n := len(w.paragraphs); n > 0 {
			if p := w.paragraphs[n-1]; p.heading == on || p.heading == unset && p.style.heading == on {
				kind = document.Heading
			}
			w.paragraphs = w.paragraphs[:n-1]
		}
		w.flow.EndParagraph(kind)
	case "w:tc":
		w.flow.EndCell()
	case "w:tr":
		w.flow.EndRow()
	case "w:tbl":
		w.flow.EndTable()
	case "w:txbxContent", "w:footnote", "w:endnote", "w:comment":
		w.flow.EndFrame()
	case "w:hyperlink", "w:fldSimple":
		w.flow.EndLink()
	case "w:del", "w:moveFrom":
		w.removed--
	case "w:rt":
		if n := len(w.ruby); n > 0 {
			text, from := w.flow.Buffer(), min(w.ruby[n-1].from, len(w.flow.Buffer()))
			w.ruby[n-1].reading = string(text[from:])
			w.flow.SetBuffer(text[:from])
		}
	case "w:ruby":
		if n := len(w.ruby); n > 0 {
			if w.ruby[n-1].reading != "" {
				w.flow.Text("(" + w.ruby[n-1].reading + ")")
			}
			w.ruby = w.ruby[:n-1]
		}
	case "mc:AlternateContent":
		if n := len(w.choices); n > 0 {
			w.choices = w.choices[:n-1]
		}
	}
}

// paragraphProperties reads w:pPr.
func (w *wordReader) paragraphProperties() {
	s := w.s
	var none paragraph
	p := &none
	if n := len(w.paragraphs); n > 0 {
		p = &w.paragraphs[n-1]
	}
	p.level = -1
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "w:pStyle":
			p.style = w.styleOf(s.Attr("w:val"))
		case "w:outlineLvl":
			p.heading = outline(s)
		case "w:numId":
			p.numID = s.Attr("w:val")
		case "w:ilvl":
			p.level, _ = strconv.Atoi(s.Attr("w:val"))
		case "w:headerReference", "w:footerReference":
			w.margin(s.Attr("r:id"))
		case "w:rPr", "w:pPrChange":
			s.Skip()
		}
	}
	if p.numID == "" {
		p.numID = p.style.numID
	}
	if p.level < 0 {
		p.level = p.style.level
	}
}

// runProperties reads w:rPr.
func (w *wordReader) runProperties() {
	s := w.s
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "w:rStyle":
			st := w.styleOf(s.Attr("w:val"))
			if w.run.hidden == unset {
				w.run.hidden = st.hidden
			}
			w.run.langs = w.run.langs.Or(st.langs)
		case "w:vanish":
			w.run.hidden = boolean(s)
		case "w:lang":
			w.run.langs = languages(s).Or(w.run.langs)
		case "w:rPrChange":
			s.Skip()
		}
	}
}

// styleOf returns the properties of a style, with the properties of the styles that it is based on.
func (w *wordReader) styleOf(id string) style {
	st, ok := w.known[id]
	if !ok {
		st = w.styles.of(id)
		w.known[id] = st
	}
	return st
}

// paragraph returns the current paragraph, or nil outside of paragraphs.
func (w *wordReader) paragraph() *paragraph {
	if n := len(w.paragraphs); n > 0 {
		return &w.paragraphs[n-1]
	}
	return nil
}

// hidden reports whether the current text is not shown.
func (w *wordReader) hidden() bool { return w.hiddenByStyle() || w.fields.InCode() }

// hiddenByStyle reports whether the style of the current run or of its paragraph hides text.
func (w *wordReader) hiddenByStyle() bool {
	p := w.paragraph()
	return w.run.hidden == on || w.run.hidden == unset && p != nil && p.style.hidden == on
}

// text adds text of a run.
func (w *wordReader) text(text string) {
	if w.hidden() {
		return
	}
	if w.removed > 0 {
		w.flow.Remove(text)
		return
	}
	langs := w.run.langs
	if p := w.paragraph(); p != nil {
		if langs = langs.Or(p.style.langs); !p.started {
			p.started = true
			w.flow.Text(w.lists.number(p.numID, p.level))
		}
	}
	w.langs.Add([]byte(text), langs.Or(w.styles.langs))
	w.flow.Text(text)
}

// symbol adds a character of a symbol font. Only those with a meaning in Unicode are
// text; the fonts' own ones are in the range F000 to F0FF.
func (w *wordReader) symbol() {
	if n, err := strconv.ParseUint(w.s.Attr("w:char"), 16, 32); err == nil && n >= ' ' && (n < 0xe000 || n > 0xf8ff) {
		w.text(string(rune(n)))
	}
}

// address returns the address that a relationship names, or "".
func (w *wordReader) address(id string) string {
	if r := w.rels[id]; r.external {
		return r.target
	}
	return ""
}

// margin remembers the part with a header or footer, to be read after the body.
func (w *wordReader) margin(id string) {
	r, ok := w.rels[id]
	if !ok || r.external || w.pages[r.target] {
		return
	}
	if w.pages == nil {
		w.pages = make(map[string]bool)
	}
	w.pages[r.target] = true
	w.margins = append(w.margins, r.target)
}

// box adds a text that is apart from the current paragraph.
func (w *wordReader) box(text string) {
	w.flow.BeginBox()
	w.flow.Text(text)
	w.flow.EndFrame()
}

// drawing adds the texts of a diagram or chart.
func (w *wordReader) drawing(id string) {
	if r, ok := w.rels[id]; ok && !r.external {
		for _, text := range drawingTexts(w.p, r.target) {
			w.box(text)
		}
	}
}
