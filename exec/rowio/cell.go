package rowio

import (
	"infomall/exec/value"
	"infomall/lang/cells"
)

// nullText is the text for NULL in the formats table, vertical, chart and html
// if Options.NullValue is "".
const nullText = "NULL"

// appendCell appends to dst the value in row i of v, as people read it, with unprintable
// characters in texts escaped. c describes the column v.
func appendCell(dst []byte, c *value.Column, v *value.Vector, i int, o *Options) []byte {
	if c.Unit != "" && !v.IsNull(i) {
		if dst, ok := c.AppendStart(dst, v, i, o.Zone); ok {
			return dst
		}
	}
	switch {
	case v.IsNull(i):
		return append(dst, nullOf(o)...)
	case v.Type == value.Text || v.Type == value.URL:
		return cells.AppendLine(dst, v.Texts[i], nil)
	}
	return v.AppendText(dst, i, o.Zone)
}

// nullOf returns the text for NULL in the formats table, vertical, chart and
// html: Options.NullValue, or "NULL" if that is "".
func nullOf(o *Options) string {
	if o.NullValue == "" {
		return nullText
	}
	return o.NullValue
}

// appendBlanks appends n spaces to dst.
func appendBlanks(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
