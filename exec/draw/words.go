package draw

import (
	"strings"
	"unicode/utf8"

	"infomall/store/block/life"
)

// nearRunes is how many characters of unchanged text are shown next to a change.
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

// around returns text between the marks for op, which is life.Removed or life.Added.
func (m wordMarks) around(text string, op life.Op) string {
	var w strings.Builder
	m.write(&w, text, op)
	return w.String()
}

// wordLines returns the lines of a text in which a word changed, with the removed and
// the added words marked. An ellipsis, in a line of its own or within a line, replaces
// unchanged text that is left out. It returns no lines if no word changed.
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
			e.Text = strings.TrimLeft(e.Text, blanks) // both texts are in the line or cell that the removed one began
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

// joined returns edits with changes joined that only one unchanged character separates.
// Two different texts have such a character in common by chance; in Chinese it may be
// a whole word. The removed text of each joined change comes first, then the added
// text.
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

// isLetter reports whether text is exactly one character.
func isLetter(text string) bool { return utf8.RuneCountInString(text) == 1 }

// blanks are the space characters that the text of a block may have. A tab separates
// cells and a newline separates lines.
const blanks = " \t\n"

// replaces reports whether a is removed text, b is added text, and both begin a line or
// a cell. Then b replaces a.
func replaces(a, b life.Edit) bool {
	return a.Op == life.Removed && b.Op == life.Added && startsCell(a.Text) && startsCell(b.Text)
}

// startsCell reports whether the space at the start of text begins a line or a cell.
func startsCell(text string) bool {
	rest := strings.TrimLeft(text, blanks)
	return strings.ContainsAny(text[:len(text)-len(rest)], "\t\n")
}

// line returns one line with its changed words marked and its long unchanged parts
// shortened. It returns "" if no word in the line changed.
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

// write writes text between the marks for op. Space at both ends of text goes outside
// the marks. It returns false if text is only space, which gets no marks.
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

// near shortens unchanged text to nearRunes characters next to each change, and an
// ellipsis. behind reports that a change precedes the text in its line, before that a
// change follows it.
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
