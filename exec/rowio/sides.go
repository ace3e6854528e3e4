package rowio

import (
	"io"
	"strings"
	"unicode/utf8"

	"infomall/lang/cells"
)

// Span is a piece of text, and the terminal code that sets its colour, or ""
// for no colour.
type Span struct{ Text, Color string }

// sidesGap is the text between the two columns of text that Sides writes.
const sidesGap = " │ "

// SidesWidthMin is the least width of a terminal, in cells, at which two texts are shown
// side by side by Sides.
const SidesWidthMin = 120

// Sides writes two texts side by side. It wraps the lines of each text to half of width.
// width is in cells, and must be at least SidesWidthMin.
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

// wrapped is one line of wrapped text and its width in cells.
type wrapped struct {
	text  string
	width int
}

// wrapper breaks text into lines of at most limit cells. It breaks a line at
// spaces if it has any, and between Chinese characters anywhere except before a
// closing mark. lines are the finished lines; line is the current line.
type wrapper struct {
	limit int
	lines []wrapped
	line  strings.Builder
	width int
	color string // the colour of the current text
}

// wrap returns the text of all spans, broken into lines of at most limit cells.
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

// ink sets the colour of the text that follows. color is a terminal code, or ""
// for no colour.
func (w *wrapper) ink(color string) {
	if w.color != "" {
		w.line.WriteString(colorOff)
	}
	w.line.WriteString(color)
	w.color = color
}

// end finishes the current line. The next line begins in the same colour.
func (w *wrapper) end() {
	color := w.color
	w.ink("")
	w.lines = append(w.lines, wrapped{w.line.String(), w.width})
	w.line.Reset()
	w.width = 0
	w.ink(color)
}

// word adds a word and the spaces after it to the text. A word that does not
// fit in the current line goes to the next line. A word that is too long for
// any line, or is Chinese, is divided.
func (w *wrapper) word(word string) {
	for {
		rest := word[len(cells.Head(word, w.limit-w.width)):]
		if w.width <= w.limit && strings.Trim(rest, " ") == "" {
			w.line.WriteString(word)
			w.width += cells.Width(word)
			return
		}
		first, _ := utf8.DecodeRuneInString(word)
		if w.width > 0 && len(cells.Head(word, w.limit)) == len(word) && cells.RuneWidth(first) < 2 {
			w.end()
			continue
		}
		head := w.head(word)
		w.line.WriteString(head)
		w.width += cells.Width(head)
		w.end()
		word = word[len(head):]
	}
}

// closing are the closing marks, which must not begin a line of Chinese text.
const closing = "，。、；：？！）》〉」』】”’…"

// head returns the part of word that goes on the current line: as much as fits. If the next
// line would then begin with a closing mark, head leaves the wide character before that mark
// to the next line too.
func (w *wrapper) head(word string) string {
	head := cells.Head(word, w.limit-w.width)
	next, _ := utf8.DecodeRuneInString(word[len(head):])
	last, size := utf8.DecodeLastRuneInString(head)
	if strings.ContainsRune(closing, next) && cells.RuneWidth(last) == 2 && (w.width > 0 || size < len(head)) {
		return head[:len(head)-size]
	}
	return head
}
