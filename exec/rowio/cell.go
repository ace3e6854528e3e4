package rowio

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"infomall/exec/value"
)

// cells measures how many cells a text takes on a terminal. Its settings are
// fixed and do not come from the locale, so that output is the same everywhere.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// nullText is how NULL is shown to people if Options.NullValue is "".
const nullText = "NULL"

// appendCell appends row i of v as a person reads it. Unprintable characters in
// texts are escaped.
func appendCell(dst []byte, v *value.Vector, i int, o *Options) []byte {
	switch {
	case v.IsNull(i):
		return append(dst, nullOf(o)...)
	case v.Type == value.Text || v.Type == value.URL:
		return appendPrintable(dst, v.Texts[i], nil)
	}
	return v.AppendText(dst, i, o.Zone)
}

// nullOf returns the text for NULL in formats for people.
func nullOf(o *Options) string {
	if o.NullValue == "" {
		return nullText
	}
	return o.NullValue
}

// clusterBytesMax is how many bytes clip reads per cell of its result. A
// character has at most four bytes, and few carry more than a handful of
// combining marks.
const clusterBytesMax = 32

// clip shortens s to width cells, and reports whether it did. A shortened text
// ends in …. For a long s, clip reads only the start.
func clip(s string, width int) (shown string, clipped bool) {
	if limit := (width + 1) * clusterBytesMax; len(s) > limit {
		for !utf8.RuneStart(s[limit]) {
			limit--
		}
		s, clipped = s[:limit], true
	}
	if cells.StringWidth(s) > width {
		return cells.Truncate(s, width, "…"), true
	}
	if !clipped {
		return s, false
	}
	// The start fits although its bytes are many; with the … it may not.
	return cells.Truncate(s+"…", width, "…"), true
}

// appendBlanks appends n spaces.
func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
