package cells

import (
	"strings"
	"testing"
)

// TestClip shortens texts by cells.
func TestClip(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"北京大学", 8, "北京大学"}, {"北京大学", 7, "北京大…"}, {"北京大学", 6, "北京…"},
		{"ab", 1, "…"}, {"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{strings.Repeat("a", 10000), 4, "aaa…"}, {"", 0, ""},
	} {
		got, clipped := Clip(c.text, c.width)
		if got != c.want || clipped != (got != c.text) {
			t.Errorf("%.20q to %d: got %q (%t), want %q", c.text, c.width, got, clipped, c.want)
		}
	}
	marks := "a" + strings.Repeat("\u0301", 100000)
	if got, _ := Clip(marks, 5); len(got) > 1000 || Width(got) > 5 {
		t.Errorf("a letter with very many marks: %d bytes, %d cells", len(got), Width(got))
	}
}
