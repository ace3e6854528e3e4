package event

import (
	"fmt"
	"testing"
)

// TestRubrics shows which parts of headlines are rubrics: those of columns, and headlines that
// differ only in their numbers. The name of an event is none, because other headlines have its
// words, too.
func TestRubrics(t *testing.T) {
	var titles []string
	for i, word := range []string{"alpha", "beta", "gamma", "delta", "epsilon"} {
		titles = append(titles, fmt.Sprintf("Chronicle, page %d of %d", i, 2000+i*i), "Postbag: more "+word, "Who pays for "+word+"? Postbag", "Flood Ostrava: "+word,
			word+" after the flood", "Ostrava "+word+" closed")
	}
	titles = append(titles, "A chronicle of the harbour")
	var c collection
	counts := make(map[string]int)
	for _, title := range titles {
		c.words.append(nil, title, "", wordsMax)
		countParts(counts, title)
	}
	found := c.findRubrics(counts)
	for title, want := range map[string]string{
		"Chronicle, page 17 of 1999": "",
		"A chronicle of the harbour": "A chronicle of the harbour",
		"Postbag: more trees":        " : more trees",
		"Trees? Postbag":             "Trees?  ",
		"Flood Ostrava: trees":       "Flood Ostrava: trees",
		"2008":                       "2008",
	} {
		if got := found.without(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}
