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
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

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
	resize chan os.Signal // closed by Close
	closed chan struct{}  // closed when nothing draws at a resize any more
	close  func() error   // once
}

// Options are what an editor asks while a line is typed. Nil functions are not
// asked. They are called one at a time, while ReadLine runs.
type Options struct {
	// Complete gives what may stand in place of the text from byte from of
	// before to the cursor. Before and after are the line on the two sides of
	// the cursor. Candidates may end with a blank, where a word ends there.
	Complete func(before, after string) (from int, candidates []string)
	// Highlight colours the line. Styles come in rising order and do not
	// overlap.
	Highlight func(line string) []Style
}

// Style is a colour for the bytes from From up to To of a line. Color is what
// stands between ESC [ and m.
type Style struct {
	From, To int
	Color    string
}

// New takes hold of the terminal that in and out are open on. The caller
// closes the editor; in and out stay open.
func New(in, out *os.File, o Options) (*Editor, error) {
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
	if o.Highlight != nil {
		scr.highlight = o.Highlight
	}
	ed := &edits{keys: keys, complete: o.Complete, list: scr.list}
	ed.suspend = func() { suspend(raw, scr, out) }
	cfg.Listener = ed
	cfg.FuncFilterInputRune = ed.filter
	rl, err := readline.NewEx(cfg)
	if err != nil {
		return nil, err
	}
	ed.searching = rl.Operation.IsSearchMode
	scr.searching = rl.Operation.IsSearchMode
	io.WriteString(out, pasteOn)
	e := &Editor{rl: rl, stdin: stdin, out: out, screen: scr, raw: raw, resize: make(chan os.Signal, 1), closed: make(chan struct{})}
	e.close = sync.OnceValue(e.shut)
	notifyResize(e.resize)
	go func() {
		defer close(e.closed)
		for range e.resize {
			scr.redraw()
		}
	}()
	return e, nil
}

// suspend lets the user's shell have the terminal until the program goes on.
func suspend(raw *rawMode, scr *screen, out io.Writer) {
	scr.leave()
	// What fails here shows at the next key.
	_ = raw.pause()
	io.WriteString(out, pasteOff)
	_ = stopProcess()
	io.WriteString(out, pasteOn)
	_ = raw.enter()
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
	e.screen.end()
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
	signal.Stop(e.resize)
	close(e.resize)
	<-e.closed
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

// heightUnknown is the height taken for a terminal that tells none, in rows.
const heightUnknown = 24

// Height is the height of the terminal that f is open on, in rows, or 24 where
// it tells none.
func Height(f *os.File) int {
	_, h, err := xterm.GetSize(int(f.Fd()))
	if err != nil || h <= 0 {
		return heightUnknown
	}
	return h
}

// Rows is how many rows a line takes on the terminal that f is open on. The line
// may hold colours.
func Rows(line string, f *os.File) int {
	line = colors.ReplaceAllString(strings.TrimRight(line, "\n"), "")
	w := Width(f)
	return max(1, (cells.StringWidth(line)+w-1)/w)
}

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// IsTerminal reports whether f is open on a terminal.
func IsTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// rawMode switches a terminal between raw and its usual mode. It may be used
// from several goroutines.
type rawMode struct {
	fd int

	mu     sync.Mutex
	usual  *xterm.State // of the terminal before it was raw first; nil until then
	raw    bool
	closed bool
}

func (r *rawMode) enter() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.raw {
		return nil
	}
	before, err := xterm.MakeRaw(r.fd)
	if err != nil {
		return err
	}
	r.raw = true
	if r.usual == nil {
		r.usual = before
	}
	return nil
}

// exit leaves the terminal as a statement wants it: as it was, but that a
// Ctrl-D typed meanwhile is kept for the next line.
func (r *rawMode) exit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.raw {
		return nil
	}
	r.raw = false
	if err := xterm.Restore(r.fd, r.usual); err != nil {
		return err
	}
	return keepCtrlD(r.fd)
}

// pause leaves the terminal as it was before the program, until enter.
func (r *rawMode) pause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.raw {
		return nil
	}
	r.raw = false
	return xterm.Restore(r.fd, r.usual)
}

// close is exit for good: a ReadLine that begins meanwhile can't undo it.
func (r *rawMode) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.raw = true, false
	if r.usual == nil {
		return nil
	}
	return xterm.Restore(r.fd, r.usual)
}

// noCompletion offers nothing. Readline's own default inserts a tab.
type noCompletion struct{}

func (noCompletion) Do([]rune, int) ([][]rune, int) { return nil, 0 }

// Runes of a private plane that stand in the edit line for what it cannot
// hold, and carry keys through readline that it has no code for, or another
// mind of.
const (
	runeNewline = '\U000F000A' // a line break within the line
	runeTab     = '\U000F0009' // a tab within the line

	runeDelete       = '\U000F0104' // the Delete key
	runePaste        = '\U000F0116' // text was pasted; the keyReader holds it
	runeComplete     = '\U000F0119' // the Tab key
	runeWordLeft     = '\U000F0120' // to the beginning of a word
	runeWordRight    = '\U000F0121' // to the end of a word
	runeCutWordLeft  = '\U000F0122' // Ctrl-W
	runeCutWordRight = '\U000F0123' // Alt-D
	runeCutLeft      = '\U000F0124' // Ctrl-U
	runeCutRight     = '\U000F0125' // Ctrl-K
	runePutBack      = '\U000F0126' // Ctrl-Y: what was cut last
	runeNothing      = '\U000F0127' // the line is drawn anew
)

var (
	toCells   = strings.NewReplacer("\r\n", string(runeNewline), "\n", string(runeNewline), "\r", string(runeNewline), "\t", string(runeTab))
	fromCells = strings.NewReplacer(string(runeNewline), "\n", string(runeTab), "\t")
)

// isPrivate reports whether r carries a key.
func isPrivate(r rune) bool { return runeDelete <= r && r <= runeNothing }

// edits acts on the private keys. Readline calls it from its one goroutine,
// filter before it takes a rune and OnChange after.
type edits struct {
	keys      *keyReader
	searching func() bool
	complete  func(before, after string) (from int, candidates []string) // or nil
	list      func(items []string)
	suspend   func() // returns when the program goes on
	cut       []rune // last
}

// filter turns the private keys into plain ones during a history search,
// where they would become part of the text searched for. It takes Ctrl-Z
// itself: readline would stop the parent process too, and then wait for a gap
// in time that a quick return does not leave. It refuses no key: after one that
// is refused readline reads on behind the end of the line, which takes away what
// is typed for the programs that a statement starts.
func (e *edits) filter(r rune) (rune, bool) {
	if r == readline.CharCtrlZ {
		e.suspend()
		r = runeNothing
	}
	if isPrivate(r) && e.searching() {
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
	if !isPrivate(key) || pos == 0 || line[pos-1] != key {
		return nil, 0, false
	}
	text := slices.Concat(line[:pos-1], line[pos:])
	pos--
	// replace puts by in place of the text from i up to j.
	replace := func(i, j int, by []rune) ([]rune, int, bool) {
		return slices.Concat(text[:i], by, text[j:]), i + len(by), true
	}
	cut := func(i, j int) ([]rune, int, bool) {
		if i < j {
			e.cut = slices.Clone(text[i:j])
		}
		return replace(i, j, nil)
	}
	switch key {
	case runeDelete:
		return replace(pos, min(pos+1, len(text)), nil)
	case runePaste:
		return replace(pos, pos, []rune(e.keys.takePaste()))
	case runeComplete:
		return replace(0, pos, e.completed(text[:pos], text[pos:]))
	case runeWordLeft:
		return text, wordStart(text, pos), true
	case runeWordRight:
		return text, wordEnd(text, pos), true
	case runeCutWordLeft:
		return cut(wordStart(text, pos), pos)
	case runeCutWordRight:
		return cut(pos, wordEnd(text, pos))
	case runeCutLeft:
		return cut(0, pos)
	case runeCutRight:
		return cut(pos, len(text))
	case runePutBack:
		return replace(pos, pos, e.cut)
	}
	return text, pos, true
}

// wordStart is where the word before pos begins, wordEnd where the one behind
// it ends.
func wordStart(line []rune, pos int) int {
	for pos > 0 && !isWordRune(line[pos-1]) {
		pos--
	}
	for pos > 0 && isWordRune(line[pos-1]) {
		pos--
	}
	return pos
}

func wordEnd(line []rune, pos int) int {
	for pos < len(line) && !isWordRune(line[pos]) {
		pos++
	}
	for pos < len(line) && isWordRune(line[pos]) {
		pos++
	}
	return pos
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// completed is the text before the cursor with as much added as all candidates
// share. Where that is nothing, it lists them.
func (e *edits) completed(before, after []rune) []rune {
	if e.complete == nil {
		return before
	}
	text := fromCells.Replace(string(before))
	from, candidates := e.complete(text, fromCells.Replace(string(after)))
	if len(candidates) == 0 {
		return before
	}
	shared := candidates[0]
	for _, c := range candidates[1:] {
		shared = sharedPrefix(shared, c)
	}
	if len(candidates) > 1 && len(shared) <= len(text)-from {
		e.list(candidates)
		return before
	}
	return []rune(toCells.Replace(text[:from] + shared))
}

// sharedPrefix is the text with which both begin.
func sharedPrefix(a, b string) string {
	n := 0
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			break
		}
		n = i + len(string(r))
	}
	return a[:n]
}
