// Package term reads edited lines from a terminal. It is the home of
// chzyer/readline and mends from outside what that library gets wrong: the
// cursor beside wide characters, keys it does not know, pasted text, and the
// Delete key, which on an empty line would end the program. What a line means
// is the caller's business.
package term

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/chzyer/readline"
	xterm "golang.org/x/term"
)

// ErrInterrupt is returned by ReadLine when Ctrl-C was typed.
var ErrInterrupt = errors.New("interrupted")

// widthUnknown is the width taken for a terminal that tells none, in cells.
const widthUnknown = 80

// widthForReadline is what readline is told. It makes the edit line one row
// long, so that what readline writes to move about in it keeps one form; the
// screen does the drawing.
const widthForReadline = 1 << 30

// historyEntriesMax is how many entries the arrow keys and Ctrl-R can reach.
const historyEntriesMax = 1000

// Editor reads lines from one terminal. Between two calls of ReadLine the
// terminal is in its usual mode, so that Ctrl-C sends a signal, and what is
// typed meanwhile is kept for the next call. But for Close it is not for
// concurrent use.
type Editor struct {
	rl     *readline.Instance
	stdin  io.Closer // stops readline's reading, which its own Close waits for
	out    io.Writer
	screen *screen
	raw    *rawMode
	close  func() error // once
}

// New takes hold of the terminal that in and out are open on. The caller
// closes the editor; in and out stay open.
func New(in, out *os.File) (*Editor, error) {
	keys := newKeyReader(in)
	scr := newScreen(out, func() int { return Width(out) })
	raw := &rawMode{fd: int(in.Fd())}
	stdin := readline.NewCancelableStdin(keys)
	cfg := &readline.Config{
		Stdin:                  stdin,
		Stdout:                 scr,
		Stderr:                 scr,
		Painter:                scr,
		FuncGetWidth:           func() int { return widthForReadline },
		FuncOnWidthChanged:     func(func()) {},
		FuncIsTerminal:         func() bool { return true },
		FuncMakeRaw:            raw.enter,
		FuncExitRaw:            raw.exit,
		HistoryLimit:           historyEntriesMax,
		HistorySearchFold:      true,
		DisableAutoSaveHistory: true,
		EOFPrompt:              "\n", // readline's way to say: none
		AutoComplete:           noCompletion{},
	}
	ed := &edits{keys: keys}
	cfg.Listener = ed
	cfg.FuncFilterInputRune = ed.filter
	rl, err := readline.NewEx(cfg)
	if err != nil {
		return nil, err
	}
	ed.searching = rl.Operation.IsSearchMode
	scr.searching = rl.Operation.IsSearchMode
	io.WriteString(out, pasteOn)
	e := &Editor{rl: rl, stdin: stdin, out: out, screen: scr, raw: raw}
	e.close = sync.OnceValue(e.shut)
	return e, nil
}

// ReadLine shows the prompt and returns the line typed, without its end. The
// line holds line breaks where it was recalled or pasted with them. The error
// is io.EOF for Ctrl-D on an empty line and for a terminal that went away,
// and ErrInterrupt for Ctrl-C. The prompt is plain text of one line.
func (e *Editor) ReadLine(prompt string) (string, error) {
	e.screen.begin(prompt)
	e.rl.SetPrompt(prompt)
	// Goes back to the end of the history; else the arrow keys would go on from
	// what was recalled last.
	_ = e.rl.SaveHistory("")
	line, err := e.rl.Readline()
	if errors.Is(err, readline.ErrInterrupt) {
		return "", ErrInterrupt
	}
	if err != nil {
		return "", err
	}
	return fromCells.Replace(line), nil
}

// AddHistory makes entry the newest that the arrow keys and Ctrl-R find. It
// may hold line breaks. It is kept in memory only.
func (e *Editor) AddHistory(entry string) {
	// Without a history file SaveHistory has nothing to fail at.
	_ = e.rl.SaveHistory(toCells.Replace(entry))
}

// Close gives the terminal back as it was. It may be called more than once, and
// while another goroutine is in ReadLine, which then returns io.EOF.
func (e *Editor) Close() error { return e.close() }

func (e *Editor) shut() error {
	e.screen.close()
	e.stdin.Close()
	err := errors.Join(e.rl.Close(), e.raw.close())
	io.WriteString(e.out, pasteOff)
	return err
}

// Width is the width of the terminal that f is open on, in cells, or 80 where
// it tells none.
func Width(f *os.File) int {
	w, _, err := xterm.GetSize(int(f.Fd()))
	if err != nil || w <= 0 {
		return widthUnknown
	}
	return w
}

// IsTerminal reports whether f is open on a terminal.
func IsTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// rawMode switches a terminal between raw and its usual mode. It may be used
// from several goroutines.
type rawMode struct {
	fd int

	mu     sync.Mutex
	usual  *xterm.State // while the terminal is raw, else nil
	closed bool
}

func (r *rawMode) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.usual != nil {
		return nil
	}
	usual, err := xterm.MakeRaw(r.fd)
	if err != nil {
		return err
	}
	r.usual = usual
	return nil
}

func (r *rawMode) exit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.usual == nil {
		return nil
	}
	err := xterm.Restore(r.fd, r.usual)
	r.usual = nil
	return err
}

// close is exit for good: a ReadLine that begins meanwhile can't undo it.
func (r *rawMode) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	return r.exit()
}

// noCompletion offers nothing. Readline's own default inserts a tab.
type noCompletion struct{}

func (noCompletion) Do([]rune, int) ([][]rune, int) { return nil, 0 }

// Runes of a private plane that stand in the edit line for what it cannot
// hold, and carry keys through readline that it has no code for.
const (
	runeNewline = '\U000F000A' // a line break within the line
	runeTab     = '\U000F0009' // a tab within the line
	runeDelete  = '\U000F0004' // the Delete key
	runePaste   = '\U000F0016' // text was pasted; the keyReader holds it
)

var (
	toCells   = strings.NewReplacer("\r\n", string(runeNewline), "\n", string(runeNewline), "\r", string(runeNewline), "\t", string(runeTab))
	fromCells = strings.NewReplacer(string(runeNewline), "\n", string(runeTab), "\t")
)

// edits acts on the private keys. Readline calls it from its one goroutine,
// filter before it takes a rune and OnChange after.
type edits struct {
	keys      *keyReader
	searching func() bool
}

// filter turns the private keys into plain ones during a history search,
// where they would become part of the text searched for.
func (e *edits) filter(r rune) (rune, bool) {
	if (r == runeDelete || r == runePaste) && e.searching() {
		if r == runePaste {
			e.keys.takePaste()
		}
		return readline.CharForward, true // ends the search
	}
	return r, true
}

// OnChange takes a private key out of the line again, where readline put it
// before pos, and does its work.
func (e *edits) OnChange(line []rune, pos int, key rune) ([]rune, int, bool) {
	if key != runeDelete && key != runePaste || pos == 0 || line[pos-1] != key {
		return nil, 0, false
	}
	before, after := line[:pos-1], line[pos:]
	var insert []rune
	switch key {
	case runeDelete:
		if len(after) > 0 {
			after = after[1:]
		}
	case runePaste:
		insert = []rune(e.keys.takePaste())
	}
	out := make([]rune, 0, len(before)+len(insert)+len(after))
	out = append(append(append(out, before...), insert...), after...)
	return out, len(before) + len(insert), true
}
