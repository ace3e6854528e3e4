package pagetest

import (
	"fmt"
	"strings"
)

// Draw makes the random choices of a test: it returns a number from 0 to n-1.
// In a test with package rapid, Draw draws the number from rapid.IntRange(0,
// n-1).
type Draw func(n int) int

// of returns one of texts, chosen with d.
func (d Draw) of(texts ...string) string { return texts[d(len(texts))] }

// Edited returns the markup of a random page: sections of items, some nested
// deeper, with white space and tags between them. Two calls with similar choices
// return two versions of one page.
func Edited(draw Draw) string {
	var w strings.Builder
	word := func() string {
		return draw.of("river", "school", "choir", "market", "bridge", "garden", "old", "new", "opens", "closes")
	}
	fmt.Fprintf(&w, "<html><body class=%s>", word())
	for range draw(4) {
		tag := draw.of("div", "section", "ul", "table")
		fmt.Fprintf(&w, "<%s>\n", tag)
		for range draw(5) {
			text := word() + " " + word()
			long := strings.Repeat(text+" ", 1+draw(12))
			switch tag {
			case "table":
				fmt.Fprintf(&w, "<tr><td>%s<td>%s", text, long)
			case "ul":
				fmt.Fprintf(&w, "<li>%s</li>", long)
			default:
				fmt.Fprintf(&w, "<div><h2>%s</h2><p>%s</div> ", text, long)
			}
		}
		fmt.Fprintf(&w, "</%s>", tag)
	}
	return w.String()
}

// Mutate returns body with up to two random changes: a byte is replaced, or up to
// 40 bytes are cut out.
func Mutate(draw Draw, body string) string {
	b := []byte(body)
	for range draw(3) {
		if len(b) == 0 {
			break
		}
		at := draw(len(b))
		if draw(2) == 1 {
			b = append(b[:at:at], b[min(len(b), at+1+draw(40)):]...)
		} else {
			b[at] = "<>a /\x00\""[draw(7)]
		}
	}
	return string(b)
}
