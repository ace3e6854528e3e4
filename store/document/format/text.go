package format

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// isText reports whether the body is text, in UTF-8, UTF-16 or another charset:
// neither head nor tail has control characters other than white space.
func (s span) isText() bool {
	head, tail := s.head(), s.tail()
	if s.size <= int64(len(head)) {
		return isText(head)
	}
	if charset.Wide(head) != "" {
		return true // the tail may begin in the middle of a character
	}
	return isText(head) && isText(tail)
}

// isText reports whether b is a piece of a text. The piece may begin and end in the middle
// of a character.
func isText(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return charset.Wide(b) != ""
	}
	high := 0
	for _, c := range b {
		if c < ' ' && !isSpace(c) || c == 0x7f {
			return false
		}
		if c >= 0x80 {
			high++
		}
	}
	if high == 0 || validUTF8(b) {
		return true
	}
	// A text in a language with few letters beyond ASCII is too short to be detected.
	return high*3 <= len(b) || charset.Find(b[:min(len(b), 4<<10)], "", "").Source != charset.SourceDefault
}

// isSpace reports whether the control character c may be in a text. Besides
// white space these are the escape, which the charset ISO-2022-JP uses, and
// 0x1a, with which files of DOS end.
func isSpace(c byte) bool { return c >= '\t' && c <= '\r' || c == 0x1b || c == 0x1a }

// validUTF8 reports whether b is UTF-8. b is a piece of a body, and may begin
// and end inside a character.
func validUTF8(b []byte) bool {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
			}
			break
		}
	}
	return utf8.Valid(b)
}

// htmlTags are the elements that show that a text is HTML if the first tag of
// the text is theirs. PRONOM's own signatures require the end of an html
// element, which many pages lack.
var htmlTags = strings.Fields("html head title meta base link style script body frameset noscript div span p h1 h2 h3 h4 h5 h6 hr br " +
	"table ul ol dl li tr td a b i center font img form iframe pre nav main section article aside header footer figure")

// isHTML reports whether a text is HTML: its first tag, after comments,
// declarations and the like, is in htmlTags.
func (s span) isHTML() bool {
	b := s.first[:min(len(s.first), 4<<10)]
	if cs := charset.Wide(b); cs != "" {
		b = charset.ToUTF8(b, cs)
	}
	text := strings.TrimPrefix(strings.ToLower(string(b)), "\ufeff")
	for {
		text = strings.TrimSpace(text)
		rest, comment := strings.CutPrefix(text, "<!--")
		if !comment {
			break
		}
		_, after, ok := strings.Cut(rest, "-->")
		if !ok {
			return false
		}
		text = after
	}
	if strings.HasPrefix(text, "<!doctype html") {
		return true
	}
	tag, ok := strings.CutPrefix(text, "<")
	if !ok {
		return false
	}
	tag = strings.TrimPrefix(tag, "/")
	end := strings.IndexAny(tag, " \t\r\n/>")
	return end > 0 && slices.Contains(htmlTags, tag[:end])
}
