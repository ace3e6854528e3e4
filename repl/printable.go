package repl

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable makes text harmless for a terminal. It escapes control characters
// other than tab and line feed, characters that change the direction of text,
// and bytes that are not UTF-8, as in \x1b and \u202e.
func printable(text string) string {
	if !strings.ContainsFunc(text, needsEscape) {
		return text // an invalid byte reads as RuneError, for which needsEscape is true
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1, needsEscape(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case r != utf8.RuneError && needsEscape(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String()
}

// needsEscape reports whether r may have to be escaped. For RuneError the
// caller checks whether it is an invalid byte.
func needsEscape(r rune) bool {
	return r == utf8.RuneError || r != '\t' && r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}
