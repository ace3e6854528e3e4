package divide

import (
	"fmt"
	"strings"
	"testing"
)

// cut returns the texts of the blocks that the page html has at a level.
func cut(t *testing.T, html string, level int) (texts []string) {
	t.Helper()
	b, ok := Open([]byte(html), As{Mime: "text/html", ContentType: "text/html; charset=utf-8"}, Options{})
	if !ok {
		t.Fatal("the page does not divide")
	}
	checkTree(t, b.Tree)
	for _, n := range b.Cut(level) {
		texts = append(texts, strings.TrimSpace(b.Page.TextRange(b.Blocks[n].Start, b.Blocks[n].End, b.Charset)))
	}
	return texts
}

// TestTerms shows that a term of a long definition list and its definition are one block, also if
// the term is short.
func TestTerms(t *testing.T) {
	var page strings.Builder
	page.WriteString("<h1>Settings</h1><p>All settings of the program, with the value that each of them has at first.</p><dl>")
	for i := range 12 {
		fmt.Fprintf(&page, "<dt>term %d</dt><dd>The definition %d says at some length what the setting does and when a user would change it.</dd>", i, i)
	}
	page.WriteString("</dl>")
	n := 0
	for _, text := range cut(t, page.String(), 2) {
		if !strings.Contains(text, "term") {
			continue
		}
		n++
		if !strings.HasPrefix(text, "term") || strings.Count(text, "term") != 1 || strings.Count(text, "definition") != 1 {
			t.Errorf("a block is %q, want one term and its definition", text)
		}
	}
	if n != 12 {
		t.Errorf("%d blocks have terms, want 12", n)
	}
}

// TestSectionsWithTables shows that a table is in the same block as the heading before it, and not
// with the next heading. After the last heading the page may end in any way.
func TestSectionsWithTables(t *testing.T) {
	var page strings.Builder
	page.WriteString("<h1>Faults</h1><p>All faults that were found in the program and are mended, the newest first.</p>")
	for i := range 6 {
		fmt.Fprintf(&page, "<h2>fault %d</h2><p>What a user sees of the fault %d, and what it may do to the data.</p><table><tr><td>Found</td><td>in version %d</td></tr><tr><td>Mended</td><td>in the version after it, for all systems</td></tr></table>", i, i, i)
	}
	for _, level := range []int{1, 2} {
		for _, text := range cut(t, page.String(), level) {
			for i := range 5 {
				if strings.Contains(text, fmt.Sprintf("in version %d", i)) && !strings.Contains(text, fmt.Sprintf("fault %d", i)) {
					t.Errorf("level %d: a block is %q, without the heading of fault %d", level, text, i)
				}
			}
		}
	}
}
