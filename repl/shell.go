package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"infomall/lang"
	"infomall/repl/complete"
	"infomall/repl/history"
	"infomall/repl/printer"
	"infomall/repl/term"
)

// These are the prompts for the first line of a statement, and for a further
// line if only the semicolon is missing. promptFor returns the prompt for any
// other further line. All have the same width.
const (
	prompt      = "infomall> "
	promptWhole = "  ; runs> "
)

// promptFor returns the prompt that shows what is open: a quote, a bracket, a
// comment, or only the statement. open is as in lang.State.
func promptFor(open string) string {
	if open == "" {
		open = "."
	}
	return fmt.Sprintf("%*s", len(prompt), open+".> ")
}

// slow is the minimum duration of a statement for which the shell prints how
// long it took.
const slow = time.Second

// lineReader has the methods of a term.Editor that the shell uses.
type lineReader interface {
	ReadLine(prompt string) (string, error)
	AddHistory(entry string)
	WaitForKey(ctx context.Context, d time.Duration, keys string) bool
}

// shell is a run of the program at a prompt, where the user types statements. A
// statement ends with a semicolon; a statement that is complete without one
// also ends with an empty line.
type shell struct {
	*program
	lines    lineReader
	history  *history.History
	sites    *complete.Sites // for completion; nil without it
	pending  string          // lines of a statement that is not complete yet
	terminal *printer.Output // the output for results unless .output or .once names another
	file     io.WriteCloser  // the file or command of .output or .once; nil if there is none
	once     bool            // close file after one result
	left     bool            // the user wants to leave the shell
}

// shell runs the scripts, and then the statements that the user types at the
// prompt, until Ctrl-D or .quit.
func (p *program) shell(ctx context.Context, scripts []*script) error {
	s := &shell{program: p, terminal: p.printer.Out}
	p.printer.Last = new(printer.LastResult)
	if t := p.printer.Out.Terminal; t != nil {
		warn := func(err error) { p.say("pager: %v", err) }
		p.printer.Out.Pager = printer.NewPager(t, p.getenv, &p.session.Settings().Pager, p.signals.Patiently, warn)
	}
	o := term.Options{Complete: s.complete}
	if p.printer.Color && p.options.Color != "never" {
		o.Highlight = s.highlight
	}
	editor, err := term.New(term.Of(p.stdin), p.shellTerminal(), o)
	if err != nil {
		return fmt.Errorf("read from the terminal: %w", err)
	}
	defer editor.Close()
	p.restore = func() { editor.Close() }
	// If a signal ends the program, it must not wait for a key.
	defer context.AfterFunc(ctx, func() { editor.Close() })()

	h, err := history.Open(historyPath(p.getenv))
	if err != nil {
		p.say("infomall: %v", err)
		h.Leave() // so that the error is printed only once
	}
	for _, e := range h.Entries {
		editor.AddHistory(e.Text)
	}
	s.lines, s.history = editor, h
	s.session.SetConfirm(s.ask)
	s.session.SetConfirmCost(s.askCost)
	defer s.closeFile()
	s.sites = complete.NewSites(p.session.Archive())
	defer s.sites.Close()
	for _, script := range scripts {
		_ = s.runScript(ctx, script) // the prompt follows even after an error
	}
	if p.options.RC {
		s.runRC(ctx)
	}
	if !p.options.Quiet {
		where := "Archive " + p.session.Archive().Path()
		if !p.session.Archive().Exists() {
			where = "No archive at " + p.session.Archive().Path() + " yet: IMPORT or CRAWL makes one"
		}
		p.say("%s. Statements end with ; and HELP lists them. Ctrl-D leaves.", where)
	}
	return s.loop(ctx)
}

// shellTerminal returns the terminal on which the line editor draws: the
// terminal for the results, or, if results go elsewhere, the terminal from
// which keys are read.
func (p *program) shellTerminal() *os.File {
	if t := p.printer.Out.Terminal; t != nil {
		return t
	}
	return term.Of(p.stdin)
}

// loop reads and runs statements until Ctrl-D, .quit or a signal that ends the
// program. It returns nil unless a signal or an error ended it.
func (s *shell) loop(ctx context.Context) error {
	for !s.left && ctx.Err() == nil {
		s.recallOthers()
		s.signals.Await(false)
		line, err := s.lines.ReadLine(s.prompt())
		s.signals.Await(true)
		switch {
		case errors.Is(err, term.ErrInterrupt):
			s.pending = ""
			continue
		case errors.Is(err, io.EOF):
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("read from the terminal: %w", err)
		}
		s.line(ctx, line, true)
	}
	return context.Cause(ctx)
}

// prompt returns the prompt for the next line.
func (s *shell) prompt() string {
	if s.pending == "" {
		return prompt
	}
	open := lang.Complete(s.pending).Open
	if open == "" && parseScript("", s.pending).whole() {
		return promptWhole
	}
	return promptFor(open)
}

// line handles one line: a dot command, or a part of a statement. It runs the
// statement once it is complete. If typed is set, the user has typed the line,
// and the statement goes into the history.
func (s *shell) line(ctx context.Context, line string, typed bool) {
	keep := func(text string, run func() error) {
		if typed {
			run = s.kept(text, run)
		}
		_ = run() // its error was shown already
	}
	if text, mode, file, ok := sent(line); ok && strings.TrimSpace(s.pending+text) != ";" && lang.Complete(s.pending+text).Open == "" {
		line = text
		if mode != "" {
			before := s.session.Settings().Mode
			if s.set(ctx, "mode", mode) != nil {
				return
			}
			defer func() { s.session.Settings().Mode = before }()
		}
		if file != "" {
			if err := s.openFile(file, true); err != nil {
				s.say("%v", err)
				return
			}
		}
	}
	if s.pending == "" {
		word := strings.TrimSpace(line)
		if statement := habit(word); strings.HasPrefix(statement, ".") {
			word = statement
		} else if statement != "" {
			text := line
			if strings.HasPrefix(statement, "SET ") {
				text = statement // the history leaves its value out
			}
			keep(text, func() error { return s.runScript(ctx, parseScript("", statement)) })
			return
		}
		switch {
		case word == "":
			return
		case isLeaving(word):
			s.left = true
			return
		case strings.HasPrefix(word, "."):
			keep(line, func() error {
				err := s.dot(ctx, word)
				var reported *reportedError
				if err != nil && !errors.As(err, &reported) {
					s.say("%v", err)
				}
				return err
			})
			return
		case strings.HasPrefix(word, `\`): // a command of psql; parsing it gives an error that says what to write
			keep(line, func() error { return s.runScript(ctx, parseScript("", line)) })
			return
		}
	}
	if s.pending != "" && isCommand(line) && lang.Complete(s.pending).Open == "" {
		s.say("%s is no part of the statement that was begun: ; or an empty line runs the statement, Ctrl-C drops it", strings.TrimSpace(line))
		return
	}
	s.pending += line + "\n"
	state := lang.Complete(s.pending)
	if state.Empty && state.Open == "" {
		s.pending = ""
		return
	}
	if !state.Complete && (strings.TrimSpace(line) != "" || state.Open != "") {
		return
	}
	script := parseScript("", s.pending)
	if !state.Complete && !script.whole() {
		return // an empty line inside a statement
	}
	s.pending = ""
	keep(script.text, func() error { return s.runScript(ctx, script) })
}

// kept returns a function that calls run and keeps text in the history. It stores text before it
// calls run, and after that how run ended.
func (s *shell) kept(text string, run func() error) func() error {
	return func() error {
		id, kept, err := s.history.Add(text)
		s.noHistory(err)
		if id == "" {
			return run()
		}
		s.lines.AddHistory(kept)
		start := time.Now()
		s.rows = 0
		failed := run()
		status := "done"
		switch statusOf(failed) {
		case statusDone:
		case statusInterrupted:
			status = "interrupted"
		default:
			status = "failed"
		}
		s.noHistory(s.history.End(id, time.Since(start), s.rows, status))
		return failed
	}
}

// recallOthers adds the statements that other shells have run since the last
// call to the entries that Up and Ctrl-R find.
func (s *shell) recallOthers() {
	added, err := s.history.News()
	s.noHistory(err)
	for _, e := range added {
		s.lines.AddHistory(e.Text)
	}
}

// noHistory does nothing if err is nil. Otherwise it prints err, an error of
// the history, and stops using the history file, so that the error is printed
// only once.
func (s *shell) noHistory(err error) {
	if err != nil {
		s.say("%v", err)
		s.history.Leave()
	}
}

// runScript runs the statements of a script. Ctrl-C ends these statements only,
// not the shell. It returns the first error; all errors are already printed.
func (s *shell) runScript(ctx context.Context, script *script) error {
	ctx, release := s.signals.During(ctx)
	defer release()
	start := time.Now()
	if s.file == nil {
		s.printer.Printed = 0 // the prompt already separates results
	}
	err := s.run(ctx, script.steps)
	if slices.ContainsFunc(script.steps, func(st step) bool { return changes(st.statement) }) {
		s.sites.Stale()
	}
	if took := time.Since(start); took >= slow && !s.session.Settings().Timer {
		s.say("%.1f s", took.Seconds())
	}
	if s.once {
		s.closeFile()
	}
	return err
}

// runRC runs the user's start script line by line, as if the user typed each
// line.
func (s *shell) runRC(ctx context.Context) {
	path := userFile(s.getenv, "XDG_CONFIG_HOME", ".config", "rc")
	if path == "" {
		return
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		s.say("infomall: start script: %v", err)
		return
	}
	defer f.Close()
	text, err := readText(f)
	if err != nil {
		s.say("infomall: start script: %v", err)
		return
	}
	for line := range strings.Lines(text) {
		s.line(ctx, strings.TrimRight(line, "\r\n"), false)
	}
	if s.pending != "" {
		s.say("infomall: start script %s: the last statement has no ;", path)
		s.pending = ""
	}
}

// openFile makes results go to a file from now on. If name begins with |, they
// go to a command of the system's shell instead. If once is set, this holds for
// one result only.
func (s *shell) openFile(name string, once bool) error {
	var f io.WriteCloser
	var format string
	var err error
	if command, ok := strings.CutPrefix(name, "|"); ok {
		f, err = s.openCommand(command)
	} else if format, err = printer.FormatOf(name); err == nil {
		f, err = os.Create(name)
	}
	if err != nil {
		return err
	}
	s.closeFile()
	s.file, s.once = f, once
	s.printer.Out = printer.NewOutput(f)
	s.printer.Out.Format = format
	s.printer.Printed = 0
	return nil
}

// closeFile closes the file or command that openFile has opened, if there is
// one. Results then go to the terminal again.
func (s *shell) closeFile() {
	if s.file == nil {
		return
	}
	if err := s.file.Close(); err != nil {
		s.say("%v", err)
	}
	s.file, s.once = nil, false
	s.printer.Out = s.terminal
}

// commandInput is the standard input of a running command. Close also waits for
// the command to end.
type commandInput struct {
	io.WriteCloser
	command *exec.Cmd
}

// openCommand starts a command of the system's shell, whose output goes to the
// terminal. It returns the command's standard input.
func (s *shell) openCommand(command string) (io.WriteCloser, error) {
	cmd := exec.Command("sh", "-c", command)
	if runtime.GOOS == "windows" {
		cmd = exec.Command("cmd", "/C", command)
	}
	cmd.Stdout, cmd.Stderr = s.terminal.Dest, s.stderr
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return commandInput{pipe, cmd}, nil
}

// Close closes the standard input and waits for the command to end.
func (c commandInput) Close() error {
	return errors.Join(c.WriteCloser.Close(), c.command.Wait())
}
