package life

import (
	"fmt"
	"strings"
	"testing"

	"infomall/store/block/divide"
	"infomall/store/record"
)

// levelPage is a page of parts, each of sections of items; text says what each
// item does.
func levelPage(text func(part, item int) string) []byte {
	var b strings.Builder
	b.WriteString("<html><body>")
	for part := range 5 {
		b.WriteString("<div>")
		for section := range 4 {
			fmt.Fprintf(&b, "<div><h3>Section %d of the page</h3>", section)
			for item := range 8 {
				fmt.Fprintf(&b, "<p>%s</p>", text(part, section*8+item))
			}
			b.WriteString("</div>")
		}
		b.WriteString("</div>")
	}
	b.WriteString("</body></html>")
	return []byte(b.String())
}

// TestLevelManager shows that the level goes where changes tell most, one step
// after three changes of a kind, and stays within bounds.
func TestLevelManager(t *testing.T) {
	still := func(p, i int) string {
		return strings.Repeat(fmt.Sprintf("what item %d of part %d has always said, ", i, p), 6)
	}
	one := func(v int) func(p, i int) string { // one item of one part changes
		return func(p, i int) string {
			if p == 1 && i == 2 {
				return strings.Repeat(fmt.Sprintf("news number %d of that day, ", v), 9)
			}
			return still(p, i)
		}
	}
	all := func(v int) func(p, i int) string { // everything changes
		return func(p, i int) string {
			return strings.Repeat(fmt.Sprintf("edition%d item%dx%d ", v, v*100+i, v*10+p), 9)
		}
	}
	tests := []struct {
		name     string
		versions int
		text     func(v int) func(p, i int) string
		want     int
		reason   string
	}{
		{"no version", 0, one, 2, ""},
		{"one version", 1, one, 2, "default: no changes to learn from yet"},
		{"too few changes", 3, one, 2, "default: no changes to learn from yet"},
		{"nothing changes", 9, func(int) func(p, i int) string { return still }, 2, "default: no changes to learn from yet"},
		{"most of a block stays", 4, one, 3, "finer: in 3 changes in a row most bytes stayed of the blocks that changed at level 2"},
		{"neighbours change together", 4, all, 1, "coarser: in 3 changes in a row neighbouring blocks changed together at level 2"},
		{"and no further than the coarsest", 40, all, 1, "coarser: in 3 changes in a row neighbouring blocks changed together at level 2"},
	}
	for _, tt := range tests {
		var h History
		var m LevelManager
		for v := range tt.versions {
			body, _ := divide.Open(levelPage(tt.text(v)), divide.As{Mime: "text/html", ContentType: "text/html"}, divide.Options{})
			m.Learn(h.Add(Version{Time: record.Time(v), Kind: record.KindPage, Size: 1, Body: body}))
		}
		if level, reason := m.Level(); level != tt.want || reason != tt.reason {
			t.Errorf("%s: level %d, %q; want %d, %q", tt.name, level, reason, tt.want, tt.reason)
		}
		if m.level > levelMost || m.level < 0 {
			t.Errorf("%s: level %d is out of bounds", tt.name, m.level)
		}
	}
}
