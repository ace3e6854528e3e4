package rowio

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Span is a piece of text that is drawn, and the code that colours it, "" for
// none.
type Span struct{ Text, Color string }

// sidesGap parts two texts that stand beside each other.
const sidesGap = " │ "

// SidesWidthMin is how wide a terminal must be for two texts to stand beside
// each other on it, in cells.
const SidesWidthMin = 120

// Sides writes two texts beside each other, lines of each wrapped to half of
// width, which is at least SidesWidthMin.
func Sides(w io.Writer, left, right []Span, width int) error {
	half := (width - len(" │ ") + 2) / 2 // the bar is three bytes and one cell
	a, b := wrap(left, half), wrap(right, half)
	var out strings.Builder
	for i := range max(len(a), len(b)) {
		var l, r wrapped
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			r = b[i]
		}
		out.WriteString(l.text + strings.Repeat(" ", max(0, half-l.width)) + sidesGap + r.text)
		line := strings.TrimRight(out.String(), " ")
		out.Reset()
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// wrapped is one line, and how many cells it takes.
type wrapped struct {
	text  string
	width int
}

// wrapper breaks text into lines: at spaces where a line has any, between
// ideographs anywhere, but not before a mark that closes.
type wrapper struct {
	limit int
	lines []wrapped
	line  strings.Builder
	width int
	color string // that the line is in
}

func wrap(spans []Span, limit int) []wrapped {
	w := wrapper{limit: limit}
	for _, s := range spans {
		w.ink(s.Color)
		for i, part := range strings.Split(s.Text, "\n") {
			if i > 0 {
				w.end()
			}
			for _, word := range strings.SplitAfter(part, " ") {
				w.word(word)
			}
		}
		w.ink("")
	}
	if w.width > 0 {
		w.end()
	}
	return w.lines
}

// ink changes the colour.
func (w *wrapper) ink(color string) {
	if w.color != "" {
		w.line.WriteString(colorOff)
	}
	w.line.WriteString(color)
	w.color = color
}

// end takes the line; the next one has its colour.
func (w *wrapper) end() {
	color := w.color
	w.ink("")
	w.lines = append(w.lines, wrapped{w.line.String(), w.width})
	w.line.Reset()
	w.width = 0
	w.ink(color)
}

func (w *wrapper) word(word string) {
	for {
		size := cells.StringWidth(word)
		if w.width+cells.StringWidth(strings.TrimRight(word, " ")) <= w.limit {
			w.line.WriteString(word)
			w.width += size
			return
		}
		first, _ := utf8.DecodeRuneInString(word)
		if w.width > 0 && size <= w.limit && cells.RuneWidth(first) < 2 {
			w.end()
			continue
		}
		head := w.head(word)
		w.line.WriteString(head)
		w.width += cells.StringWidth(head)
		w.end()
		word = word[len(head):]
	}
}

// closing are marks that no line of Chinese begins with.
const closing = "，。、；：？！）》〉」』】”’…"

// head is how much of a word that does not fit stands in the line: as much as
// there is room for, but for a letter that takes a mark behind it along.
func (w *wrapper) head(word string) string {
	head := cells.Truncate(word, w.limit-w.width, "")
	next, _ := utf8.DecodeRuneInString(word[len(head):])
	last, size := utf8.DecodeLastRuneInString(head)
	if strings.ContainsRune(closing, next) && cells.RuneWidth(last) == 2 && (w.width > 0 || size < len(head)) {
		return head[:len(head)-size]
	}
	return head
}

// Clip shortens a text of one line to a width in cells.
func Clip(text string, width int) string {
	shown, _ := clip(text, width)
	return shown
}

// Cells is how many cells of a terminal a text takes.
func Cells(text string) int { return cells.StringWidth(text) }
