package block

import "bytes"

// shownLeaf stands in a layout that is shown where a leaf was.
const shownLeaf = "<!--block-->"

// ShowLayout makes a layout readable as what it is, part of a page, in the
// page's own charset.
func ShowLayout(layout []byte) []byte {
	var out bytes.Buffer
	// An error is of damage, behind which nothing can be shown.
	_ = eachMark(layout, func(text []byte, kind byte) error {
		out.Write(text)
		if kind == markLeaf {
			out.WriteString(shownLeaf)
		}
		return nil
	})
	return out.Bytes()
}
