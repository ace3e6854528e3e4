package ooxml

import (
	"strconv"
	"strings"

	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// styles are the styles of a document by their ID.
type styles struct {
	byID  map[string]*style
	langs office.Languages // of text whose style and run say none
}

// style holds the properties that a style gives to text.
type style struct {
	basedOn string
	heading toggle
	hidden  toggle
	langs   office.Languages
	numID   string // the list of its paragraphs; "" if it does not say
	level   int    // the level in that list
}

// toggle is a property that a style can leave to the style that it is based on.
type toggle uint8

const (
	unset toggle = iota
	off
	on
)

// readStyles reads the part with the styles. There are none if the part is missing.
func readStyles(p *parts, part string) *styles {
	out := &styles{byID: map[string]*style{}}
	s, err := p.scan(part)
	if err != nil {
		return out
	}
	current := &style{}
	for s.Next() {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "w:style":
			current = &style{}
			if len(out.byID) < partsMax {
				out.byID[s.Attr("w:styleId")] = current
			}
		case "w:name":
			name := strings.ToLower(s.Attr("w:val"))
			if n, ok := strings.CutPrefix(name, "heading "); ok && len(n) == 1 || name == "title" {
				current.heading = on
			}
		case "w:basedOn":
			current.basedOn = s.Attr("w:val")
		case "w:outlineLvl":
			current.heading = outline(s)
		case "w:vanish":
			current.hidden = boolean(s)
		case "w:lang":
			if current.langs = languages(s); len(out.byID) == 0 {
				out.langs = current.langs
			}
		case "w:numId":
			current.numID = s.Attr("w:val")
		case "w:ilvl":
			current.level, _ = strconv.Atoi(s.Attr("w:val"))
		}
	}
	return out
}

// outline reports whether the element w:outlineLvl makes a paragraph a heading.
func outline(s *xmlpull.Scanner) toggle {
	if n, err := strconv.Atoi(s.Attr("w:val")); err == nil && n >= 0 && n < 9 {
		return on
	}
	return off
}

// boolean returns the value of an element that is a property.
func boolean(s *xmlpull.Scanner) toggle {
	switch s.Attr("w:val") {
	case "0", "false", "off":
		return off
	}
	return on
}

// languages returns the languages that the element w:lang says.
func languages(s *xmlpull.Scanner) office.Languages {
	return office.Languages{Western: s.Attr("w:val"), Asian: s.Attr("w:eastAsia"), Complex: s.Attr("w:bidi")}
}

// basedMost is how many styles may be based on each other.
const basedMost = 32

// of returns the properties of a style, with the properties of the styles that it is based on.
func (s *styles) of(id string) style {
	var out style
	for range basedMost {
		st := s.byID[id]
		if st == nil {
			break
		}
		if out.heading == unset {
			out.heading = st.heading
		}
		if out.hidden == unset {
			out.hidden = st.hidden
		}
		if out.numID == "" {
			out.numID, out.level = st.numID, st.level
		}
		out.langs = out.langs.Or(st.langs)
		id = st.basedOn
	}
	return out
}
