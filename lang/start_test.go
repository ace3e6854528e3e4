package lang

import (
	"reflect"
	"slices"
	"testing"
)

// TestStarts reads the examples of the manual by their first words and by the
// whole grammar: the trees are the same.
func TestStarts(t *testing.T) {
	seen := map[string]bool{}
	sources := slices.Clone(benchStatements)
	for _, e := range manualExamples() {
		sources = append(sources, e.text)
	}
	for _, src := range sources {
		for s := newScanner(src, ""); s.next(); {
			l := lexerOf(s.tokens)
			tree := l.parseStart()
			if tree == nil {
				continue
			}
			seen[upperASCII(s.tokens[0].Value)] = true
			want, err := l.parse()
			if err != nil || !reflect.DeepEqual(tree, want) {
				t.Errorf("%s: got another tree than that of the whole grammar, error %v", src, err)
			}
			l.free()
		}
	}
	for word := range starts() {
		if !seen[word] {
			t.Errorf("no example begins with %s", word)
		}
		if len(word) > startLenMax {
			t.Errorf("%s is longer than startLenMax", word)
		}
	}
}
