package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// cells measures text. It does not follow the locale, in which ambiguous
// characters may count double: terminals show them single.
var cells = &runewidth.Condition{}

// Fit cuts text, which holds nothing that moves the cursor, to a width in
// cells.
func Fit(text string, width int) string {
	return cells.Truncate(text, max(0, width), "…")
}

// screen draws the edit line in place of readline, which counts characters
// where a terminal counts cells. Readline shows it the line through Paint just
// before each redraw, and writes through it: what it writes to redraw, to clear
// and to search is told by its form and replaced, all else passes. It is used
// by readline's one goroutine, and by begin while no line is read; end, redraw
// and close may be called from any.
type screen struct {
	out       io.Writer
	width     func() int  // of the terminal, in cells
	searching func() bool // in the history
	highlight func(line string) []Style

	mu     sync.Mutex // held while out is written to; guards what follows
	prompt string
	line   []rune // as painted last
	pos    int    // of the cursor in line
	drawn  bool   // the line is on the screen
	closed bool
}

func newScreen(out io.Writer, width func() int) *screen {
	return &screen{out: out, width: width, searching: func() bool { return false }, highlight: func(string) []Style { return nil }}
}

// begin starts a new line on an empty row of the screen.
func (s *screen) begin(prompt string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt, s.line, s.pos, s.drawn = prompt, nil, 0, false
}

// end says that the line is done with.
func (s *screen) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn = false
}

// redraw draws the line for a window that has another width now. The terminal
// has broken its rows anew and kept the cursor within the text.
func (s *screen) redraw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.drawn {
		return
	}
	_, _ = io.WriteString(s.out, s.clear()+s.draw()) // a terminal that is gone ends ReadLine
}

// leave puts the cursor on an empty row below the line, for other programs.
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

// close makes the screen draw no more: readline's goroutine takes the end of
// input for Enter where the line is not empty.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Paint implements readline.Painter.
func (s *screen) Paint(line []rune, pos int) []rune {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = append(s.line[:0], line...)
	s.pos = pos
	return line
}

// What readline writes, as the screen tells it apart.
const (
	readlineClear  = "\x1b[J\x1b[2K" // begins to clear the line
	readlineSearch = "-i-search: "   // stands before the text searched for,
	readlineCursor = "\x1b[4m"       // and this after it
	readlineBell   = "\a"
)

// Write implements io.Writer.
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
		// Marks within the line, placed by a count of characters.
	default:
		// Raw mode leaves line feeds as they are.
		shown = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if _, err := io.WriteString(s.out, shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// search shows on the row below the line what is searched for in the history,
// as readline's own text tells it.
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

// clear takes the line off the screen and leaves the cursor where the prompt
// began.
func (s *screen) clear() string {
	if !s.drawn {
		return ""
	}
	s.drawn = false
	row, _ := s.place(s.pos)
	return up(row) + "\r\x1b[J"
}

// draw shows prompt and line and puts the cursor in its place. A line that
// readline has ended with a line feed is done with.
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
		// The last row is full and the cursor hangs on its edge: a blank makes
		// the terminal go on to the next row.
		b.WriteString(" \r")
	}
	row, col := s.place(s.pos)
	b.WriteString(up(endRow-row) + right(col))
	s.drawn = true
	return b.String()
}

// writeLine writes the line with its colours. A style's places are bytes of the
// text that the line stands for.
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
		if !isPrivate(r) { // it leaves the line before anybody sees it
			b.WriteRune(shown(r))
		}
		offset += len(fromCells.Replace(string(r)))
	}
	if colored {
		b.WriteString(colorOff)
	}
}

// colorOff ends a colour.
const colorOff = "\x1b[0m"

// list shows what may be typed in columns below the line, which the next
// redraw shows anew under them.
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
	_, _ = io.WriteString(s.out, b.String()) // the redraw that follows fails as well
}

// listMax is how many items a list shows.
const listMax = 200

// columns sets items in columns, read downwards, for a width in cells.
func columns(items []string, width int) []string {
	rest := len(items) - listMax
	items = items[:min(len(items), listMax)]
	widest := 0
	for _, it := range items {
		widest = max(widest, cells.StringWidth(it))
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

// place tells in which row and column the cursor stands before line[pos],
// counted in cells from where the prompt began.
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

// shown is what stands on the screen for a rune of the line: one that moves
// the cursor or turns the text about must not reach it.
func shown(r rune) rune {
	switch {
	case r == runeNewline:
		return '⏎'
	case r == runeTab:
		return '⇥'
	case isPrivate(r):
		return '\u200b' // takes no cell
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return '\uFFFD'
	}
	return r
}

// up moves the cursor up by rows.
func up(rows int) string {
	if rows <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA", rows)
}

// right puts the cursor into column col of its row.
func right(col int) string {
	if col == 0 {
		return "\r"
	}
	return fmt.Sprintf("\r\x1b[%dC", col)
}
