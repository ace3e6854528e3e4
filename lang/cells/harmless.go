package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Acts reports whether a terminal acts on r rather than shows it: control
// characters, and marks that change the direction of text.
func Acts(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case r < 0x600:
		return false
	}
	return unicode.Is(unicode.Bidi_Control, r)
}

// Unprintable reports whether r has no place in a line of a table: a terminal
// acts on it, or it ends a line, or it is the mark at the start of a file.
func Unprintable(r rune) bool {
	return Acts(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// AppendLine appends s as part of one line, with escapes such as \n, \x1b or
// \u202e for each unprintable character and each byte that is not UTF-8. It also
// puts a backslash before each ASCII character for which also, if not nil,
// reports true.
func AppendLine(dst []byte, s string, also func(c byte) bool) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f {
			if also != nil && also(c) {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = appendEscape(dst, rune(c))
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\r':
			dst = append(dst, '\\', 'r')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case Unprintable(r):
			dst = appendRuneEscape(dst, r)
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// Lines returns text of several lines made harmless: it keeps tabs, line feeds
// and the characters that only Unprintable counts, and has escapes such as \x1b
// and \u202e for all else on which a terminal acts, and for bytes that are not
// UTF-8.
func Lines(text string) string {
	if !strings.ContainsFunc(text, inLines) {
		return text // an invalid byte reads as RuneError, for which inLines is true
	}
	dst := make([]byte, 0, len(text)+16)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = appendEscape(dst, rune(text[i]))
		case r != utf8.RuneError && inLines(r):
			dst = appendRuneEscape(dst, r)
		default:
			dst = append(dst, text[i:i+n]...)
		}
		i += n
	}
	return string(dst)
}

// inLines reports whether Lines may have to escape r. For RuneError the caller
// checks whether it is an invalid byte.
func inLines(r rune) bool {
	return r == utf8.RuneError || r != '\t' && r != '\n' && Acts(r)
}

// Replace returns text with the rune by in place of each character on which a
// terminal acts. A tab becomes a blank.
func Replace(text string, by rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case Acts(r), r == utf8.RuneError:
			return by
		}
		return r
	}, text)
}

// appendRuneEscape appends the escape of r, such as \x1b or \u202e.
func appendRuneEscape(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return appendEscape(dst, r)
	}
	return AppendHex(append(dst, '\\', 'u'), r, 4)
}

// appendEscape appends the escape of a byte, such as \xb1.
func appendEscape(dst []byte, b rune) []byte {
	return AppendHex(append(dst, '\\', 'x'), b, 2)
}

// AppendHex appends r as this number of hexadecimal digits. r must fit in them.
func AppendHex(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&15])
	}
	return dst
}
