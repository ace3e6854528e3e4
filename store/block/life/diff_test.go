package life

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func printEdits(edits []Edit) string {
	var w strings.Builder
	for _, e := range edits {
		switch e.Op {
		case Added:
			w.WriteString("{+" + e.Text + "+}")
		case Removed:
			w.WriteString("[-" + e.Text + "-]")
		default:
			w.WriteString(e.Text)
		}
	}
	return w.String()
}

func TestDiff(t *testing.T) {
	tests := []struct{ old, new, want string }{
		{"", "", ""},
		{"a b", "a b", "a b"},
		{"a b c", "a x c", "a[- b-]{+ x+} c"},
		{"a b", "a b c d", "a b{+ c d+}"},
		{"a b c d", "c d", "[-a b-] c d"},
		{"a, b", "a b.", "a b{+.+}"},
		{"北京大学", "北京的大学", "北京{+的+}大学"},
		{"", "a", "{+a+}"},
	}
	for _, tt := range tests {
		got := strings.ReplaceAll(printEdits(Diff(tt.old, tt.new)), "] ", "]")
		if want := strings.ReplaceAll(tt.want, "] ", "]"); got != want {
			t.Errorf("Diff(%q, %q) = %s, want %s", tt.old, tt.new, got, want)
		}
	}
}

// TestDiffRebuilds checks on random texts that the edits hold the new text
// byte for byte and the old one word for word.
func TestDiffRebuilds(t *testing.T) {
	text := rapid.StringMatching(`([a-d]{1,2}[ ,.]{0,2}){0,40}`)
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		var a, b strings.Builder
		for _, e := range Diff(old, new) {
			if e.Op != Added {
				a.WriteString(e.Text + " ")
			}
			if e.Op != Removed {
				b.WriteString(e.Text)
			}
		}
		if b.String() != new {
			t.Fatalf("the edits give the new text %q, want %q", b.String(), new)
		}
		if got, want := wordsOf(a.String()), wordsOf(old); got != want {
			t.Fatalf("the edits give the old words %q, want %q", got, want)
		}
	})
}

func wordsOf(s string) string {
	var out []string
	for _, t := range tokens(s) {
		if strings.ContainsFunc(t.Word, unicode.IsLetter) {
			out = append(out, t.Word)
		}
	}
	return strings.Join(out, " ")
}

func TestDiffLong(t *testing.T) {
	old, new := strings.Repeat("a b c ", 5000)+"d", strings.Repeat("x y z ", 5000)+"w"
	if got := Diff(old, "start "+old+" end"); len(got) != 3 {
		t.Errorf("a long text with words around it has %d edits, want 3", len(got))
	}
	if got := Diff(old, new); len(got) != 2 {
		t.Errorf("two long texts with nothing in common have %d edits, want 2", len(got))
	}
}

func TestWordChanges(t *testing.T) {
	old := pieces("the news of today is good for all of us here", "a paragraph that will leave its place on this page soon")
	new := pieces("the news of today is bad for all of us here", "this is new and a paragraph that will leave its place on this page soon")
	m := []Match{{Op: Edited, Old: 0, New: 0}, {Op: Added, Old: -1, New: 1}, {Op: Removed, Old: 1, New: -1}}
	got := wordChanges(m, func(n int) string { return old[n].Text() }, func(n int) string { return new[n].Text() })
	want := []WordChange{{"bad", "good"}, {"this is new and", ""}, {"", ""}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("change %d = %+v, want %+v", i, got[i], want[i])
		}
	}
}
