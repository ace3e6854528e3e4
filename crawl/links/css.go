package links

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"infomall/store/page"
)

// styles adds what a style sheet in UTF-8, or a part of one, needs.
func (c *collector) styles(css []byte) {
	for address, sheet := range addresses(string(css)) {
		kind := page.LinkImg
		if sheet {
			kind = page.LinkCSS
		}
		c.add(address, requisite(kind))
	}
}

// addresses ranges over the addresses in a style sheet: those in url() and
// after @import. Sheet tells that one is of a further style sheet. What stands
// in comments and in other strings is none.
func addresses(css string) iter.Seq2[string, bool] {
	return func(yield func(address string, sheet bool) bool) {
		imports := false // @import has come and its address has not
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
				address, i = quoted(css, i)
				found = imports
			case ch == '@':
				end := wordEnd(css, i+1)
				imports = strings.EqualFold(css[i+1:end], "import")
				i = end
			case inWord(ch):
				end := wordEnd(css, i)
				if end < len(css) && css[end] == '(' && strings.EqualFold(css[i:end], "url") {
					address, i = function(css, end+1)
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
			if found && !yield(address, imports) {
				return
			}
			imports = imports && !found
		}
	}
}

// function reads what stands in url( at i, quoted or not, and gives where its
// ")" ends it.
func function(css string, i int) (address string, end int) {
	for i < len(css) && isSpace(css[i]) {
		i++
	}
	if i < len(css) && (css[i] == '"' || css[i] == '\'') {
		return quoted(css, i)
	}
	end = i
	for end < len(css) && css[end] != ')' {
		if css[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(css))
	return unescape(strings.TrimSpace(css[i:end])), end
}

// quoted reads the string that begins at i, and gives where it ends. A line
// break ends a string that has no end.
func quoted(css string, i int) (s string, end int) {
	quote := css[i]
	end = i + 1
	for end < len(css) && css[end] != quote && css[end] != '\n' {
		if css[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(css))
	return unescape(css[i+1 : end]), min(end+1, len(css))
}

// unescape resolves the escapes of a style sheet: a backslash before a sign, or
// before up to six hexadecimal digits and a blank, or before a line break,
// which is nothing.
func unescape(s string) string {
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
			if s = s[digits:]; s != "" && isSpace(s[0]) {
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

func wordEnd(s string, i int) int {
	for i < len(s) && inWord(s[i]) {
		i++
	}
	return i
}

func inWord(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c >= utf8.RuneSelf
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }
