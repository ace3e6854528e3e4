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
