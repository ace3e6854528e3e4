package lang

import "testing"

// TestBeginnings finds the statement of each source by its first words. There is
// a source for each beginning.
func TestBeginnings(t *testing.T) {
	seen := map[string]bool{}
	var sources []string
	for _, tt := range someStatements {
		sources = append(sources, tt.src)
	}
	for _, e := range manualExamples() {
		sources = append(sources, e.text)
	}
	for _, src := range sources {
		for s := newScanner(src, ""); s.next(); {
			fit, known := startsAt(&s.tokens[0], &s.tokens[1])
			if !known || len(fit) == 0 {
				t.Fatalf("%s: begins no statement", src)
			}
			l := lexerOf(s.tokens)
			read := false
			for _, start := range fit {
				l.lex.LoadCheckpoint(l.start)
				if _, err := start.parseWhole(l.lex); err == nil {
					seen[upperASCII(s.tokens[0].Value)+" "+start.second] = true
					read = true
					break
				}
			}
			l.free()
			if !read {
				t.Errorf("%s: no statement with its first words reads it", src)
			}
		}
	}
	for first, list := range starts() {
		for _, s := range list {
			if !seen[first+" "+s.second] {
				t.Errorf("no source begins with %s %s", first, s.second)
			}
		}
	}
}
