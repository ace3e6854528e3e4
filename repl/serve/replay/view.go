package replay

import "strings"

// View says what a replayed page shows besides itself. The zero View shows nothing
// else.
type View struct {
	Name  ViewName
	Since string // for Changes: the digits of the time of the older version; "" is the version before
}

// ViewName is the name of a view as an address has it, after the modifier of a page:
// /20080710mp_changes-20070101/http://www.pku.edu.cn/.
type ViewName string

// The views.
const (
	NoView  ViewName = ""
	Changes ViewName = "changes" // blocks that were added, edited or moved since an older version are outlined
	Blocks  ViewName = "blocks"  // all blocks are outlined, with their paths, labels and topics
)

// String returns the view as it is in an address: "", "blocks", "changes" or
// "changes-20070101".
func (v View) String() string {
	if v.Since != "" {
		return string(v.Name) + "-" + v.Since
	}
	return string(v.Name)
}

// parseView parses the part of an address after the modifier of a page. ok is false
// if it is no view.
func parseView(text string) (v View, ok bool) {
	name, since, dated := strings.Cut(text, "-")
	v = View{ViewName(name), since}
	switch v.Name {
	case Changes:
		return v, !dated || isTime(since)
	case Blocks:
		return v, !dated
	}
	return View{}, false
}

// isTime reports whether text is a time of an address: 4 to 14 digits.
func isTime(text string) bool {
	return len(text) >= len("2006") && len(text) <= len(timeDigits) && strings.Trim(text, "0123456789") == ""
}
