package ooxml

import (
	"fmt"
	"strconv"

	"infomall/store/document"
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// readSlides reads a presentation.
func readSlides(p *parts, b *document.Builder, main string, langs *office.LanguageCount) error {
	s, err := p.scan(main)
	if err != nil {
		return err
	}
	rels := byID(p.relations(main))
	flow := office.NewFlow(b)
	shown, number := 0, 0
	for s.Next() {
		if s.Kind != xmlpull.Start || s.Name != "p:sldId" {
			continue
		}
		r, ok := rels[s.Attr("r:id")]
		if number++; !ok || r.external {
			continue
		}
		if shown >= b.Limits().Pages {
			b.Doc.Pages = -1
			return fmt.Errorf("more than %d slides: the rest is not read", shown)
		}
		sl := &slideReader{p: p, flow: flow, langs: langs}
		hidden, failed := sl.slide(b, r.target, number)
		if flow.Err() != nil {
			return flow.Err()
		}
		if err == nil && failed != nil {
			err = fmt.Errorf("slide %d: %w", number, failed)
		}
		if !hidden {
			shown++
		}
	}
	b.Doc.Pages = int64(shown)
	if err == nil {
		err = s.Err()
	}
	return err
}

// slideReader reads one slide, or its notes.
type slideReader struct {
	p     *parts
	flow  *office.Flow
	langs *office.LanguageCount

	s       *xmlpull.Scanner
	rels    map[string]relation
	notes   bool   // the part has the notes of a slide
	shape   string // what the current shape holds the place of, such as "title"; "" for others
	lang    string // of the current run
	choices []bool // for each open mc:AlternateContent: whether a choice was taken
}

// slide reads a slide with its notes and comments. It reports whether the slide is
// hidden; then it reads nothing else.
func (r *slideReader) slide(b *document.Builder, part string, number int) (hidden bool, err error) {
	s, err := r.p.scan(part)
	if err != nil {
		return false, err
	}
	for s.Next() && s.Kind != xmlpull.Start {
	}
	if show := s.Attr("show"); show == "0" || show == "false" {
		return true, nil
	}
	if err := b.Begin(document.Slide, strconv.Itoa(number)); err != nil {
		return false, err
	}
	list := r.p.relations(part)
	r.s, r.rels = s, byID(list)
	err = r.shapes()
	if notes := ofKind(list, "notesSlide"); notes != "" {
		if s, failed := r.p.scan(notes); failed == nil {
			r.s, r.notes, r.rels = s, true, byID(r.p.relations(notes))
			r.flow.BeginNote()
			_ = r.shapes() // damaged notes do not spoil the slide
			r.flow.EndFrame()
		}
	}
	if comments := ofKind(list, "comments"); comments != "" {
		r.comments(comments)
	}
	if end := r.flow.EndSection(); end != nil {
		return false, end
	}
	return false, err
}

// shapes reads the texts of the shapes.
func (r *slideReader) shapes() error {
	s := r.s
	for s.Next() {
		if s.Kind == xmlpull.Start {
			r.start()
		} else if s.Kind == xmlpull.End {
			r.end()
		}
		if r.flow.Err() != nil {
			return r.flow.Err()
		}
	}
	return s.Err()
}

func (r *slideReader) start() {
	s := r.s
	switch s.Name {
	case "p:sp":
		r.shape = ""
	case "p:ph":
		if r.shape = s.Attr("type"); r.shape == "" {
			r.shape = "obj"
		}
	case "p:txBody":
		switch r.shape {
		case "sldNum", "dt", "hdr", "sldImg":
			s.Skip()
			return
		case "ftr":
			if !r.notes {
				r.flow.BeginNote()
				return
			}
			s.Skip()
			return
		}
		if r.notes && r.shape != "body" && r.shape != "" {
			s.Skip()
		}
	case "a:rPr":
		r.lang = s.Attr("lang")
	case "a:r", "a:fld":
		r.lang = ""
	case "a:t":
		text := s.Inner()
		r.langs.Add([]byte(text), office.Languages{Western: r.lang, Asian: r.lang, Complex: r.lang})
		r.flow.Text(text)
	case "a:br":
		r.flow.Text("\n")
	case "a:tab":
		r.flow.Text("\t")
	case "a:hlinkClick":
		if rel := r.rels[s.Attr("r:id")]; rel.external {
			r.flow.BeginLink(rel.target)
		}
	case "a:tbl":
		r.flow.BeginTable()
	case "dgm:relIds":
		r.drawing(s.Attr("r:dm"))
	case "c:chart":
		r.drawing(s.Attr("r:id"))
	case "mc:AlternateContent":
		r.choices = append(r.choices, false)
	case "mc:Choice", "mc:Fallback":
		if n := len(r.choices); n > 0 {
			if r.choices[n-1] {
				s.Skip()
				return
			}
			r.choices[n-1] = true
		}
	}
}

func (r *slideReader) end() {
	switch r.s.Name {
	case "a:p":
		kind := document.Paragraph
		if r.shape == "title" || r.shape == "ctrTitle" {
			kind = document.Heading
		}
		r.flow.EndParagraph(kind)
	case "a:r", "a:fld":
		r.flow.EndLink()
	case "a:tc":
		r.flow.EndCell()
	case "a:tr":
		r.flow.EndRow()
	case "a:tbl":
		r.flow.EndTable()
	case "p:txBody":
		if r.shape == "ftr" && !r.notes {
			r.flow.EndFrame()
		}
	case "p:sp":
		r.shape = ""
	case "mc:AlternateContent":
		if n := len(r.choices); n > 0 {
			r.choices = r.choices[:n-1]
		}
	}
}

// drawing adds the texts of a diagram or chart.
func (r *slideReader) drawing(id string) {
	rel, ok := r.rels[id]
	if !ok || rel.external {
		return
	}
	for _, text := range drawingTexts(r.p, rel.target) {
		r.flow.Text(text)
		r.flow.EndParagraph(document.Paragraph)
	}
}

// comments adds the comments of a slide.
func (r *slideReader) comments(part string) {
	s, err := r.p.scan(part)
	if err != nil {
		return
	}
	for s.Next() {
		if s.Kind == xmlpull.Start && s.Name == "p:text" {
			r.flow.BeginNote()
			r.flow.Text(s.Inner())
			r.flow.EndFrame()
		}
	}
}
