package exec

import (
	"strings"
	"unicode/utf8"

	"infomall/store/block"
)

// nearRunes is how much of the unchanged text next to a change is shown.
const nearRunes = 40

// wordLines are the lines of an edited text in which something changed, with
// words that went as [-so-] and words that came as {+so+}. What was left out
// between and in the lines is an ellipsis. There are none if no word changed.
func wordLines(edits []block.Edit) []string {
	var out []string
	var line []block.Edit
	skipped := false
	end := func() {
		switch text := wordLine(line); {
		case text == "":
			skipped = skipped || len(line) > 0
		case skipped:
			out = append(out, "…", text)
			skipped = false
		default:
			out = append(out, text)
		}
		line = line[:0]
	}
	for n, e := range edits {
		if n > 0 && replaces(edits[n-1], e) {
			e.Text = strings.TrimLeft(e.Text, " \t\n") // both on the line that the first began
		}
		for i, part := range strings.Split(e.Text, "\n") {
			if i > 0 {
				end()
			}
			if part != "" {
				line = append(line, block.Edit{Op: e.Op, Text: part})
			}
		}
	}
	end()
	if skipped && len(out) > 0 {
		out = append(out, "…")
	}
	return out
}

// replaces reports whether two runs, one gone and one come, stand for each other
// at the start of a line.
func replaces(a, b block.Edit) bool {
	return a.Op != block.Same && b.Op != block.Same && startsLine(a.Text) && startsLine(b.Text)
}

func startsLine(text string) bool {
	rest := strings.TrimLeft(text, " \t\n")
	return strings.Contains(text[:len(text)-len(rest)], "\n")
}

// wordLine is one line, or "" if nothing in it changed.
func wordLine(line []block.Edit) string {
	var w strings.Builder
	changed := false
	for i, e := range line {
		switch e.Op {
		case block.Added:
			changed = marked(&w, "{+", e.Text, "+}") || changed
		case block.Removed:
			changed = marked(&w, "[-", e.Text, "-]") || changed
		default:
			w.WriteString(near(e.Text, i > 0, i < len(line)-1))
		}
	}
	if !changed {
		return ""
	}
	return w.String()
}

// marked writes text between marks, the space around it outside of them. It is
// false for text that is only space.
func marked(w *strings.Builder, open, text, end string) bool {
	words := strings.TrimSpace(text)
	before, after, _ := strings.Cut(text, words)
	w.WriteString(before)
	if words != "" {
		w.WriteString(open + words + end)
	}
	w.WriteString(after)
	return words != ""
}

// near cuts unchanged text down to what is near the changes behind and before
// which it stands.
func near(text string, behind, before bool) string {
	if utf8.RuneCountInString(text) <= 2*nearRunes {
		return text
	}
	runes := []rune(text)
	short := "…"
	if behind {
		short = string(runes[:nearRunes]) + short
	}
	if before {
		short += string(runes[len(runes)-nearRunes:])
	}
	return short
}
