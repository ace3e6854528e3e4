package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience is how long a test waits for something that must happen. It does not
// measure speed.
const patience = time.Minute

// session is an editor on a pseudo-terminal of 60 columns.
type session struct {
	t      *testing.T
	keys   *os.File
	tty    *os.File // the editor's end
	screen *vt
	lines  chan string // each line read, or the error in angle brackets
}

// start opens an editor that reads lines with the prompt "> " until the end of
// input.
func start(t *testing.T, history ...string) *session {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	s := &session{t: t, keys: master, tty: tty, screen: newVT(60), lines: make(chan string, 100)}
	e, err := New(tty, tty, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range history {
		e.AddHistory(h)
	}
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		io.Copy(s.screen, master)
	}()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			line, err := e.ReadLine("> ")
			if err != nil {
				line = "<" + err.Error() + ">"
			}
			s.lines <- line
			if err != nil && !errors.Is(err, ErrInterrupt) {
				return
			}
		}
	}()
	t.Cleanup(func() {
		e.Close()
		<-ended
		io.WriteString(master, "\n") // for the read that is still waiting after Close
		tty.Close()
		<-copied
		master.Close()
	})
	s.shows("> ", 0, 2)
	return s
}

// types sends keys to the editor.
func (s *session) types(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// shows waits until the screen has this text and the cursor is in this row and
// column.
func (s *session) shows(text string, row, col int) {
	s.t.Helper()
	text = strings.TrimRight(text, " ")
	var got string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		shown, r, c := s.screen.state()
		if shown == text && r == row && c == col {
			return
		}
		got = fmt.Sprintf("%q, cursor at row %d, column %d", shown, r, c)
	}
	s.t.Fatalf("screen shows %s\nwant %q, cursor at row %d, column %d", got, text, row, col)
}

// reads waits for the next line that the editor returns, and compares it with
// want.
func (s *session) reads(want string) {
	s.t.Helper()
	select {
	case got := <-s.lines:
		if got != want {
			s.t.Fatalf("read %q, want %q", got, want)
		}
	case <-time.After(patience):
		shown, _, _ := s.screen.state()
		s.t.Fatalf("no line read, want %q; screen shows %q", want, shown)
	}
}

const (
	keyLeft   = "\x1b[D"
	keyHome   = "\x1b[1~"
	keyEnd    = "\x1b[4~"
	keyDelete = "\x1b[3~"
	keyUp     = "\x1b[A"
	ctrlA     = "\x01"
	ctrlC     = "\x03"
	ctrlD     = "\x04"
	ctrlE     = "\x05"
	ctrlR     = "\x12"
	enter     = "\r"
)

// TestCursor shows that the cursor is in the right cell of the right row after
// wide characters and at the edges of the screen.
func TestCursor(t *testing.T) {
	wide := strings.Repeat("标题", 18) // 72 cells, so two rows
	for _, c := range []struct {
		name, keys string
		text       string
		row, col   int
	}{
		{"typed", "SELECT 标题 FROM 'x'", "> SELECT 标题 FROM 'x'", 0, 22},
		{"line start", "SELECT 标题" + ctrlA, "> SELECT 标题", 0, 2},
		{"home and end", "标题" + keyHome + keyEnd, "> 标题", 0, 6},
		{"left past a wide one", "标题" + keyLeft, "> 标题", 0, 4},
		{"mixed widths", "，。😀é" + strings.Repeat(keyLeft, 4), "> ，。😀é", 0, 2},
		{"combining mark", "e\u0301x", "> ex", 0, 4},
		{"insert before", "标" + ctrlA + "题", "> 题标", 0, 4},
		{"two rows", wide, "> " + strings.Repeat("标题", 14) + "标\n" + "题" + strings.Repeat("标题", 3), 1, 14},
		{"left into the first row", wide + strings.Repeat(keyLeft, 8), "> " + strings.Repeat("标题", 14) + "标\n" + "题" + strings.Repeat("标题", 3), 0, 58},
		{"row just full", strings.Repeat("x", 58), "> " + strings.Repeat("x", 58), 1, 0},
		{"row just full, left", strings.Repeat("x", 58) + keyLeft, "> " + strings.Repeat("x", 58), 0, 59},
		{"wide one does not fit", strings.Repeat("x", 57) + "标", "> " + strings.Repeat("x", 57) + "\n标", 1, 2},
		{"delete forward", "标题" + keyHome + keyDelete, "> 题", 0, 2},
		{"delete at the end", "标题" + keyDelete, "> 标题", 0, 6},
		{"Ctrl-D deletes forward", "标题" + ctrlA + ctrlD, "> 题", 0, 2},
		{"word left", "ab cd\x1b[1;5DX", "> ab Xcd", 0, 6},
		{"word left and right in Chinese", "ab 标题, c\x1bb\x1bbX" + ctrlA + "\x1b[1;5C\x1bfY", "> ab X标题Y, c", 0, 11},
		{"cut a word and put it back", "ab 标题\x17" + ctrlA + "\x19", "> 标题ab", 0, 6},
		{"cut forward", "ab 标题 c" + ctrlA + "\x1bd\x1bd\x1bd\x1bd\x19", ">  c", 0, 4},
		{"cut to both ends", "ab 标题" + keyLeft + "\x0b" + keyLeft + "\x15\x19\x19", "> ab ab 标", 0, 8},
		{"unknown keys", "a\x1b[15~\x1b[[A\x1bOPb\x00\x16\x1c", "> ab", 0, 4},
		{"tab", "a\tb", "> ab", 0, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t)
			s.types(c.keys)
			s.shows(c.text, c.row, c.col)
		})
	}
}

// TestLines shows the lines that ReadLine returns.
func TestLines(t *testing.T) {
	s := start(t)
	s.types(keyDelete + keyDelete + keyDelete + "SELECT 1;" + enter)
	s.reads("SELECT 1;")
	s.shows("> SELECT 1;\n>", 1, 2) // before a line is read, Ctrl-C is the terminal's
	s.types("half" + ctrlC)
	s.reads("<interrupted>")
	s.shows("> SELECT 1;\n> half^C\n>", 2, 2)
	s.types("one\rtwo\r")
	s.reads("one")
	s.reads("two")
	s.types(ctrlD)
	s.reads("<EOF>")
	s.shows("> SELECT 1;\n> half^C\n> one\n> two\n>", 5, 0)
}

// TestTypedAhead shows that text typed after the last line goes to the program
// that reads the terminal next.
func TestTypedAhead(t *testing.T) {
	s := start(t)
	s.types(ctrlD + "next\r")
	s.reads("<EOF>")
	read := make(chan string, 1)
	go func() {
		buf := make([]byte, 100)
		n, _ := s.tty.Read(buf) // an error shows in the text
		read <- string(buf[:n])
	}()
	select {
	case got := <-read:
		if strings.TrimRight(got, "\r\n") != "next" {
			t.Errorf("the next program reads %q", got)
		}
	case <-time.After(patience):
		t.Error("nothing is left for the next program")
		s.types("\n")
		<-read
	}
}

// TestPaste shows that pasted text is inserted, not run and not completed.
func TestPaste(t *testing.T) {
	s := start(t)
	s.types("a\x1b[200~SCH\tx\r\n标\n\x1b[31m\x1b[201~b")
	s.shows("> aSCH⇥x⏎标⏎[31mb", 0, 17)
	s.types(enter)
	s.reads("aSCH\tx\n标\n[31mb")

	// A long paste, whose end mark comes in pieces.
	long := strings.Repeat("SELECT 标题 FROM 'x';\n", 200)
	s.types("\x1b[200~" + long[:2000])
	s.types(long[2000:] + "\x1b[20")
	s.types("1~" + enter)
	s.reads(long)
}

// TestHistory shows that entries are recalled whole and found by Ctrl-R.
func TestHistory(t *testing.T) {
	s := start(t, "SELECT 标题\nFROM 'x';", "SHOW POOLS;")
	s.types(keyUp + keyUp)
	s.shows("> SELECT 标题⏎FROM 'x';", 0, 23)
	s.types(enter)
	s.reads("SELECT 标题\nFROM 'x';")
	s.shows("> SELECT 标题⏎FROM 'x';\n>", 1, 2) // keys typed before belong to nobody

	s.types(ctrlR + "标")
	s.shows("> SELECT 标题⏎FROM 'x';\n> SELECT 标题⏎FROM 'x';\nsearch: 标", 1, 9)
	s.types(keyDelete + enter) // ends the search, and deletes nothing
	s.reads("SELECT 标题\nFROM 'x';")
	s.shows("> SELECT 标题⏎FROM 'x';\n> SELECT 标题⏎FROM 'x';\n>", 2, 2)

	s.types(ctrlR + "zz")
	s.shows("> SELECT 标题⏎FROM 'x';\n> SELECT 标题⏎FROM 'x';\n>\nnot found: zz", 2, 2)
	s.types(ctrlC)
}

// TestKeysInPieces shows that keys arrive the same however the terminal cuts
// them up.
func TestKeysInPieces(t *testing.T) {
	input := "ab" + keyHome + keyDelete + "标\x1b[200~x\ty\x1b[201~\x1b[1;5C\x1bf"
	want := "ab\x01" + string(runeDelete) + "标" + string(runePaste) + wordRight + wordRight
	for size := 1; size <= len(input); size++ {
		k := newKeyReader(&pieces{input, size})
		got, err := io.ReadAll(k)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("in pieces of %d: got %q, want %q", size, got, want)
		}
		if paste := k.takePaste(); paste != "x"+string(runeTab)+"y" {
			t.Errorf("in pieces of %d: pasted %q", size, paste)
		}
	}
}

// pieces is a reader that returns a text a few bytes at a time.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b, p.text[:min(p.size, len(p.text))])
	p.text = p.text[n:]
	return n, nil
}

// FuzzKeys shows that no input stops the reader, and that none lets through a
// character that ends or confuses readline.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"", "SELECT 1;\r", keyHome, "\x1b[200~a\tb\x1b[201~", "\x1b[200~", "\x1b\x1b[[A", "\x1b[" + strings.Repeat("1", 100), "\x00\xff", "\x1b\x00"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, input string, size int) {
		k := newKeyReader(&pieces{input, max(1, size)})
		got, err := io.ReadAll(k)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(got), "\x00") {
			t.Errorf("%q became %q, which ends the shell", input, got)
		}
	})
}

// TestRows shows how many rows lines take on a screen of 60 columns.
func TestRows(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	defer master.Close()
	defer tty.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	if got := Height(tty); got != 24 {
		t.Errorf("the height is %d, want 24", got)
	}
	for _, c := range []struct {
		line string
		want int
	}{
		{"", 1}, {"\n", 1}, {strings.Repeat("x", 60) + "\n", 1}, {strings.Repeat("x", 61), 2},
		{strings.Repeat("标", 31), 2}, {"\x1b[2m" + strings.Repeat("x", 60) + "\x1b[0m\n", 1},
	} {
		if got := Rows(c.line, tty); got != c.want {
			t.Errorf("%q takes %d rows, want %d", c.line, got, c.want)
		}
	}
}
