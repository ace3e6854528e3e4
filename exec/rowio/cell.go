package rowio

import (
	"infomall/exec/value"
	"infomall/lang/cells"
)

// nullText is how NULL is shown to people if Options.NullValue is "".
const nullText = "NULL"

// appendCell appends row i of v as a person reads it. Unprintable characters in
// texts are escaped.
func appendCell(dst []byte, v *value.Vector, i int, o *Options) []byte {
	switch {
	case v.IsNull(i):
		return append(dst, nullOf(o)...)
	case v.Type == value.Text || v.Type == value.URL:
		return cells.AppendLine(dst, v.Texts[i], nil)
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

// appendBlanks appends n spaces.
func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
