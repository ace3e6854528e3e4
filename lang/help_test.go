package lang

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestGrammarTextParses makes statements of every form that HELP shows, with
// each choice taken at random, and parses them.
func TestGrammarTextParses(t *testing.T) {
	for _, topic := range Topics() {
		g := readGrammar(t, topic)
		rng := rand.New(rand.NewSource(1))
		for range 300 {
			for _, form := range g.forms {
				src := g.sample(rng, form, 0)
				if _, err := ParseOne(src, ""); err != nil {
					t.Fatalf("HELP %s promises\n%s", topic, Render(err, src))
				}
			}
		}
	}
}

func TestGrammarLines(t *testing.T) {
	for _, topic := range Topics() {
		text := Grammar(strings.ToLower(topic))
		if text == "" || !strings.HasSuffix(text, "\n") {
			t.Errorf("Grammar(%q) = %q, want lines", topic, text)
		}
		for line := range strings.Lines(text) {
			if n := len([]rune(line)) - 1; n > 80 {
				t.Errorf("HELP %s has a line of %d characters: %s", topic, n, line)
			}
		}
	}
	if got := Grammar("nothing"); got != "" {
		t.Errorf("Grammar of an unknown topic = %q, want none", got)
	}
}

// grammarText is a topic's notation, read: each form and part is a choice.
type grammarText struct {
	forms []string
	parts map[string]string
	names int // given so far
}

// partSamples stand for the parts that a topic does not explain.
var partSamples = map[string]string{
	"x": "a", "y": "a", "z": "a", "t": "2008", "n": "1",
	"expr": "a", "type": "int", "column": "c", "relation": "captures", "topic": "SELECT",
	"statement": "SELECT 1", "query": "SELECT 1", "text": "text", "html": "html", "raw": "raw", "wire": "wire", "headers": "headers", "blocks": "blocks",
}

func readGrammar(t *testing.T, topic string) *grammarText {
	t.Helper()
	g := &grammarText{parts: map[string]string{}}
	text := strings.ReplaceAll(strings.TrimSpace(Grammar(topic)), "\n ", " ")
	for _, line := range strings.Split(text, "\n") {
		name, part, ok := strings.Cut(line, " = ")
		if ok && name == strings.ToLower(name) && !strings.Contains(name, " ") {
			g.parts[name] = part
		} else {
			g.forms = append(g.forms, line)
		}
	}
	if len(g.forms) == 0 {
		g.forms = []string{"SELECT expr"}
	}
	return g
}

// sample makes a statement of a choice in the notation.
func (g *grammarText) sample(rng *rand.Rand, choice string, depth int) string {
	ways := splitTop(choice, " | ")
	way := ways[rng.Intn(len(ways))]
	var out strings.Builder
	for words := splitTop(way, " "); len(words) > 0; words = words[1:] {
		w := words[0]
		if w == "…" {
			continue
		}
		out.WriteString(g.word(rng, w, depth) + " ")
	}
	return strings.TrimSpace(out.String())
}

func (g *grammarText) word(rng *rand.Rand, w string, depth int) string {
	if part, ok := g.parts[w]; ok {
		if end, ok := partSamples[w]; ok && depth > 8 {
			return end // expressions and times hold others of their kind
		}
		return g.sample(rng, part, depth+1)
	}
	if w == "name" { // no two are the same
		g.names++
		return fmt.Sprintf("n%d", g.names)
	}
	if s, ok := partSamples[w]; ok && len(w) > 1 {
		return s
	}
	if strings.HasSuffix(w, ",") && len(w) > 1 {
		one := g.word(rng, strings.TrimSuffix(w, ","), depth)
		if rng.Intn(2) == 0 {
			return one
		}
		return one + ", " + g.word(rng, strings.TrimSuffix(w, ","), depth)
	}
	open := strings.IndexAny(w, "[(")
	if open < 0 || strings.HasPrefix(w, "'") {
		return w
	}
	// A bracket directly behind a name, or one that encloses a list or one
	// expression only, is typed; others are notation.
	head, body := w[:open], w[open+1:len(w)-1]
	switch {
	case w[open] == '[' && rng.Intn(2) == 0:
		return head
	case w[open] == '[':
		return head + g.sample(rng, body, depth)
	case head != "" || !strings.Contains(body, " | "):
		return fmt.Sprintf("%s(%s)", g.head(rng, head, depth), g.sample(rng, body, depth))
	}
	return g.sample(rng, body, depth)
}

func (g *grammarText) head(rng *rand.Rand, name string, depth int) string {
	if name == "" {
		return ""
	}
	return g.word(rng, name, depth)
}

// splitTop splits at separators outside brackets.
func splitTop(s, sep string) []string {
	var out []string
	depth, from := 0, 0
	for i := range len(s) {
		switch s[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if depth == 0 && i >= from && strings.HasPrefix(s[i:], sep) {
			out = append(out, s[from:i])
			from = i + len(sep)
		}
	}
	return append(out, s[from:])
}
