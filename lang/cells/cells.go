// Package cells measures text as terminals show it, and makes it harmless.
//
// A cell is the place of one letter on a terminal. A Chinese character takes two
// cells, a combining mark none. The width of some characters is ambiguous: in some
// locales it counts as two cells. This package always counts one cell, as terminals
// show them, so that output is the same everywhere.
package cells

import (
	"github.com/mattn/go-runewidth"
)

// ruler measures all text that the program prints. It counts ambiguous
// characters as one cell.
var ruler = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// Width returns how many terminal cells s takes.
func Width(s string) int { return ruler.StringWidth(s) }

// RuneWidth returns how many terminal cells r takes: 0, 1 or 2.
func RuneWidth(r rune) int { return ruler.RuneWidth(r) }

// FillLeft returns s with blanks before it, so that it takes width terminal
// cells. It returns a wider s unchanged.
func FillLeft(s string, width int) string { return ruler.FillLeft(s, width) }

// FillRight returns s with blanks after it, so that it takes width terminal
// cells. It returns a wider s unchanged.
func FillRight(s string, width int) string { return ruler.FillRight(s, width) }

// Head returns as much from the start of s as fits in width terminal cells. For a long s, Head
// reads only the start.
func Head(s string, width int) string {
	return ruler.Truncate(clipBytes(s, max(width, 0)), width, "")
}

// ClusterBytesMax is the maximum number of bytes that Clip reads for each cell
// of its result. A character has at most four bytes, and few carry more than a
// handful of combining marks.
const ClusterBytesMax = 32

// Clip returns s shortened to width terminal cells, and whether it was
// shortened. A shortened text ends in …. For a long s, Clip reads only the
// start.
func Clip(s string, width int) (shown string, clipped bool) {
	if start := clipBytes(s, width); len(start) < len(s) {
		s, clipped = start, true
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
