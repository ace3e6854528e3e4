package markup

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"infomall/store/page/charset"
)

// SheetLinks returns the links of a style sheet: a LinkCSS for each @import, and
// a LinkImg for each other url(). cs is the charset of the sheet. The Offset of
// all links is 0.
func SheetLinks(css []byte, cs string) []Link {
	var links []Link
	for address, sheet := range addresses(string(charset.ToUTF8(css, cs))) {
		links = append(links, Link{Kind: addressKind(sheet), Target: address})
	}
	return links
}

func addressKind(sheet bool) LinkKind {
	if sheet {
		return LinkCSS
	}
	return LinkImg
}

// styled reports whether element i may have a style with an address. The style is
// the content of a style element, and the attribute style of any other element.
func (t *Tree) styled(i int) bool {
	n := &t.Nodes[i]
	if n.Tag == TagStyle {
		return mayHaveAddress(t.Body[n.Inner:n.Outer])
	}
	return t.May(i, AttrStyle) && mayHaveAddress(t.Body[n.Start:n.Inner])
}

// mayHaveAddress reports whether css, a style sheet or a part of one, contains
// url( or @import.
func mayHaveAddress(css []byte) bool {
	for rest := css; ; {
		at := bytes.IndexByte(rest, '(')
		if at < 0 {
			break
		}
		if at >= 3 && EqualFold(rest[at-3:at], "url") {
			return true
		}
		rest = rest[at+1:]
	}
	for rest := css; ; {
		at := bytes.IndexByte(rest, '@')
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
		if len(rest) >= 6 && EqualFold(rest[:6], "import") {
			return true
		}
	}
}

// styles adds the links in the style of element i to w.links.
func (w *linkWriter) styles(i int) {
	n := &w.t.Nodes[i]
	var css string
	if n.Tag == TagStyle {
		css = string(charset.ToUTF8(w.t.Body[n.Inner:max(n.Inner, min(n.Outer, w.end))], w.charset))
	} else {
		value, _ := w.t.Attr(i, "style")
		css = string(w.value(value))
	}
	for address, sheet := range addresses(css) {
		w.append(foundLink{kind: addressKind(sheet), target: []byte(address), offset: int(n.Start)})
	}
}

// addresses ranges over the addresses in css, a style sheet or a part of one in
// UTF-8: those in url() and after @import. The second value is true if the
// address is that of another style sheet. Comments, other strings, and addresses
// for which leadsOut is false are skipped.
func addresses(css string) iter.Seq2[string, bool] {
	return func(yield func(address string, sheet bool) bool) {
		imports := false // @import was read, and its address was not read yet
		for i := 0; i < len(css); {
			var address string
			found := false
			switch ch := css[i]; {
			case strings.HasPrefix(css[i:], "/*"):
				end := strings.Index(css[i+2:], "*/")
				if end < 0 {
					return
				}
				i += 2 + end + 2
			case ch == '"' || ch == '\'':
				address, i = cssString(css, i)
				found = imports
			case ch == '@':
				end := cssWordEnd(css, i+1)
				imports = strings.EqualFold(css[i+1:end], "import")
				i = end
			case inCSSWord(ch):
				end := cssWordEnd(css, i)
				if end < len(css) && css[end] == '(' && strings.EqualFold(css[i:end], "url") {
					address, i = cssFunction(css, end+1)
					found = true
				} else {
					i = end
				}
			default:
				if ch == ';' || ch == '{' || ch == '}' {
					imports = false
				}
				i++
			}
			if address = strings.TrimSpace(address); found && leadsOut(address) && !yield(address, imports) {
				return
			}
			imports = imports && !found
		}
	}
}

// leadsOut reports whether an address leads to another document: it is not
// empty, not a fragment such as #top, and not a data: URL.
func leadsOut(address string) bool {
	return address != "" && address[0] != '#' && !(len(address) >= 5 && strings.EqualFold(address[:5], "data:"))
}

// cssFunction reads the address in url( ), with or without quotes. i is the
// offset after the "(". end is the offset after the address, before the ")".
func cssFunction(css string, i int) (address string, end int) {
	for i < len(css) && isCSSSpace(css[i]) {
		i++
	}
	if i < len(css) && (css[i] == '"' || css[i] == '\'') {
		return cssString(css, i)
	}
	end = i
	for end < len(css) && css[end] != ')' {
		if css[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(css))
	return cssUnescape(strings.TrimSpace(css[i:end])), end
}

// cssString reads the string whose opening quote is at offset i, and returns its
// content. end is the offset after the closing quote. A line break ends a string
// that lacks its closing quote.
func cssString(css string, i int) (s string, end int) {
	quote := css[i]
	end = i + 1
	for end < len(css) && css[end] != quote && css[end] != '\n' {
		if css[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(css))
	return cssUnescape(css[i+1 : end]), min(end+1, len(css))
}

// cssUnescape returns s with the escapes of style sheets resolved: a backslash
// and a character, or a backslash, one to six hexadecimal digits and an optional
// blank. A backslash before a line break is removed with the line break.
func cssUnescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(s, '\\') {
		b.WriteString(s[:at])
		s = s[at+1:]
		digits := 0
		for digits < min(len(s), 6) && strings.IndexByte("0123456789abcdefABCDEF", s[digits]) >= 0 {
			digits++
		}
		switch {
		case digits > 0:
			n, _ := strconv.ParseUint(s[:digits], 16, 32)
			b.WriteRune(rune(n)) // beyond Unicode it is U+FFFD
			if s = s[digits:]; s != "" && isCSSSpace(s[0]) {
				s = s[1:]
			}
		case strings.HasPrefix(s, "\n"):
			s = s[1:]
		case s != "":
			_, size := utf8.DecodeRuneInString(s)
			b.WriteString(s[:size])
			s = s[size:]
		}
	}
	b.WriteString(s)
	return b.String()
}

func cssWordEnd(s string, i int) int {
	for i < len(s) && inCSSWord(s[i]) {
		i++
	}
	return i
}

func inCSSWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= utf8.RuneSelf
}

func isCSSSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }
