package opendocument

import (
	"infomall/store/document/office"
	"infomall/store/document/xmlpull"
)

// styles are the styles of a file by their family and name.
type styles struct {
	byName   map[string]*style
	defaults map[string]*style // by family
}

// style holds the properties that a style gives to the text that uses it.
type style struct {
	parent string
	family string
	hidden bool // the text, table, slide or section is not shown
	langs  office.Languages
}

// stylesMax is how many styles are kept. parentsMost is how many styles may be based
// on each other.
const (
	stylesMax   = 100_000
	parentsMost = 32
)

func newStyles() *styles {
	return &styles{byName: map[string]*style{}, defaults: map[string]*style{}}
}

// read reads the style that has just started, and goes to its end.
func (st *styles) read(s *xmlpull.Scanner) {
	family := s.Attr("style:family")
	if family == "" {
		family = s.Attr("style:name") // of OpenOffice 1: style:family is always there
	}
	one := &style{family: family, parent: s.Attr("style:parent-style-name")}
	if s.Name == "style:default-style" {
		st.defaults[family] = one
	} else if len(st.byName) < stylesMax {
		st.byName[family+"\x00"+s.Attr("style:name")] = one
	}
	for depth := s.Depth(); s.Depth() >= depth && s.Next(); {
		if s.Kind != xmlpull.Start {
			continue
		}
		switch s.Name {
		case "style:text-properties", "style:properties":
			one.langs = office.Languages{
				Western: tag(s.Attr("fo:language"), s.Attr("fo:country")),
				Asian:   tag(s.Attr("style:language-asian"), s.Attr("style:country-asian")),
				Complex: tag(s.Attr("style:language-complex"), s.Attr("style:country-complex")),
			}.Or(one.langs)
			one.hidden = one.hidden || s.Attr("text:display") == "none" || s.Attr("presentation:visibility") == "hidden" || s.Attr("table:display") == "false"
		case "style:table-properties":
			one.hidden = one.hidden || s.Attr("table:display") == "false"
		case "style:drawing-page-properties":
			one.hidden = one.hidden || s.Attr("presentation:visibility") == "hidden"
		}
	}
}

// tag returns the language tag of a language and country, such as "de-DE".
func tag(language, country string) string {
	if language == "" || language == "none" || language == "zxx" {
		return ""
	}
	if country == "" || country == "none" {
		return language
	}
	return language + "-" + country
}

// base returns the languages of text whose styles say none: those of the defaults of
// paragraphs, cells or shapes.
func (st *styles) base() office.Languages {
	var out office.Languages
	for _, family := range []string{"paragraph", "table-cell", "graphic"} {
		if d := st.defaults[family]; d != nil {
			out = out.Or(d.langs)
		}
	}
	return out
}

// of returns the properties of a style, with the properties of the styles that it is based on.
func (st *styles) of(family, name string) style {
	var out style
	for range parentsMost {
		one := st.byName[family+"\x00"+name]
		if one == nil {
			break
		}
		out.hidden = out.hidden || one.hidden
		out.langs = out.langs.Or(one.langs)
		name = one.parent
	}
	if d := st.defaults[family]; d != nil {
		out.langs = out.langs.Or(d.langs)
	}
	return out
}
