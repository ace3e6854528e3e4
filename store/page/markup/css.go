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

// styled reports whether element i may have an address in its style: in the
// content of a style element, or in the attribute style of another element.
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
		for p := range SheetPlaces(css) {
			address := strings.TrimSpace(cssUnescape(css[p.Start:p.End]))
			if p.Use != SheetImageSet && leadsOut(address) && !yield(address, p.Use == SheetImport) {
				return
			}
		}
	}
}

// SheetPlace is the place of an address in a style sheet: the offsets at which the
// address begins and ends, without quotes.
type SheetPlace struct {
	Start, End int
	Quote      byte // the quote around the address; 0 if there is none
	Use        SheetUse
}

// SheetUse says what an address in a style sheet is for.
type SheetUse uint8

// The uses of an address in a style sheet.
const (
	SheetURL       SheetUse = iota // url(): an image or a font
	SheetImport                    // @import: another style sheet
	SheetNamespace                 // @namespace: a name, which is never fetched
	SheetImageSet                  // a string in image-set()
)

// SheetPlaces ranges over the places of the addresses in css, a style sheet or a
// part of one, in order: those in url(), after @import and in image-set(). Comments
// and other strings are skipped. Bytes outside ASCII may be in any charset for
// which charset.ASCIISafe is true, if no such character contains a backslash.
func SheetPlaces(css string) iter.Seq[SheetPlace] {
	return func(yield func(SheetPlace) bool) {
		use := SheetURL // the rule or function whose address was not read yet
		depth := 0      // open parentheses inside image-set()
		for i := 0; i < len(css); {
			var at SheetPlace
			found := false
			switch ch := css[i]; {
			case strings.HasPrefix(css[i:], "/*"):
				end := strings.Index(css[i+2:], "*/")
				if end < 0 {
					return
				}
				i += 2 + end + 2
			case ch == '"' || ch == '\'':
				at, i = cssString(css, i)
				found = use != SheetURL
			case ch == '@':
				end := cssWordEnd(css, i+1)
				use = SheetURL
				switch word := css[i+1 : end]; {
				case strings.EqualFold(word, "import"):
					use = SheetImport
				case strings.EqualFold(word, "namespace"):
					use = SheetNamespace
				}
				i = end
			case inCSSWord(ch):
				end := cssWordEnd(css, i)
				word := css[i:end]
				switch open := end < len(css) && css[end] == '('; {
				case open && strings.EqualFold(word, "url"):
					at, i = cssFunction(css, end+1)
					found = true
				case open && (strings.EqualFold(word, "image-set") || strings.EqualFold(word, "-webkit-image-set")):
					use, depth, i = SheetImageSet, 1, end+1
				case open && use == SheetImageSet && strings.EqualFold(word, "type"):
					// type("image/avif") is no address.
					if n := strings.IndexByte(css[end:], ')'); n >= 0 {
						i = end + n + 1
					} else {
						i = len(css)
					}
				default:
					i = end
				}
			default:
				switch ch {
				case ';', '{', '}':
					use = SheetURL
				case '(':
					depth++
				case ')':
					if depth--; depth <= 0 && use == SheetImageSet {
						use = SheetURL
					}
				}
				i++
			}
			if found {
				at.Use = use
				if !yield(at) {
					return
				}
				if use != SheetImageSet {
					use = SheetURL
				}
			}
		}
	}
}

// leadsOut reports whether an address leads to another document: it is not
// empty, not a fragment such as #top, and not a data: URL.
func leadsOut(address string) bool {
	return address != "" && address[0] != '#' && !(len(address) >= 5 && strings.EqualFold(address[:5], "data:"))
}

// cssFunction reads the address in url( ), with or without quotes. i is the
// offset after the "(". end is the offset after the address and its quotes.
func cssFunction(css string, i int) (at SheetPlace, end int) {
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
	return SheetPlace{Start: i, End: i + len(strings.TrimRight(css[i:end], " \t\n\f\r"))}, end
}

// cssString reads the string whose opening quote is at offset i, and returns the
// place of its content. end is the offset after the closing quote. A line break
// ends a string that lacks its closing quote.
func cssString(css string, i int) (at SheetPlace, end int) {
	quote := css[i]
	end = i + 1
	for end < len(css) && css[end] != quote && css[end] != '\n' {
		if css[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(css))
	return SheetPlace{Start: i + 1, End: end, Quote: quote}, min(end+1, len(css))
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
