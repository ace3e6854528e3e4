// Package term reads lines from a terminal, which the user can edit while typing.
// It wraps the library chzyer/readline and corrects faults of that library from
// outside: the cursor beside wide characters, keys that the library does not know,
// pasted text, and the Delete key, which would end the program on an empty line.
// The caller interprets the lines.
//
// The parts, from the terminal to the caller:
//
//	keyReader   translates keys and collects pasted text
//	readline    edits the line
//	edits       carries out the private keys (see runeNewline)
//	screen      draws the line in place of readline
//	Editor      returns the line
package term

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/chzyer/readline"
	xterm "golang.org/x/term"

	"infomall/lang/cells"
)

// ErrInterrupt is the error of ReadLine after the user has typed Ctrl-C.
var ErrInterrupt = errors.New("interrupted")

// widthUnknown is the width, in cells, that Width returns for a terminal that
// does not report its width.
const widthUnknown = 80

// widthForReadline is the width that readline is given for the terminal. It is so
// large that the line is always one row for readline. Readline then moves the
// cursor by simple sequences, which the screen recognizes. The screen draws the
// line with the true width.
const widthForReadline = 1 << 30

// historyEntriesMax is the maximum number of entries that the arrow keys and
// Ctrl-R reach.
const historyEntriesMax = 1000

// Editor reads lines from one terminal. Between two calls of ReadLine the
// terminal is in its usual mode, so Ctrl-C sends a signal; the terminal keeps
// other keys for the next call. Close may be called from any goroutine, the
// other methods from one goroutine only.
type Editor struct {
	rl     *readline.Instance
	stdin  io.Closer // stops the goroutine that reads keys; rl.Close waits for it
	out    io.Writer
	screen *screen
	raw    *rawMode
	resize chan os.Signal // closed by Close
	closed chan struct{}  // closed when the goroutine that handles resizes has ended
	close  func() error   // calls shut at the first call only
}

// Options are functions that an Editor calls while a line is typed. Each may be
// nil. They are called one at a time, and only while ReadLine runs.
type Options struct {
	// Complete returns the candidates for completing the word before the
	// cursor: texts that may replace before[from:]. The parameter before is
	// the text of the line to the left of the cursor, and after is the text
	// to the right of it. A candidate that ends in a blank completes the
	// whole word.
	Complete func(before, after string) (from int, candidates []string)
	// Highlight returns the colours of a line, ordered by place and without
	// overlaps. The line may contain line breaks.
	Highlight func(line string) []Style
}

// Style is a colour for some bytes of a line: from the offset From up to, not
// including, the offset To. Color is the middle part of the escape sequence ESC
// [ Color m, such as "31" for red.
type Style struct {
	From, To int
	Color    string
}

// New returns an Editor that reads keys from in and draws on out, files that
// are open on the same terminal. The caller must close the Editor; in and out
// stay open.
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
		EOFPrompt:              "\n", // readline's way to print no prompt at the end of input
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

// suspend stops the program, as Ctrl-Z does in other programs, and returns when
// the user's shell lets the program continue. Meanwhile the terminal is in its
// usual mode.
func suspend(raw *rawMode, scr *screen, out io.Writer) {
	scr.leave()
	// An error here will show at the next key.
	_ = raw.pause()
	io.WriteString(out, pasteOff)
	_ = stopProcess()
	io.WriteString(out, pasteOn)
	_ = raw.enter()
}

// ReadLine shows the prompt, which must be one line of plain text, and returns
// the line that the user types, without its line end. The line contains line
// breaks if they were pasted or come from the history. The error is
// ErrInterrupt for Ctrl-C. It is io.EOF for Ctrl-D on an empty line, or if the
// terminal has gone.
func (e *Editor) ReadLine(prompt string) (string, error) {
	e.screen.begin(prompt)
	e.rl.SetPrompt(prompt)
	// Go back to the end of the history. Otherwise the arrow keys would
	// continue at the entry that was recalled last.
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

// errNoKeys is returned on a system or terminal from which single keys cannot be read.
var errNoKeys = errors.New("the terminal gives no keys")

// pollKeys is how many milliseconds WaitForKey waits for a key before it looks at its context.
const pollKeys = 50

// WaitForKey waits until one of keys is typed, for at most d, or until ctx is cancelled.
// Other keys are dropped. Keys are not shown, and need no line end. It reports whether one of
// keys was typed. If the system does not give single keys, it only waits.
func (e *Editor) WaitForKey(ctx context.Context, d time.Duration, keys string) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if e.raw.quiet() != nil {
		<-ctx.Done()
		return false
	}
	// An error here will show at the next prompt.
	defer func() { _ = e.raw.exit() }()
	for ctx.Err() == nil {
		key, err := keyWithin(e.raw.fd, pollKeys)
		switch {
		case err != nil:
			<-ctx.Done()
		case key != 0 && strings.IndexByte(keys, key) >= 0:
			return true
		}
	}
	return false
}

// AddHistory adds entry as the newest entry that the arrow keys and Ctrl-R
// find. entry may contain line breaks. The history is in memory only.
func (e *Editor) AddHistory(entry string) {
	// SaveHistory can fail only with a history file.
	_ = e.rl.SaveHistory(toCells.Replace(entry))
}

// Close puts the terminal back into its mode before New. It may be called
// several times. It may also be called while another goroutine is in ReadLine;
// that ReadLine then returns io.EOF.
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

// Width returns the width, in cells, of the terminal that f is open on, or 80
// if the terminal does not report its width.
func Width(f *os.File) int {
	w, _, err := xterm.GetSize(int(f.Fd()))
	if err != nil || w <= 0 {
		return widthUnknown
	}
	return w
}

// heightUnknown is the height, in rows, that Height returns for a terminal that
// does not report its height.
const heightUnknown = 24

// Height returns the height, in rows, of the terminal that f is open on, or 24
// if the terminal does not report its height.
func Height(f *os.File) int {
	_, h, err := xterm.GetSize(int(f.Fd()))
	if err != nil || h <= 0 {
		return heightUnknown
	}
	return h
}

// Rows returns how many rows line takes on the terminal that f is open on, at
// least 1. Escape sequences of colours in line do not count.
func Rows(line string, f *os.File) int {
	line = colors().ReplaceAllString(strings.TrimRight(line, "\n"), "")
	w := Width(f)
	return max(1, (cells.Width(line)+w-1)/w)
}

// colors matches the escape sequence that begins or ends a colour.
var colors = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("\x1b\\[[0-9;]*m") })

// isTerminal reports whether f is open on a terminal.
func isTerminal(f *os.File) bool { return xterm.IsTerminal(int(f.Fd())) }

// Of returns w if it is a file that is open on a terminal, else nil.
func Of(w any) *os.File {
	if f, ok := w.(*os.File); ok && isTerminal(f) {
		return f
	}
	return nil
}

// rawMode switches a terminal between its usual mode and raw mode, in which the
// program gets each key at once. Its methods may be called from several
// goroutines.
type rawMode struct {
	fd int

	mu     sync.Mutex
	usual  *xterm.State // mode of the terminal before the first enter; nil until then
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

// quiet puts the terminal from its usual mode into a mode that gives the program each key at
// once. The mode lasts until exit is called.
func (r *rawMode) quiet() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.raw || r.usual == nil {
		return errNoKeys
	}
	if err := quietKeys(r.fd); err != nil {
		return err
	}
	r.raw = true
	return nil
}

// exit puts the terminal from raw mode into its usual mode, with one
// difference: a Ctrl-D that is typed while a statement runs is kept for the
// next line.
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

// pause puts the terminal from raw mode into its usual mode until enter is
// called again.
func (r *rawMode) pause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.raw {
		return nil
	}
	r.raw = false
	return xterm.Restore(r.fd, r.usual)
}

// close puts the terminal into its usual mode for good: later calls of enter
// have no effect.
func (r *rawMode) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed, r.raw = true, false
	if r.usual == nil {
		return nil
	}
	return xterm.Restore(r.fd, r.usual)
}

// noCompletion gives readline no completions, because edits completes. Without
// it, readline would insert a tab.
type noCompletion struct{}

func (noCompletion) Do([]rune, int) ([][]rune, int) { return nil, 0 }

// Runes of a private plane of Unicode. In the line that is edited, runeNewline and
// runeTab stand for a line break and a tab, which readline cannot keep there. The
// private keys, from runeDelete on, stand for keys that readline does not know or
// would treat differently; readline passes them on to edits.
const (
	runeNewline = '\U000F000A' // a line break in the line
	runeTab     = '\U000F0009' // a tab in the line

	runeDelete       = '\U000F0104' // the Delete key
	runePaste        = '\U000F0116' // text was pasted; the keyReader has the text
	runeComplete     = '\U000F0119' // the Tab key
	runeWordLeft     = '\U000F0120' // go to the start of a word
	runeWordRight    = '\U000F0121' // go to the end of a word
	runeCutWordLeft  = '\U000F0122' // Ctrl-W: cut the word before the cursor
	runeCutWordRight = '\U000F0123' // Alt-D: cut the word after the cursor
	runeCutLeft      = '\U000F0124' // Ctrl-U: cut the text before the cursor
	runeCutRight     = '\U000F0125' // Ctrl-K: cut the text after the cursor
	runePutBack      = '\U000F0126' // Ctrl-Y: insert the text that was cut last
	runeNothing      = '\U000F0127' // only draw the line again
)

// toCells replaces line breaks by runeNewline and tabs by runeTab, for the line
// that is edited; fromCells does the reverse.
var (
	toCells   = strings.NewReplacer("\r\n", string(runeNewline), "\n", string(runeNewline), "\r", string(runeNewline), "\t", string(runeTab))
	fromCells = strings.NewReplacer(string(runeNewline), "\n", string(runeTab), "\t")
)

// isPrivate reports whether r is a private key: a rune from runeDelete to
// runeNothing, which stands for a key such as Tab.
func isPrivate(r rune) bool { return runeDelete <= r && r <= runeNothing }

// edits carries out the private keys, runes that stand for keys such as Tab.
// Readline calls filter before it handles a rune, and OnChange afterwards, both
// from its only goroutine.
type edits struct {
	keys      *keyReader
	searching func() bool
	complete  func(before, after string) (from int, candidates []string) // or nil
	list      func(items []string)
	suspend   func() // returns when the program continues
	cut       []rune // text that was cut last
}

// filter returns the rune that readline handles in place of r, and always true,
// which means that the rune is not dropped. If filter dropped a rune, readline
// would read beyond the end of the line, and take input from the programs that
// a statement starts.
//
// During a search in the history, a private key becomes a key that ends the
// search, because readline would add the private key to the text searched for.
// filter itself suspends the program for Ctrl-Z: readline would also stop the
// parent process, and then miss a quick continuation.
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

// OnChange carries out a private key, a rune that stands for a key such as Tab.
// Readline has inserted the rune key into line before pos; OnChange removes it.
// OnChange returns the new line, the new position of the cursor, and whether it
// has changed anything.
func (e *edits) OnChange(line []rune, pos int, key rune) ([]rune, int, bool) {
	if !isPrivate(key) || pos == 0 || line[pos-1] != key {
		return nil, 0, false
	}
	text := slices.Concat(line[:pos-1], line[pos:])
	pos--
	// replace replaces text[i:j] by the runes by, and cut removes text[i:j].
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

// wordStart returns the index at which the word around or before pos begins, or
// 0 if there is no word.
func wordStart(line []rune, pos int) int {
	for pos > 0 && !isWordRune(line[pos-1]) {
		pos--
	}
	for pos > 0 && isWordRune(line[pos-1]) {
		pos--
	}
	return pos
}

// wordEnd returns the index at which the word around or after pos ends, or
// len(line) if there is no word.
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

// completed returns before, the text before the cursor, extended by the text with which all
// candidates begin. If there are several candidates and they share no more than the text typed,
// completed lists them on the screen.
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

// sharedPrefix returns the longest text with which both a and b begin.
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
