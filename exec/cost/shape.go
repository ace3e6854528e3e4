package cost

import (
	"strings"

	"infomall/exec/plan"
)

// sameText returns a text that is equal for nodes that do the same work: the lines of
// EXPLAIN of n and of all nodes below it.
func sameText(n plan.Node) string {
	var b strings.Builder
	plan.Walk(n, func(n plan.Node, _ int) {
		b.WriteString(n.String())
		b.WriteByte('\n')
	})
	return b.String()
}

// shapeText returns a text that is equal for plans that do similar work: the shapes of n and
// of all nodes below n. A shape is a line of EXPLAIN without its constants.
func shapeText(n plan.Node) string {
	var b strings.Builder
	plan.Walk(n, func(n plan.Node, _ int) {
		if src, ok := n.(*plan.Source); ok {
			b.WriteString(shapeSource(src))
		} else {
			b.WriteString(shapeOf(n.String()))
		}
		b.WriteByte('\n')
	})
	return b.String()
}

// shapeOf returns text, a line of EXPLAIN, without the strings in quotes, numbers and
// times: each becomes a question mark.
func shapeOf(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'':
			end := strings.IndexByte(text[i+1:], '\'')
			if end < 0 {
				end = len(text) - i - 2
			}
			i += end + 2
			b.WriteByte('?')
		case c >= '0' && c <= '9' && (i == 0 || !isLetter(text[i-1])):
			for i < len(text) && (text[i] >= '0' && text[i] <= '9' || strings.IndexByte(".:-TZ", text[i]) >= 0) {
				i++
			}
			b.WriteByte('?')
		default:
			b.WriteByte(c)
			i++
		}
	}
	return b.String()
}

// isLetter reports whether c may be a part of a name.
func isLetter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}
