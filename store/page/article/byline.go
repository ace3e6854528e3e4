package article

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"infomall/store/page/markup"
)

// The largest sizes of the name of an author and of a source, in bytes.
const (
	authorMax = 80
	sourceMax = 60
)

// findAuthor returns who wrote the article, or "".
func (r *reader) findAuthor() string {
	if name := person(r.heads.author); name != "" {
		return name
	}
	if name := r.credited(); name != "" {
		return name
	}
	return r.named(authorSigns, func(s string) string {
		return person(s)
	}, true)
}

// credited returns the author named by an element near the title that has rel=author or
// itemprop=author. It returns "" if there is none.
func (r *reader) credited() string {
	if r.title < 0 {
		return ""
	}
	from, to := r.lines[max(0, r.title-nearLines)].node, r.lines[min(r.title+nearLines, len(r.lines)-1)].node
	for n := int(from); n < int(to); n++ {
		node := &r.t.Nodes[n]
		if node.Kind != markup.Element || node.Tag == markup.TagMeta || node.End-node.Start > lineBytesMax {
			continue
		}
		for a := range r.t.Attrs(n) {
			if markup.EqualFold(a.Name, "rel") && bytes.Equal(a.Value, []byte("author")) || markup.EqualFold(a.Name, "itemprop") && bytes.Equal(a.Value, []byte("author")) {
				if name := person(oneLine(r.t.TextRange(int(node.Inner), int(node.Outer), r.in.Charset))); name != "" {
					return name
				}
			}
		}
	}
	return ""
}

// findSource returns the publication from which the page says that it took its text, or "".
func (r *reader) findSource() string {
	if s := r.heads.source; s != "" && len(s) <= sourceMax && !strings.Contains(s, "://") {
		return s
	}
	return r.named(sourceSigns, func(s string) string {
		if len(s) > sourceMax {
			return ""
		}
		return s
	}, false)
}

// authorSigns and sourceSigns are the words, in lower case, that pages write before the name of an
// author or of a source, such as "written by ".
var (
	authorSigns = []string{"作者：", "作者:", "本报记者", "记者：", "记者:", "撰文：", "撰稿：", "文：", "文/", "文／", "记者", "author:", "autor:", "autorin:", "auteur :", "auteur:", "autore:", "автор:", "written by ",
		"posted by ", "by ", "von ", "par ", "por ", "di ", "door ", "av "}
	sourceSigns = []string{"来源：", "来源:", "来源于：", "來源：", "來源:", "稿源：", "稿源:", "稿件来源：", "出处：", "出處：", "文章来源：", "转载自：", "摘自：", "quelle:", "quelle :", "source:", "source :", "fuente:", "fonte:",
		"źródło:", "источник:", "bron:"}
)

// namesNear is how many bytes of text an author or source may be away from the title or the
// ends of the main text.
const namesNear = 400

// named returns the name that follows one of signs in a line near the title, or
// near the beginning or the end of the main text; "" if there is none. The
// function valid returns a name cleaned, or "" if it cannot be a name. begins
// is set for authors: then long lines in which the name follows the sign 记者 are
// skipped.
func (r *reader) named(signs []string, valid func(string) string, begins bool) string {
	for i := range r.lines {
		l := &r.lines[i]
		if !r.near(i) || l.text > namesNear || l.end-l.start > lineBytesMax {
			continue
		}
		if r.title >= 0 && i < r.title-1 {
			continue
		}
		text := r.text(i)
		colon := hasColon(text)
		if !colon && !beginsSign(text, signs) {
			continue
		}
		text = oneLine(text)
		low := lowered(text)
		for _, sign := range signs {
			latin := latinSign(sign)
			k := 0
			switch {
			case latin && (!strings.HasPrefix(low, sign) || !startsName(text[len(sign):]) || len(text) > 2*authorMax), !latin && !colon:
				continue
			case !latin:
				if k = strings.Index(low, sign); k < 0 || len(sign) <= len("文：") && k > 0 {
					continue
				}
			}
			if begins && !latin && sign == "记者" && l.text > 60 {
				continue
			}
			if name := valid(cutName(text[k+len(sign):])); name != "" {
				return name
			}
		}
	}
	return ""
}

// latinSign reports whether a sign ends in a blank. Such a sign is a word in
// Latin letters, and counts only at the beginning of a line.
func latinSign(sign string) bool { return sign[len(sign)-1] == ' ' }

// beginsSign reports, from the first letter of text alone, whether text may
// begin with one of the signs in Latin letters.
func beginsSign(text string, signs []string) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	if text == "" {
		return false
	}
	first := text[0] | 0x20 // in lower case, if it is a letter
	return slices.ContainsFunc(signs, func(sign string) bool { return latinSign(sign) && sign[0] == first })
}

// hasColon reports whether a text has one of the characters that end a sign, besides a blank.
func hasColon(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool {
		return c == ':' || c == '/' || c == '：' || c == '／' || c == '者'
	}) >= 0
}

// startsName reports whether s begins with a capital letter, as a name does.
func startsName(s string) bool {
	c, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(c)
}

// byWord returns s without the sign that it begins with, such as "By ", see
// authorSigns. It returns s unchanged if s begins with no sign.
func byWord(s string) string {
	low := lowered(s)
	for _, sign := range authorSigns {
		if rest, ok := strings.CutPrefix(low, sign); ok {
			return s[len(s)-len(rest):]
		}
	}
	return s
}

// nameEnds are texts at which a name ends, because they belong to what follows.
var nameEnds = []string{" on ", " am ", " um ", " publi", " veröff", " le ", " updated", "作者", "责任编辑", "编辑", "记者", "发布", "时间", "发表"}

// cutName returns the name at the beginning of s. The name ends before the
// first punctuation mark, digit, tab or text of nameEnds, and in Chinese before
// a space.
func cutName(s string) string {
	s = strings.TrimLeft(s, " \t\u00a0\u3000:：")
	for _, w := range nameEnds {
		if k := strings.Index(s, w); k > 0 {
			s = s[:k]
		}
	}
	han := false
	for i, c := range s {
		han = han || unicode.Is(unicode.Han, c)
		switch {
		case c == '\t', c == '\n', c == '|', c == '(', c == '（', c == '[', c == '【', c == ')', c == '）', c == ']', c == '】', c == ';', c == '；', c == '。', c == '，', c == ',', c == '/', c == '<', c == '>',
			c == '•', c == '·', c == '–', c == '—', c == '：', c == ':', c >= '0' && c <= '9', han && (c == ' ' || c == '\u3000' || c == '\u00a0'):
			return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s[:i]), " -"))
		}
		if c == '.' && strings.HasPrefix(s[i:], ". ") && i > 4 {
			return strings.TrimSpace(s[:i])
		}
	}
	return strings.TrimSpace(s)
}

// person returns s, cleaned, if it can be the name of a person or an agency,
// and otherwise "".
func person(s string) string {
	s = byWord(oneLine(s))
	if s == "" || len(s) > authorMax || strings.Contains(s, "://") || strings.Contains(s, "@") {
		return ""
	}
	letters := 0
	for _, c := range s {
		if unicode.IsLetter(c) {
			letters++
		} else if c >= '0' && c <= '9' {
			letters--
		}
	}
	if letters < 2 {
		return ""
	}
	switch strings.ToLower(s) {
	case "admin", "administrator", "editor", "redaktion", "author", "null", "none", "webmaster", "undefined":
		return ""
	}
	return s
}
