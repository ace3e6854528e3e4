package lang

import (
	"strings"
	"testing"

	"infomall/lang/ast"
)

// TestManualExamples parses every example of the manual, and shows that all
// kinds of statement and all topics of HELP are in it.
func TestManualExamples(t *testing.T) {
	missing := map[string]bool{}
	for _, topic := range Topics() {
		missing[topic] = topic != "EXPRESSIONS" // no statement begins with it
	}
	for i, block := range strings.Split(manual, "```iql\n")[1:] {
		src, _, ok := strings.Cut(block, "```")
		if !ok {
			t.Fatalf("example %d has no end", i+1)
		}
		list, err := Parse(src, "LANGUAGE.md")
		if err != nil {
			t.Errorf("example %d:\n%s", i+1, Render(err, src))
		}
		for _, st := range list {
			checkRoundTrip(t, st)
			for topic := range missing {
				if strings.HasPrefix(st.String(), topic) {
					missing[topic] = false
				}
			}
		}
	}
	for topic, is := range missing {
		if is {
			t.Errorf("the manual has no example of %s", topic)
		}
	}
	for _, w := range ast.Reserved {
		if !strings.Contains(manual, w) {
			t.Errorf("the manual does not list %s as reserved", w)
		}
	}
	for _, topic := range Topics() {
		for _, e := range Examples(topic) {
			st, err := ParseOne(strings.TrimSuffix(e, ";"), "")
			if err != nil || !strings.HasPrefix(st.String(), strings.Replace(topic, "EXPRESSIONS", "SELECT", 1)) {
				t.Errorf("the example %q of %s: %v", e, topic, err)
			}
		}
	}
	if got := Examples("show page"); len(got) != examplesMax {
		t.Errorf("%d examples of SHOW PAGE: %q", len(got), got)
	}
}
