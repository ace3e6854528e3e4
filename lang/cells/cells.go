// Package cells measures text as terminals show it, and makes it harmless.
//
// A cell is the place of one letter on a terminal. A Chinese character takes two,
// a combining mark none. Widths do not depend on the locale, which may count
// ambiguous characters double: terminals show them in one cell, and output is
// the same everywhere.
package cells

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// ruler measures all text of the program.
var ruler = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width returns how many cells s takes.
func Width(s string) int { return ruler.StringWidth(s) }

// RuneWidth returns how many cells r takes: 0, 1 or 2.
func RuneWidth(r rune) int { return ruler.RuneWidth(r) }

// FillLeft returns s with blanks before it, so that it takes width cells.
func FillLeft(s string, width int) string { return ruler.FillLeft(s, width) }

// FillRight returns s with blanks after it, so that it takes width cells.
func FillRight(s string, width int) string { return ruler.FillRight(s, width) }

// Head returns as much from the start of s as fits in width cells.
func Head(s string, width int) string { return ruler.Truncate(s, width, "") }

// ClusterBytesMax is how many bytes Clip reads per cell of its result. A
// character has at most four bytes, and few carry more than a handful of
// combining marks.
const ClusterBytesMax = 32

// Clip shortens s to width cells, and reports whether it did. A shortened text
// ends in …. For a long s, Clip reads only the start.
func Clip(s string, width int) (shown string, clipped bool) {
	if limit := (width + 1) * ClusterBytesMax; len(s) > limit {
		for !utf8.RuneStart(s[limit]) {
			limit--
		}
		s, clipped = s[:limit], true
	}
	if ruler.StringWidth(s) > width {
		return ruler.Truncate(s, width, "…"), true
	}
	if !clipped {
		return s, false
	}
	// The start fits although its bytes are many; with the … it may not.
	return ruler.Truncate(s+"…", width, "…"), true
}
