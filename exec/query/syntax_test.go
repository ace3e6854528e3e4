package query

import (
	"strings"
	"testing"

	"infomall/exec/export"
	"infomall/exec/relation/all"
	"infomall/lang"
)

// words returns the words of the part of a topic's syntax that Syntax completes.
func words(t *testing.T, topic, part string) []string {
	t.Helper()
	text := strings.ReplaceAll(Syntax(topic), "\n ", " ")
	for line := range strings.Lines(text) {
		if name, choice, _ := strings.Cut(strings.TrimSpace(line), " = "); name == part {
			return strings.Split(strings.Join(strings.Fields(choice), " "), " | ")
		}
	}
	t.Fatalf("HELP %s does not explain %s:\n%s", topic, part, text)
	return nil
}

// TestSyntaxHasAllWords shows that HELP SHOW names every list that SHOW can show, and HELP
// EXPORT every format, in lines that a terminal of 80 characters can show.
func TestSyntaxHasAllWords(t *testing.T) {
	shown := words(t, "show", "list")
	for _, r := range all.Relations() {
		n := 0
		for _, w := range shown {
			if w == strings.ToUpper(r.Name) {
				n++
			}
		}
		if want := map[bool]int{true: 1}[r.Shown]; n != want {
			t.Errorf("HELP SHOW names %s %d times, want %d: %q", r.Name, n, want, shown)
		}
	}
	for _, l := range lists {
		if !strings.Contains(strings.Join(shown, " "), l.word) {
			t.Errorf("HELP SHOW does not name %s", l.word)
		}
	}
	if got, want := strings.Join(words(t, "EXPORT", "format"), " "), strings.Join(export.Formats(), " "); got != want {
		t.Errorf("HELP EXPORT has the formats\n%s, want\n%s", got, want)
	}
	for _, topic := range lang.Topics() {
		for line := range strings.Lines(Syntax(topic)) {
			if n := len([]rune(line)) - 1; n > 80 {
				t.Errorf("HELP %s has a line of %d characters: %s", topic, n, line)
			}
		}
	}
	if got := Syntax("nothing"); got != "" {
		t.Errorf("Syntax of an unknown topic is %q, want none", got)
	}
}

// TestOpenParts shows that the grammar leaves open each part that Syntax completes.
func TestOpenParts(t *testing.T) {
	for _, p := range openParts {
		if text := lang.Grammar(p.topic); strings.Count(text, "\n"+p.part+" = name\n") != 1 {
			t.Errorf("the syntax of %s has no line %q once:\n%s", p.topic, p.part+" = name", text)
		}
	}
}
