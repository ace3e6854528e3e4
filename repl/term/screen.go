package term

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"infomall/lang/cells"
)

// Fit returns text cut to a width in cells. A cut text ends with "…". text must
// not contain anything that moves the cursor.
func Fit(text string, width int) string {
	shown, _ := cells.Clip(text, max(0, width))
	return shown
}

// screen draws the line that is edited, in place of readline, which counts
// characters while a terminal counts cells. Readline passes the line to Paint
// just before each redraw, and then writes its output to the screen. The screen
// recognizes output that redraws, clears or searches, and writes its own output
// instead; all other output passes unchanged.
//
// Only readline's goroutine uses the screen, with these exceptions: begin is
// called while no line is read; end, redraw and close may be called from any
// goroutine.
type screen struct {
	out       io.Writer
	width     func() int  // returns the width of the terminal, in cells
	searching func() bool // reports whether the user is searching in the history
	highlight func(line string) []Style

	mu     sync.Mutex // held while writing to out; guards the fields below
	prompt string
	line   []rune // the line that the last call of Paint passed
	pos    int    // index of the cursor in line
	drawn  bool   // whether the line is on the screen
	closed bool
}

func newScreen(out io.Writer, width func() int) *screen {
	return &screen{out: out, width: width, searching: func() bool { return false }, highlight: func(string) []Style { return nil }}
}

// begin starts a new line with the given prompt. The cursor must be on an empty
// row.
func (s *screen) begin(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt, s.line, s.pos, s.drawn = prompt, nil, 0, false
}

// end notes that the user has finished the line. A later redraw then does
// nothing.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn = false
}

// redraw draws the line again after the width of the window has changed. At
// that time the terminal has already wrapped the rows again and kept the cursor
// at its character.
func (s *screen) redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.drawn {
		return
	}
	_, _ = io.WriteString(s.out, s.clear()+s.draw()) // if the terminal is gone, ReadLine returns an error
}

// leave moves the cursor to an empty row below the line, so that other programs
// can write there.
func (s *screen) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.drawn {
		return
	}
	endRow, _ := s.place(len(s.line))
	row, _ := s.place(s.pos)
	s.drawn = false
	_, _ = io.WriteString(s.out, strings.Repeat("\n", endRow-row)+"\r\n")
}

// close makes the screen draw nothing more. It is needed because readline's
// goroutine treats the end of input like Enter if the line is not empty.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Paint implements readline.Painter. It stores the line and the position of the
// cursor in it for the next draw, and returns the line unchanged.
func (s *screen) Paint(line []rune, pos int) []rune {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = append(s.line[:0], line...)
	s.pos = pos
	return line
}

// Parts of readline's output. By these the screen recognizes the kind of output.
const (
	readlineClear  = "\x1b[J\x1b[2K" // at the start of output that clears the line
	readlineSearch = "-i-search: "   // before the text that the user searches for
	readlineCursor = "\x1b[4m"       // after the text that the user searches for
	readlineBell   = "\a"
)

// Write takes a piece of readline's output, and writes either the piece or the
// screen's own output instead.
func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return len(b), nil
	}
	var shown string
	text := string(b)
	switch {
	case strings.HasPrefix(text, readlineClear):
		shown = s.clear()
	case s.prompt != "" && strings.HasPrefix(text, s.prompt):
		shown = s.draw()
	case strings.Contains(text, readlineSearch):
		shown = s.search(text)
	case s.searching() && text != readlineBell:
		// Leave this output out: readline marks the text that it has found, at a
		// place that it counts in characters.
	default:
		// In raw mode the terminal does not add a carriage return to a line
		// feed.
		shown = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if _, err := io.WriteString(s.out, shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// search returns the output that shows the text that the user searches for in
// the history, on the row below the line. It takes that text from text,
// readline's own output.
func (s *screen) search(text string) string {
	_, sought, _ := strings.Cut(text, readlineSearch)
	sought, _, _ = strings.Cut(sought, readlineCursor)
	label := "search: "
	if strings.Contains(text, "failing ") {
		label = "not found: "
	}
	endRow, _ := s.place(len(s.line))
	row, col := s.place(s.pos)
	status := Fit(label+sought, s.width()-1)
	return strings.Repeat("\n", endRow-row+1) + "\r\x1b[J" + status + up(endRow-row+1) + right(col)
}

// clear returns the output that removes the line from the screen and moves the
// cursor to the start of the prompt.
func (s *screen) clear() string {
	if !s.drawn {
		return ""
	}
	s.drawn = false
	row, _ := s.place(s.pos)
	return up(row) + "\r\x1b[J"
}

// draw returns the output that shows the prompt and the line, and moves the
// cursor to its place in the line. If the line ends in a line feed, it is
// finished, and the cursor goes to the next row.
func (s *screen) draw() string {
	line, done := s.line, false
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line, done = line[:n-1], true
	}
	var b strings.Builder
	b.WriteString(s.prompt)
	s.writeLine(&b, line)
	if done {
		b.WriteString("\r\n")
		s.drawn = false
		return b.String()
	}
	endRow, endCol := s.place(len(line))
	if endCol == 0 && endRow > 0 {
		// The last row is full and the cursor is still at its end. A blank
		// makes the terminal go to the next row.
		b.WriteString(" \r")
	}
	row, col := s.place(s.pos)
	b.WriteString(up(endRow-row) + right(col))
	s.drawn = true
	return b.String()
}

// writeLine writes the line with its colours to b. The offsets in a Style count
// bytes of the line after fromCells.
func (s *screen) writeLine(b *strings.Builder, line []rune) {
	styles := s.highlight(fromCells.Replace(string(line)))
	colored := false
	offset := 0
	for _, r := range line {
		for len(styles) > 0 && offset >= styles[0].To {
			styles = styles[1:]
			if colored {
				b.WriteString(colorOff)
				colored = false
			}
		}
		if !colored && len(styles) > 0 && offset >= styles[0].From {
			b.WriteString("\x1b[" + styles[0].Color + "m")
			colored = true
		}
		if !isPrivate(r) { // edits removes it from the line at once
			b.WriteRune(shown(r))
		}
		offset += len(fromCells.Replace(string(r)))
	}
	if colored {
		b.WriteString(colorOff)
	}
}

// colorOff is the escape sequence that ends a colour.
const colorOff = "\x1b[0m"

// list shows items in columns below the line. The next redraw shows the line
// again below the items.
func (s *screen) list(items []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	endRow, _ := s.place(len(s.line))
	row, _ := s.place(s.pos)
	var b strings.Builder
	b.WriteString(strings.Repeat("\n", endRow-row) + "\r\n")
	for _, line := range columns(items, s.width()) {
		b.WriteString(line + "\r\n")
	}
	s.drawn = false
	_, _ = io.WriteString(s.out, b.String()) // if this fails, the redraw that follows fails too
}

// listMax is the maximum number of items in a list.
const listMax = 200

// columns returns lines that show items in columns, in order from top to
// bottom. Each line is narrower than width cells. If there are more than
// listMax items, a last line says how many are left out.
func columns(items []string, width int) []string {
	rest := len(items) - listMax
	items = items[:min(len(items), listMax)]
	widest := 0
	for _, it := range items {
		widest = max(widest, cells.Width(it))
	}
	across := max(1, (width-1)/(widest+2))
	down := (len(items) + across - 1) / across
	var lines []string
	for row := range down {
		var line strings.Builder
		for i := row; i < len(items); i += down {
			line.WriteString(cells.FillRight(items[i], widest+2))
		}
		lines = append(lines, Fit(strings.TrimRight(line.String(), " "), width-1))
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more", rest))
	}
	return lines
}

// place returns the row and the column of the cursor if it is before line[pos].
// Both count from the start of the prompt, from 0, the column in cells.
func (s *screen) place(pos int) (row, col int) {
	width := s.width()
	step := func(r rune) {
		w := cells.RuneWidth(r)
		if col+w > width {
			row, col = row+1, 0
		}
		col += w
	}
	for _, r := range s.prompt {
		step(r)
	}
	for _, r := range s.line[:min(pos, len(s.line))] {
		step(shown(r))
	}
	next := 1
	if pos < len(s.line) {
		next = max(1, cells.RuneWidth(shown(s.line[pos])))
	}
	if col+next > width {
		row, col = row+1, 0
	}
	return row, col
}

// shown returns the rune that the screen shows for r, a rune of the line. It
// replaces runes that would move the cursor or change the direction of text.
func shown(r rune) rune {
	switch {
	case r == runeNewline:
		return '⏎'
	case r == runeTab:
		return '⇥'
	case isPrivate(r):
		return '\u200b' // takes no cell
	case cells.Acts(r):
		return '\uFFFD'
	}
	return r
}

// up returns the escape sequence that moves the cursor up by that many rows, or
// "" for 0 or less.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

// right returns the escape sequence that moves the cursor to the column col of
// its row. The first column is 0.
func right(col int) string {
	if col == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dC", col)
}
