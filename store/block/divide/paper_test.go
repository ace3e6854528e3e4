package divide

import (
	"strings"
	"testing"

	"infomall/store/page/markup"
	"infomall/store/page/pagetest"
)

func paths(t *Tree, blocks []int) string {
	var out []string
	for _, n := range blocks {
		out = append(out, t.Blocks[n].Path)
	}
	return strings.Join(out, " ")
}

// TestPaperExample divides the published example: its blocks at each level,
// and what a later version of it changes there.
func TestPaperExample(t *testing.T) {
	before, after := pagetest.Paper()
	old := Divide(markup.NewTree([]byte(before)), Options{Profile: Classic})
	now := Divide(markup.NewTree([]byte(after)), Options{Profile: Classic})
	levels := []struct{ blocks, changed string }{
		{"T1 T2 C B1 B2", "C"},
		{"T1 T2 C.L C.C C.R B1 B2", "C.C"},
		{"T1 T2 C.L C.C.1 C.C.2 C.C.3 C.C.4 C.C.5 C.C.6 C.R.1 C.R.2 B1 B2", "C.C.2 C.C.3 C.C.4 C.C.5 C.C.6"},
	}
	for i, want := range levels {
		cut := now.Cut(i + 1)
		if got := paths(now, cut); got != want.blocks {
			t.Errorf("blocks at level %d\n got %s\nwant %s", i+1, got, want.blocks)
		}
		var changed []int
		for j, n := range cut {
			if oldCut := old.Cut(i + 1); j < len(oldCut) && string(old.Bytes(oldCut[j])) != string(now.Bytes(n)) {
				changed = append(changed, n)
			}
		}
		if got := paths(now, changed); got != want.changed {
			t.Errorf("changed at level %d: %s, want %s", i+1, got, want.changed)
		}
	}
	if now.Level() != 3 {
		t.Errorf("the tree has %d levels, want 3", now.Level())
	}
	if string(old.Layout()) != string(now.Layout()) {
		t.Error("the layouts differ, want them equal")
	}
}
