package cells

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Acts reports whether r is a character on which a terminal acts instead of
// showing it: a control character, or a mark that changes the direction of
// text.
func Acts(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case r < 0x600:
		return false
	}
	return unicode.Is(unicode.Bidi_Control, r)
}

// Unprintable reports whether r may not appear in a line of a table: a terminal
// acts on r (see Acts), or r is a line or paragraph separator, or a byte order
// mark.
func Unprintable(r rune) bool {
	return Acts(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// AppendLine appends s to dst in a form that fits on one line, and returns the
// longer slice. Each unprintable character and each byte that is not UTF-8 becomes
// an escape such as \n, \x1b or \u202e. The parameter also may be nil. If it is
// not, a backslash is put before each ASCII character for which also(c) is true.
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

// Lines returns text, which may have several lines, in a form that is safe to
// print. Each character on which a terminal acts (see Acts), except tabs and
// line feeds, and each byte that is not UTF-8 becomes an escape such as \x1b or
// \u202e.
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

// inLines reports whether Lines may have to escape r. For RuneError it is true;
// the caller checks whether the RuneError is an invalid byte.
func inLines(r rune) bool {
	return r == utf8.RuneError || r != '\t' && r != '\n' && Acts(r)
}

// Replace returns text in which the parameter by, a rune, replaces each character on which a
// terminal acts (see Acts) and each byte that is not UTF-8. A tab becomes a blank.
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

// appendRuneEscape appends the escape of r to dst, such as \x1b or \u202e, and
// returns the longer slice.
func appendRuneEscape(dst []byte, r rune) []byte {
	if r < utf8.RuneSelf {
		return appendEscape(dst, r)
	}
	return AppendHex(append(dst, '\\', 'u'), r, 4)
}

// appendEscape appends the escape of the byte b to dst, such as \xb1, and
// returns the longer slice.
func appendEscape(dst []byte, b rune) []byte {
	return AppendHex(append(dst, '\\', 'x'), b, 2)
}

// AppendHex appends r to dst in hexadecimal, with zeros before it up to the
// given number of digits, and returns the longer slice. r must fit in the
// digits.
func AppendHex(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&15])
	}
	return dst
}
