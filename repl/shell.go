package repl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"infomall/lang"
	"infomall/repl/term"
)

// prompt asks for a statement. Those that ask for more of it are as wide, and
// say what is open: a quote, a bracket, a comment, or just the statement.
const prompt = "infomall> "

func promptFor(open string) string {
	if open == "" {
		open = "."
	}
	return fmt.Sprintf("%*s", len(prompt), open+".> ")
}

// slow is how long a statement takes at least for the shell to tell the time.
const slow = time.Second

// lineReader is what the shell needs of a line editor: a term.Editor.
type lineReader interface {
	ReadLine(prompt string) (string, error)
	AddHistory(entry string)
}

// shell is the prompt's side of a program. Statements end with a semicolon, or
// with an empty line where they are complete without.
type shell struct {
	*program
	lines    lineReader
	history  *history
	pending  string  // lines of a statement not complete yet
	terminal *output // where results go unless .output says else
	file     *os.File
	once     bool // file is for one result
	left     bool // .quit
}

// shell runs the scripts, and then statements from the terminal until Ctrl-D.
func (p *program) shell(ctx context.Context, scripts []*script) error {
	s := &shell{program: p, terminal: p.printer.out}
	o := term.Options{Complete: s.complete}
	if p.printer.color && p.options.Color != "never" {
		o.Highlight = s.highlight
	}
	editor, err := term.New(terminalOf(p.stdin), p.shellTerminal(), o)
	if err != nil {
		return fmt.Errorf("read from the terminal: %w", err)
	}
	defer editor.Close()
	p.restore = func() { editor.Close() }
	// A wish to end the program must not wait for a key.
	defer context.AfterFunc(ctx, func() { editor.Close() })()

	h, err := openHistory(historyPath(p.getenv))
	if err != nil {
		p.say("infomall: %v", err)
	}
	for _, e := range h.entries {
		editor.AddHistory(e.Text)
	}
	s.lines, s.history = editor, h
	defer s.closeFile()
	for _, script := range scripts {
		s.runScript(ctx, script)
	}
	if p.options.RC {
		s.runRC(ctx)
	}
	if !p.options.Quiet {
		p.say("Archive %s. Statements end with ; and HELP; lists them. Ctrl-D leaves.", p.session.Archive.Path())
	}
	return s.loop(ctx)
}

// shellTerminal is the terminal that the line editor draws on: that of the
// results, or where these go elsewhere, that of the keys.
func (p *program) shellTerminal() *os.File {
	if t := p.printer.out.terminal; t != nil {
		return t
	}
	return terminalOf(p.stdin)
}

// loop reads and runs until Ctrl-D, .quit or the end of the program.
func (s *shell) loop(ctx context.Context) error {
	for !s.left && ctx.Err() == nil {
		line, err := s.lines.ReadLine(s.prompt())
		switch {
		case errors.Is(err, term.ErrInterrupt):
			s.pending = ""
			continue
		case errors.Is(err, io.EOF):
			return context.Cause(ctx)
		case err != nil:
			return fmt.Errorf("read from the terminal: %w", err)
		}
		s.line(ctx, line, s.remember)
	}
	return context.Cause(ctx)
}

// prompt is the prompt for the next line.
func (s *shell) prompt() string {
	if s.pending == "" {
		return prompt
	}
	return promptFor(lang.Complete(s.pending).Open)
}

// line takes one line: a dot command, or a part of a statement. What is
// complete is remembered and run.
func (s *shell) line(ctx context.Context, line string, remember func(string)) {
	if s.pending == "" {
		word := strings.TrimSpace(line)
		switch {
		case word == "":
			return
		case strings.HasPrefix(word, "."):
			remember(line)
			if err := s.dot(ctx, word); err != nil {
				s.say("%v", err)
			}
			return
		case isLeaving(word):
			s.left = true
			return
		}
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
		return // an empty line within a statement
	}
	s.pending = ""
	remember(strings.TrimRight(script.text, "\n"))
	s.runScript(ctx, script)
}

// isLeaving reports whether a line is what people of other shells type to
// leave.
func isLeaving(word string) bool {
	switch strings.ToLower(strings.TrimRight(word, "; ")) {
	case "exit", "quit", `\q`:
		return true
	}
	return false
}

// remember puts what was entered into the history.
func (s *shell) remember(text string) {
	kept, err := s.history.add(text)
	if err != nil {
		s.say("%v", err)
		s.history.path = "" // say it once
	}
	if kept {
		s.lines.AddHistory(text)
	}
}

// runScript runs the statements of a script. Ctrl-C ends them and nothing
// else. Their errors are reported and forgotten.
func (s *shell) runScript(ctx context.Context, script *script) {
	ctx, release := s.signals.during(ctx)
	defer release()
	start := time.Now()
	if s.file == nil {
		s.printer.printed = 0 // the prompt parts results
	}
	_ = s.run(ctx, script.steps)
	if took := time.Since(start); took >= slow && !s.session.Settings.Timer {
		s.say("%.1f s", took.Seconds())
	}
	if s.once {
		s.closeFile()
	}
}

// runRC runs the user's start script, line by line as if typed.
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
		s.line(ctx, strings.TrimRight(line, "\r\n"), func(string) {})
	}
	if s.pending != "" {
		s.say("infomall: start script %s: the last statement has no ;", path)
		s.pending = ""
	}
}

// openFile sends results to a file from now on.
func (s *shell) openFile(name string, once bool) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	s.closeFile()
	s.file, s.once = f, once
	s.printer.out = newOutput(f)
	s.printer.printed = 0
	return nil
}

// closeFile sends results to the terminal again.
func (s *shell) closeFile() {
	if s.file == nil {
		return
	}
	if err := s.file.Close(); err != nil {
		s.say("%v", err)
	}
	s.file, s.once = nil, false
	s.printer.out = s.terminal
}
