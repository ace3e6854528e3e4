package term

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"infomall/lang/cells"
)

// vt is the screen of a terminal, with the features that the editor uses:
// cells, wide characters, and a cursor that stays at the right edge until the
// next character.
type vt struct {
	mu       sync.Mutex
	width    int
	rows     [][]rune // a wide character is followed by a 0
	row, col int
	rest     []byte // an incomplete character or escape sequence
}

func newVT(width int) *vt { return &vt{width: width, rows: [][]rune{nil}} }

// Write interprets what a program sends to the terminal.
func (v *vt) Write(b []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.rest = append(v.rest, b...)
	for len(v.rest) > 0 {
		n := v.take(v.rest)
		if n == 0 {
			break
		}
		v.rest = v.rest[n:]
	}
	return len(b), nil
}

// take acts on the first character or sequence of b and returns its length, or
// 0 if it is incomplete.
func (v *vt) take(b []byte) int {
	if b[0] == 0x1b {
		if len(b) < 2 {
			return 0
		}
		for i := 2; i < len(b); i++ {
			if b[i] >= '@' {
				v.sequence(string(b[2:i]), b[i])
				return i + 1
			}
		}
		return 0
	}
	if !utf8.FullRune(b) {
		return 0
	}
	r, n := utf8.DecodeRune(b)
	v.put(r)
	return n
}

func (v *vt) sequence(args string, final byte) {
	n, err := strconv.Atoi(args)
	if err != nil {
		n = 1
	}
	switch final {
	case 'A':
		v.row = max(0, v.row-n)
	case 'C':
		v.col = min(v.width-1, v.col+n)
	case 'J':
		v.rows = v.rows[:v.row+1]
		v.eraseLine()
	case 'K':
		v.eraseLine()
	}
}

// eraseLine erases from the cursor to the end of its row.
func (v *vt) eraseLine() {
	if v.col < len(v.rows[v.row]) {
		v.rows[v.row] = v.rows[v.row][:v.col]
	}
}

func (v *vt) down() {
	v.row++
	if v.row == len(v.rows) {
		v.rows = append(v.rows, nil)
	}
}

func (v *vt) put(r rune) {
	switch r {
	case '\r':
		v.col = 0
		return
	case '\n':
		v.down()
		return
	case '\b':
		v.col = max(0, min(v.col, v.width-1)-1)
		return
	case '\a':
		return
	}
	w := cells.RuneWidth(r)
	if w == 0 {
		return
	}
	if v.col+w > v.width {
		v.down()
		v.col = 0
	}
	for len(v.rows[v.row]) < v.col+w {
		v.rows[v.row] = append(v.rows[v.row], ' ')
	}
	v.rows[v.row][v.col] = r
	if w == 2 {
		v.rows[v.row][v.col+1] = 0
	}
	v.col += w
}

// state returns the text on the screen, with a line feed after each row, and
// the place of the cursor.
func (v *vt) state() (text string, row, col int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var b strings.Builder
	for i, cells := range v.rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := strings.ReplaceAll(string(cells), "\x00", "")
		b.WriteString(strings.TrimRight(line, " "))
	}
	return strings.TrimRight(b.String(), "\n"), v.row, v.col
}
