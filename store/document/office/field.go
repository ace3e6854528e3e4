package office

import "strings"

// LinkOf returns the address of a field code such as HYPERLINK "http://a.example/", and
// "" for other fields and for links within the document.
func LinkOf(code string) string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(code), "HYPERLINK")
	if !ok {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		target, _, _ := strings.Cut(quoted, `"`)
		return target
	}
	if strings.HasPrefix(rest, `\`) {
		return ""
	}
	target, _, _ := strings.Cut(rest, " ")
	return target
}
