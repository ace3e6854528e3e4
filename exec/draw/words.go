package draw

import (
	"strings"
	"unicode/utf8"

	"infomall/store/block/life"
)

// nearRunes is how many characters of unchanged text are shown before and after a change.
const nearRunes = 40

// wordMarks are the marks around changed words: gone and goneEnd before and after
// removed words, come and comeEnd before and after added words.
type wordMarks struct{ gone, goneEnd, come, comeEnd string }

// plainMarks mark removed words as [-this-] and added words as {+this+}.
var plainMarks = wordMarks{"[-", "-]", "{+", "+}"}

// wordMarks returns the control sequences for colours if the terminal has colours,
// otherwise plainMarks.
func (t *Terminal) wordMarks() wordMarks {
	if t.Color {
		return wordMarks{inkRemoved, inkOff, inkAdded, inkOff}
	}
	return plainMarks
}

// around returns text with a mark before and after it. The marks are those for
// op, which is life.Removed or life.Added.
func (m wordMarks) around(text string, op life.Op) string {
	var w strings.Builder
	m.write(&w, text, op)
	return w.String()
}

// wordLines returns those lines of a text in which a word changed, with the
// removed and the added words marked. An ellipsis, in a line of its own or
// within a line, replaces unchanged text that is left out. wordLines returns no
// lines if no word changed.
func wordLines(edits []life.Edit, marks wordMarks) []string {
	var out []string
	var line []life.Edit
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
			e.Text = strings.TrimLeft(e.Text, blanks) // both texts are in the line or cell that the removed text began
		}
		for i, part := range strings.Split(e.Text, "\n") {
			if i > 0 {
				end()
			}
			if part != "" {
				line = append(line, life.Edit{Op: e.Op, Text: part})
			}
		}
	}
	end()
	if skipped && len(out) > 0 {
		out = append(out, "…")
	}
	return out
}

// joined returns edits after merging changes that only one unchanged character separates.
// Two different texts often have a character in common by chance; in Chinese it may be a
// whole word. In each merged change, the removed text comes first, then the added text.
func joined(edits []life.Edit) []life.Edit {
	var out []life.Edit
	for i := 0; i < len(edits); {
		if edits[i].Op == life.Same {
			out = append(out, edits[i])
			i++
			continue
		}
		var gone, come string
		for ; i < len(edits) && (edits[i].Op != life.Same || isLetter(edits[i].Text) && i+1 < len(edits)); i++ {
			if edits[i].Op != life.Added {
				gone += edits[i].Text
			}
			if edits[i].Op != life.Removed {
				come += edits[i].Text
			}
		}
		if gone != "" {
			out = append(out, life.Edit{Op: life.Removed, Text: gone})
		}
		if come != "" {
			out = append(out, life.Edit{Op: life.Added, Text: come})
		}
	}
	return out
}

// isLetter reports whether the text is exactly one character.
func isLetter(text string) bool { return utf8.RuneCountInString(text) == 1 }

// blanks has the space characters that the text of a block may contain. A tab
// separates cells and a newline separates lines.
const blanks = " \t\n"

// replaces reports whether b replaces a: a is removed text, b is added text, and both begin
// a line or a cell of a table.
func replaces(a, b life.Edit) bool {
	return a.Op == life.Removed && b.Op == life.Added && startsCell(a.Text) && startsCell(b.Text)
}

// startsCell reports whether the space at the start of the text contains a tab
// or a newline, so that the text begins a cell or a line.
func startsCell(text string) bool {
	rest := strings.TrimLeft(text, blanks)
	return strings.ContainsAny(text[:len(text)-len(rest)], "\t\n")
}

// line returns one line of text with its changed words marked and its long
// unchanged parts shortened. It returns "" if no word in the line changed.
func (m wordMarks) line(line []life.Edit) string {
	var w strings.Builder
	changed := false
	for i, e := range line {
		switch e.Op {
		case life.Added, life.Removed:
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

// write writes text to w between the marks for op. Space at both ends of the
// text goes outside the marks. write returns false if the text is only space,
// which gets no marks.
func (m wordMarks) write(w *strings.Builder, text string, op life.Op) bool {
	open, end := m.come, m.comeEnd
	if op == life.Removed {
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

// near returns unchanged text in a shorter form: nearRunes characters next to
// each change, and an ellipsis in place of the rest. If behind is set, a change
// comes before the text in its line; if before is set, a change comes after it.
// Text of up to twice nearRunes characters is returned unchanged.
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
