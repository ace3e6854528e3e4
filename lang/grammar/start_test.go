package grammar

import (
	"os"
	"strings"
	"testing"

	"infomall/lang/scan"
)

// TestBeginnings finds the statement of each source by its first words. There is
// a source for each beginning.
func TestBeginnings(t *testing.T) {
	seen := map[string]bool{}
	sources := []string{"RESUME CRAWL lanshan", "STOP CRAWL lanshan", "SET workers = 4", "RESET DELAY FOR CRAWL lanshan"}
	manual, err := os.ReadFile("../LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(string(manual), "```iql\n")[1:] {
		src, _, _ := strings.Cut(block, "```")
		sources = append(sources, src)
	}
	for _, src := range sources {
		for s := scan.New(src, ""); s.Next(); {
			if len(s.Tokens) == 1 {
				continue // only comments
			}
			fit, known := startsAt(&s.Tokens[0], &s.Tokens[1])
			if !known || len(fit) == 0 {
				t.Fatalf("%s: begins no statement", src)
			}
			l := lexerOf(s.Tokens)
			read := false
			for _, start := range fit {
				l.lex.LoadCheckpoint(l.start)
				if _, err := start.parseWhole(l.lex); err == nil {
					seen[scan.Upper(s.Tokens[0].Value)+" "+start.second] = true
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
