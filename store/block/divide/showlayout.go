package divide

import "bytes"

// shownLeaf is the comment that ShowLayout writes in place of each leaf.
const shownLeaf = "<!--block-->"

// ShowLayout returns a layout as markup in the charset of the page, with a comment
// in place of each leaf. If the layout is damaged, the result ends before the
// damage.
func ShowLayout(layout []byte) []byte {
	var out bytes.Buffer
	// An error means damage. Nothing after it can be shown.
	_ = eachMark(layout, func(text []byte, kind byte) error {
		out.Write(text)
		if kind == markLeaf {
			out.WriteString(shownLeaf)
		}
		return nil
	})
	return out.Bytes()
}
