package markup

import (
	"strings"
	"unicode"

	"infomall/store/page/charset"
)

// Meta holds what a page states about itself, such as its title, in UTF-8. A field is "" if the
// page does not state it.
type Meta struct {
	Title       string // text of the title element; without one, the og:title of a meta element
	Description string
	Keywords    string
	Author      string
	Base        string // the base address for relative addresses, as written
	Lang        string // the language as written, but in lower case
	NoArchive   bool   // the page asks robots to keep no copy
	NoFollow    bool   // the page asks robots not to follow its links
}

// Meta returns what the page states about itself in its title, meta elements and the like,
// wherever in the markup they are. cs is the charset of the page.
func (t *Tree) Meta(cs string) Meta {
	var m Meta
	var social string
	svg := int32(0)
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != Element {
			continue
		}
		switch n.Tag {
		case TagSvg:
			svg = max(svg, n.Next)
		case TagTitle:
			if m.Title == "" && int32(i) >= svg && int(n.Next) > i+1 {
				c := &t.Nodes[i+1]
				m.Title = oneLine(fold(charset.ToUTF8(t.Body[c.Inner:c.Outer], cs)))
			}
		case TagBase:
			if v, ok := t.Attr(i, "href"); ok && m.Base == "" {
				m.Base = attrText(v, cs)
			}
		case TagHTML, TagBody:
			if m.Lang == "" {
				m.Lang = t.langAttr(i, cs)
			}
		case TagMeta:
			name, content := t.metaPair(i, cs)
			switch name {
			case "description", "keywords", "author":
				m.set(name, content)
			case "og:title":
				social = content
			case "content-language":
				if m.Lang == "" {
					m.Lang = strings.ToLower(content)
				}
			case "robots", "infomall":
				m.robots(content)
			}
		}
	}
	if m.Title == "" {
		m.Title = social
	}
	return m
}

// metaPair returns the name, in lower case, and the content of meta element i.
// The name is the value of its attribute name, property or http-equiv.
func (t *Tree) metaPair(i int, cs string) (name, content string) {
	for a := range t.Attrs(i) {
		switch {
		case EqualFold(a.Name, "name"), EqualFold(a.Name, "property"), EqualFold(a.Name, "http-equiv"):
			name = strings.ToLower(string(a.Value))
		case EqualFold(a.Name, "content"):
			content = oneLine(fold(charset.ToUTF8(a.Value, cs)))
		}
	}
	return strings.TrimSpace(name), content
}

func (t *Tree) langAttr(i int, cs string) string {
	lang := ""
	for a := range t.Attrs(i) {
		if EqualFold(a.Name, "lang") || lang == "" && EqualFold(a.Name, "xml:lang") {
			lang = strings.ToLower(attrText(a.Value, cs))
		}
	}
	return lang
}

// set sets the field for name (description, keywords or author) to content,
// unless the field is already set.
func (m *Meta) set(name, content string) {
	field := map[string]*string{"description": &m.Description, "keywords": &m.Keywords, "author": &m.Author}[name]
	if *field == "" {
		*field = content
	}
}

func (m *Meta) robots(content string) {
	for rule := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) }) {
		switch rule {
		case "noarchive":
			m.NoArchive = true
		case "nofollow", "none":
			m.NoFollow = true
		}
	}
}

// oneLine returns s, a folded text, with a space in place of each break.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}
