package block

import (
	"strings"
	"testing"

	"infomall/store/page"
)

// TestLabelsOfPlainText shows that the first and the last paragraph of a text
// without markup are no header and no footer: what makes these is a frame, and
// such a text has none.
func TestLabelsOfPlainText(t *testing.T) {
	paragraph := func(words string) string { return strings.Repeat(words+" ", 8) + "\n\n" }
	for _, body := range []string{
		paragraph("the library is closed"),
		paragraph("the library is closed") + paragraph("in July it opens at nine") + paragraph("by order of the office"),
		"Notice of the library, to be read by all\n\n" + strings.Repeat(paragraph("in July it opens at nine"), 6) + "The office, on the last day of the month of June",
	} {
		tree := Divide(page.NewPlainTree([]byte(body)), Options{})
		for n, l := range tree.Labels() {
			if n > 0 && l != Main {
				t.Errorf("%.20q: block %s is labelled %s, want main", body, tree.Blocks[n].Path, l)
			}
		}
	}
}

// TestLabelsOfMenus shows that a header which is small stays one, whatever its
// links, and that one which has much of the page and many links is a menu.
func TestLabelsOfMenus(t *testing.T) {
	header := func(links int) string {
		return `<body><div class=header><img src=logo.png><ul>` + strings.Repeat(`<li><a href=x>Some place</a></li>`, links) +
			`</ul></div><div class=content>` + strings.Repeat("<p>"+strings.Repeat("a sentence of the text, ", 10)+"</p>", 10) + `</div></body>`
	}
	for _, tt := range []struct {
		links int
		want  Label
	}{{3, Header}, {20, Header}, {100, Nav}} {
		tree := Divide(page.NewTree([]byte(header(tt.links))), Options{})
		if got := tree.Labels()[1]; got != tt.want || tree.Blocks[1].Start != len("<body>") {
			t.Errorf("a header with %d links is labelled %s, want %s", tt.links, got, tt.want)
		}
	}
}

// TestLabelsOfItems shows that the first and the last of several items that are
// alike are no header and no footer, and that those around a text are.
func TestLabelsOfItems(t *testing.T) {
	item := func(words string) string { return strings.Repeat(words+", ", 6) }
	rows := func(before, after string) string {
		var b strings.Builder
		for _, w := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"} {
			b.WriteString(before + item("item "+w) + after)
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"list":       "<ol>" + rows("<li>", "</li>") + "</ol>",
		"table":      "<table>" + rows("<tr><td>"+item("a cell")+"</td><td>", "</td></tr>") + "</table>",
		"like boxes": "<body>" + rows("<div class=event>", "</div>") + "</body>",
	} {
		tree := Divide(page.NewTree([]byte(body)), Options{})
		for n, l := range tree.Labels() {
			if l == Header || l == Footer {
				t.Errorf("%s: block %s is labelled %s: %s", name, tree.Blocks[n].Path, l, tree.Bytes(n))
			}
		}
	}
	framed := "<body><div>" + item("name of the site") + "</div><div>" + strings.Repeat("<p>"+item("a text of several words"), 12) + "</div><div>" + item("who made it") + "</div></body>"
	tree := Divide(page.NewTree([]byte(framed)), Options{})
	labels, parts := tree.Labels(), tree.Children(0)
	if first, last := labels[parts[0]], labels[parts[len(parts)-1]]; first != Header || last != Footer {
		t.Errorf("what stands around a text is labelled %s and %s, want header and footer", first, last)
	}
}
