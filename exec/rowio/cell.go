package rowio

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"infomall/exec/value"
)

// cells measures text as terminals show it. Its fields are set rather than
// taken from the locale, so that output is the same everywhere.
var cells = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// nullText is what table and vertical show for NULL if no other is set.
const nullText = "NULL"

// appendCell appends row i of v for a person to read.
func appendCell(dst []byte, v *value.Vector, i int, o *Options) []byte {
	switch {
	case v.IsNull(i):
		return append(dst, nullOf(o)...)
	case v.Type == value.Text || v.Type == value.URL:
		return appendPrintable(dst, v.Texts[i], nil)
	}
	return v.AppendText(dst, i, o.Zone)
}

func nullOf(o *Options) string {
	if o.NullValue == "" {
		return nullText
	}
	return o.NullValue
}

// clusterBytesMax bounds what is looked at for one cell of a clipped text: long
// letters are four bytes, and few bear more than some marks.
const clusterBytesMax = 32

// clip shortens s, if it is wider than width cells, and ends it with … then.
// Of a long text it looks only at the start.
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
	// The start is narrow for its bytes, so it may fit with the … or not.
	return cells.Truncate(s+"…", width, "…"), true
}

// appendBlanks appends n blanks.
func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
