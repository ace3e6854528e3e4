package match

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLacks compares Lacks with Count for drawn texts. A text that lacks the terms of a query has a count of 0. In
// ASCII, a text lacks them unless a word has the first letter and the length of one.
func TestLacks(t *testing.T) {
	lacking := 0
	rapid.Check(t, func(t *rapid.T) {
		q, err := Parse(rapid.SampledFrom([]string{"bab", "a bb", "B*", "cant", "~bars", "8 -aa", `"ab 8"`, "中", "é", "ﬁn"}).Draw(t, "query"))
		if err != nil {
			t.Fatal(err)
		}
		letters := []rune("aaaabbbb88  .'’é中ﬁｂ\u0301CANTcantsr")
		if rapid.Bool().Draw(t, "ascii") {
			letters = []rune("aabB8 c.-ts")
		}
		text := string(rapid.SliceOf(rapid.SampledFrom(letters)).Draw(t, "text"))
		counts := make([]int, len(q.Atoms()))
		q.Count(text, counts)
		lacks := q.Lacks(text)
		for _, n := range counts {
			if n > 0 && lacks {
				t.Fatalf("%q has %q", text, q)
			}
		}
		if lacks && len(text) > 3 {
			lacking++
		}
	})
	if lacking == 0 {
		t.Error("no text lacks the words")
	}
	for text, want := range map[string]bool{"page 103200": true, "Page halftime": false, "page can't": false, "": true, "pagé": false, "the halfwords": true} {
		q, _ := Parse("halfword")
		if got := q.Lacks(text); got != want {
			t.Errorf("%q lacks %q: %v, want %v", text, q, got, want)
		}
	}
}
