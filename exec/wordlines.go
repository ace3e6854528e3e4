package exec

import (
	"strings"
	"unicode/utf8"

	"infomall/store/block"
)

// nearRunes is how much of the unchanged text next to a change is shown.
const nearRunes = 40

// wordMarks are what stands before and behind words that went and came.
type wordMarks struct{ gone, goneEnd, come, comeEnd string }

// plainMarks mark words that went as [-so-] and words that came as {+so+}.
var plainMarks = wordMarks{"[-", "-]", "{+", "+}"}

// wordMarks are marks, or colours where the terminal has them.
func (t *Terminal) wordMarks() wordMarks {
	if t.Color {
		return wordMarks{inkRemoved, inkOff, inkAdded, inkOff}
	}
	return plainMarks
}

// around is text that went or came between its marks.
func (m wordMarks) around(text string, op block.Op) string {
	var w strings.Builder
	m.write(&w, text, op)
	return w.String()
}

// wordLines are the lines of an edited text in which something changed, with
// the words that went and came marked. What was left out between and in the
// lines is an ellipsis. There are none if no word changed.
func wordLines(edits []block.Edit, marks wordMarks) []string {
	var out []string
	var line []block.Edit
	skipped := false
	end := func() {
		switch text := marks.line(line); {
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
	edits = joined(edits)
	for n, e := range edits {
		if n > 0 && replaces(edits[n-1], e) {
			e.Text = strings.TrimLeft(e.Text, blanks) // both in the line or cell that the first began
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

// joined puts changes together that are one letter apart, which two texts that
// have little else in common share by chance; in Chinese that is a word. What
// went stands before what came.
func joined(edits []block.Edit) []block.Edit {
	var out []block.Edit
	for i := 0; i < len(edits); {
		if edits[i].Op == block.Same {
			out = append(out, edits[i])
			i++
			continue
		}
		var gone, come string
		for ; i < len(edits) && (edits[i].Op != block.Same || isLetter(edits[i].Text) && i+1 < len(edits)); i++ {
			if edits[i].Op != block.Added {
				gone += edits[i].Text
			}
			if edits[i].Op != block.Removed {
				come += edits[i].Text
			}
		}
		if gone != "" {
			out = append(out, block.Edit{Op: block.Removed, Text: gone})
		}
		if come != "" {
			out = append(out, block.Edit{Op: block.Added, Text: come})
		}
	}
	return out
}

// isLetter reports whether a text is one character.
func isLetter(text string) bool { return utf8.RuneCountInString(text) == 1 }

// blanks are the spaces of a block's text.
const blanks = " \t\n"

// replaces reports whether two runs, one gone and one come, stand for each other
// at the start of a line or a cell.
func replaces(a, b block.Edit) bool {
	return a.Op == block.Removed && b.Op == block.Added && startsCell(a.Text) && startsCell(b.Text)
}

func startsCell(text string) bool {
	rest := strings.TrimLeft(text, blanks)
	return strings.ContainsAny(text[:len(text)-len(rest)], "\t\n")
}

// line is one line, or "" if nothing in it changed.
func (m wordMarks) line(line []block.Edit) string {
	var w strings.Builder
	changed := false
	for i, e := range line {
		switch e.Op {
		case block.Added, block.Removed:
			changed = m.write(&w, e.Text, e.Op) || changed
		default:
			w.WriteString(near(e.Text, i > 0, i < len(line)-1))
		}
	}
	if !changed {
		return ""
	}
	return w.String()
}

// write writes text between its marks, the space around it outside of them. It
// is false for text that is only space.
func (m wordMarks) write(w *strings.Builder, text string, op block.Op) bool {
	open, end := m.come, m.comeEnd
	if op == block.Removed {
		open, end = m.gone, m.goneEnd
	}
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
