package cursor

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestTokens shows what is coloured: by the text of each class.
func TestTokens(t *testing.T) {
	src := "SELECT url, 'a''b' FROM captures SINCE 2008-06 WHERE first = 1 -- it's\nAND $x = TRUE /* c */ AND 'open"
	want := []struct {
		text  string
		class Class
	}{
		{"SELECT", ClassWord}, {"'a''b'", ClassString}, {"FROM", ClassWord}, {"SINCE", ClassWord},
		{"2008-06", ClassTime}, {"WHERE", ClassWord}, {"1", ClassNumber}, {"-- it's", ClassComment},
		{"AND", ClassWord}, {"$x", ClassParam}, {"TRUE", ClassNumber}, {"/* c */", ClassComment},
		{"AND", ClassWord}, {"'open", ClassString},
	}
	got := Tokens(src)
	for i, tok := range got {
		text := src[tok.From:tok.To]
		if i >= len(want) || text != want[i].text || tok.Class != want[i].class {
			t.Fatalf("token %d is %q of class %d; want %v", i, text, tok.Class, want)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d tokens, want %d", len(got), len(want))
	}
}

// TestSources shows which sources the query has in which the cursor stands.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          []Source
	}{
		{"SELECT ", "", nil},
		{"SELECT ", " FROM links AS l WHERE internal; SELECT 1 FROM blocks", []Source{{"links", "l"}}},
		{"SELECT 1 FROM blocks; SELECT ", " FROM 'x'", []Source{{"versions", ""}}},
		{"SELECT 1 FROM captures FROM 2008 TO 2009 WHERE ", "", []Source{{"captures", ""}}},
		{"SELECT 1 FROM pages WHERE url IN (SELECT ", " FROM links) AND depth > 1", []Source{{"links", ""}}},
	} {
		if got := At(c.before, c.after).Sources; !slices.Equal(got, c.want) {
			t.Errorf("%s|%s has sources %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// TestTopicWords shows that a topic of several words is completed as a whole.
func TestTopicWords(t *testing.T) {
	for before, want := range map[string]int{"HELP ": 5, "HELP S": 5, "HELP show p": 5, "SELECT 1; EXPLAIN HELP CREATE ": 23} {
		if n := At(before, ""); n.Place != PlaceTopic || n.From != want {
			t.Errorf("%s|: place %d from %d, want %d from %d", before, n.Place, n.From, PlaceTopic, want)
		}
	}
}

// TestTyping types the examples of HELP and statements with faults, a letter
// after the other, as a shell colours them; where numbers and times stand, it
// completes them too.
func TestTyping(t *testing.T) {
	errors, err := os.ReadFile("../testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	manual, err := os.ReadFile("../LANGUAGE.md")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, block := range strings.Split(string(manual), "```iql\n")[1:] {
		src, _, _ := strings.Cut(block, "```")
		texts = append(texts, strings.SplitAfter(src, ";\n")...)
	}
	for part := range strings.SplitSeq(string(errors), "----\n") {
		text, _, _ := strings.Cut(part, "\n\n")
		texts = append(texts, text)
	}
	numbers := make(map[string]bool) // with what stood before
	for _, text := range texts {
		for i := 1; i < min(len(text), 400); i++ {
			checkTokens(t, text[:i])
			if end := text[max(0, i-8):i]; strings.ContainsAny(text[i-1:i], "0123456789") && !numbers[end] {
				numbers[end] = true
				checkCursor(t, text[:i], "")
			}
		}
	}
}

// checkTokens shows that the tokens of a text come in order and lie within it.
func checkTokens(t *testing.T, text string) {
	t.Helper()
	end := 0
	for _, tok := range Tokens(text) {
		if tok.From < end || tok.To < tok.From || tok.To > len(text) {
			t.Fatalf("%q: token %v after byte %d", text, tok, end)
		}
		end = tok.To
	}
}

func checkCursor(t *testing.T, before, after string) {
	t.Helper()
	if n := At(before, after); n.From < 0 || n.From > len(before) {
		t.Errorf("%q: the word begins at %d", before, n.From)
	}
}

// FuzzAtCursor shows that nothing typed makes AtCursor or Tokens fail, and that
// what they give lies within the text.
func FuzzAtCursor(f *testing.F) {
	for _, seed := range []string{"", "SELECT url FROM 'x", "SELECT v.", "''", "\"a", "/* /*", "-- x", "SET a = ", ";;", "\ufeff#!x", "SELECT ‘标题’，", "x://", "(((", "SHOW PAGE '\xff", "AT 2008-0", "AT 2008-06-01T1"} {
		f.Add(seed, " FROM x AS y)")
	}
	f.Add("", ", 0")
	f.Fuzz(func(t *testing.T, before, after string) {
		checkTokens(t, before)
		checkCursor(t, before, after)
	})
}
