package msxml

import (
	"strconv"
	"strings"
	"unicode"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlscan"
)

// wordReader reads a document of Word 2003.
type wordReader struct {
	properties
	b     *document.Builder
	s     *xmlscan.Scanner
	flow  *office.Flow
	in    string // the element whose text is wanted: t, delText or instrText; "" if none
	langs office.LanguageCount
	lang  office.Languages // of the style that is the default

	styles   map[string]*style
	style    *style      // that is being declared; nil outside of styles
	deep     int         // how many paragraphs are inside of each other
	paras    []paragraph // the paragraphs that are open, at most as many as limits.Nesting
	run      run
	fields   office.Fields
	comments []bool // of the open annotations: whether it is a comment
	deleted  int    // how many deletions are open
	removed  []bool // of the open annotations: whether it is a deletion
}

// style is what a style says of its paragraphs.
type style struct {
	base    string
	heading bool
	isBase  bool // it is the default of paragraphs
	langs   office.Languages
}

// paragraph is an open paragraph.
type paragraph struct {
	heading bool
	langs   office.Languages
}

// run is what the current run says of its text.
type run struct {
	hidden bool
	langs  office.Languages
}

// basesMax is how many steps styleOf follows from a style to the style that it is based on.
const basesMax = 16

func readWord(b *document.Builder, in *document.Input) error {
	w := &wordReader{properties: properties{doc: b.Doc}, b: b, s: xmlscan.New(in), flow: office.NewFlow(b), styles: make(map[string]*style)}
	skip := 0 // the depth of an element without text that is wanted; 0 if there is none
	for w.s.Next() {
		t := w.s.Token()
		switch {
		case skip > 0:
			if t.Kind == xmlscan.End && w.s.Depth() < skip {
				skip = 0
			}
		case t.Kind == xmlscan.Start:
			if w.start(t) {
				skip = w.s.Depth()
			}
		case t.Kind == xmlscan.Text:
			w.addText(t.Text)
		default:
			w.end(t)
		}
		if err := w.flow.Err(); err != nil {
			return err
		}
	}
	if err := w.flow.EndSection(); err != nil {
		return err
	}
	b.Doc.Lang = w.langs.Most()
	return w.s.Fault()
}

// start handles a start tag. skip reports whether the content of the element is not wanted.
func (w *wordReader) start(t *xmlscan.Token) (skip bool) {
	w.in = ""
	if w.properties.start(t) {
		return false
	}
	switch {
	case t.Space == hintSpace:
		if t.Local == "t" {
			w.number(t.Attr("val"))
		}
		return false
	case !strings.HasPrefix(t.Space, wordSpace) && t.Space != markSpace && t.Space != drawSpace:
		return false
	}
	switch t.Local {
	case "binData", "fonts", "docPr", "docSuppData", "tblPr", "tcPr", "trPr", "tblGrid", "listDef", "ffData":
		return true
	case "style":
		w.style = &style{isBase: t.Attr("type") == "paragraph" && isOn(t.Attr("default"))}
		if len(w.styles) < 10_000 {
			w.styles[t.Attr("styleId")] = w.style
		}
	case "basedOn":
		if w.style != nil {
			w.style.base = t.Attr("val")
		}
	case "name":
		if name := strings.ToLower(t.Attr("val")); w.style != nil && (name == "title" || strings.HasPrefix(name, "heading ")) {
			w.style.heading = true
		}
	case "outlineLvl":
		if level, err := strconv.Atoi(t.Attr("val")); err == nil && level < 9 {
			w.setHeading()
		}
	case "p":
		w.deep++
		if w.deep <= w.b.Limits().Nesting {
			w.paras = append(w.paras, paragraph{})
		}
		w.run = run{}
	case "pStyle":
		if p := w.paragraph(); p != nil {
			p.heading, p.langs = w.styleOf(t.Attr("val"))
		}
	case "r":
		w.run = run{}
	case "vanish":
		w.run.hidden = t.Attr("val") == "" || isOn(t.Attr("val"))
	case "lang":
		w.language(office.Languages{Western: t.Attr("val"), Asian: t.Attr("fareast"), Complex: t.Attr("bidi")})
	case "t", "delText", "instrText":
		w.in = t.Local
	case "tab":
		if w.deep > 0 && w.style == nil && t.Attr("pos") == "" { // else it is a stop, not a tab
			w.text("\t")
		}
	case "br", "cr":
		w.text("\n")
	case "noBreakHyphen":
		w.text("-")
	case "fldChar":
		w.fields.Char(t.Attr("fldCharType"), w.flow, w.b.Limits().Nesting, w.run.hidden)
	case "fldSimple":
		w.flow.BeginLink(office.LinkOf(t.Attr("instr")))
	case "hlink":
		target := t.Attr("dest")
		if mark := t.Attr("bookmark"); mark != "" && target != "" {
			target += "#" + mark
		}
		w.flow.BeginLink(target)
	case "tbl":
		w.flow.BeginTable()
	case "txbxContent":
		w.flow.BeginBox()
	case "textpath":
		w.flow.BeginBox()
		w.flow.Text(t.Attr("string"))
		w.flow.EndFrame()
	case "footnote", "endnote", "hdr", "ftr":
		w.flow.BeginNote()
	case "annotation":
		kind := t.Attr("type")
		if kind == "Word.Formatting" { // how the text looked before
			return true
		}
		w.comments, w.removed = append(w.comments, kind == "Word.Comment"), append(w.removed, kind == "Word.Deletion")
		switch kind {
		case "Word.Comment":
			w.flow.BeginNote()
		case "Word.Deletion":
			w.deleted++
		}
	}
	return false
}

func (w *wordReader) end(t *xmlscan.Token) {
	w.in, w.name = "", ""
	if !strings.HasPrefix(t.Space, wordSpace) && t.Space != markSpace || t.Space == hintSpace {
		return
	}
	switch t.Local {
	case "style":
		if w.style != nil && w.style.isBase {
			w.lang = w.style.langs
		}
		w.style = nil
	case "p":
		kind := document.Paragraph
		if w.deep == len(w.paras) && w.deep > 0 {
			if w.paras[w.deep-1].heading {
				kind = document.Heading
			}
			w.paras = w.paras[:w.deep-1]
		}
		w.deep = max(0, w.deep-1)
		w.flow.EndParagraph(kind)
	case "tc":
		w.flow.EndCell()
	case "tr":
		w.flow.EndRow()
	case "tbl":
		w.flow.EndTable()
	case "txbxContent", "footnote", "endnote", "hdr", "ftr":
		w.flow.EndFrame()
	case "hlink", "fldSimple":
		w.flow.EndLink()
	case "annotation":
		n := len(w.comments) - 1
		if n < 0 {
			return
		}
		if w.comments[n] {
			w.flow.EndFrame()
		}
		if w.removed[n] {
			w.deleted--
		}
		w.comments, w.removed = w.comments[:n], w.removed[:n]
	}
}

// isOn reports whether val is the value of a property that is set.
func isOn(val string) bool { return val == "on" || val == "true" || val == "1" }

// paragraph returns the current paragraph, or nil outside of paragraphs.
func (w *wordReader) paragraph() *paragraph {
	if w.deep == 0 || w.deep > len(w.paras) {
		return nil
	}
	return &w.paras[w.deep-1]
}

// setHeading makes the current style or paragraph a heading.
func (w *wordReader) setHeading() {
	if w.style != nil {
		w.style.heading = true
	} else if p := w.paragraph(); p != nil {
		p.heading = true
	}
}

// language sets the languages of the current style or run.
func (w *wordReader) language(l office.Languages) {
	if w.style != nil {
		w.style.langs = l.Or(w.style.langs)
	} else {
		w.run.langs = l.Or(w.run.langs)
	}
}

// styleOf returns what the style with this identifier, and the styles that it is based
// on, say of a paragraph.
func (w *wordReader) styleOf(id string) (heading bool, langs office.Languages) {
	for range basesMax {
		st := w.styles[id]
		if st == nil {
			break
		}
		heading, langs, id = heading || st.heading, langs.Or(st.langs), st.base
	}
	return heading, langs
}

// number adds the number of an item of a list. A bullet is not text.
func (w *wordReader) number(text string) {
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && r != 'o' || unicode.IsDigit(r) }) {
		w.flow.Text(text + " ")
	}
}

func (w *wordReader) addText(text string) {
	switch w.in {
	case "":
		w.properties.text(text)
	case "t":
		w.text(text)
	case "delText":
		if !w.hidden() {
			w.flow.Remove(text)
		}
	case "instrText":
		w.fields.Code(text)
	}
}

// hidden reports whether the current text is not shown.
func (w *wordReader) hidden() bool { return w.run.hidden || w.fields.InCode() }

// text adds text of a run.
func (w *wordReader) text(text string) {
	switch {
	case w.deep == 0 || w.hidden():
	case w.deleted > 0:
		w.flow.Remove(text)
	default:
		langs := w.run.langs
		if p := w.paragraph(); p != nil {
			langs = langs.Or(p.langs)
		}
		w.langs.Add([]byte(text), langs.Or(w.lang))
		w.flow.Text(text)
	}
}
