package rowio

import (
	"unicode"
	"unicode/utf8"
)

// unprintable reports whether a terminal would act on r rather than show it:
// control characters, marks that change the direction of text, and line ends
// other than \n.
func unprintable(r rune) bool {
	switch {
	case r < 0x20, 0x7f <= r && r < 0xa0:
		return true
	case r < 0x600:
		return false
	}
	return unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

// appendPrintable appends s with escapes such as \n, \x1b or \u202e for each
// unprintable character and each byte that is not UTF-8. It also puts a
// backslash before each ASCII character for which also, if not nil, reports
// true.
func appendPrintable(dst []byte, s string, also func(c byte) bool) []byte {
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
			dst = appendEscape(append(dst, '\\', 'x'), rune(c), 2)
		case unprintable(r):
			dst = appendRuneEscape(dst, r)
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// appendRuneEscape appends the escape of r: \n, \r, \t, \x1b or \u202e.
func appendRuneEscape(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		return append(dst, '\\', 'n')
	case r == '\r':
		return append(dst, '\\', 'r')
	case r == '\t':
		return append(dst, '\\', 't')
	case r < utf8.RuneSelf:
		return appendEscape(append(dst, '\\', 'x'), r, 2)
	}
	return appendEscape(append(dst, '\\', 'u'), r, 4)
}

// appendEscape appends r as this number of hexadecimal digits. r must fit in
// them.
func appendEscape(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&15])
	}
	return dst
}
