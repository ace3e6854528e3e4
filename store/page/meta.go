package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meta is what a page says about itself, as UTF-8. A field is "" if the page
// does not say it.
type Meta struct {
	Title       string // of its title element, or as it tells social networks
	Description string
	Keywords    string
	Author      string
	Base        string // address that relative addresses are relative to, as written
	Lang        string // as written, in lower case
	NoArchive   bool   // the page asks robots to keep no copy
	NoIndex     bool   // the page asks robots not to index it
	NoFollow    bool   // the page asks robots not to follow its links
}

// Meta returns what the page says about itself, anywhere in its markup.
func (t *Tree) Meta(charset string) Meta {
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
			svg = n.Next
		case TagTitle:
			if m.Title == "" && int32(i) >= svg && int(n.Next) > i+1 {
				c := &t.Nodes[i+1]
				m.Title = oneLine(fold(ToUTF8(t.Body[c.Inner:c.Outer], charset)))
			}
		case TagBase:
			if v, ok := t.Attr(i, "href"); ok && m.Base == "" {
				m.Base = attrText(v, charset)
			}
		case TagHTML, TagBody:
			if m.Lang == "" {
				m.Lang = t.langAttr(i, charset)
			}
		case TagMeta:
			name, content := t.metaPair(i, charset)
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
func (t *Tree) metaPair(i int, charset string) (name, content string) {
	for a := range t.Attrs(i) {
		switch {
		case equalFold(a.Name, "name"), equalFold(a.Name, "property"), equalFold(a.Name, "http-equiv"):
			name = strings.ToLower(string(a.Value))
		case equalFold(a.Name, "content"):
			content = oneLine(fold([]byte(attrText(a.Value, charset))))
		}
	}
	return strings.TrimSpace(name), content
}

func (t *Tree) langAttr(i int, charset string) string {
	lang := ""
	for a := range t.Attrs(i) {
		if equalFold(a.Name, "lang") || lang == "" && equalFold(a.Name, "xml:lang") {
			lang = strings.ToLower(attrText(a.Value, charset))
		}
	}
	return lang
}

// set sets the field for name, unless it is already set.
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
		case "noindex":
			m.NoIndex = true
		case "nofollow":
			m.NoFollow = true
		case "none":
			m.NoIndex, m.NoFollow = true, true
		}
	}
}

// oneLine replaces the breaks of folded text by spaces.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

// langSample bounds how much text LangOf reads, in bytes.
const langSample = 16 << 10

// LangOf returns the language of a text if its script shows it: zh, ja, ko, ru,
// el, ar, he, th or hi. It returns "" for Latin script, which many languages
// share, and for text that is too mixed or too short.
func LangOf(text string) string {
	if isASCII(text[:min(len(text), langSample+1)]) {
		return ""
	}
	const han, kana = 0, 1
	scripts := [...]struct {
		table *unicode.RangeTable
		lang  string
	}{
		{unicode.Han, "zh"}, {unicode.Hiragana, "ja"}, {unicode.Hangul, "ko"}, {unicode.Cyrillic, "ru"}, {unicode.Greek, "el"},
		{unicode.Arabic, "ar"}, {unicode.Hebrew, "he"}, {unicode.Thai, "th"}, {unicode.Devanagari, "hi"},
	}
	var count [len(scripts)]int
	letters := 0
	for i, r := range text {
		if i > langSample {
			break
		}
		if r < unicode.MaxASCII {
			if byte(r)|0x20-'a' < 26 {
				letters++
			}
			continue
		}
		for s := range scripts {
			if unicode.Is(scripts[s].table, r) || s == kana && unicode.Is(unicode.Katakana, r) {
				count[s]++
				letters += 3 // Such a letter says as much as several Latin ones, and names are often Latin.
				break
			}
		}
	}
	if count[kana]*20 > count[han] && count[kana] > 0 {
		count[kana] += count[han]
		count[han] = 0
	}
	best := 0
	for s := range count {
		if count[s] > count[best] {
			best = s
		}
	}
	if count[best] < 4 || count[best]*6 < letters {
		return ""
	}
	return scripts[best].lang
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
